"""The counts of ``tb-envs stats`` against a domain that was counted by hand."""

import pytest

from tb_envs.statistics import cited_rules, domain_statistics


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("rule 2: verify the requester first", {2}),
        ("Rules 3, 4 and 17 say who may ask", {3, 4, 17}),
        ("rules 5 to 8, and rule 40", {5, 6, 7, 8, 40}),
        ("as ruled, 3 nights; the rules are strict", set()),
    ],
)
def test_rules_are_found_where_a_text_cites_them(text: str, numbers: set[int]) -> None:
    assert cited_rules(text) == numbers


def test_the_demo_family_is_counted_as_it_stands_in_its_file() -> None:
    (travel,) = (one for one in domain_statistics("demo") if one.name == "travel")
    assert (travel.families, travel.tasks) == (1, 14)
    assert sum(travel.right_ends.values()) == 14
    assert travel.traps >= 2 * travel.tasks
    assert travel.calls == tuple(sorted(travel.calls))
    assert travel.calls_at(0.0) <= travel.median_calls <= travel.calls_at(1.0) == travel.calls[-1]
    # The hotel family never cancels a booking, and its tickets are in every expectation.
    assert "cancel_booking" in travel.tools_unused
    assert 0 < travel.tables_named < travel.tables == 20
    # Of 20 tables 8 come from task_specs/shared; of 45 tools 22 are every desk's.
    assert (travel.tables_own, travel.tools, travel.tools_own) == (12, 45, 23)
