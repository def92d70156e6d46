"""What is trained on shares nothing with what is measured: rows, persons, rules, articles."""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tb_envs.database import open_pool
from tb_envs.specs import all_tasks
from tb_envs.specs.domain import Domain, load_domain

BENCH = sorted({task.domain.name for task in all_tasks("bench")})
TRAIN = sorted({task.domain.name for task in all_tasks("train")})
PAIRS = [(bench, train) for bench in BENCH for train in TRAIN]

EMAIL = re.compile(r"[\w.+-]+@[\w.-]+\.\w+")
SENTENCE = re.compile(r"(?<=[.:;])\s+")
TABLES = """
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""


@cache
def rows(domain: str) -> tuple[dict[str, object], ...]:
    """Every row of a domain's seed; the clock is no content, and articles are read as texts."""
    database = open_pool(load_domain(domain), database="embedded").acquire(timeout_s=60)
    try:
        return tuple(
            found["row"]
            for table in database.agent.execute(TABLES).fetchall()
            if table["name"] not in ("clock", "articles")
            for found in database.agent.execute(
                f"SELECT to_jsonb(t) AS row FROM {table['name']} t".encode()
            ).fetchall()
        )
    finally:
        database.close()


@cache
def hashes(domain: str) -> frozenset[str]:
    """A hash of each row's content, of rows that say more than a pair of words."""
    return frozenset(
        hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()
        for row in rows(domain)
        if len(row) > 2
    )


@cache
def persons(domain: str) -> frozenset[str]:
    """E-mail addresses and full names, wherever they stand in the seed."""
    text = json.dumps(rows(domain))
    names = {str(row["full_name"]) for row in rows(domain) if row.get("full_name")}
    return frozenset(names | set(EMAIL.findall(text)))


@cache
def sentences(domain: str) -> frozenset[str]:
    """The sentences of the policy and of the articles, without numbering and case."""
    return frozenset(_sentences(load_domain(domain)))


def _sentences(domain: Domain) -> Iterator[str]:
    texts = re.split(r"\n(?=\d+\. )", domain.policy)
    for text in (*texts, *(article.body for article in domain.articles)):
        plain = re.sub(r"^\d+\.\s+", "", text.strip())
        for sentence in SENTENCE.split(" ".join(plain.split()).casefold()):
            if len(sentence.split()) >= 6:
                yield sentence


@pytest.mark.parametrize(("bench", "train"), PAIRS)
def test_no_row_is_in_both(bench: str, train: str) -> None:
    assert hashes(bench)
    assert hashes(train)
    assert hashes(bench) & hashes(train) == frozenset()


@pytest.mark.parametrize(("bench", "train"), PAIRS)
def test_no_person_is_in_both(bench: str, train: str) -> None:
    assert persons(bench) & persons(train) == frozenset()


@pytest.mark.parametrize(("bench", "train"), PAIRS)
def test_no_sentence_of_a_policy_or_an_article_is_in_both(bench: str, train: str) -> None:
    assert sentences(bench) & sentences(train) == frozenset()


def test_no_content_hash_of_a_task_is_in_both() -> None:
    bench, train = ({task.hash for task in all_tasks(split)} for split in ("bench", "train"))
    assert bench
    assert bench & train == set()
