"""The desk as an MCP server in a process of its own: ``desk_server.py RESULTS [IDLE_TIMEOUT_S]``.

Without a timeout it serves stdio, with one streamable HTTP: then it prints its URL, and a line for
each session that ended.
"""

import json
import sys
from pathlib import Path

import desk

from tb_envs.database import open_pool
from tb_envs.tools.mcp_http import HttpLimits, serve_http
from tb_envs.tools.mcp_server import serve_stdio
from tb_envs.tools.serving import EndedSession


def open_episode() -> desk.ServedDesk:
    database = desk.prepare(open_pool(desk.DESK, database="embedded").acquire(timeout_s=60))
    return desk.ServedDesk(database, desk.ToolSession(database, desk.TOOLS))


def main(results: Path, idle_timeout_s: float | None) -> None:
    def on_end(ended: EndedSession) -> None:
        record = {
            "calls": [call.name for call in ended.calls],
            "passed": ended.grade.passed if ended.grade else None,
            "changes": [change.model_dump() for change in ended.changes],
            "failure": ended.failure.kind if ended.failure else None,
        }
        with results.open("a") as file:
            file.write(json.dumps(record) + "\n")
        if idle_timeout_s is not None:
            tell("ended")

    if idle_timeout_s is None:
        serve_stdio(open_episode, on_end=on_end)
    else:
        serve_http(
            open_episode,
            host="127.0.0.1",
            port=0,
            on_end=on_end,
            on_ready=tell,
            limits=HttpLimits(max_sessions=3, idle_timeout_s=idle_timeout_s),
        )


def tell(line: str) -> None:
    """Write a line for the parent, which waits for it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None)
