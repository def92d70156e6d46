"""A local OpenAI-compatible server whose models are a task's own scripts, named as policies are."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tb_envs.policies import make_policy
from tests.adapters.players import TASK, act, start
from tests.fake_openai import Say


@contextmanager
def scripted_model(task_id: str = TASK) -> Iterator[str]:
    """Serve ``oracle``, ``idle``, ``trap:<name>`` and so on; yields the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.task_id = task_id  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(request: dict[str, Any], task_id: str) -> Say:
    """Play the model's script over the history that the request holds, and give its next turn."""
    session = start(make_policy(request["model"]), task_id)
    seen: list[dict[str, Any]] = []
    for message in request["messages"]:
        if message["role"] == "assistant":
            act(session, seen)
            seen = []
        elif message["role"] in ("user", "tool"):
            seen.append({"role": message["role"], "content": _text(message["content"])})
    turn = act(session, seen)
    return Say(turn.content or None, tuple((call.name, call.arguments) for call in turn.tool_calls))


def _text(content: Any) -> str:
    """Some clients send a text as a list of parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = answer(request, self.server.task_id)  # type: ignore[attr-defined]
        body = said.body(len(request["messages"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""
