"""Agents word things in many ways; the scripted user must understand all of these."""

import pytest

from tb_envs.specs.models import UserSpec
from tb_envs.users import ScriptedUser, phrases

FACTS = (
    *("full_name", "email", "phone", "date_of_birth", "address", "zip_code", "company", "manager"),
    *("booking_reference", "order_number", "policy_number", "claim_number", "account_number"),
    *("customer_id", "employee_id", "ticket_number", "card_last_four", "payment_method", "dates"),
    *("department", "room_type", "reason", "preference", "security_answer", "purpose"),
    *("guest_email", "new_arrival"),
)
OPENING = "I want to change my booking."


def answer(message: str) -> tuple[str, bool]:
    spec = UserSpec(
        opening=OPENING, private_context="", facts={name: f"<{name}>" for name in FACTS}
    )
    return tuple(ScriptedUser(spec, seed=3).reply(message))


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("full_name", "Could you please tell me your full name?"),
        ("full_name", "Who am I speaking with?"),
        ("full_name", "And what's the name on the reservation?"),
        ("full_name", "Under which name was it booked?"),
        ("full_name", "I'll need your first and last name to continue."),
        ("full_name", "Please provide the name of the guest"),
        ("full_name", "Before we start, can I get your name, please"),
        ("email", "What e-mail address do we have on file for you?"),
        ("email", "Which email should the confirmation go to?"),
        ("email", "I need your email address in order to find your profile."),
        ("email", "Kindly share your registered email."),
        ("email", "May I ask for the email associated with the account?"),
        ("phone", "What's the best phone number to reach you on?"),
        ("phone", "Please confirm your mobile number."),
        ("phone", "Can you give me a number where we can call you?"),
        ("date_of_birth", "For security, could you verify your date of birth?"),
        ("date_of_birth", "When were you born?"),
        ("date_of_birth", "Please provide your DOB."),
        ("address", "What is your current address?"),
        ("address", "Where should we ship the replacement?"),
        ("zip_code", "What's your ZIP code?"),
        ("zip_code", "Please tell me your postcode."),
        ("booking_reference", "Could you provide your booking reference?"),
        ("booking_reference", "What is the confirmation number?"),
        ("booking_reference", "Do you have a reservation number for me?"),
        ("booking_reference", "Which booking is this about?"),
        ("booking_reference", "To look into this, I need the reference."),
        ("booking_reference", "Can you share the ID of your booking?"),
        ("booking_reference", "Please send me the reservation code so I can pull it up."),
        ("booking_reference", "I'd be happy to help! May I have your booking number?"),
        ("booking_reference", "I see two bookings, BKG-1 (Paris) and BKG-2. Which one is it?"),
        ("reason", "Here is what I need from you:\n1. Reason for the change\n\nThank you."),
        ("reason", "Perfect. Can you also let me know why you're making this change?"),
        ("company", "Would you be so kind as to tell me who you work for?"),
        ("preference", "I can keep the suite or wait for the approval. Which do you prefer?"),
        ("order_number", "What's your order number?"),
        ("order_number", "Which order are you referring to?"),
        ("order_number", "Please provide the order ID."),
        ("policy_number", "May I have your policy number?"),
        ("policy_number", "Which policy does the accident concern?"),
        ("claim_number", "Do you have the claim number at hand?"),
        ("account_number", "What is your account number?"),
        ("account_number", "Which account should I look at?"),
        ("customer_id", "Could you tell me your customer ID?"),
        ("customer_id", "What's your loyalty number?"),
        ("employee_id", "Please give me your employee ID."),
        ("employee_id", "What is your staff number?"),
        ("ticket_number", "Do you have a case number from before?"),
        ("card_last_four", "What are the last four digits of the card?"),
        ("card_last_four", "Which card did you use?"),
        ("payment_method", "How did you pay?"),
        ("payment_method", "Which payment method was used?"),
        ("payment_method", "Did you pay by card or in cash?"),
        ("company", "Which company do you work for?"),
        ("company", "Is this under a corporate account?"),
        ("department", "What department are you in?"),
        ("manager", "Who is your manager?"),
        ("manager", "Could you tell me your supervisor's contact?"),
        ("dates", "What are the dates of your stay?"),
        ("dates", "When are you travelling?"),
        ("room_type", "Which room would you want instead?"),
        ("room_type", "What room type did you have in mind?"),
        ("reason", "May I ask the reason for the change?"),
        ("reason", "Why do you need this urgently?"),
        ("reason", "What happened?"),
        ("reason", "Can you tell me why?"),
        ("preference", "Do you have a preference?"),
        ("preference", "Would you rather have a refund or a voucher?"),
        ("preference", "Which option suits you best?"),
        ("security_answer", "What is the answer to your security question?"),
        ("purpose", "Is the trip for business or leisure?"),
        ("purpose", "Is this a business trip?"),
        ("guest_email", "What is the guest's email?"),
        (
            "email",
            "To verify you I'll need: 1) the e-mail address on your account 2) your ZIP code.",
        ),
        (
            "date_of_birth",
            "First I need to verify your identity: e-mail address and date of birth.",
        ),
        ("email", "First I have to verify you (e-mail address + date of birth)."),
        ("date_of_birth", "Your e-mail and birth date, so that I can find you."),
        ("zip_code", "Thanks! And your postal code or date of birth to finish verification."),
        ("dates", "Until which day should I book it?"),
        ("purpose", "Is the stay for business?"),
        ("payment_method", "Where should the refund go?"),
        ("reason", "How come you need this today?"),
        ("email", "The mail address of your account, please."),
        ("email", "Your account's email and DOB, please."),
        ("date_of_birth", "Your account's email and DOB, please."),
        ("date_of_birth", "Could you tell me when you were born?"),
        ("new_arrival", "What would the new arrival be?"),
    ],
)
def test_a_fact_is_understood_however_it_is_asked_for(fact: str, question: str) -> None:
    content, done = answer(question)
    assert f"<{fact}>" in content
    assert not done


