from tests.domains.conftest import Desk


def test_customers_are_found_without_their_accents(desk: Desk) -> None:
    assert [row["id"] for row in desk.call("find_customers", name="helene")] == ["CUS-1004"]
    assert [row["id"] for row in desk.call("find_customers", name="WOJCIK")] == [
        "CUS-1029",
        "CUS-1030",
    ]


def test_all_criteria_for_customers_must_match(desk: Desk) -> None:
    found = desk.call("find_customers", name="Lindqvist", email="A.Lindqvist@fjordmail.example")
    assert [row["id"] for row in found] == ["CUS-1014"]
    assert "at least one" in desk.refused("find_customers")


def test_what_verifies_a_customer_is_never_shown(desk: Desk) -> None:
    shown = desk.call("get_customer", customer_id="CUS-1001")
    assert "date_of_birth" not in shown
    assert "postal_code" not in shown


def test_an_identity_check_is_noted_whether_it_passes_or_not(desk: Desk) -> None:
    wrong = desk.call(
        "verify_identity",
        ticket_id="TCK-2001",
        customer_id="CUS-1016",
        method="postal_code",
        answer="EC2A 4NF",
    )
    right = desk.call(
        "verify_identity",
        ticket_id="TCK-2001",
        customer_id="CUS-1016",
        method="postal_code",
        answer=" ec2a4ne ",
    )
    assert (wrong["passed"], wrong["failed_checks_on_ticket"]) == (False, 1)
    assert (right["passed"], right["failed_checks_on_ticket"]) == (True, 1)
    assert desk.changed() == [("insert", "identity_checks")] * 2


def test_an_address_that_somebody_else_has_is_refused(desk: Desk) -> None:
    assert "already exists" in desk.refused(
        "update_contact_details", customer_id="CUS-1001", email="marina.costa@castellane.example"
    )


def test_a_ticket_holds_only_with_a_code_of_that_kind(desk: Desk) -> None:
    said = desk.refused("hold_ticket", ticket_id="TCK-2001", hold_reason="RES-DONE")
    assert "expected one of HOLD-APPROVAL, HOLD-FINANCE, HOLD-HOTEL" in said
    desk.call("hold_ticket", ticket_id="TCK-2001", hold_reason="HOLD-HOTEL")
    assert desk.call("get_ticket", ticket_id="TCK-2001")["hold_reason"] == "HOLD-HOTEL"


def test_a_ticket_that_goes_on_drops_the_code_of_its_last_state(desk: Desk) -> None:
    desk.call("hold_ticket", ticket_id="TCK-2001", hold_reason="HOLD-HOTEL")
    desk.call("solve_ticket", ticket_id="TCK-2001", resolution="RES-DONE")
    desk.call("assign_ticket", ticket_id="TCK-2001", team="TEAM-GROUPS")
    ticket = desk.call("get_ticket", ticket_id="TCK-2001")
    assert (ticket["status"], ticket["hold_reason"], ticket["resolution"]) == ("open", None, None)
    assert ticket["team"] == "TEAM-GROUPS"


def test_a_closed_ticket_stays_as_it_is(desk: Desk) -> None:
    closed = desk.call("find_tickets", status="closed", limit=1)[0]["id"]
    assert "closed" in desk.refused("set_ticket_pending", ticket_id=closed)
    assert "closed" in desk.refused(
        "add_ticket_comment", ticket_id=closed, body="One more thing", visibility="internal"
    )


def test_a_comment_changes_nothing_but_the_list_of_comments(desk: Desk) -> None:
    desk.call("add_ticket_comment", ticket_id="TCK-2001", body="We look.", visibility="public")
    assert desk.changed() == [("insert", "ticket_comments")]
    last = desk.call("get_ticket", ticket_id="TCK-2001")["comments"][-1]
    assert (last["is_public"], last["body"]) == (True, "We look.")


def test_an_approval_waits_until_it_is_taken_back_once(desk: Desk) -> None:
    asked = desk.call(
        "request_approval",
        approval_type="APV-ROOM-CHANGE",
        reference="BKG-4821",
        target="DLX",
        approver_email="Helene.Marchetti@castellane.example",
        justification="Cost limit",
        ticket_id="TCK-2001",
        amount=480,
        currency="EUR",
    )
    assert (asked["id"], asked["status"]) == ("APR-4001", "pending")
    assert asked["approver_email"] == "helene.marchetti@castellane.example"
    desk.call("withdraw_approval", approval_id="APR-4001")
    assert "withdrawn" in desk.refused("withdraw_approval", approval_id="APR-4001")


def test_an_amount_to_approve_needs_its_currency(desk: Desk) -> None:
    assert "together" in desk.refused(
        "request_approval",
        approval_type="APV-REFUND",
        reference="BKG-4821",
        target="PAY-2821",
        approver_email="refunds@wayfarerlund.example",
        justification="Difference",
        ticket_id="TCK-2001",
        amount=700,
    )


def test_articles_are_found_by_other_forms_of_their_words(desk: Desk) -> None:
    found = desk.call("search_knowledge", query="converting currencies into euros")
    assert found[0]["id"] == "KB-101"
    assert "1.10" in desk.call("get_article", article_id="KB-101")["body"]


def test_articles_with_every_word_come_before_those_with_some(desk: Desk) -> None:
    found = [row["id"] for row in desk.call("search_knowledge", query="card refund fails")]
    assert found[0] == "KB-108"
    assert len(found) > 1


def test_a_search_without_words_finds_nothing_and_does_not_break(desk: Desk) -> None:
    for query in ("", "the", "& ! ' | <->", "%s"):
        assert desk.call("search_knowledge", query=query) == []


def test_codes_are_listed_by_kind(desk: Desk) -> None:
    assert [row["code"] for row in desk.call("list_codes", kind="hold-")] == [
        "HOLD-APPROVAL",
        "HOLD-FINANCE",
        "HOLD-HOTEL",
    ]
    assert "the kinds are APV, CAT, CHG" in desk.refused("list_codes", kind="X")


def test_notifications_are_rows_that_can_be_listed(desk: Desk) -> None:
    desk.call(
        "send_notification",
        template="MSG-BOOKING-CHANGED",
        recipient="Jonas.Eide@halvorsen-marine.example",
        reference="BKG-4835",
        body="Changed.",
    )
    sent = desk.call("list_notifications", reference="BKG-4835")
    assert sent[0]["recipient"] == "jonas.eide@halvorsen-marine.example"
    assert desk.changed() == [("insert", "notifications")]


def test_quotes_in_text_arguments_stay_text(desk: Desk) -> None:
    text = "'; DROP TABLE tickets; -- %s %(body)s"
    desk.call("add_ticket_comment", ticket_id="TCK-2001", body=text, visibility="internal")
    assert desk.call("get_ticket", ticket_id="TCK-2001")["comments"][-1]["body"] == text
    assert desk.call("find_customers", name=text) == []
