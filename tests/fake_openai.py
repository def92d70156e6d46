"""A local OpenAI-compatible server for tests: real HTTP, scripted answers, real faults."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tb_envs.endpoints import Endpoint


@dataclass(frozen=True)
class Say:
    """A completion with text, calls as (name, arguments), or both."""

    content: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    prompt_tokens: int = 10
    completion_tokens: int = 5
    extra: dict[str, Any] = field(default_factory=dict)

    def body(self, number: int) -> bytes:
        message: dict[str, Any] = {"role": "assistant", "content": self.content} | self.extra
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{number}_{index}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for index, (name, arguments) in enumerate(self.calls)
            ]
        usage = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": 4},
        }
        return json.dumps(
            {
                "id": f"chat-{number}",
                "object": "chat.completion",
                "created": 0,
                "model": "fake",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": usage,
            }
        ).encode()


@dataclass(frozen=True)
class Fault:
    """An HTTP error."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Garbage:
    """A 200 answer that is not a completion."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No answer until the server stops."""


@dataclass(frozen=True)
class Trickle:
    """A space now and then until the server stops, as gateways send to keep a connection alive."""


@dataclass(frozen=True)
class Drop:
    """The connection is closed without an answer."""


Answer = Say | Fault | Garbage | Hang | Trickle | Drop


class FakeOpenAI:
    """Gives its answers in order, the last one for ever; remembers what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.stopping = threading.Event()
        self._answers: list[Answer] = [Say("Hello.")]
        self._lock = threading.Lock()

    def will(self, *answers: Answer | str) -> "FakeOpenAI":
        self._answers = [Say(item) if isinstance(item, str) else item for item in answers]
        return self

    def endpoint(self, **settings: Any) -> Endpoint:
        defaults = {"model": "fake", "timeout_s": 20.0, "backoff_s": 0.001}
        return Endpoint(base_url=self.url, **(defaults | settings))

    def next_answer(self, request: dict[str, Any], headers: dict[str, str]) -> tuple[Answer, int]:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            return answer, len(self.requests)


@contextmanager
def fake_openai() -> Iterator[FakeOpenAI]:
    """Run a server on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.fake = FakeOpenAI(f"http://127.0.0.1:{server.server_port}/v1")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.fake  # type: ignore[attr-defined]
    finally:
        server.fake.stopping.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        fake: FakeOpenAI = self.server.fake  # type: ignore[attr-defined]
        if self.path != "/v1/chat/completions":
            return self._send(404, b"{}", {})
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        answer, number = fake.next_answer(request, self._headers())
        match answer:
            case Say():
                return self._send(200, answer.body(number), {})
            case Fault():
                body = json.dumps({"error": {"message": answer.message}}).encode()
                return self._send(answer.status, body, answer.headers)
            case Garbage():
                return self._send(200, answer.body, {"Content-Type": answer.content_type})
            case Hang():
                fake.stopping.wait()
            case Trickle():
                self._trickle(fake.stopping)
        self.close_connection = True
        return None

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _trickle(self, stopping: threading.Event) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with suppress(OSError):  # the client has left
            while not stopping.wait(0.05):
                self.wfile.write(b"1\r\n \r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""
