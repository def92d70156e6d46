import pytest

from tb_trainer.selection.bands import Posterior
from tb_trainer.selection.candidates import Candidate
from tb_trainer.selection.rules import Exclusion, SelectionSettings, balanced, choose
from tb_trainer.selection.suite import Suite, SuiteTask


def candidate(name, passes=4, attempts=8, *, domain="parcel", family=None, content=None):
    task = SuiteTask(
        task_id=name,
        env_id=f"ThinkingBox/{name}-v0",
        task_hash=content or f"hash of {name}",
        domain=domain,
        family=family or name,
    )
    return Candidate(task, passes, attempts)


def reasons(selection):
    return {item.id: item.reason for item in selection.rejected}


def names(tasks):
    return [task.id for task in tasks]


def test_bands_that_teach_are_kept_and_the_rest_is_rejected_with_its_reason():
    found = choose(
        [
            candidate("a", 0),
            candidate("b", 1),
            candidate("c", 4),
            candidate("d", 6),
            candidate("e", 8),
        ],
        SelectionSettings(),
    )
    assert [(task.id, task.band) for task in found.train] == [
        ("b", "hard"),
        ("c", "medium"),
        ("d", "easy"),
    ]
    assert reasons(found) == {"a": "too hard", "e": "too easy"}


def test_a_band_without_enough_mass_is_uncertain():
    found = choose([candidate("a", 2, 4), candidate("b", 1, 4)], SelectionSettings(min_mass=0.4))
    assert reasons(found) == {"a": "band uncertain"}
    assert names(found.train) == ["b"]


def test_too_few_clean_attempts_are_no_evidence():
    found = choose([candidate("a", 1, 3), candidate("b", 0, 0)], SelectionSettings())
    assert set(reasons(found).values()) == {"too few clean attempts"}
    assert [item.mean for item in found.rejected] == [1.5 / 4, None]


def test_benchmark_tasks_are_excluded_by_content_by_name_and_on_demand_by_domain():
    bench = Suite(
        name="bench",
        tasks=(
            candidate("bench-1", domain="retail", content="X").task,
            candidate("renamed", domain="retail").task,
        ),
    )
    candidates = [
        candidate("copy-under-another-name", content="X"),
        candidate("renamed", content="Y"),
        candidate("neighbour", domain="retail"),
        candidate("free"),
    ]
    exclusion = Exclusion.of([bench])
    found = choose(candidates, SelectionSettings(exclude_domains=True), exclusion=exclusion)
    assert reasons(found) == {
        "copy-under-another-name": "same content as an excluded task",
        "neighbour": "same domain as an excluded task",
        "renamed": "same name as an excluded task",
    }
    assert "neighbour" in names(choose(candidates, SelectionSettings(), exclusion=exclusion).train)


def test_the_same_content_is_trained_on_once():
    found = choose([candidate("b", content="X"), candidate("a", content="X")], SelectionSettings())
    assert names(found.train) == ["a"]
    assert reasons(found) == {"b": "same content as another candidate"}


def test_the_solvability_gate_wants_evidence_from_the_reference():
    # P(p > 0.08) is 0.24 after 0 of 8, and 0.73 after 1 of 8.
    reference = {"a": Posterior(0, 8), "b": Posterior(1, 7), "c": Posterior(3, 5)}
    found = choose([candidate(name) for name in "abcd"], SelectionSettings(), reference=reference)
    assert names(found.train) == ["c"]
    assert reasons(found) == {
        "a": "not shown to be solvable",
        "b": "not shown to be solvable",
        "d": "no reference attempts",
    }


def test_size_keeps_the_most_informative_tasks_balanced_over_domains_then_families():
    many = [
        candidate(f"p{i}", passes, domain="parcel", family=f"f{i // 2}")
        for i, passes in enumerate([4, 4, 3, 3, 2])
    ]
    few = [candidate("h1", 1, domain="hotel"), candidate("h2", 2, domain="hotel")]
    # First the best of all (p0), then the other domain (h2), then another family (p2), then h1.
    order = [item.task.task_id for item in balanced(many + few, 4)]
    assert order == ["h1", "h2", "p0", "p2"]


def test_a_size_that_is_not_reached_keeps_everything():
    assert len(balanced([candidate("a"), candidate("b")], 187)) == 2


def test_the_rest_is_rejected_when_the_size_is_met():
    found = choose([candidate("a", 4), candidate("b", 1)], SelectionSettings(size=1))
    assert names(found.train) == ["a"]
    assert reasons(found) == {"b": "beyond the size asked for"}


@pytest.mark.parametrize("seed", range(5))
def test_no_family_stands_on_both_sides_of_the_split(seed):
    candidates = [candidate(f"t{i:02}", family=f"f{i // 4}") for i in range(40)]
    found = choose(candidates, SelectionSettings(held_out=0.2, seed=seed))
    assert len(found.held_out) == 8
    assert len(found.train) == 32
    assert not {t.family for t in found.train} & {t.family for t in found.held_out}


def test_the_split_does_not_depend_on_the_order_of_the_candidates():
    candidates = [candidate(f"t{i:02}", family=f"f{i // 4}") for i in range(40)]
    settings = SelectionSettings(held_out=0.3, size=20)
    assert choose(candidates, settings) == choose(candidates[::-1], settings)
