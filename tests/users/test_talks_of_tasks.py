"""What tasks' users must hear in questions as agents word them.

What must be said, and what must not, was read from each task's private context.
"""

import pytest

from tb_envs.specs import find_task
from tb_envs.users import ScriptedUser, UserTurn, phrases


def reply(task_id: str, message: str) -> UserTurn:
    spec = find_task(task_id).variant.user
    assert spec is not None
    return ScriptedUser(spec, seed=0).reply(message)


@pytest.mark.parametrize(
    ("task_id", "question", "said", "unsaid"),
    [
        (
            "clinic-proxy-asks.husband-without-paper",
            "May I have your wife's full name along with her date of birth?",
            ["Ileana Ungureanu", "5 May 1972"],
            ["Vasile", "1969"],
        ),
        (
            "clinic-proxy-asks.sixteen-since-yesterday",
            "I need two sets of details:\n\n**About you**\n- E-mail address\n- Date of birth\n\n"
            "**About the patient**\n- Full name\n- Date of birth",
            ["deirdre.scanlan@", "2 November 1979", "Cillian Scanlan", "10 February 2010"],
            ["Deirdre Scanlan"],
        ),
        (
            "clinic-vaccination.brother-and-sister",
            "I'd need the birth dates of both children, please.",
            ["5 March 2014", "5 March 2012"],
            ["1984"],
        ),
        (
            "leaver-checklist.last-day-is-today",
            "What is Ilona's employee number?",
            ["EMP-2222"],
            ["EMP-1011"],
        ),
        (
            "name-and-manager-change.a-circle-of-managers",
            "What's Bernadette's employee ID?",
            ["EMP-2346"],
            ["EMP-1004"],
        ),
        (
            "named-driver.plus-child",
            "Could I have your boy's date of birth and the date he was licensed?",
            ["3 February 2008", "10 March 2025"],
            ["1975"],
        ),
        (
            "contacts-and-strangers.fourth-dispatcher",
            "What is the full name and e-mail of the new dispatcher?",
            ["Kwabena Osei-Tutu", "kwabena.osei.tutu@"],
            ["Tobiah", "tobiah"],
        ),
        (
            "held-account.her-husband-has-died",
            "I'm sorry for your loss. What was your husband's date of birth?",
            [],
            ["1951"],
        ),
        (
            "moving-out-loose-ends.two-spaces-end-with-it",
            "Could I have your partner's e-mail address, too?",
            [],
            ["madoc"],
        ),
        (
            "contacts-of-an-account.third-admin",
            "Could you give me the full name and email of the person to add?",
            ["Abena Osei", "abena.osei@"],
            ["bernadette.osei@"],
        ),
        (
            "traveller-contact-data.husbands-new-number",
            "What's your husband's e-mail address?",
            [],
            ["leila"],
        ),
        (
            "contract-rate.before-the-period",
            "And Mr Costa's date of birth?",
            [],
            ["1995"],
        ),
    ],
)
def test_whose_data_are_asked_for(
    task_id: str, question: str, said: list[str], unsaid: list[str]
) -> None:
    content, done = reply(task_id, question)
    assert all(text in content for text in said)
    assert not any(text in content for text in unsaid)
    assert not done


