from tests.domains.conftest import Desk


def test_a_quote_compares_the_contract_rate_of_the_new_room_with_what_is_paid_now(
    desk: Desk,
) -> None:
    quote = desk.call("quote_room_change", booking_reference="BKG-4821", room_type="DLX")
    # Contract rates of ACC-104 at LIS-CT: suite 510, deluxe 350; three nights.
    assert (quote["present_total"], quote["new_total"], quote["price_difference"]) == (
        1530,
        1050,
        -480,
    )
    assert quote["sold_out_nights"] == []
    assert desk.changed() == []


def test_a_private_quote_takes_the_plans_share_of_the_rack_rate(desk: Desk) -> None:
    quote = desk.call("quote_room_change", booking_reference="BKG-4862", room_type="DLX")
    # SEMI is 92 percent of 360.00 for three nights.
    assert (quote["new_nightly_rate"], quote["new_total"]) == (331.2, 993.6)


def test_a_room_change_writes_the_booking_and_its_history_and_moves_no_money(desk: Desk) -> None:
    desk.call(
        "change_booking_room",
        booking_reference="BKG-4821",
        room_type="DLX",
        reason_code="CHG-BUDGET",
    )
    assert desk.changed() == [("insert", "booking_changes"), ("update", "bookings")]
    booking = desk.call("get_booking", booking_reference="BKG-4821")
    assert (booking["room_type"], booking["nightly_rate"], booking["total_amount"]) == (
        "DLX",
        350,
        1050,
    )
    assert desk.call("get_booking_history", booking_reference="BKG-4821")[-1] == {
        "kind": "room",
        "from_value": "STE",
        "to_value": "DLX",
        "price_difference": -480,
        "reason_code": "CHG-BUDGET",
        "approval_id": None,
        "changed_at": "2026-05-11T09:00:00+00:00",
    }


def test_a_room_that_is_full_on_one_night_cannot_be_taken(desk: Desk) -> None:
    said = desk.refused(
        "change_booking_room", booking_reference="BKG-4904", room_type="DLX", reason_code="CHG-WISH"
    )
    assert said == "DLX is not free on 2026-05-30."


def test_a_room_must_hold_the_guests_of_the_booking(desk: Desk) -> None:
    desk.database.owner.execute("UPDATE bookings SET guests = 3 WHERE reference = 'BKG-4904'")
    assert "takes 2 guests" in desk.refused(
        "quote_room_change", booking_reference="BKG-4904", room_type="SUP"
    )


def test_a_change_on_an_unknown_approval_is_refused(desk: Desk) -> None:
    assert "approval" in desk.refused(
        "change_booking_room",
        booking_reference="BKG-4821",
        room_type="DLX",
        reason_code="CHG-BUDGET",
        approval_id="APR-9999",
    )


def test_a_booking_that_is_over_or_cancelled_cannot_change(desk: Desk) -> None:
    assert "over" in desk.refused(
        "change_booking_room", booking_reference="BKG-4281", room_type="DLX", reason_code="CHG-WISH"
    )
    cancelled = desk.value("SELECT min(reference) FROM bookings WHERE status = 'cancelled'")
    desk.refused("cancel_booking", booking_reference=cancelled, reason_code="CHG-WISH")


def test_a_complimentary_upgrade_keeps_the_price_and_goes_upwards_only(desk: Desk) -> None:
    desk.call(
        "grant_complimentary_upgrade",
        booking_reference="BKG-4912",
        room_type="JST",
        reason_code="CHG-DESK-ERROR",
    )
    booking = desk.call("get_booking", booking_reference="BKG-4912")
    assert (booking["room_type"], booking["nightly_rate"]) == ("JST", 425)
    # The way back finds no difference, since only a deluxe was ever paid for.
    quote = desk.call("quote_room_change", booking_reference="BKG-4912", room_type="DLX")
    assert quote["price_difference"] == 0
    assert "not a better room" in desk.refused(
        "grant_complimentary_upgrade",
        booking_reference="BKG-4912",
        room_type="STD",
        reason_code="CHG-DESK-ERROR",
    )


