"""A task: one variant of a family in its domain, with its id and content hash."""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from tb_envs.errors import SpecError
from tb_envs.specs.domain import SPECS_ROOT, Domain, load_domain
from tb_envs.specs.models import FamilySpec, Split, Variant
from tb_envs.specs.yaml import Document, read_document, validate_model

_VARIANTS_INDENT = re.compile(r"^variants:\s*?\n( *)- ", re.MULTILINE)


def scan_variants(text: str) -> tuple[str, ...]:
    """Find the variants' names in a family file's text without parsing YAML.

    Each variant begins with its own line ``- name: <name>`` at one indentation; ``load_family``
    refuses a file that is written otherwise.
    """
    start = _VARIANTS_INDENT.search(text)
    if start is None:
        return ()
    indent = re.escape(start.group(1))
    return tuple(re.findall(rf"^{indent}- name: *([a-z0-9-]+) *$", text[start.start() :], re.M))


@dataclass(frozen=True, slots=True)
class Task:
    """One case that can be played, ``<family>.<variant>``.

    ``hash`` covers the case and its domain's files: two tasks with one hash are the same task,
    whatever they are called.
    """

    id: str
    family: str
    split: Split
    domain: Domain
    variant: Variant
    hash: str
    path: Path
    grid: bool = False

    @property
    def now(self) -> str:
        """The episode's clock, ISO 8601."""
        return self.variant.now or self.domain.now


@cache
def load_family(path: Path, root: Path = SPECS_ROOT) -> tuple[Task, ...]:
    """Read a family file into its tasks, in the file's order.

    Raises:
        SpecError: the file is not a valid family.
    """
    document = read_document(path)
    family = validate_model(document, _merged(document), FamilySpec)
    _check_names(document, family, path)
    names = tuple(variant.name for variant in family.variants)
    if scan_variants(path.read_text(encoding="utf-8")) != names:
        raise SpecError("begin each variant with a line of its own, `- name: <name>`", path=path)
    domain = load_domain(family.domain, root)
    return tuple(
        Task(
            id=f"{family.family}.{variant.name}",
            family=family.family,
            split=family.split,
            domain=domain,
            variant=variant,
            hash=_task_hash(domain, variant),
            path=path,
            grid=family.grid,
        )
        for variant in family.variants
    )


def _merged(document: Document) -> dict[str, Any]:
    """Merge ``base`` into each variant."""
    value = dict(document.value)
    base = value.pop("base", {})
    variants: object = value.get("variants")
    if isinstance(variants, list):
        value["variants"] = [_overlay(base, variant) for variant in cast("list[Any]", variants)]
    return value


def _overlay(base: Any, over: Any) -> Any:
    """Merge mappings by key; everything else in ``over`` replaces what ``base`` holds."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    merged = dict(cast("dict[str, Any]", base))
    for key, value in cast("dict[str, Any]", over).items():
        merged[key] = _overlay(merged.get(key), value)
    return merged


def _check_names(document: Document, family: FamilySpec, path: Path) -> None:
    if family.family != path.stem:
        raise SpecError(
            f"got {family.family!r}; expected the file's name, {path.stem!r}",
            path=path,
            line=document.line_of(("family",)),
            field="family",
        )
    seen: set[str] = set()
    for index, variant in enumerate(family.variants):
        if variant.name in seen:
            raise SpecError(
                f"the variant {variant.name!r} stands twice; give each its own name",
                path=path,
                line=document.line_of(("variants", index, "name")),
                field=f"variants.{index}.name",
            )
        seen.add(variant.name)
        traps = [trap.name for trap in variant.traps]
        if len(set(traps)) != len(traps):
            raise SpecError(
                f"trap names must differ; got {traps}",
                path=path,
                line=document.line_of(("variants", index, "traps")),
                field=f"variants.{index}.traps",
            )


def _task_hash(domain: Domain, variant: Variant) -> str:
    """Hash what decides the case, without its name: a renamed task is still the same task."""
    content = {
        "case": variant.model_dump(mode="json", exclude={"name", "summary"}),
        "verification": domain.verification and domain.verification.model_dump(mode="json"),
        "checks": [check.model_dump(mode="json") for check in domain.checks],
        "free_columns": sorted(domain.free_columns),
    }
    parts = [domain.hash, domain.policy, json.dumps(content, sort_keys=True, ensure_ascii=False)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