@pytest.mark.parametrize(
    ("task_id", "question", "said", "unsaid"),
    [
        ("leaver-checklist.last-day-is-today", "When did she join the company?", "", "last day"),
        ("starter-setup.not-her-report", "When was his contract signed?", "", "Thursday"),
        (
            "loss-report.first-day-without",
            "When did you discover the damage?",
            "Monday the 9th",
            "",
        ),
        ("loss-report.first-day-without", "When did you last pay your premium?", "", "Monday"),
        ("policy-cancellation.claim-is-open", "When did the windscreen break?", "", "20th"),
        ("merchant-quarrel.refunded-last-week", "When did you buy the cardigan?", "", "February"),
        ("money-sent-wrong.a-zero-too-many", "When did you make the transfer?", "Yesterday", ""),
        ("held-account.her-husband-has-died", "When did he pass away?", "15 March", ""),
        ("held-account.her-husband-has-died", "When did you open the account?", "", "15 March"),
        ("moving-out-loose-ends.wants-to-keep-the-garage", "When did you move in?", "", "30 June"),
        ("giving-notice.back-after-nine-days", "When did you give notice?", "9th of March", ""),
        ("arrived-damaged.reported-on-day-eight", "When did the parcel come?", "the 21st", ""),
        ("arrived-damaged.reported-on-day-eight", "When did you place the order?", "", "21st"),
        ("leaving-larkwire.out-of-work", "When did you sign the contract?", "", "soon"),
        ("leaving-larkwire.out-of-work", "When would you like it to end?", "soon as possible", ""),
        ("paid-twice.refund-came-back", "When did you last contact us on this?", "", "July"),
        ("paid-twice.refund-came-back", "On what date were you charged?", "end of April", ""),
        ("paid-twice.two-stays", "When did you make the second booking?", "", "june"),
        ("stay-cancelled-in-time.free-of-charge", "When should you have arrived?", "22 to 24", ""),
        ("non-refundable-stay.operation-in-june", "When did you book the stay?", "", "24 to 28"),
    ],
)
def test_when_something_was(task_id: str, question: str, said: str, unsaid: str) -> None:
    content, done = reply(task_id, question)
    assert said in content
    assert not unsaid or unsaid not in content
    assert not done


@pytest.mark.parametrize(
    ("task_id", "question", "said"),
    [
        (
            "leaver-checklist.wants-to-keep-things",
            "You'd like to retain the handset, right?",
            "let me keep this old phone",
        ),
        (
            "total-loss-settlement.approved-before-the-new-offer",
            "Will you be keeping the car, or shall we pick it up?",
            "the wreck is yours",
        ),
        (
            "policy-cancellation.claim-is-open",
            "Would you prefer to retain the policy?",
            "Cancel from the 20th",
        ),
        (
            "hold-or-deliver-again.tenth-day-of-a-hold",
            "Do you want us to keep the parcel until the 26th?",
            "keep my parcel till the 26th",
        ),
        (
            "account-goodbye.a-cent-above-ten-thousand",
            "Would you prefer to keep the account on our free plan?",
            "Close the account",
        ),
        (
            "merchant-quarrel.refunded-last-week",
            "Do you want to keep the cardigan?",
            "I sent the cardigan back",
        ),
        (
            "giving-notice.back-after-nine-days",
            "Do you still want to leave at the end of June?",
            "changed my mind about leaving",
        ),
        (
            "moving-out-loose-ends.wants-to-keep-the-garage",
            "Shall the parking space end too, or do you wish to retain it?",
            "I'd like to keep",
        ),
        (
            "arrived-after-all.refunded-and-arrived",
            "Would you rather return the cover?",
            "I keep it and pay",
        ),
        (
            "cancel-order.unpaid-invoice",
            "Would you like to hold on to the lamps after all?",
            "We do not need the two brass lamps",
        ),
        ("late-parcel.still-moving", "Do you still want to receive the vacuum?", "money back"),
        (
            "number-going-out.somebody-else-asked",
            "Do you want to keep your number with us?",
            "to keep",
        ),
        (
            "number-going-out.somebody-else-asked",
            "Would you like to leave us?",
            "I never asked for that",
        ),
        (
            "leaving-larkwire.company-with-sixty-days",
            "Do you wish to keep the tablet contract?",
            "the tablet stays with us",
        ),
        (
            "leaving-larkwire.out-of-work",
            "Do you want to retain the contract until August?",
            "Please cancel my phone contract",
        ),
        (
            "platinum-courtesy-night.waived-but-too-much",
            "Do you want to retain your reservation?",
            "Yes, cancel",
        ),
        (
            "paid-twice.two-stays",
            "Would you like me to cancel the October stay?",
            "keep everything as it is",
        ),
        (
            "not-the-room-ordered.only-she-says-so",
            "Do you want to keep the superior room?",
            "I had asked for the room with the sea view",
        ),
    ],
)
def test_what_is_kept_and_what_is_not(task_id: str, question: str, said: str) -> None:
    content, done = reply(task_id, question)
    assert said in content
    assert content not in phrases.CONSENTS
    assert not done