@pytest.mark.parametrize(
    "message",
    [
        "Shall I go ahead?",
        "As your card is closed, may I give it to you as a gift card?",
        "Would you like me to proceed with the cancellation?",
        "Do you want me to submit the approval request?",
        "Can I go ahead and change the room?",
        "May I process the refund to your card now?",
        "Are you okay with the fee of $50?",
        "Please reply 'yes' to continue.",
        "Please confirm with a yes or no: cancel the booking?",
        "If you'd like, I can file an approval request for you.",
        "I can submit a request to your manager if you want.",
        "Let me know if you would like me to go ahead.",
        "Would you like to proceed?",
        "I need your go-ahead before I touch the booking.",
        "Do you agree to these terms?",
        "The change costs $20. Is that okay with you?",
        "I will cancel the suite and book the deluxe room. Is that correct?",
        "The manager's approval is required first. Is it okay if I request it?",
        "Please confirm that I should cancel the order. (yes/no)",
        "Just to check: you want the deluxe room, right?",
        "Is 18 April acceptable?",
        "Do you still want to proceed?",
        "Would 1 April be all right instead?",
        "I can change it from today. Would that work for you?",
        "I could waive the late fee as a courtesy. Shall I?",
        "Would you accept a repair instead?",
        "Would you like to settle it now?",
        "Would 31 May work for you?",
        "Shall I ask for a new approval?",
        "Should I ask again for 96.40?",
    ],
)
def test_consent_is_given_however_it_is_asked_for(message: str) -> None:
    content, done = answer(message)
    assert content.startswith("Yes")
    assert not done


