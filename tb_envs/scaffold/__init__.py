"""A valid, passing example of a task or a domain, for a newcomer to edit.

The files are written into a checkout, where tasks and domains live.
"""

import re
from pathlib import Path

from tb_envs.errors import UsageError
from tb_envs.specs import load_domain
from tb_envs.specs.catalog import family_files
from tb_envs.specs.domain import SPECS_ROOT
from tb_envs.tools import load_toolset

TEMPLATES = Path(__file__).parent / "templates"
NEEDED_TOOLS = ("find_customers", "verify_identity", "add_ticket_comment", "solve_ticket")
NEEDED_CODE = "RES-DONE"


def new_task(family: str, domain: str, root: Path = SPECS_ROOT.parent) -> list[Path]:
    """Write a family of one task into a domain; returns the files.

    Raises:
        UsageError: the name is taken or not valid, or the domain lacks what the example uses.
        SpecError: there is no such domain.
    """
    _check_checkout(root)
    _check_family(family, root)
    specs = root / "task_specs"
    loaded = load_domain(domain, specs)
    present = {tool.name for tool in load_toolset(loaded.toolsets)}
    missing = [name for name in NEEDED_TOOLS if name not in present]
    if NEEDED_CODE not in loaded.seed_sql:
        missing.append(NEEDED_CODE)
    if missing:
        raise UsageError(
            f"the domain {domain} has no {', '.join(missing)}, which the example task uses; copy a "
            f"task of task_specs/{domain}/tasks instead"
        )
    words = {"family": family, "domain": domain}
    return [_write("task.yaml", specs / domain / "tasks" / f"{family}.yaml", words)]


def new_domain(name: str, root: Path = SPECS_ROOT.parent) -> list[Path]:
    """Write a small domain with two tools and a family of two tasks; returns the files.

    Raises:
        UsageError: the name is taken or not valid.
    """
    _check_checkout(root)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UsageError(
            f"domain: got {name!r}; expected small letters, digits and underscores, for it is a "
            "Python module's name too"
        )
    family = f"{name.replace('_', '-')}-extension"
    folder = root / "task_specs" / name
    tools = root / "tb_envs" / "domains" / f"{name}.py"
    for path in (folder, tools):
        if path.exists():
            raise UsageError(f"{path} exists; choose another name, or remove it first")
    _check_family(family, root)
    words = {"family": family, "domain": name, "title": name.replace("_", " ").title() + " desk"}
    targets = {
        "domain.yaml": folder / "domain.yaml",
        "schema.sql": folder / "schema.sql",
        "seed.sql": folder / "seed.sql",
        "policy.md": folder / "policy.md",
        "tools.txt": tools,
        "task.yaml": folder / "tasks" / f"{family}.yaml",
    }
    return [_write(f"domain/{source}", target, words) for source, target in targets.items()]


def _check_checkout(root: Path) -> None:
    if not (root / "pyproject.toml").is_file():
        raise UsageError(
            f"{root} is not a checkout; tasks are written into one: clone the repository, and "
            "install it with pip install -e ."
        )


def _check_family(family: str, root: Path) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", family):
        raise UsageError(f"family: got {family!r}; expected words of small letters joined by -")
    taken = family_files(root / "task_specs").get(family)
    if taken is not None:
        raise UsageError(f"the family {family} stands in {taken}; choose another name")


def _write(source: str, target: Path, words: dict[str, str]) -> Path:
    text = (TEMPLATES / source).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"{{{{{word}}}}}", value)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