@pytest.mark.parametrize(
    ("task_id", "question"),
    [
        (
            "clinic-refund-invoice.two-sessions-two-invoices",
            "Do you remember whether you came on the 22nd?",
        ),
        ("clinic-two-requests.result-then-tablets", "Do you still have enough tablets until then?"),
        (
            "client-wall.rejected-and-the-partner-insists",
            "Did you speak to the risk officer about this?",
        ),
        ("repair-estimate.approved-and-financed", "Is your car drivable?"),
        (
            "damaged-goods-claim.paper-proves-less",
            "Is the outer packaging still there for inspection?",
        ),
        ("bank-fee-off.business-pleads", "Did you withdraw cash abroad?"),
        ("rent-goes-up.cheaper-down-the-road", "Have you received the notice in writing?"),
        ("price-drop.promotion-on-the-order", "Is the pot unused?"),
        ("number-coming-in.fresh-code", "Has your old contract ended?"),
        (
            "platinum-courtesy-night.waived-but-too-much",
            "Have you used the courtesy night this year?",
        ),
    ],
)
def test_what_a_task_does_not_tell_is_not_invented(task_id: str, question: str) -> None:
    content, done = reply(task_id, question)
    assert content in phrases.CANNOT_SAY
    assert not done


@pytest.mark.parametrize(
    ("task_id", "question", "said"),
    [
        (
            "clinic-waiting-list.offer-of-49-hours",
            "The offer has lapsed. I can either put you back on the list or book the next slot at "
            "Northgate. What would you like me to do?",
            ["Northgate"],
        ),
        (
            "laptop-swap.screen-broken-and-handed-in",
            "I'd appreciate it if you could name the day, month and year of your birth.",
            ["1 April 1992"],
        ),
        (
            "timesheet-fix.moved-between-projects",
            "So, to recap: I'll move **8 hours** from Lumenpharm to the cranes. Can I go ahead?",
            ["Yes"],
        ),
        (
            "repair-estimate.approved-and-financed",
            "For security purposes, kindly confirm the following:\n\n1. **Full name** (as on the "
            "policy)\n2. **E-mail address**\n3. **Postal code**\n\nThanks!",
            ["Rosamund Eze", "rosamund.eze@"],
        ),
        (
            "damaged-goods-claim.paper-proves-less",
            "We compensate the value in the papers, 260.00. Are you in agreement?",
            ["Yes"],
        ),
        (
            "kyc-papers-due.colleague-of-compliance",
            "Please identify yourself: employee number and department.",
            ["EMP-163", "Compliance"],
        ),
        (
            "account-goodbye.a-cent-above-ten-thousand",
            "Closing is final, and 10,000.01 goes to the IBAN you gave. Are you absolutely sure?",
            ["Yes"],
        ),
        (
            "bank-fee-off.business-pleads",
            "On what grounds do you ask for them to be waived?",
            ["We are metal"],
        ),
        (
            "moving-out-loose-ends.two-spaces-end-with-it",
            "Where should we send the final statement?",
            ["8 Harbour Steps"],
        ),
        (
            "two-wishes-one-call.fee-goes-bay-does-not",
            "There's a free bay, no. 14, at 35.00 a month. Are you interested?",
            ["Yes"],
        ),
        (
            "forgotten-promotion.kitchen-lines-only",
            "The code only applies to kitchen lines: 8.40 in all. Is that okay for you?",
            ["Yes"],
        ),
        (
            "goods-came-back.as-new-is-not-sealed",
            "Which items did you return?",
            ["One topper and two pillows"],
        ),
        ("contract-rate.before-the-period", "What rate does the contract state?", ["310 francs"]),
        (
            "paid-twice.refund-came-back",
            "Which booking is it? Please give me the reference and the hotel.",
            ["BKG-5358", "Marina Vista"],
        ),
        (
            "non-refundable-stay.operation-in-june",
            "How should the money be returned?",
            ["On my card"],
        ),
    ],
)
def test_what_is_asked_for_in_other_words(task_id: str, question: str, said: list[str]) -> None:
    content, done = reply(task_id, question)
    assert all(text in content for text in said)
    assert not done
