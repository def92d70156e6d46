"""A user played by a language model, for talks that no script foresees.

The opening is the task's own, so that all attempts at a task begin alike. The model knows the
private context and the facts, and ends the talk with a signal of its own line. It never grades.
"""

import re
from typing import Any

from tb_envs.chat_client import ChatClient, EndpointError
from tb_envs.errors import UserFailure
from tb_envs.reading import split_reasoning
from tb_envs.specs.models import UserSpec
from tb_envs.users.protocol import UserTurn

DONE = "###DONE###"
EMPTY_TRIES = 3
"""How often the model is asked before an empty turn is a failure."""

_SYSTEM_PROMPT = """\
You play a customer who writes to a company's support. Stay in this role whatever happens.

Who you are and what you want:
{private_context}

What you know, to be told only when you are asked for it:
{facts}

Rules:
- Write only the customer's next message: plain text, one to three short sentences.
- Tell only what was asked. Never invent facts, numbers or names; if you do not know, say so.
- You cannot see the company's systems, and you never act as the agent.
- If the agent asks for your consent to something that fits what you want, give it.
- When the agent has told you the outcome (done, refused, or passed on) and you have nothing left
  to say, end your message with a line that holds only {done}
- Never write {done} before you were told an outcome, and not while the agent waits for an answer.
"""


class LLMUser:
    """A simulated user behind an OpenAI-compatible endpoint.

    Args:
        spec: Who the user is.
        seed: Passed to the endpoint, so that servers that can repeat themselves do.
        client: Shared by the users of many episodes; whoever made it closes it.
    """

    def __init__(self, spec: UserSpec, seed: int, client: ChatClient) -> None:
        self._spec = spec
        self._seed = seed
        self._client = client
        self._done = False
        # The model is the user here: what the agent says comes to it as a "user" message.
        self._history: list[dict[str, Any]] = [
            {"role": "system", "content": _system_prompt(spec)},
            {"role": "user", "content": "(The support chat is open. Write your first message.)"},
            {"role": "assistant", "content": spec.opening},
        ]

    def opening(self) -> str:
        """Return the message that starts the talk."""
        return self._spec.opening

    def reply(self, message: str) -> UserTurn:
        """Ask the model for the user's answer.

        Raises:
            UserFailure: the endpoint gave no answer, or only empty ones.
        """
        if self._done:
            return UserTurn(self._spec.closing, done=True)
        self._history.append({"role": "user", "content": message.strip() or "(empty message)"})
        content = self._ask()
        said = content.replace(DONE, "").strip()
        self._done = DONE in content
        self._history.append({"role": "assistant", "content": said or self._spec.closing})
        return UserTurn(said or self._spec.closing, self._done)

    def close(self) -> None:
        """Do nothing: the client is shared."""

    def _ask(self) -> str:
        for attempt in range(EMPTY_TRIES):
            try:
                answer = self._client.complete(self._history, seed=self._request_seed(attempt))
            except EndpointError as error:
                raise UserFailure(f"the user's model: {error}") from error
            choice = answer.choices[0]
            _, content = split_reasoning(choice.message.content or "")
            # A message that was cut is not what the user meant to say.
            if content.strip() and choice.finish_reason != "length":
                return content
        raise UserFailure(f"the user's model gave no whole message in {EMPTY_TRIES} tries")

    def _request_seed(self, attempt: int) -> int:
        turns = len(self._history)
        return (self._seed * 1_000_003 + turns * EMPTY_TRIES + attempt) % 2**31


def _system_prompt(spec: UserSpec) -> str:
    facts = [
        f"- {re.sub('_', ' ', name)}: {fact if isinstance(fact, str) else fact.say}"
        for name, fact in spec.facts.items()
    ]
    return _SYSTEM_PROMPT.format(
        private_context=spec.private_context.strip(),
        facts="\n".join(facts) or "- nothing beyond the above",
        done=DONE,
    )
