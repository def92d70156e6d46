"""Whose fact a question asks for: the user's own, or another person's.

"Your wife's date of birth" and "the name of your son" are never the user's own. "The patient's"
or "the guest's" may be: whether the user is meant, only the task's facts can tell.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

PERSONAL = frozenset(
    {"full_name", "email", "phone", "date_of_birth", "address", "zip_code", "employee_id"}
)
"""Facts that every person has, so that a question for them may be about somebody else."""

_RELATION = (
    r"(?P<relation>(?:step|grand|half-?)?(?:son|daughter|child|mother|father|brother|sister|parent)"
    r"(?:-in-law)?|(?:ex-?)?(?:wife|husband)|ex|spouse|partner|fianc[eé]e?|children|kids?|boy|girl|baby|toddler"
    r"|mum|mom|dad|aunt|uncle|niece|nephew|cousin|friend|neighbou?r|flatmate|room-?mate|lodger"
    r"|colleague|co-?worker|manager|supervisor|boss|assistant|secretary|deputy|driver|landlord"
    r"|doctor|employer|lawyer|witness|apprentice|trainee|intern)"
)
_ROLE = (
    r"(?:(?P<new>new|other|second|third|additional|future|further|late|deceased)\s+)?"
    r"(?:[\w-]+\s+)?"
    r"(?P<role>patient|minor|guest|travell?er|passenger|customer|client|employee|starter|joiner"
    r"|leaver|dispatcher|contact|tenant|occupant|policy-?holder|account-?holder|card-?holder|holder"
    r"|owner|recipient|receiver|sender|consignee|shipper|person|user|member|admin|beneficiary"
    r"|applicant|insured|payee|buyer|seller|party|delegate)"
    r"(?!\s+(?:numbers?|ids?|no\.|accounts?|service|care|portal|records?|references?)\b)"
)
_NAME = (
    r"(?-i:(?!(?:What|Who|Where|When|How|Let|It|That|There|Here|He|She|Today|Tomorrow)\b)"
    r"(?P<name>[A-ZÀ-Þ][\w-]+))"
)
_OTHER = (
    rf"(?:(?:your|the|both|all|each)\s+)+(?:[\w-]+\s+)?{_RELATION}\b|(?P<pronoun>his|her|hers|he|she)\b"
    rf"|(?:the|this|that|an?|your)\s+{_ROLE}\b|(?P<vague>their|theirs|they)\b"
)
_BEFORE = re.compile(
    rf"\b(?:{_OTHER}|{_NAME}(?:'s?\s)"
    r"|(?P<own>yours?(?:\s+own)?|yourself|(?:about|verify|were|are) you|do you (?:live|use))\b)",
    re.IGNORECASE,
)
_LIKEWISE = (
    r"(?:[\s,/&:-]|\b(?:and|or|plus|as well as|full|first|last|exact|names?|of birth|births?|dates?"
    r"|d\.?o\.?b\.?|e-?mails?|mail|address(?:es)?|(?:tele|mobile )?phone|mobile|numbers?|employee"
    r"|staff|ids?|postal|post|zip|codes?|on file|on record)\b)*"
)
_AFTER = re.compile(
    rf"{_LIKEWISE}(?<!and )(?<!or )(?<![,&] )"
    r"\b(?:of|for|belonging to|on|in|under|with|does|do|did)\s+"
    rf"(?:{_OTHER}|{_NAME}\b|(?P<own>you|your)\b)",
    re.IGNORECASE,
)
# How another person's fact looks where a task's author wrote it down under any name.
_SHAPES = {
    "full_name": re.compile(r"\b[A-ZÀ-Þ][\w'-]+ [A-ZÀ-Þ][\w'-]+"),
    "email": re.compile(r"\S@\S"),
    "phone": re.compile(r"\+?\d(?:[ -]?\d){7,}"),
    "date_of_birth": re.compile(r"\bborn\b", re.IGNORECASE),
    "employee_id": re.compile(r"\bEMP-\d"),
}


_KIN = (
    {"son", "daughter", "child", "children", "kid", "kids", "boy", "girl", "baby", "toddler"},
    {"wife", "husband", "spouse", "partner"},
)
"""Words that one person may be called by."""
_SUBJECTS = re.compile(
    r"patient|minor|guest|travell?er|passenger|customer|client|employee|person|starter|leaver"
)
_OF_ANOTHER = re.compile(
    r"whose|for_whom|who|newcomer|colleague|child(?:ren)?|patient|wife|husband|\w+_born"
    r"|new_(?:manager|travell?er|contact|guest|driver)|(?:lodger|child|patient|guest)_name"
)
"""Names of facts on the person for whom a user asks."""


@dataclass(frozen=True)
class Other:
    """Somebody other than the user, as a question names them.

    ``word`` is empty for "his" and "her"; ``related`` tells "your son" from "the patient".
    ``certain`` is False for a role that the user may have.
    """

    word: str
    related: bool
    certain: bool


def owner(question: str, start: int, end: int, own_name: str) -> Other | None:
    """Return whose fact the words of a question from ``start`` to ``end`` ask for.

    None stands for the user. What follows ("... of your wife") counts before what precedes
    ("your wife's ..."), and of that the nearest.
    """
    if after := _AFTER.match(question, end):
        return _other(after, own_name)
    before = list(_BEFORE.finditer(question, 0, start))
    return _other(before[-1], own_name) if before else None


def fact_of(other: Other, kind: str, facts: Mapping[str, str]) -> str:
    """Return the name of the fact that holds something personal of another person, or nothing.

    Args:
        other: The person.
        kind: One of ``PERSONAL``.
        facts: What the user may say of others, by name.
    """
    shape = _SHAPES.get(kind)
    fitting = [name for name, say in facts.items() if shape and shape.search(say)]
    naming = [name for name in fitting if _mentions(other.word, f"{name} {facts[name]}")]
    meant = [] if other.related else [name for name in fitting if is_of_another(name)]
    return next(chain(naming, meant), "")


def is_of_another(name: str) -> bool:
    """Say whether a fact's name stands for the person for whom a user asks."""
    return _OF_ANOTHER.fullmatch(name) is not None


def concerns_person(say: str) -> bool:
    """Say whether a fact holds something by which a person is known."""
    return any(shape.search(say) for shape in _SHAPES.values())


def _mentions(word: str, text: str) -> bool:
    if not word:
        return False
    alike = next((kin for kin in _KIN if word in kin), {word})
    named = "|".join(map(re.escape, alike))
    return re.search(rf"(?<![^\W_])(?:{named})", text, re.IGNORECASE) is not None


def _other(cue: re.Match[str], own_name: str) -> Other | None:
    found = {kind: (word or "").lower() for kind, word in cue.groupdict().items()}
    if found["own"] or (found["name"] and found["name"] in own_name.lower()):
        return None
    if role := found["role"]:
        return Other(role, related=False, certain=bool(found["new"]))
    word = found["name"] or found["relation"]
    return Other(word, related=bool(word), certain=not found["vague"])


def is_subject(other: Other) -> bool:
    """Say whether a role is that of the person whom a case is about."""
    return _SUBJECTS.fullmatch(other.word) is not None
