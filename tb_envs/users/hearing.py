"""What a message of the agent does: asks, offers, announces, reports.

Sentences are looked at one by one, because "I have your email. Shall I go ahead?" asks one thing
only. In doubt a message is heard as one that wants an answer: a user who leaves too early ends
the episode, one who says a word too much costs a turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tb_envs.users import speech_acts
from tb_envs.users.speech_acts import compiled

# Questions stand at the end of a message; a model that repeats itself must not cost minutes.
_LONGEST = 20_000
# The full stop of "1. Full name" ends no sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!^\d[.])(?<!^\d\d[.])[\"')\]]*\s+|\n+", re.MULTILINE)
_LIST_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_HEADING_END = re.compile(r"[^.?!]\Z")
_INDENT = re.compile(r"\n[ \t]+")
_EMPHASIS = re.compile(r"[*`#]+(?=\S)|(?<=\S)[*`#]+")
_TYPOGRAPHY = str.maketrans({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-"})
_QUESTION_END = re.compile(r"\?[\s\"')\]]*\Z")


class Question(NamedTuple):
    """A sentence that wants an answer, with the list below it, and where it stands."""

    place: int
    text: str


@dataclass(frozen=True)
class Heard:
    """A message, taken apart into its sentences."""

    text: str

    @classmethod
    def of(cls, message: str) -> "Heard":
        """Hear a message: typographic signs and emphasis do not matter."""
        plain = message[-_LONGEST:].translate(_TYPOGRAPHY)
        return cls(_INDENT.sub("\n", _EMPHASIS.sub("", plain)).strip())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not re.search(r"\w", self.text)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """What wants an answer: sentences, each with the list items under it."""
        found: list[Question] = []
        in_list = False
        place = 0
        sentences = [*filter(None, map(str.strip, _SENTENCE_END.split(self.text))), ""]
        for sentence, following in pairwise(sentences):
            place = self.text.find(sentence, place)
            if in_list and _belongs_to_list(sentence, following):
                found[-1] = Question(found[-1].place, f"{found[-1].text}\n{sentence}")
            elif in_list := _asks(sentence):
                found.append(Question(place, sentence))
        return tuple(found)

    @property
    def whole(self) -> tuple[Question, ...]:
        """The message as one question."""
        return (Question(0, self.text),)

    @cached_property
    def asking(self) -> str:
        """The part of the message that wants an answer."""
        return "\n".join(question.text for question in self.questions)

    @cached_property
    def asking_for_facts(self) -> tuple[Question, ...]:
        """What wants an answer other than yes or no: "Shall I use your email?" names no fact."""
        return tuple(
            question
            for question in self.questions
            if not _asks_consent(question.text) or _has(speech_acts.ASKS_FOR_CONTENT, question.text)
        )

    def says(self, patterns: Sequence[str]) -> bool:
        """Say whether one of the patterns occurs anywhere in the message."""
        return _has(patterns, self.text)

    @cached_property
    def offers_more(self) -> bool:
        """Whether it offers further help, as one does at the end of a talk."""
        return self.says(speech_acts.OFFERS_MORE) and not self.asks_for_more

    @cached_property
    def asks_for_more(self) -> bool:
        """Whether it asks if there is more to tell."""
        return self.says(speech_acts.ASKS_FOR_MORE)

    @cached_property
    def asks_what_is_wanted(self) -> bool:
        """Whether it is a greeting, or asks to hear the request again."""
        return self.says(speech_acts.ASKS_REQUEST)

    @cached_property
    def asks_consent(self) -> bool:
        """Whether it asks to be allowed to do something."""
        return any(_asks_consent(question.text) for question in self.questions)

    @cached_property
    def asks_to_keep(self) -> str:
        """The question whether the user keeps something, or nothing."""
        return self._first_question(speech_acts.ASKS_TO_KEEP)

    @cached_property
    def asks_to_let_go(self) -> str:
        """The question whether the user lets go of something, or nothing."""
        return self._first_question(speech_acts.ASKS_TO_LET_GO)

    @cached_property
    def asks_yes_or_no(self) -> bool:
        """Whether it asks if something is so."""
        return any(_has(speech_acts.POLAR_QUESTION, question.text) for question in self.questions)

    @cached_property
    def asks_to_send(self) -> bool:
        """Whether it asks for a picture or a paper."""
        return _has(speech_acts.ASKS_TO_SEND, self.asking)

    @cached_property
    def asks_presence(self) -> bool:
        """Whether it only asks for a sign of life, or for a moment."""
        return _has(speech_acts.ASKS_PRESENCE, self.asking)

    @cached_property
    def asks_agreement(self) -> bool:
        """Whether it asks if something is right, understood or acceptable."""
        return _has(speech_acts.ASKS_AGREEMENT, self.asking)

    @cached_property
    def asks_acceptance(self) -> bool:
        """Whether it asks if what it proposes is acceptable."""
        return _has(speech_acts.ASKS_ACCEPTANCE, self.asking)

    @cached_property
    def lays_out_alternatives(self) -> bool:
        """Whether it names alternatives, in the question or before it."""
        return self.says(speech_acts.ALTERNATIVES)

    @cached_property
    def asks_which_is_so(self) -> bool:
        """Whether it asks which of several things is true, and not which is liked."""
        return any(_has(speech_acts.CHOICE_OF_FACTS, question.text) for question in self.questions)

    @cached_property
    def offers_choice(self) -> bool:
        """Whether it asks to choose between things."""
        return _has(speech_acts.CHOICE, self.asking)

    @cached_property
    def wants_go_ahead(self) -> bool:
        """Whether it asks to go ahead, in so many words."""
        return self.says(speech_acts.GO_AHEAD)

    @cached_property
    def announces_work(self) -> bool:
        """Whether the agent is about to do more."""
        return self.says(speech_acts.PLANS)

    @cached_property
    def reports_outcome(self) -> bool:
        """Whether it says that something was done, or will not be done."""
        return self.says(speech_acts.REPORTS_DONE) or self.says(speech_acts.REPORTS_REFUSAL)

    def _first_question(self, patterns: Sequence[str]) -> str:
        return next(
            (
                question.text
                for question in self.questions
                if _has(patterns, question.text)
                and not _has(speech_acts.OPEN_QUESTION, question.text)
            ),
            "",
        )


def _belongs_to_list(sentence: str, following: str) -> bool:
    """Say whether a sentence is an item of a list, or a heading between two parts of it."""
    if _LIST_ITEM.match(sentence):
        return True
    return bool(_HEADING_END.search(sentence) and _LIST_ITEM.match(following))


def _asks(sentence: str) -> bool:
    """Say whether a sentence wants an answer; an offer of further help does not."""
    if _has(speech_acts.OFFERS_MORE, sentence) and not _has(speech_acts.ASKS_FOR_MORE, sentence):
        return False
    return (
        _QUESTION_END.search(sentence) is not None
        or _has(speech_acts.REQUEST_CUES, sentence)
        or _has(speech_acts.ASKS_CONSENT, sentence)
    )


def _asks_consent(sentence: str) -> bool:
    return _has(speech_acts.ASKS_CONSENT, sentence) and not _has(
        speech_acts.OPEN_QUESTION, sentence
    )


def _has(patterns: Sequence[str], sentence: str) -> bool:
    return compiled(patterns).search(sentence) is not None
