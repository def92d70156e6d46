"""The scripted user: facts and rules from the task file, no model, no network.

The same spec, seed and messages give the same answers. A message is answered by the first of:
nothing was said; a scripted reply; the facts asked for, and consent; the request, said again; the
end of the talk, when the agent reports an outcome; patience, while the agent announces work.
"""

import random
from collections.abc import Sequence

from tb_envs.specs.models import Fact, Reply, UserSpec
from tb_envs.users import phrases
from tb_envs.users.fact_names import CONFIRMATION, patterns_of
from tb_envs.users.hearing import Heard
from tb_envs.users.protocol import UserTurn
from tb_envs.users.speech_acts import compiled, content_words

UNHELPFUL_ROUNDS = 3
"""Rounds in a row without substance after which the user leaves."""
WAITING_ROUNDS = 8
"""Announcements in a row ("one moment, please") after which the user leaves."""
WHO_THE_USER_IS = frozenset({"full_name", "email"})
"""Facts that no choice is about, though a Ms Marchetti shares letters with March."""


class ScriptedUser:
    """A user who knows some facts, reacts by rules, and leaves when the case is answered."""

    def __init__(self, spec: UserSpec, seed: int) -> None:
        """Prepare the user of one episode."""
        self._spec = spec
        self._random = random.Random(seed)
        self._facts = {name: _fact(fact) for name, fact in spec.facts.items()}
        self._replies_given: set[str] = set()
        self._pushes = list(spec.pushes)
        self._unhelpful = 0
        self._waited = 0
        self._done = False

    def opening(self) -> str:
        """Return the message that starts the talk."""
        return self._spec.opening

    def reply(self, message: str) -> UserTurn:
        """Answer the agent's message."""
        if self._done:
            return UserTurn(self._spec.closing, done=True)
        turn = self._answer(Heard.of(message))
        self._done = turn.done
        return turn

    def close(self) -> None:
        """Do nothing: a scripted user holds nothing."""

    def _answer(self, heard: Heard) -> UserTurn:
        if heard.is_empty:
            return self._unhelped(self._pick(phrases.NUDGES))
        if (scripted := self._scripted(heard)) is not None:
            return self._helped(scripted.say, done=scripted.ends)
        if heard.asking and (turn := self._answer_to_questions(heard)):
            return turn
        if heard.announces_work and not heard.offers_more:
            return self._wait()
        if heard.reports_outcome or heard.offers_more:
            return self._conclude()
        if heard.asks_what_is_wanted:
            return self._unhelped(self._spec.opening)
        # Twice in a row something that is neither question nor outcome: there is no more to come.
        if self._unhelpful:
            return self._conclude()
        return self._unhelped(self._pick(phrases.ASKS_ABOUT_REQUEST))

    def _scripted(self, heard: Heard) -> Reply | None:
        """Return the first scripted reply that the message calls for."""
        for reply in self._spec.replies:
            if reply.once and reply.name in self._replies_given:
                continue
            if heard.says(tuple(reply.when)) and not (
                reply.unless and heard.says(tuple(reply.unless))
            ):
                self._replies_given.add(reply.name)
                return reply
        return None

    def _answer_to_questions(self, heard: Heard) -> UserTurn | None:
        """Answer what is asked; None where the question only closes a report."""
        said = self._facts_asked(heard, heard.asking_for_facts)
        if heard.asks_consent and (heard.wants_go_ahead or not heard.offers_choice):
            consent = self._consent(phrases.CONSENTS)
            said += [consent] if consent not in said else []
        if said:
            return self._helped(" ".join(said))
        if heard.asks_agreement:
            reported = heard.reports_outcome and not heard.announces_work
            return None if reported else self._helped(self._consent(phrases.AGREES))
        if heard.asks_what_is_wanted:
            return self._unhelped(self._spec.opening)
        if said := self._facts_asked(heard, heard.text):
            return self._helped(" ".join(said))
        if chosen := self._fact_named(heard.asking, numbers_only=not heard.offers_choice):
            return self._helped(chosen)
        if heard.asks_for_more:
            return self._helped(self._pick(phrases.NOTHING_TO_ADD))
        if heard.offers_choice:
            return self._helped(self._pick(phrases.HAS_NO_PREFERENCE))
        return self._helped(self._pick(phrases.NOT_KNOWN))

    def _facts_asked(self, heard: Heard, asking: str) -> list[str]:
        """Return the facts asked for, in the order in which the agent asks for them.

        An author's own patterns may need the context, so they see the whole message.
        """
        found: list[tuple[int, str]] = []
        for name, fact in self._facts.items():
            known = () if name == CONFIRMATION else patterns_of(name)
            match = compiled(known).search(asking) if known else None
            if match is None and fact.asked_by:
                match = compiled(tuple(fact.asked_by)).search(heard.text)
            if match is not None:
                found.append((match.start(), _sentence(fact.say)))
        return [say for _, say in sorted(found, key=lambda item: item[0])]

    def _fact_named(self, question: str, *, numbers_only: bool) -> str:
        """Return the fact that says most of what a question offers, or nothing."""
        offered = content_words(question)
        if numbers_only:
            offered = {word for word in offered if word.isdigit()}
        shared = {
            name: len(offered & content_words(fact.say))
            for name, fact in self._facts.items()
            if name not in WHO_THE_USER_IS
        }
        best = max(shared, key=lambda name: shared[name], default="")
        return _sentence(self._facts[best].say) if shared.get(best) else ""

    def _consent(self, phrasings: Sequence[str]) -> str:
        fact = self._facts.get(CONFIRMATION)
        return _sentence(fact.say) if fact else self._pick(phrasings)

    def _conclude(self) -> UserTurn:
        """Push back while there is something to say, then end the talk."""
        if self._pushes:
            return self._helped(self._pushes.pop(0))
        return self._helped(self._spec.closing, done=True)

    def _wait(self) -> UserTurn:
        self._waited += 1
        if self._waited >= WAITING_ROUNDS:
            return UserTurn(self._pick(phrases.GIVES_UP), done=True)
        return UserTurn(self._pick(phrases.WAITS))

    def _helped(self, content: str, *, done: bool = False) -> UserTurn:
        self._unhelpful = self._waited = 0
        return UserTurn(content, done)

    def _unhelped(self, content: str) -> UserTurn:
        self._unhelpful += 1
        if self._unhelpful >= UNHELPFUL_ROUNDS:
            return UserTurn(self._pick(phrases.GIVES_UP), done=True)
        return UserTurn(content)

    def _pick(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)


def _fact(fact: str | Fact) -> Fact:
    return Fact(say=fact) if isinstance(fact, str) else fact


def _sentence(text: str) -> str:
    """End a fact with a full stop, so that several make one answer."""
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else stripped + "."