def test_dates_move_at_the_price_of_the_new_arrival(desk: Desk) -> None:
    moved = desk.call(
        "change_booking_dates",
        booking_reference="BKG-4912",
        check_in="2027-02-01",
        check_out="2027-02-03",
        reason_code="CHG-WISH",
    )
    # The contract rate of 425 ends with 2026; then the rack rate of 450 holds.
    assert (moved["new_total"], moved["price_difference"]) == (900, 50)


def test_a_quote_of_dates_names_the_price_and_the_full_nights_and_changes_nothing(
    desk: Desk,
) -> None:
    quote = desk.call(
        "quote_date_change",
        booking_reference="BKG-4912",
        check_in="2027-02-01",
        check_out="2027-02-03",
    )
    # The contract rate of 425 ends with 2026; then the rack rate of 450 holds.
    assert (quote["new_total"], quote["price_difference"]) == (900, 50)
    # The hotel took all superior rooms back from 10 June on.
    fair = desk.call(
        "quote_date_change",
        booking_reference="BKG-4434",
        check_in="2026-06-09",
        check_out="2026-06-12",
    )
    assert fair["sold_out_nights"] == ["2026-06-10", "2026-06-11"]
    assert desk.changed() == []


def test_dates_in_the_past_or_the_wrong_way_round_are_refused(desk: Desk) -> None:
    assert "must not lie before 2026-05-11" in desk.refused(
        "change_booking_dates",
        booking_reference="BKG-4912",
        check_in="2026-05-10",
        check_out="2026-05-12",
        reason_code="CHG-WISH",
    )
    assert "after the first night" in desk.refused(
        "change_booking_dates",
        booking_reference="BKG-4912",
        check_in="2026-07-02",
        check_out="2026-07-02",
        reason_code="CHG-WISH",
    )


def test_a_corrected_rate_works_after_the_stay_and_leaves_the_room(desk: Desk) -> None:
    done = desk.call(
        "correct_booking_rate",
        booking_reference="BKG-4281",
        nightly_rate=500,
        reason_code="CHG-DESK-ERROR",
    )
    assert (done["new_total"], done["price_difference"]) == (1000, -20)


def test_a_cancellation_refunds_nothing_by_itself(desk: Desk) -> None:
    desk.call("cancel_booking", booking_reference="BKG-4867", reason_code="CHG-WISH")
    assert desk.changed() == [("insert", "booking_changes"), ("update", "bookings")]


def test_another_traveller_must_be_a_customer_and_another_one(desk: Desk) -> None:
    arguments = {"booking_reference": "BKG-4912", "reason_code": "CHG-WISH"}
    assert "already" in desk.refused(
        "change_booking_traveller", traveller_id="CUS-1001", **arguments
    )
    desk.refused("change_booking_traveller", traveller_id="CUS-9999", **arguments)
    desk.call("change_booking_traveller", traveller_id="CUS-1002", **arguments)
    booking = desk.call("get_booking", booking_reference="BKG-4912")
    assert booking["traveller_name"] == "Marina Costa"


def test_refunds_of_all_kinds_never_pass_what_was_paid(desk: Desk) -> None:
    refund = {"payment_id": "PAY-2867", "reason_code": "REF-CANCELLATION"}
    desk.call("issue_refund", amount=1000, **refund)
    desk.call("issue_travel_credit", amount=900, **refund)
    assert desk.refused("issue_refund", amount=50.01, **refund) == (
        "50.01 is more than the 50.00 EUR left on PAY-2867."
    )
    desk.call("issue_refund", amount=50, **refund)


def test_a_failed_refund_leaves_its_money_to_refund(desk: Desk) -> None:
    refund = {"payment_id": "PAY-2867", "reason_code": "REF-CANCELLATION"}
    desk.call("issue_refund", amount=1950, **refund)
    desk.database.owner.execute("UPDATE refunds SET status = 'failed' WHERE payment_id='PAY-2867'")
    desk.call("issue_refund", amount=1950, **refund)