@pytest.mark.parametrize(
    "message",
    [
        "I've cancelled your booking and refunded $400 to your card.",
        "Your room has been changed to a deluxe king.",
        "Done! Your order is on its way back and the refund was issued.",
        "I'm sorry, but this rate is non-refundable and I cannot make an exception.",
        "I have submitted an approval request to your travel manager. Your ticket is on hold.",
        "I filed the request. You will receive an e-mail once your manager has decided.",
        "Unfortunately we can't change bookings within 24 hours of arrival.",
        "This isn't possible under our policy.",
        "The request has been escalated to a specialist, who will contact you tomorrow.",
        "Your claim has been filed. Is there anything else I can help you with?",
        "Everything is taken care of. Have a great day!",
        "The refund is complete. Do you have any other questions?",
        "I've sent the request to your manager. Does that make sense?",
        "I've updated the address. Let me know if you need anything else!",
        "I'm unable to help with that.",
        "Per policy, this needs the approval of your manager, who has been asked.",
        "Is there anything else I can do for you today?",
        "I have put your case on hold; I'll let you know as soon as there is a decision.",
        "That is everything. Thank you for your patience.",
        "I\u2019ve cancelled it.",
        "I must decline this request.",
        "I've reported the damage to the carrier, who will arrange a visit with you.",
        "I understand, but above that sum it has to be finance.",
        "I'm transferring you to a human agent.",
        "You will need to contact your travel manager to get this approved.",
        "I'm afraid the deluxe room isn't available for those dates.",
        "Great news! Your booking has been switched and $640 will be refunded. Enjoy your stay!",
        "I'm not authorized to bypass this step. I can't waive it, no matter the urgency.",
        "I've requested approval from your manager. Once approved, we'll change the room.",
        "A colleague from the fraud desk will contact you shortly; the case is in their hands.",
        "I'll keep the ticket on hold until they respond.",
        "The second change had to be declined.",
        "As to your two wishes: booked the first, declined the second.",
        "Your case is now with another team.",
        "I have let your manager know.",
        "We've taken 20.60 off the invoice.",
        "The porting team is looking into it and will be in touch.",
        "Your new contract is not signed yet, so I can't unlock the account.",
        "Crediting it needs an approval, which I have requested: APR-4001.",
        "All set! It has been taken care of and you will receive a confirmation shortly.",
        "A replacement card is on its way to you.",
        "I wasn't able to confirm who you are, so I have to leave it there.",
        "The deluxe room is now booked.",
    ],
)
def test_an_outcome_ends_the_talk_however_it_is_reported(message: str) -> None:
    assert answer(message)[1]


@pytest.mark.parametrize(
    "message",
    [
        "Let me check that for you.",
        "One moment please.",
        "I'll look into your booking right away.",
        "Thank you, Dana. I'm now reviewing the policy.",
        "I have found your booking. Let me check the rules for it.",
        "Please hold on while I process this.",
        "I am going to cancel the suite first.",
        "Thanks for waiting. I'll now file the approval request.",
        "This rate can't be changed by me directly, so I will open a ticket for a specialist.",
        "I've cancelled the first booking. Next, I'll cancel the second one.",
        "I'll be with you shortly.",
        "Is there anything else I should know about this?",
        "Is there anything else you would like to add?",
        "Was anything else damaged?",
        "I'll keep looking.",
        "Just a second, please.",
        "Thank you for the information.",
        "I apologize for the delay! Still working on it.",
        "I have everything I need and will file the request right away.",
        "I see that your booking is for three nights.",
        "I couldn't find a booking under that name.",
        "Hello and welcome! I'm happy to help.",
        "How may I assist you today?",
        "Hi! What can I do for you?",
        "Could you describe your request in more detail?",
        "What would you like me to do?",
        "Sure, I can help you with that!",
        "What is your favourite colour?",
        "Do you have a pet?",
        "Hello!",
        "ok",
        "?",
        "I cancelled it, but which of the two rooms did you mean?",
    ],
)
def test_the_talk_goes_on_while_nothing_has_been_settled(message: str) -> None:
    content, done = answer(message)
    assert content
    assert not done


@pytest.mark.parametrize(
    "message",
    [
        "Hello! How can I help you today?",
        "Hi, I'm your travel assistant. What can I do for you?",
        "Could you describe your request in more detail?",
        "What would you like me to do?",
        "Could you tell me more about the issue?",
    ],
)
def test_the_request_is_said_again_when_asked_for(message: str) -> None:
    assert answer(message) == (OPENING, False)


@pytest.mark.parametrize(
    "message", ["What is your favourite colour?", "Which pet do you have?", "How tall are you?"]
)
def test_what_the_user_does_not_know_is_said_so(message: str) -> None:
    assert answer(message)[0] in phrases.NOT_KNOWN


def test_whether_something_is_so_the_user_cannot_always_say() -> None:
    assert answer("Do you have a pet?")[0] in phrases.CANNOT_SAY


@pytest.mark.parametrize(
    "question",
    [
        "What is your son's full name?",
        "What is your son's date of birth?",
        "And what is her date of birth?",
        "Could you tell me your partner's name?",
        "What is your ex's name?",
    ],
)
def test_what_another_person_is_called_and_when_born_is_not_the_user_s(question: str) -> None:
    assert answer(question)[0] in phrases.NOT_KNOWN


def test_a_user_who_has_said_everything_says_so() -> None:
    assert answer("Is there anything else I should know?")[0] in phrases.NOTHING_TO_ADD
