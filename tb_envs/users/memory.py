"""What a user knows, and which of it answers a question."""

import re
from collections.abc import Sequence

from tb_envs.specs.models import Fact, UserSpec
from tb_envs.users import wishes
from tb_envs.users.events import answers_when, events_named, events_told
from tb_envs.users.fact_names import CONFIRMATION, FACT_PATTERNS, PREFERENCE, canonical, patterns_of
from tb_envs.users.hearing import Heard, Question
from tb_envs.users.persons import (
    PERSONAL,
    Other,
    concerns_person,
    fact_of,
    is_of_another,
    is_subject,
    owner,
)
from tb_envs.users.speech_acts import compiled, content_words

_WHO_THE_USER_IS = frozenset({"full_name", "email"})
"""Facts that no choice is about, though a Ms Marchetti shares letters with March."""
_WORDS_IN_COMMON = 2
"""Words of content that own words share with a question before they count as an answer."""
_ASKS_WHEN = re.compile(
    r"(?:\w+ )?(?:when\b.*|dates?|(?:what|which) (?:day|date)\b.*)", re.IGNORECASE | re.DOTALL
)
_CLAUSE = re.compile(r"[^.,;?!\n]*")


class Memory:
    """The facts of a task's user, and what its opening and private context say."""

    def __init__(self, spec: UserSpec) -> None:
        """Remember what a user knows."""
        self._facts = {name: _fact(fact) for name, fact in spec.facts.items()}
        self._own_name = self._facts["full_name"].say if "full_name" in self._facts else ""
        self._asks_for_another = any(
            is_of_another(name) and concerns_person(fact.say) and self._own_name not in fact.say
            for name, fact in self._facts.items()
        )
        self._opening = spec.opening
        self._context = spec.private_context

    @property
    def confirmation(self) -> str:
        """What the user says when asked for consent, where the task has an own answer."""
        fact = self._facts.get(CONFIRMATION)
        return _sentence(fact.say) if fact else ""

    @property
    def preference(self) -> str:
        """What the user prefers, where the task says so."""
        fact = self._facts.get(PREFERENCE)
        return _sentence(fact.say) if fact else ""

    def asked(self, heard: Heard, questions: Sequence[Question]) -> list[str]:
        """Return the facts asked for, in the order in which the agent asks for them."""
        authored = self._asked_by_author(heard.text)
        found: dict[str, int] = {}
        for name in self._facts:
            place = self._asked_by_name(name, questions, authored)
            place = authored.get(name) if place is None else place
            if place is not None:
                found[name] = place
        for name, place in self._asked_of_others(questions, authored):
            found.setdefault(name, place)
        return [_sentence(self._facts[name].say) for name in sorted(found, key=found.__getitem__)]

    def named(self, question: str, *, numbers_only: bool) -> str:
        """Return the fact that says most of what a question offers, or nothing."""
        offered = content_words(question)
        if numbers_only:
            offered = {word for word in offered if word.isdigit()}
        shared = {
            name: len(offered & content_words(fact.say))
            for name, fact in self._facts.items()
            if name not in _WHO_THE_USER_IS
        }
        best = max(shared, key=lambda name: shared[name], default="")
        return _sentence(self._facts[best].say) if shared.get(best) else ""

    def said_on(self, question: str) -> str:
        """Return own words, a fact or a sentence of the opening, that a question is about."""
        asked = content_words(question)
        shared = {text: len(asked & content_words(text)) for text in self._sayable()}
        best = max(shared, key=lambda text: shared[text], default="")
        return _sentence(best) if shared.get(best, 0) >= _WORDS_IN_COMMON else ""

    def said_on_keeping(self, question: str) -> str:
        """Return what the user may say of keeping what a question is about, or nothing."""
        if words := wishes.words_on(question, self._facts_sayable()):
            return _sentence(words)
        return self._opening if wishes.words_on(question, wishes.sentences(self._opening)) else ""

    def keeps(self, question: str) -> bool | None:
        """Return whether the user wants to keep what a question is about; None: not known."""
        return wishes.wants(question, self._context)

    @property
    def lets_go(self) -> bool:
        """Whether the user means to let go of anything at all."""
        return wishes.lets_go_of_something((*self._sayable(), self._context))

    def _sayable(self) -> list[str]:
        """What may be said when a question comes near it."""
        return self._facts_sayable() + wishes.sentences(self._opening)

    def _facts_sayable(self) -> list[str]:
        """The facts but those by which a person is known; what is said to consent comes first."""
        first = sorted(self._facts, key=lambda name: name != CONFIRMATION)
        return [self._facts[name].say for name in first if canonical(name) not in PERSONAL]

    def _asked_by_author(self, text: str) -> dict[str, int]:
        """Return where the authors' own patterns match: they may need the whole message."""
        places: dict[str, int] = {}
        for name, fact in self._facts.items():
            for match in compiled(tuple(fact.asked_by)).finditer(text) if fact.asked_by else ():
                if self._fits_time(name, match):
                    places[name] = match.start()
                    break
        return places

    def _asked_by_name(
        self, name: str, questions: Sequence[Question], authored: dict[str, int]
    ) -> int | None:
        """Return where a fact is asked for by the words that its name stands for."""
        if name == CONFIRMATION:
            return None
        for question in questions:
            for match in compiled(patterns_of(name)).finditer(question.text):
                if self._is_own(name, question, match, authored) and self._fits_time(name, match):
                    return question.place + match.start()
        return None

    def _is_own(
        self, name: str, question: Question, match: re.Match[str], authored: dict[str, int]
    ) -> bool:
        """Say whether the user's own fact is meant, and not another person's."""
        if canonical(name) not in PERSONAL:
            return True
        other = owner(question.text, match.start(), match.end(), self._own_name)
        return other is None or not (self._is_other(other) or self._other_told(question, authored))

    def _is_other(self, other: Other) -> bool:
        """Say whether somebody named is not the user: "the patient" is not who asks for a child."""
        return other.certain or (self._asks_for_another and is_subject(other))

    def _other_told(self, question: Question, authored: dict[str, int]) -> bool:
        """Say whether a question gets a fact on another person by its author's patterns."""
        return any(
            canonical(name) not in PERSONAL
            and 0 <= place - question.place <= len(question.text)
            and concerns_person(self._facts[name].say)
            for name, place in authored.items()
        )

    def _asked_of_others(
        self, questions: Sequence[Question], authored: dict[str, int]
    ) -> list[tuple[str, int]]:
        """Return the facts that hold what is asked of another person, and where it is asked."""
        others = {n: f.say for n, f in self._facts.items() if canonical(n) not in PERSONAL}
        found: list[tuple[str, int]] = []
        for question in questions:
            if self._other_told(question, authored):
                continue
            for kind in sorted(PERSONAL):
                for match in compiled(FACT_PATTERNS[kind]).finditer(question.text):
                    other = owner(question.text, match.start(), match.end(), self._own_name)
                    name = fact_of(other, kind, others) if other and self._is_other(other) else ""
                    if name:
                        found.append((name, question.place + match.start()))
        return found

    def _fits_time(self, name: str, match: re.Match[str]) -> bool:
        """Say whether a fact that a "when" asks for is about that time."""
        if not _ASKS_WHEN.fullmatch(match.group()):
            return True
        before = match.string[: match.start()]
        start = max(map(before.rfind, ".,;?!\n")) + 1
        clause = _CLAUSE.match(match.string, start)
        date = self._facts[name].say
        told = events_told(date, (name.replace("_", " "), self._opening, self._context))
        told |= events_named(match.group())
        return answers_when(clause.group() if clause else "", date, told)


def _fact(fact: str | Fact) -> Fact:
    return Fact(say=fact) if isinstance(fact, str) else fact


def _sentence(text: str) -> str:
    """End a fact with a full stop, so that several make one answer."""
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else stripped + "."
