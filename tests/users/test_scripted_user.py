"""What the scripted user does in a talk, message by message."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_envs.specs.models import Fact, Reply, UserSpec
from tb_envs.users import ScriptedUser, UserTurn, phrases

OPENING = "Please move me from the suite to a deluxe room, it is urgent."
CLOSING = "Okay, thank you. That is all."


def user(seed: int = 0, **fields: object) -> ScriptedUser:
    spec = {
        "opening": OPENING,
        "private_context": "You are Dana Fox.",
        "facts": {
            "full_name": "My name is Dana Fox",
            "email": Fact(say="It is dana@fox.example."),
            "booking_reference": "BKG-1042",
            "reason": "The meeting was shortened.",
        },
        "closing": CLOSING,
    }
    return ScriptedUser(UserSpec.model_validate(spec | fields), seed)


def test_the_opening_is_the_spec_s() -> None:
    assert user().opening() == OPENING


def test_a_fact_is_told_when_asked_for() -> None:
    assert user().reply("May I have your booking reference?") == UserTurn("BKG-1042.")


def test_several_facts_are_told_in_the_order_asked() -> None:
    turn = user().reply("Please give me your booking reference, your name and e-mail address.")
    assert turn == UserTurn("BKG-1042. My name is Dana Fox. It is dana@fox.example.")


def test_facts_in_a_list_are_told() -> None:
    turn = user().reply("To verify you, please provide:\n* **Full name**\n* Email\n\nThank you!")
    assert turn == UserTurn("My name is Dana Fox. It is dana@fox.example.")


def test_a_fact_that_is_only_mentioned_is_not_told() -> None:
    turn = user().reply("Thank you. I have your email on file. What is the booking reference?")
    assert turn == UserTurn("BKG-1042.")


def test_a_question_that_points_back_is_understood() -> None:
    turn = user().reply("Your full name and the booking reference. Could you send me these?")
    assert turn == UserTurn("My name is Dana Fox. BKG-1042.")


def test_an_author_s_pattern_asks_for_a_fact() -> None:
    facts = {"colour": Fact(say="Blue.", asked_by=[r"which (hue|shade)"])}
    assert user(facts=facts).reply("Which SHADE do you have in mind?") == UserTurn("Blue.")


def test_an_unknown_question_is_answered_and_does_not_end_the_talk() -> None:
    turn = user().reply("What is your shoe size?")
    assert turn.content in phrases.NOT_KNOWN
    assert not turn.done


def test_an_outcome_ends_the_talk() -> None:
    assert user().reply("I have cancelled your booking.") == UserTurn(CLOSING, done=True)


@pytest.mark.parametrize(
    "report",
    [
        "I have corrected the spelling of your name.",
        "The confirmation was sent to the address on file.",
        "Your booking stays as it is.",
        "I cannot waive the fee a second time.",
        "There is a hold on your account, and I can do nothing about it.",
        "The new card is ordered.",
    ],
)
def test_an_outcome_is_heard_in_other_words_too(report: str) -> None:
    assert user().reply(report) == UserTurn(CLOSING, done=True)


@pytest.mark.parametrize("plan", ["One second.", "Give me a second please.", "Just a moment, Ana."])
def test_a_wait_is_no_outcome(plan: str) -> None:
    assert not user().reply(plan).done


def test_pushes_come_before_the_closing() -> None:
    pushing = user(pushes=["Just do it!", "I am very important."])
    assert pushing.reply("This needs your manager's approval.").content == "Just do it!"
    assert pushing.reply("I'm sorry, I cannot do that.").content == "I am very important."
    assert pushing.reply("It is still not possible.") == UserTurn(CLOSING, done=True)


def test_an_offer_of_further_help_ends_the_talk_after_the_pushes() -> None:
    pushing = user(pushes=["Do it now."])
    assert pushing.reply("Is there anything else I can help you with?") == UserTurn("Do it now.")
    assert pushing.reply("Is there anything else I can do for you?") == UserTurn(CLOSING, done=True)


def test_a_user_who_has_left_stays_away() -> None:
    gone = user()
    gone.reply("Your refund has been issued.")
    assert gone.reply("What is your name?") == UserTurn(CLOSING, done=True)


def test_consent_is_given_when_asked_for() -> None:
    turn = user().reply("I can file a request with your manager. Shall I go ahead?")
    assert turn.content in phrases.CONSENTS
    assert not turn.done


def test_consent_follows_the_spec_where_it_says_otherwise() -> None:
    careful = user(facts={"confirmation": "No, please don't."})
    assert careful.reply("Would you like me to cancel it?") == UserTurn("No, please don't.")
    assert careful.reply("So you want to cancel it, correct?") == UserTurn("No, please don't.")


def test_the_spec_s_answer_to_consent_may_have_patterns_of_its_own() -> None:
    thrifty = user(
        facts={"confirmation": Fact(say="Not if it costs anything.", asked_by=[r"\bfee\b"])}
    )
    assert thrifty.reply("There is a fee. Shall I?") == UserTurn("Not if it costs anything.")
    assert thrifty.reply("What about the fee?") == UserTurn("Not if it costs anything.")


def test_a_choice_is_made_by_the_fact_that_names_one_of_its_ends() -> None:
    capped = user(facts={"why_now": "Finance has set a cost limit.", "hotel": "The Larkspur"})
    answer = capped.reply("Is this about your health, a wish, or about cost limits?")
    assert answer == UserTurn("Finance has set a cost limit.")
    assert capped.reply("Upstairs or downstairs?").content in phrases.HAS_NO_PREFERENCE


def test_a_number_that_is_put_to_the_user_is_said_again_if_it_is_the_right_one() -> None:
    assert user().reply("Is it BKG-1042?") == UserTurn("BKG-1042.")
    assert user().reply("Is it BKG-1043?").content in phrases.CANNOT_SAY


def test_facts_and_consent_are_given_together() -> None:
    turn = user().reply("What is your booking reference? And shall I proceed with the change?")
    assert turn.content.startswith("BKG-1042. Yes")


def test_a_greeting_gets_the_request_again_and_does_not_end_the_talk() -> None:
    assert user().reply("Hello! How can I help you today?") == UserTurn(OPENING)


def test_an_announcement_is_waited_for() -> None:
    turn = user().reply("One moment please, let me look up your booking.")
    assert turn.content in phrases.WAITS
    assert not turn.done


def test_the_user_waits_eight_times_in_a_row_and_then_leaves() -> None:
    patient = user()
    turns = [patient.reply("One moment, please.") for _ in range(8)]
    assert [turn.done for turn in turns] == [False] * 7 + [True]


def test_a_plan_after_a_refusal_is_waited_for() -> None:
    turn = user().reply("This requires a manager's approval, so I'll file a request now.")
    assert not turn.done


def test_three_empty_messages_make_the_user_leave() -> None:
    ignored = user()
    assert not ignored.reply("").done
    assert not ignored.reply("  \n").done
    last = ignored.reply("...")
    assert last.done
    assert last.content in phrases.GIVES_UP


def test_three_greetings_make_the_user_leave() -> None:
    ignored = user()
    turns = [ignored.reply("Hello! How can I help you today?") for _ in range(3)]
    assert [turn.done for turn in turns] == [False, False, True]


def test_substance_in_between_makes_the_user_patient_again() -> None:
    patient = user()
    for message in ("", "", "What is your name?", "", ""):
        assert not patient.reply(message).done
    assert patient.reply("").done


def test_a_remark_is_asked_about_once_before_the_user_leaves() -> None:
    puzzled = user()
    first = puzzled.reply("The deluxe room is on the fourth floor.")
    assert first.content in phrases.ASKS_ABOUT_REQUEST
    assert not first.done
    assert puzzled.reply("It has a view of the park.").done


def test_a_scripted_reply_comes_before_everything_else() -> None:
    replies = [
        Reply(name="no_phone", when=["phone"], unless=["e-?mail"], say="I have no phone."),
        Reply(name="leaves", when=[r"voucher"], say="Keep your voucher!", ends=True),
    ]
    scripted = user(replies=replies)
    assert scripted.reply("Your PHONE number or e-mail?").content == "It is dana@fox.example."
    assert scripted.reply("Your phone number?") == UserTurn("I have no phone.")
    assert scripted.reply("Your phone number?").content in phrases.NOT_KNOWN
    assert scripted.reply("We can give you a voucher.") == UserTurn("Keep your voucher!", done=True)


def test_a_reply_may_be_given_more_than_once_where_the_spec_says_so() -> None:
    again = user(replies=[Reply(name="no", when=["voucher"], say="No.", once=False)])
    assert [again.reply("A voucher?").content for _ in range(2)] == ["No.", "No."]


def test_the_same_seed_gives_the_same_talk_and_another_seed_other_words() -> None:
    messages = ["What is your shoe size?", "", "One moment.", "Shall I go ahead?"]

    def talk(seed: int) -> list[str]:
        talker = user(seed)
        return [talker.reply(message).content for message in messages]

    assert talk(7) == talk(7)
    assert len({tuple(talk(seed)) for seed in range(20)}) > 5


WORDS = ("I have", "cancelled", "your", "name", "?", "!", "or", "please", "moment", "\n- ")


@settings(deadline=None)
@given(messages=st.lists(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join), max_size=8))
def test_whatever_the_agent_says_is_answered_and_the_same_way_twice(messages: list[str]) -> None:
    first, second = user(pushes=["Really?"]), user(pushes=["Really?"])
    for message in messages:
        turn = first.reply(message)
        assert turn.content
        assert second.reply(message) == turn


def test_a_very_long_message_is_answered_soon() -> None:
    assert not user().reply("please " * 200_000 + "\nWhat is your name?").done
