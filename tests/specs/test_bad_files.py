"""A file that is wrong is refused with its place and the remedy, and nothing in it is executed."""

import re
from pathlib import Path

import pytest

from tb_envs.errors import SpecError, UsageError
from tb_envs.specs import find_task, load_family, task_ids
from tb_envs.specs.catalog import family_files

GOOD = """\
family: lost-parcel
domain: shop
split: train
purpose: A parcel is lost.
base:
  user:
    opening: Where is it?
    private_context: You want your parcel.
variants:
  - name: first
    summary: File a claim.
    right_end: act
    oracle:
      - call: file_claim
        with: {order_number: A-1}
        as: claim
    traps:
      - name: nothing
        mistake: Talks only.
        steps:
          - say: Done.
    expect:
      checks:
        - name: filed
          sql: SELECT EXISTS (SELECT FROM claims)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shop = tmp_path / "shop"
    (shop / "tasks").mkdir(parents=True)
    (shop / "domain.yaml").write_text("title: Shop\ntoolsets: [shop]\nnow: 2026-01-01T00:00:00Z\n")
    (shop / "schema.sql").write_text("CREATE TABLE claims (id int PRIMARY KEY);")
    (shop / "seed.sql").write_text("")
    (shop / "policy.md").write_text("1. File claims.")
    return tmp_path


def write(root: Path, text: str, name: str = "lost-parcel") -> Path:
    path = root / "shop" / "tasks" / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_loads_with_base_merged(root: Path) -> None:
    (task,) = load_family(write(root, GOOD), root)
    assert task.id == "lost-parcel.first"
    assert task.now == "2026-01-01T00:00:00Z"
    assert task.variant.user is not None
    assert task.variant.user.opening == "Where is it?"
    assert task.variant.oracle[0].with_ == {"order_number": "A-1"}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("    summary:", "    sumary:", 11, "unknown key"),
        ("purpose: A parcel is lost.", "purpose: 7", 4, "valid string; got 7"),
        ("split: train", "split: test", 3, "'bench', 'train' or 'demo'; got 'test'"),
        ("right_end: act", "right_end: maybe", 12, "got 'maybe'"),
        ("    summary: File a claim.", "    summary: !!python/name:os.system", 11, "tag"),
        ("purpose: A parcel is lost.", "split: demo", 4, "stands twice"),
        ("      - call: file_claim", "      - called: file_claim", 14, "unknown key"),
        ("          - say: Done.", "          - {}", 21, "either a `call`"),
        ("family: lost-parcel", "family: found-parcel", 1, "expected the file's name"),
        ("purpose: A parcel is lost.", "purpose: [unclosed", 5, "not valid YAML"),
        ("    private_context: You want your parcel.", "    mood: bad", 8, "unknown key"),
        (
            "    private_context: You want your parcel.",
            "    private_context: x\n    facts: {name: {say: Bo, asked_by: ['(name']}}",
            9,
            "'(name' is no regular expression: missing ), unterminated subpattern",
        ),
        (
            "      checks:",
            "      changes: [{insert: claims, row: {note: {matches: '*lost'}}}]\n      checks:",
            23,
            "'*lost' is no regular expression: nothing to repeat",
        ),
        (
            "      checks:",
            "      changes: [{delete: claims, where: {note: {matches: '*lost'}}}]\n      checks:",
            23,
            "'*lost' is no regular expression: nothing to repeat",
        ),
        (
            "      checks:",
            "      changes: [{insert: claims, row: {note: {any: no}}}]\n      checks:",
            23,
            "note: `any` takes true (any value) or false (no value)",
        ),
        (
            "      checks:",
            "      changes: [{insert: claims, row: {note: {one_of: lost}}}]\n      checks:",
            23,
            "note: `one_of` takes a list of values",
        ),
        (
            "      checks:",
            "      changes: [{insert: claims, row: {note: {contains: []}}}]\n      checks:",
            23,
            "note: `contains` takes a text or a list of texts",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(
    root: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    path = write(root, GOOD.replace(old, new, 1))
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        load_family(path, root)
    assert caught.value.line == line
    assert caught.value.path == path


def test_a_missing_oracle_is_refused(root: Path) -> None:
    head, _, tail = GOOD.partition("    oracle:")
    path = write(root, head + "    oracle: []\n" + tail[tail.index("    traps:") :])
    with pytest.raises(SpecError, match="`oracle` is empty"):
        load_family(path, root)


def test_a_task_without_a_positive_check_is_refused(root: Path) -> None:
    head, _, _ = GOOD.partition("    expect:")
    path = write(root, head + "    expect: {changes: []}\n")
    with pytest.raises(SpecError, match="at least one of `checks` and `records`"):
        load_family(path, root)


def test_a_variant_without_a_trap_is_refused(root: Path) -> None:
    head, _, tail = GOOD.partition("    traps:")
    path = write(root, head + "    traps: []\n" + tail[tail.index("    expect:") :])
    with pytest.raises(SpecError, match="traps"):
        load_family(path, root)


def test_two_variants_of_one_name_are_refused(root: Path) -> None:
    variant = GOOD[GOOD.index("  - name: first") :]
    with pytest.raises(SpecError, match="stands twice"):
        load_family(write(root, GOOD + variant), root)


def test_two_families_of_one_name_are_refused(root: Path) -> None:
    write(root, GOOD)
    other = root / "other" / "tasks"
    other.mkdir(parents=True)
    (other / "lost-parcel.yaml").write_text(GOOD)
    with pytest.raises(SpecError, match="also stands in"):
        family_files(root)


def test_a_rule_names_one_operation_and_its_faults_are_its_own(root: Path) -> None:
    rule = "      changes:\n        - insert: claims\n          rows: {}\n"
    with pytest.raises(SpecError, match="unknown key") as caught:
        load_family(write(root, GOOD + rule), root)
    assert "rows" in caught.value.field


def test_dates_stay_text(root: Path) -> None:
    path = write(root, GOOD.replace("{order_number: A-1}", "{day: 2026-01-02, on: yes}"))
    (task,) = load_family(path, root)
    assert task.variant.oracle[0].with_ == {"day": "2026-01-02", "on": "yes"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("14:30", "14:30"),
        ("1:30.5", "1:30.5"),
        ("01234", "01234"),
        ("1_000", "1_000"),
        ("1234", 1234),
        ("0", 0),
        ("-12.50", -12.5),
        (".5", 0.5),
        ("1.5e3", 1500.0),
    ],
)
def test_only_plain_numbers_are_numbers(root: Path, text: str, value: object) -> None:
    path = write(root, GOOD.replace("{order_number: A-1}", f"{{order_number: {text}}}"))
    (task,) = load_family(path, root)
    assert repr(task.variant.oracle[0].with_["order_number"]) == repr(value)


@pytest.mark.parametrize(
    ("character", "message"),
    [
        (b"\x07", "not valid YAML: control characters are not allowed"),
        (b"\xff", "not UTF-8 text; save it as such"),
    ],
)
def test_a_file_that_is_no_text_is_refused_with_its_line(
    root: Path, character: bytes, message: str
) -> None:
    path = write(root, GOOD)
    path.write_bytes(GOOD.encode().replace(b"A parcel", b"A " + character + b"parcel"))
    with pytest.raises(SpecError, match=message) as caught:
        load_family(path, root)
    assert caught.value.line == 4


def test_an_unknown_domain_names_the_known_ones(root: Path) -> None:
    path = write(root, GOOD.replace("domain: shop", "domain: shpo"))
    with pytest.raises(SpecError, match="expected one of shop"):
        load_family(path, root)


def test_ids_are_found_without_parsing(root: Path) -> None:
    second = GOOD[GOOD.index("  - name: first") :].replace("first", "second")
    write(root, GOOD + second)
    assert task_ids(root) == ("lost-parcel.first", "lost-parcel.second")


def test_a_renamed_task_keeps_its_hash_and_a_changed_one_does_not(root: Path) -> None:
    (task,) = load_family(write(root, GOOD), root)
    renamed = GOOD.replace("lost-parcel", "gone-parcel").replace("name: first", "name: other")
    (same,) = load_family(write(root, renamed, "gone-parcel"), root)
    changed = GOOD.replace("lost-parcel", "late-parcel").replace("FROM claims)", "FROM claims c)")
    (other,) = load_family(write(root, changed, "late-parcel"), root)
    assert same.hash == task.hash
    assert other.hash != task.hash


def test_an_unknown_task_suggests_the_nearest(root: Path) -> None:
    write(root, GOOD)
    with pytest.raises(UsageError, match="did you mean lost-parcel"):
        find_task("lost-parcl", root)
