"""Values of task files against values of rows."""

import pytest

from tb_envs.grading.values import mismatches, values_match


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (120, 120.0),
        (120.5, "120.50"),
        ("2026-03-10T09:00:00Z", "2026-03-10T10:00:00+01:00"),
        ("2026-03-10T09:00:00", "2026-03-10T09:00:00+00:00"),
        (None, None),
        (True, True),
        (["a", 1], ["a", 1]),
        ({"contains": ["Suite", "deluxe"]}, "from the SUITE to a Deluxe room"),
        ({"contains": "suite"}, "suite"),
        ({"matches": "^BKG-[0-9]+$"}, "BKG-4821"),
        ({"one_of": ["email", "sms"]}, "sms"),
        ({"any": True}, 0),
        ({"any": False}, None),
    ],
)
def test_equal_values_match(expected: object, actual: object) -> None:
    assert values_match(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (120, 121),
        (0, None),
        (0, False),
        (1, True),
        ("", None),
        ("7", "07"),
        ("2026-03-10", "2026-03-11"),
        ("2026-03-10T09:00:00Z", "2026-03-10T09:00:01Z"),
        ({"contains": ["suite", "deluxe"]}, "the suite"),
        ({"matches": "^BKG-[0-9]+$"}, "BKG-48x"),
        ({"one_of": ["email", "sms"]}, "phone"),
        ({"any": True}, None),
        ({"any": False}, "x"),
    ],
)
def test_different_values_do_not_match(expected: object, actual: object) -> None:
    assert not values_match(expected, actual)


def test_a_column_that_is_not_there_is_a_mismatch_even_if_null_was_expected() -> None:
    assert mismatches({"note": None}, {"id": 1}) == {"note": (None, None)}