def test_only_captured_payments_are_refunded_and_only_positive_amounts(desk: Desk) -> None:
    assert "failed" in desk.refused(
        "issue_refund", payment_id="PAY-2834", amount=10, reason_code="REF-DOWNGRADE"
    )
    assert "more than 0" in desk.refused(
        "issue_refund", payment_id="PAY-2835", amount=-500, reason_code="REF-DOWNGRADE"
    )


def test_payments_come_with_their_refunds(desk: Desk) -> None:
    payments = desk.call("list_payments", booking_reference="BKG-4973")
    assert [refund["amount"] for refund in payments[0]["refunds"]] == [420]


def test_free_rooms_are_the_allotment_less_bookings_blocks_and_stopped_rooms(desk: Desk) -> None:
    rows = desk.call(
        "check_availability",
        hotel_id="LIS-CT",
        check_in="2026-06-08",
        check_out="2026-06-10",
        room_type="SUP",
    )
    # Six rooms less the block of five; the three bookings drawn from it count with the block.
    other = desk.value(
        "SELECT count(*) FROM bookings WHERE hotel_id = 'LIS-CT' AND room_type = 'SUP'"
        " AND check_in <= '2026-06-08' AND check_out > '2026-06-08' AND group_id IS NULL"
        " AND status IN ('held', 'confirmed', 'checked_in')"
    )
    assert rows[0]["free_by_night"]["2026-06-08"] == 6 - 5 - other
    stopped = desk.call(
        "check_availability",
        hotel_id="GVA-LS",
        check_in="2026-05-29",
        check_out="2026-06-01",
        room_type="JST",
    )
    assert stopped[0]["free_on_every_night"] == 0


def test_a_stay_of_no_nights_or_too_many_is_refused(desk: Desk) -> None:
    arguments = {"hotel_id": "LIS-CT", "check_in": "2026-06-08"}
    assert "has 0" in desk.refused("check_availability", check_out="2026-06-08", **arguments)
    assert "1 to 30" in desk.refused("check_availability", check_out="2026-08-08", **arguments)


def test_a_block_neither_shrinks_below_its_drawn_rooms_nor_grows_beyond_the_hotel(
    desk: Desk,
) -> None:
    assert "3 rooms of GRP-301 are drawn" in desk.refused(
        "resize_group_block", group_id="GRP-301", rooms=2
    )
    assert "There are not 7 rooms free" in desk.refused(
        "resize_group_block", group_id="GRP-301", rooms=7
    )
    desk.call("resize_group_block", group_id="GRP-301", rooms=4)
    assert desk.call("get_group", group_id="GRP-301")["rooms_blocked"] == 4
    assert "released" in desk.refused("resize_group_block", group_id="GRP-305", rooms=4)


def test_contract_rates_can_be_asked_for_an_arrival(desk: Desk) -> None:
    rates = desk.call(
        "list_contract_rates", account_id="ACC-102", hotel_id="PAR-SG", arrival="2026-07-01"
    )
    assert [(rate["room_type"], rate["nightly_rate"]) for rate in rates] == [("DLX", 435)]


def test_accounts_show_who_left(desk: Desk) -> None:
    members = desk.call("get_account", account_id="ACC-101")["members"]
    managers = [(row["full_name"], row["active"]) for row in members if "manager" in row["role"]]
    assert ("Erik Nygård", False) in managers
    assert ("Astrid Halvorsen", True) in managers


def test_bookings_are_listed_only_with_a_criterion(desk: Desk) -> None:
    assert "at least one" in desk.refused("find_bookings")
    found = desk.call("find_bookings", traveller_id="CUS-1001", check_in_from="2026-05-11")
    assert [row["reference"] for row in found] == ["BKG-4912", "BKG-4750", "BKG-4821"]
