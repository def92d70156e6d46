"""A loaded domain: its files' contents and the hash that names its template database."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tb_envs.errors import SpecError
from tb_envs.specs.models import Article, Check, DomainSpec, Verification
from tb_envs.specs.yaml import load_model

SPECS_ROOT = Path(__file__).resolve().parents[2] / "task_specs"


@dataclass(frozen=True, slots=True)
class Domain:
    """A world of tables, tools and rules, as read from ``task_specs/<name>/``.

    ``schema_sql`` holds the shared schemas first, then the domain's own. ``hash`` covers all that
    decides the template database's content.
    """

    name: str
    title: str
    hash: str
    schema_sql: tuple[str, ...]
    seed_sql: str
    articles: tuple[Article, ...]
    now: str
    free_columns: frozenset[str]
    toolsets: tuple[str, ...]
    policy: str
    verification: Verification | None = None
    checks: tuple[Check, ...] = ()

    @property
    def system_prompt(self) -> str:
        """The agent's instructions: the company's rules behind a short preamble."""
        return (
            f"You are a support agent of {self.title}. Work the customer's case with the tools; "
            "the company's database is what counts. Follow the policy below. Talk to the customer "
            "only in plain messages. When the case is settled, say what was done.\n\n"
            f"{self.policy.strip()}\n"
        )


@cache
def load_domain(name: str, root: Path = SPECS_ROOT) -> Domain:
    """Read a domain's folder.

    Raises:
        SpecError: the folder or one of its files is missing or not valid.
    """
    folder = root / name
    if not folder.is_dir():
        known = sorted(path.parent.name for path in root.glob("*/domain.yaml"))
        raise SpecError(f"no domain {name!r}; expected one of {', '.join(known)}", path=folder)
    spec = load_model(folder / "domain.yaml", DomainSpec)
    schema_sql = (
        *(_read(root / "shared" / f"{shared}.sql") for shared in spec.schemas),
        _read(folder / "schema.sql"),
    )
    seed_sql = _read(folder / "seed.sql")
    articles = tuple(spec.articles)
    content = (*schema_sql, seed_sql, spec.now, *(item.model_dump_json() for item in articles))
    return Domain(
        name=name,
        title=spec.title,
        hash=_digest(*content),
        schema_sql=schema_sql,
        seed_sql=seed_sql,
        articles=articles,
        now=spec.now,
        free_columns=frozenset(spec.free_columns),
        toolsets=tuple(spec.toolsets),
        policy=_read(folder / "policy.md"),
        verification=spec.verification,
        checks=tuple(spec.checks),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError("the file is missing; a domain needs it", path=path) from None


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode())
    return digest.hexdigest()
