"""Two variants that differ in names only are found; those that are settled otherwise are not."""

from dataclasses import replace

from tb_envs.specs import Task, find_task, load_family
from tb_envs.specs.models import Step
from tb_envs.twins import twins

HOTEL = load_family(find_task("hotel-downgrade").path)


def renamed(task: Task) -> Task:
    """The same task for another ticket, person and amount."""
    text = task.variant.model_dump_json(by_alias=True)
    for old, new in (("TCK-3101", "TCK-3909"), ("BKG-4821", "BKG-7777"), ("480", "613")):
        assert old in text
        text = text.replace(old, new)
    variant = type(task.variant).model_validate_json(text, by_alias=True)
    return replace(task, id="hotel-downgrade.renamed", variant=variant)


def test_a_renamed_variant_is_a_twin() -> None:
    assert twins([HOTEL[0], renamed(HOTEL[0])]) == {"hotel-downgrade.renamed": HOTEL[0].id}


def test_another_call_or_another_code_is_no_twin() -> None:
    variant = HOTEL[0].variant
    read = Step.model_validate({"call": "list_codes", "with": {"kind": "HOLD"}})
    longer = variant.model_copy(update={"oracle": [read, *variant.oracle]})
    other = renamed(replace(HOTEL[0], variant=longer))
    assert twins([HOTEL[0], other]) == {}
    text = variant.model_dump_json(by_alias=True).replace("HOLD-APPROVAL", "HOLD-HOTEL")
    recoded = type(variant).model_validate_json(text, by_alias=True)
    assert twins([HOTEL[0], replace(HOTEL[0], id="x", variant=recoded)]) == {}


def test_the_demo_family_repeats_itself_nowhere() -> None:
    assert twins(HOTEL) == {}
