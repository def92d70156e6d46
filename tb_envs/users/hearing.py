"""What a message of the agent does: asks, offers, announces, reports.

Sentences are looked at one by one, because "I have your email. Shall I go ahead?" asks one thing
only. In doubt a message is heard as one that wants an answer: a user who leaves too early ends
the episode, one who says a word too much costs a turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tb_envs.users import speech_acts
from tb_envs.users.speech_acts import compiled

# Questions stand at the end of a message; a model that repeats itself must not cost minutes.
_LONGEST = 20_000
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_LIST_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_EMPHASIS = re.compile(r"[*`#]+(?=\S)|(?<=\S)[*`#]+")
_TYPOGRAPHY = str.maketrans({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-"})
_QUESTION_END = re.compile(r"\?[\s\"')\]]*\Z")


@dataclass(frozen=True)
class Heard:
    """A message, taken apart into its sentences."""

    text: str

    @classmethod
    def of(cls, message: str) -> "Heard":
        """Hear a message: typographic signs and emphasis do not matter."""
        plain = message[-_LONGEST:].translate(_TYPOGRAPHY)
        return cls(_EMPHASIS.sub("", plain).strip())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not re.search(r"\w", self.text)

    @cached_property
    def _asking_sentences(self) -> tuple[str, ...]:
        """The sentences that want an answer, and the list items under them."""
        asking: list[str] = []
        in_list = False
        for sentence in filter(None, map(str.strip, _SENTENCE_END.split(self.text))):
            if not (in_list and _LIST_ITEM.match(sentence)):
                in_list = _asks(sentence)
            if in_list:
                asking.append(sentence)
        return tuple(asking)

    @cached_property
    def asking(self) -> str:
        """The part of the message that wants an answer."""
        return "\n".join(self._asking_sentences)

    @cached_property
    def asking_for_facts(self) -> str:
        """What wants an answer other than yes or no: "Shall I use your email?" names no fact."""
        return "\n".join(
            sentence
            for sentence in self._asking_sentences
            if not _asks_consent(sentence) or _has(speech_acts.ASKS_FOR_CONTENT, sentence)
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
        return any(map(_asks_consent, self._asking_sentences))

    @cached_property
    def asks_agreement(self) -> bool:
        """Whether it asks if something is right, understood or acceptable."""
        return _has(speech_acts.ASKS_AGREEMENT, self.asking)

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
