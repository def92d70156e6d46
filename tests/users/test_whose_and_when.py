"""The scripted user keeps apart: own and other people's data, events, keeping and letting go."""

import pytest

from tb_envs.specs.models import Fact, UserSpec
from tb_envs.users import ScriptedUser, UserTurn, phrases

OPENING = "Hello, please send my sofa back, it is too big."


def answer(message: str, *, opening: str = OPENING, context: str = "", **facts: str | Fact) -> str:
    known: dict[str, str | Fact] = {
        "full_name": "Ada Quist",
        "email": "ada@quist.example",
        "date_of_birth": "3 May 1961",
        "postal_code": "4021",
    }
    spec = UserSpec(opening=opening, private_context=context, facts=known | facts)
    return ScriptedUser(spec, seed=1).reply(message).content


@pytest.mark.parametrize(
    "question",
    [
        "What would your brother's date of birth be?",
        "Could I trouble you for the DOB of your wife?",
        "And when was she born?",
        "For your mother, which e-mail address may I note?",
        "Is there an e-mail address for your neighbour?",
        "What about the birth date of the other passenger?",
        "Could you tell me Piotr's full name and date of birth?",
        "Which postcode does your landlord have?",
    ],
)
def test_another_person_s_data_are_not_answered_with_the_user_s_own(question: str) -> None:
    said = answer(question)
    assert not any(own in said for own in ("Ada", "1961", "4021", "ada@"))


@pytest.mark.parametrize(
    "question",
    [
        "What's your wife's date of birth?",
        "And your spouse: name and date of birth, please?",
        "When was your wife born?",
        "Would you give me the birth date of your wife?",
    ],
)
def test_another_person_s_data_are_told_from_the_fact_that_holds_them(question: str) -> None:
    said = answer(question, co_driver="My wife Ines Quist, born on 9 June 1970")
    assert "9 June 1970" in said
    assert "1961" not in said


@pytest.mark.parametrize(
    "question",
    [
        "Before we get to your wife's cover: when were you born?",
        "I am sorry to hear about your father. What is your own date of birth?",
        "The patient's date of birth, please?",
        "What is the policyholder's date of birth?",
        "Is your date of birth the same as on your wife's policy? Please state it.",
        "The date of birth on your file, please?",
    ],
)
def test_the_user_s_own_data_are_told_although_others_are_spoken_of(question: str) -> None:
    assert "3 May 1961" in answer(question)


def test_who_asks_for_a_child_is_not_the_patient() -> None:
    facts = {"child": "Ole Quist, my son", "child_born": "Ole was born on 2 July 2015"}
    assert answer("What is the patient's date of birth?", **facts) == "Ole was born on 2 July 2015."
    assert answer("And what is your date of birth?", **facts) == "3 May 1961."


def test_two_people_in_one_list_are_kept_apart() -> None:
    said = answer(
        "I need this:\n\n**About you**\n- E-mail\n\n**About your son**\n1. Date of birth\n",
        driver="My son Ole Quist, born on 2 July 2003",
    )
    assert said == "ada@quist.example. My son Ole Quist, born on 2 July 2003."


@pytest.mark.parametrize(
    "question",
    [
        "When did you make the reservation?",
        "When was the contract signed?",
        "On what date did you pay?",
        "When did you get in touch with the hotel?",
        "When were you born?",
        "When did you report it to the police?",
        "When did you receive the invoice?",
    ],
)
def test_the_days_of_a_stay_do_not_answer_when_something_else_was(question: str) -> None:
    said = answer(question, context="You stay at the Lark from 4 to 9 May.", dates="4 to 9 May")
    assert "4 to 9 May" not in said


@pytest.mark.parametrize(
    "question",
    [
        "When did you check in?",
        "When was it?",
        "When did that start?",
        "Which dates did you book?",
        "When are you travelling?",
        "When should it begin?",
        "For which nights, please?",
    ],
)
def test_the_days_of_a_stay_are_told_when_they_may_be_meant(question: str) -> None:
    said = answer(question, context="You stay at the Lark from 4 to 9 May.", dates="4 to 9 May")
    assert "4 to 9 May" in said


def test_a_date_answers_for_the_event_of_which_the_user_knows_it() -> None:
    context = "You paid twice, both times on 6 March. You moved in long ago."
    assert "6 March" in answer("When did you pay?", context=context, dates="6 March")
    assert "6 March" not in answer("When did you move in?", context=context, dates="6 March")


def test_an_author_s_bare_when_asks_for_the_same_event_only() -> None:
    given = Fact(say="On the 9th of March", asked_by=["when"])
    context = "You wrote to the office on the 9th of March."
    assert "9th" in answer("And when did you write to them?", context=context, given_on=given)
    assert "9th" not in answer("When did you buy the flat?", context=context, given_on=given)


