"""The scripted user: facts and rules from the task file, no model, no network.

The same spec, seed and messages give the same answers. A message is answered by the first of:
nothing was said; a scripted reply; the facts asked for, and consent; the request, said again; the
end of the talk, when the agent reports an outcome; patience, while the agent announces work.
"""

import random
from collections.abc import Sequence

from tb_envs.specs.models import Reply, UserSpec
from tb_envs.users import phrases, wishes
from tb_envs.users.hearing import Heard
from tb_envs.users.memory import Memory
from tb_envs.users.protocol import UserTurn

UNHELPFUL_ROUNDS = 3
"""Rounds in a row without substance after which the user leaves."""
WAITING_ROUNDS = 8
"""Announcements in a row ("one moment, please") after which the user leaves."""


class ScriptedUser:
    """A user who knows some facts, reacts by rules, and leaves when the case is answered."""

    def __init__(self, spec: UserSpec, seed: int) -> None:
        """Prepare the user of one episode."""
        self._spec = spec
        self._random = random.Random(seed)
        self._memory = Memory(spec)
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
        reported = heard.reports_outcome and not heard.announces_work
        said = self._memory.asked(heard, heard.asking_for_facts)
        if (wish := self._wish(heard, said)) is not None:
            said += [wish] if wish and wish not in said else []
        elif heard.asks_consent and (heard.wants_go_ahead or not heard.offers_choice):
            consent = self._consent(phrases.CONSENTS)
            said += [consent] if consent not in said else []
        elif said and heard.asks_acceptance and not reported:
            consent = self._consent(phrases.AGREES)
            said += [consent] if consent not in said else []
        if said:
            return self._helped(" ".join(said))
        if heard.asks_agreement:
            return None if reported else self._helped(self._consent(phrases.AGREES))
        if heard.asks_what_is_wanted:
            if heard.lays_out_alternatives and self._memory.preference:
                return self._helped(self._memory.preference)
            return self._unhelped(self._spec.opening)
        if said := self._memory.asked(heard, heard.whole):
            return self._helped(" ".join(said))
        return self._answer_without_fact(heard)

    def _answer_without_fact(self, heard: Heard) -> UserTurn:
        """Answer what no fact is meant for: with own words that fit, or that it is not known."""
        if chosen := self._memory.named(heard.asking, numbers_only=not heard.offers_choice):
            return self._helped(chosen)
        if heard.asks_presence:
            return self._unhelped(self._pick(phrases.IS_THERE))
        if heard.asks_for_more:
            return self._helped(self._pick(phrases.NOTHING_TO_ADD))
        if (heard.offers_choice or heard.asks_yes_or_no) and (
            said := self._memory.said_on(heard.asking)
        ):
            return self._helped(said)
        return self._helped(self._pick(self._without_answer(heard)))

    def _without_answer(self, heard: Heard) -> Sequence[str]:
        """Return phrasings for a question on which the user can say nothing."""
        if heard.offers_choice and not heard.asks_which_is_so:
            return phrases.HAS_NO_PREFERENCE
        if heard.asks_to_send:
            return phrases.CANNOT_SEND
        return phrases.CANNOT_SAY if heard.asks_yes_or_no else phrases.NOT_KNOWN

    def _wish(self, heard: Heard, said: Sequence[str]) -> str | None:
        """Say whether the user keeps or lets go of something; None where that is not asked.

        Nobody consents to either: what the user knows decides, or else the request as it was.
        """
        if any(wishes.keeps(words) is not None for words in said):
            return "" if heard.asks_to_keep else None
        if question := heard.asks_to_keep:
            if words := self._memory.said_on_keeping(question):
                return words
            if (keeps := self._memory.keeps(question)) is not None:
                return self._pick(phrases.KEEPS if keeps else phrases.LETS_GO)
            return "" if said else self._memory.said_on(question) or self._spec.opening
        if question := heard.asks_to_let_go:
            words = self._memory.said_on_keeping(question)
            if words and wishes.keeps(words):
                return words
            if not self._memory.lets_go:
                return "" if said else self._spec.opening
        return None

    def _consent(self, phrasings: Sequence[str]) -> str:
        return self._memory.confirmation or self._pick(phrasings)

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
