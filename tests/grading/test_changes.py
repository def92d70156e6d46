"""Which net changes a task's rules explain."""

from collections.abc import Sequence
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tb_envs.episode import Change
from tb_envs.grading import ColumnRules, grade_changes
from tb_envs.outcome import CheckResult
from tb_envs.specs.models import Count, DeleteRule, InsertRule, UpdateRule

COLUMNS = ColumnRules(
    free=frozenset({"id", "tickets.updated_at"}), defaults={"comments": {"visible": True}}
)


def insert(**row: object) -> Change:
    return Change(
        table="comments", op="insert", key={"id": row.get("id", 1)}, before=None, after=row
    )


def update(before: dict[str, object], after: dict[str, object]) -> Change:
    return Change(
        table="tickets", op="update", key={"id": before["id"]}, before=before, after=after
    )


def failures(results: list[CheckResult]) -> list[str]:
    return [result.name for result in results if not result.passed]


def test_an_insert_that_the_rule_describes_passes() -> None:
    rule = InsertRule(insert="comments", row={"text": "hi"})
    change = insert(id=9, text="hi", visible=True, note=None)
    assert failures(grade_changes([change], [rule], COLUMNS)) == []


def test_an_unlisted_column_of_an_insert_must_hold_its_default() -> None:
    rule = InsertRule(insert="comments", row={"text": "hi"})
    change = insert(id=9, text="hi", visible=False, note="x")
    results = grade_changes([change], [rule], COLUMNS)
    assert failures(results) == [
        "insert comments(text='hi')",
        "no other insert in comments(id=9)",
    ]
    assert "visible: expected True, got False" in results[0].reason
    assert "note: expected null, got 'x'" in results[0].reason


def test_a_required_change_that_did_not_happen_fails() -> None:
    results = grade_changes([], [InsertRule(insert="comments", row={"text": "hi"})], COLUMNS)
    assert [(result.expected, result.actual) for result in results] == [("1", "0")]
    assert not results[0].passed


def test_a_second_change_of_the_same_kind_is_one_too_many() -> None:
    rule = InsertRule(insert="comments", row={"text": "hi"})
    changes = [insert(id=1, text="hi", visible=True), insert(id=2, text="hi", visible=True)]
    results = grade_changes(changes, [rule], COLUMNS)
    assert failures(results) == ["no other insert in comments(id=2)"]
    assert "happened too often" in results[1].reason


def test_an_optional_change_may_be_absent_and_any_may_be_many() -> None:
    optional = InsertRule(insert="comments", row={"text": "hi"}, count="optional")
    anything = InsertRule(insert="comments", free=["text", "visible"], count="any")
    assert failures(grade_changes([], [optional, anything], COLUMNS)) == []
    many = [insert(id=number, text="x", visible=True) for number in range(5)]
    assert failures(grade_changes(many, [optional, anything], COLUMNS)) == []


def test_an_update_may_touch_only_the_named_columns() -> None:
    rule = UpdateRule(update="tickets", where={"id": 4}, set={"status": "on_hold"})
    before = {"id": 4, "status": "open", "priority": 2, "updated_at": "2026-01-01T00:00:00Z"}
    right = before | {"status": "on_hold", "updated_at": "2026-01-02T00:00:00Z"}
    assert failures(grade_changes([update(before, right)], [rule], COLUMNS)) == []
    extra = right | {"priority": 1}
    results = grade_changes([update(before, extra)], [rule], COLUMNS)
    assert len(failures(results)) == 2
    assert "priority: expected 2, got 1" in results[0].reason


def test_the_right_update_of_the_wrong_row_fails() -> None:
    rule = UpdateRule(update="tickets", where={"id": 4}, set={"status": "on_hold"})
    wrong = update({"id": 5, "status": "open"}, {"id": 5, "status": "on_hold"})
    results = grade_changes([wrong], [rule], COLUMNS)
    assert failures(results) == [
        "update tickets(id=4): status='on_hold'",
        "no other update in tickets(id=5)",
    ]


def test_a_delete_is_matched_by_the_row_that_is_gone() -> None:
    gone = Change(
        table="holds", op="delete", key={"id": 1}, before={"id": 1, "kind": "a"}, after=None
    )
    assert (
        failures(grade_changes([gone], [DeleteRule(delete="holds", where={"kind": "a"})], COLUMNS))
        == []
    )
    assert failures(
        grade_changes([gone], [DeleteRule(delete="holds", where={"kind": "b"})], COLUMNS)
    )


def test_overlapping_rules_are_assigned_so_that_a_right_end_passes() -> None:
    loose = InsertRule(insert="comments", free=["text"], row={})
    tight = InsertRule(insert="comments", row={"text": "b"})
    first, second = insert(id=1, text="b", visible=True), insert(id=2, text="c", visible=True)
    for changes in ([first, second], [second, first]):
        for rules in ([loose, tight], [tight, loose]):
            assert failures(grade_changes(changes, rules, COLUMNS)) == []


Takes = tuple[str, Count]
"""A rule of the next test: the letters that it takes, and how many changes."""


def some_assignment_is_right(letters: str, rules: Sequence[Takes]) -> bool:
    """Try every way of giving each letter to a rule, one after the other."""
    for given_to in product(range(len(rules)), repeat=len(letters)):
        fits = all(letter in rules[rule][0] for letter, rule in zip(letters, given_to, strict=True))
        found = [given_to.count(rule) for rule in range(len(rules))]
        enough = all(
            count == "any" or (number <= 1 if count == "optional" else number == count)
            for number, (_, count) in zip(found, rules, strict=True)
        )
        if fits and enough:
            return True
    return False


COUNTS: st.SearchStrategy[Count] = st.sampled_from([0, 1, 2, "optional", "any"])


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    letters=st.text("abc", max_size=4),
    rules=st.lists(st.tuples(st.sampled_from(["a", "b", "ab", "bc", "abc"]), COUNTS), max_size=4),
)
@example(letters="a", rules=[("abc", "optional"), ("a", 1)])
@example(letters="ab", rules=[("ab", 1), ("b", 1), ("a", "any")])
def test_a_set_of_changes_passes_just_when_some_assignment_is_right(
    letters: str, rules: list[Takes]
) -> None:
    changes = [
        insert(id=number, text=letter, visible=True) for number, letter in enumerate(letters)
    ]
    asked = [
        InsertRule(insert="comments", row={"text": {"one_of": list(taken)}}, count=count)
        for taken, count in rules
    ]
    passed = failures(grade_changes(changes, asked, COLUMNS)) == []
    assert passed == some_assignment_is_right(letters, rules)


def test_with_no_rules_every_change_fails() -> None:
    assert len(failures(grade_changes([insert(id=1, text="x")], [], COLUMNS))) == 1
