"""What the environment asks of a simulated user: an opening, then an answer to each message."""

from typing import NamedTuple, Protocol


class UserTurn(NamedTuple):
    """What the user says; ``done`` marks the last message of the talk."""

    content: str
    done: bool = False


class User(Protocol):
    """The user of one episode. Never grades, and never shared between episodes."""

    def opening(self) -> str:
        """Return the message that starts the talk."""
        ...

    def reply(self, message: str) -> UserTurn:
        """Answer the agent's message.

        Raises:
            UserFailure: the user could not answer, for a reason that is not the agent's.
        """
        ...

    def close(self) -> None:
        """Release what the user holds; may be called twice."""
        ...
