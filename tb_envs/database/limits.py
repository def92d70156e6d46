"""How long an episode's sessions may hold the server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Seconds after which the server ends what a session does.

    Args:
        statement_s: one statement of the tools' role or one call of the grader.
        lock_s: waiting for a lock.
        idle_s: an open transaction in which nothing happens.
    """

    statement_s: float = 10.0
    lock_s: float = 5.0
    idle_s: float = 60.0

    @property
    def options(self) -> str:
        """The limits as libpq's ``options``: what the session starts with and returns to."""
        settings = {
            "statement_timeout": self.statement_s,
            "lock_timeout": self.lock_s,
            "idle_in_transaction_session_timeout": self.idle_s,
        }
        milliseconds = {name: round(seconds * 1000) for name, seconds in settings.items()}
        return " ".join(f"-c {name}={value}" for name, value in milliseconds.items())
