"""Predicates of task files: what they answer, and what is refused."""

import pytest

from tb_envs.database import CheckAnswer, DatabasePool, EpisodeDatabase, SessionLimits, open_pool
from tb_envs.errors import DatabaseFailure, SpecError
from tb_envs.specs.domain import Domain


def test_checks_answer_in_order_and_an_error_leaves_the_others_alone(
    tiny: EpisodeDatabase,
) -> None:
    tiny.agent.execute("UPDATE bookings SET nights = 6 WHERE id = 1")
    answers = tiny.run_checks(
        [
            "SELECT nights = 6 FROM bookings WHERE id = 1;",
            "SELECT EXISTS (SELECT FROM guests WHERE name = 'Nobody')  -- a comment",
            "SELECT 1 / (nights - 6) = 0 FROM bookings WHERE id = 1",
            "SELECT nights > 0 FROM bookings WHERE id = 99",
            "WITH total AS (SELECT sum(nights) AS n FROM bookings) SELECT n = 10 FROM total",
        ]
    )
    assert answers == [
        CheckAnswer(True),
        CheckAnswer(False),
        CheckAnswer(None, "division by zero"),
        CheckAnswer(None, "the check answered NULL; expected true or false"),
        CheckAnswer(True),
    ]
    assert tiny.run_checks([]) == []


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ("SELECT 1", "column is not a boolean"),
        ("SELECT true, true", "returns 2 columns"),
        ("", "returns 0 columns"),
        ("SELECT true; SELECT true", "multiple commands"),
        ("SELECT true); DELETE FROM notes; SELECT (true", "syntax error"),
        ("SELECT nights FROM hotels", 'relation "hotels" does not exist'),
        ("DELETE FROM notes RETURNING true", "checks are read-only"),
        ("WITH gone AS (DELETE FROM notes RETURNING 1) SELECT true", "checks are read-only"),
        ("SELECT nextval('ticket_numbers') > 0", "checks are read-only"),
        ("SELECT setval('ticket_numbers', 1) > 0", "checks are read-only"),
        ("SELECT count(*) = 0 FROM tb.log", "checks are read-only"),
        ("SELECT set_config('role', 'tb_owner', true) = ''", "checks are read-only"),
        ("SELECT pg_read_file('/etc/passwd') = ''", "checks are read-only"),
    ],
)
def test_a_check_that_is_no_predicate_or_that_writes_is_refused(
    tiny: EpisodeDatabase, check: str, complaint: str
) -> None:
    before = tiny.digest()
    with pytest.raises(SpecError, match=complaint):
        tiny.run_checks([check])
    assert tiny.run_checks(["SELECT true"]) == [CheckAnswer(True)]
    assert tiny.digest() == before
    assert tiny.net_changes() == ()


def test_the_agents_settings_do_not_reach_the_checks(tiny: EpisodeDatabase) -> None:
    tiny.agent.execute("SET statement_timeout = 50")
    tiny.agent.execute("SET search_path = pg_catalog")
    tiny.agent.execute("SET timezone = 'Asia/Tokyo'")
    check = "SELECT since::text = '2026-03-01 09:00:00+00' FROM guests WHERE id = 'G1'"
    slow = "SELECT pg_sleep(0.2) IS NOT NULL"
    assert tiny.run_checks([slow, check]) == [CheckAnswer(True), CheckAnswer(True)]


def test_a_check_that_takes_too_long_is_a_database_failure(
    tiny_domain: Domain, database_choice: str
) -> None:
    pool: DatabasePool = open_pool(
        tiny_domain, database=database_choice, limits=SessionLimits(statement_s=0.2)
    )
    database = pool.acquire(timeout_s=60)
    with pytest.raises(DatabaseFailure, match="statement timeout"):
        database.run_checks(["SELECT pg_sleep(30) IS NULL"])
    assert database.run_checks(["SELECT true"]) == [CheckAnswer(True)]
    database.close()
