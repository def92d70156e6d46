import pytest

from tests.domains.conftest import Desk
from tests.domains.test_consulting_tools import helpdesk as helpdesk


def test_the_world_has_the_size_of_a_small_company(helpdesk: Desk) -> None:
    names = [
        row["relname"]
        for row in helpdesk.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: helpdesk.value(f"SELECT count(*) FROM {name}") for name in names}
    assert len(names) == 28
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("employees", "employee_status"),
        ("accounts", "account_status"),
        ("projects", "project_status"),
        ("assignments", "assignment_status"),
        ("memberships", "membership_status"),
        ("delegations", "delegation_status"),
        ("devices", "device_status"),
        ("seats", "seat_status"),
        ("leave_records", "leave_status"),
        ("expenses", "expense_status"),
        ("advances", "advance_status"),
        ("timesheets", "timesheet_status"),
        ("lifecycle_steps", "step_status"),
        ("incidents", "incident_status"),
        ("approval_requests", "approval_status"),
        ("tickets", "ticket_status"),
    ],
)
def test_every_status_occurs(helpdesk: Desk, table: str, kind: str) -> None:
    missing = helpdesk.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_everybody_has_a_contract_and_an_account(helpdesk: Desk) -> None:
    for table in ("contracts", "accounts"):
        without = helpdesk.rows(
            f"SELECT id FROM employees WHERE id NOT IN (SELECT employee_id FROM {table})"
        )
        assert without == [], table


def test_every_line_of_managers_ends_at_the_top(helpdesk: Desk) -> None:
    tops = helpdesk.rows(
        "WITH RECURSIVE line AS (SELECT id, manager_id, 0 AS steps FROM employees"
        " UNION ALL SELECT line.id, employees.manager_id, steps + 1 FROM line"
        "  JOIN employees ON employees.id = line.manager_id WHERE steps < 20)"
        " SELECT max(steps) AS steps, count(DISTINCT id) FILTER (WHERE manager_id IS NULL) AS ends"
        " FROM line"
    )
    assert tops == [{"steps": 4, "ends": helpdesk.value("SELECT count(*) FROM employees")}]


def test_no_licence_has_more_seats_taken_than_bought(helpdesk: Desk) -> None:
    assert not helpdesk.rows(
        "SELECT code FROM licences WHERE seats_total <"
        " (SELECT count(*) FROM seats WHERE licence_code = code AND status = 'active')"
    )


def test_leave_counts_its_working_days_and_nobody_is_away_twice(helpdesk: Desk) -> None:
    assert not helpdesk.rows(
        "SELECT id FROM leave_records WHERE working_days <> (SELECT count(*)"
        " FROM generate_series(starts_on::timestamp, ends_on, interval '1 day') AS day"
        " WHERE extract(isodow FROM day) < 6)"
    )
    assert not helpdesk.rows(
        "SELECT one.id FROM leave_records AS one JOIN leave_records AS other USING (employee_id)"
        " WHERE one.id < other.id AND one.starts_on <= other.ends_on"
        " AND other.starts_on <= one.ends_on"
        " AND one.status IN ('requested', 'approved', 'taken')"
        " AND other.status IN ('requested', 'approved', 'taken')"
    )


def test_nothing_happened_after_now(helpdesk: Desk) -> None:
    for table, column in (
        ("accounts", "last_sign_in"),
        ("devices", "bought_on"),
        ("devices", "missing_since"),
        ("seats", "last_used_on"),
        ("expenses", "submitted_on"),
        ("memberships", "granted_on"),
        ("approval_requests", "decided_at"),
        ("incidents", "opened_at"),
        ("tickets", "created_at"),
    ):
        late = helpdesk.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)


def test_nobody_works_for_two_clients_of_one_wall_group_but_for_the_one_case(
    helpdesk: Desk,
) -> None:
    torn = helpdesk.rows(
        "SELECT employee_id FROM assignments JOIN projects ON code = project_code"
        " JOIN clients ON clients.id = client_id JOIN clock ON true"
        " WHERE assignments.status = 'confirmed' AND wall_group IS NOT NULL"
        " AND now::date BETWEEN assignments.starts_on AND assignments.ends_on"
        " GROUP BY employee_id, wall_group HAVING count(DISTINCT client_id) > 1"
    )
    assert [row["employee_id"] for row in torn] == ["EMP-2083"]