@pytest.mark.parametrize(
    "question",
    [
        "Do you want to retain the sofa?",
        "Would you like to hang on to the sofa?",
        "Will you be keeping it?",
        "Do you still want the sofa?",
        "Would you rather keep it for a discount of 20%?",
        "Are you planning to keep the sofa after all?",
    ],
)
def test_who_lets_go_of_a_thing_does_not_consent_to_keep_it(question: str) -> None:
    assert answer(question) == OPENING


@pytest.mark.parametrize(
    "question",
    [
        "Would you like to send it back?",
        "Do you want to return the lamp instead?",
        "Would you rather give the lamp back?",
    ],
)
def test_who_keeps_a_thing_does_not_consent_to_let_it_go(question: str) -> None:
    said = answer(question, opening="My lamp flickers.", decision="The lamp stays, I keep it")
    assert said == "The lamp stays, I keep it."


def test_keeping_is_known_from_the_private_context_where_no_fact_tells_it() -> None:
    context = "You want to keep the parking space. The old cage you do not want to keep."
    kept = answer("Do you wish to retain the parking space?", opening="Hello.", context=context)
    assert kept in phrases.KEEPS
    gone = answer("Would you like to hold on to the cage?", opening="Hello.", context=context)
    assert gone in phrases.LETS_GO


def test_what_is_kept_under_a_condition_is_not_simply_kept() -> None:
    context = "You keep the room if it costs nothing."
    said = answer("Do you want to keep the room?", opening="Is my room free?", context=context)
    assert said == "Is my room free?"


def test_a_case_that_stays_open_is_nothing_to_keep() -> None:
    said = answer("Would you like me to keep the ticket open until then?")
    assert said in phrases.CONSENTS


@pytest.mark.parametrize(
    "question",
    [
        "Is there any damage to the wall behind it?",
        "Have you tried turning it off?",
        "Does your building have a lift?",
        "Was it raining at the time, or was it dry?",
    ],
)
def test_yes_or_no_is_not_invented_and_not_handed_back(question: str) -> None:
    assert answer(question) in phrases.CANNOT_SAY


def test_yes_or_no_is_answered_with_own_words_that_bear_on_it() -> None:
    opening = "The blue vase arrived broken. I want another one."
    assert (
        answer("Was the vase already broken?", opening=opening) == "The blue vase arrived broken."
    )


def test_a_paper_that_nobody_can_send_does_not_hold_the_talk_up() -> None:
    assert answer("Could you upload two photos of the scratch?") in phrases.CANNOT_SEND


@pytest.mark.parametrize(
    "question", ["Are you still there?", "Hello, are you with me?", "Can you hold for a minute?"]
)
def test_a_sign_of_life_is_given_and_is_no_consent(question: str) -> None:
    assert answer(question) in phrases.IS_THERE


def test_how_a_thing_is_is_no_matter_of_taste() -> None:
    assert answer("Was it lost or stolen?") in phrases.CANNOT_SAY
    assert answer("Upstairs or downstairs?") in phrases.HAS_NO_PREFERENCE


def test_a_numbered_list_is_heard() -> None:
    said = answer("Please confirm the following:\n\n1. **Full name**\n2. **Postal code** (home)\n")
    assert said == "Ada Quist. 4021."


def test_a_question_before_anything_else_is_a_question() -> None:
    said = answer("Before anything else I have to know who you are: what is your e-mail?")
    assert said == "ada@quist.example."


def test_an_alternative_is_chosen_by_the_preference_and_not_by_the_request() -> None:
    said = answer(
        "I can book Tuesday or put you on the list. What would you like me to do?",
        preference="Tuesday is best",
    )
    assert said == "Tuesday is best."


def test_what_is_proposed_is_accepted_together_with_a_fact() -> None:
    said = answer(
        "With the code that is 5% off. Is that okay for you?",
        code=Fact(say="It is SPRING5", asked_by=[r"\bcode\b"]),
    )
    assert said.startswith("It is SPRING5. Yes")


@pytest.mark.parametrize(
    "message",
    [
        "That is all from me; I will close the ticket now. Take care!",
        "The sum was already paid in June.",
        "He has to ask for it himself, so I haven't changed anything.",
        "The limit is lifted and I've settled the review.",
        "Please wait for their decision, they will write to you.",
    ],
)
def test_an_end_is_heard_as_one(message: str) -> None:
    spec = UserSpec(opening=OPENING, private_context="", closing="Bye.")
    assert ScriptedUser(spec, seed=1).reply(message) == UserTurn("Bye.", done=True)


def test_a_moment_is_given_to_who_asks_for_one() -> None:
    assert answer("Thanks! Give me just a moment while I look.") in phrases.WAITS
