"""The client of vLLM servers, against small servers that speak the same HTTP and break on demand.

`test_vllm_engine.py` runs the same client against vLLM itself.
"""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tb_envs.errors import PolicyFailure, UsageError
from tb_trainer.engines import Request
from tb_trainer.engines.served_engine import ServedEngine

RESET = "/reset_prefix_cache?reset_running_requests=true"


class FakeVllm:
    """Samples the ids 7, 8 and 5; notes every call; ``broken`` says how a route goes wrong."""

    def __init__(self, *, sleeps: bool = True, context: int = 512) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.weights: dict[str, torch.Tensor] = {}
        self.broken: dict[str, tuple[int, bytes] | None] = {}
        self.stopping = threading.Event()
        self.url = ""
        self._sleeps, self._context = sleeps, context

    def routes(self) -> list[str]:
        return [route for route, _ in self.calls if route != "/v1/models"]

    def reply(self, route: str, body: dict[str, Any]) -> tuple[int, bytes]:
        self.calls.append((route, body))
        if route in self.broken:
            broken = self.broken[route]
            if broken is None:  # hangs
                self.stopping.wait()
            return broken or (500, b"")
        if route == "/v1/models":
            return 200, json.dumps({"data": [{"id": "m", "max_model_len": self._context}]}).encode()
        if route == "/is_sleeping" and not self._sleeps:
            return 404, b"{}"
        if route == "/v1/completions":
            choice = {"token_ids": [7, 8, 5], "logprobs": {"token_logprobs": [-1.0, -2.0, -0.5]},
                      "finish_reason": "stop"}  # fmt: skip
            return 200, json.dumps({"choices": [choice]}).encode()
        if route == "/collective_rpc":
            folder = Path(body["kwargs"]["weights_path"])
            self.weights = load_file(folder / "model.safetensors")
        return 200, b""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self._answer(json.loads(self.rfile.read(length)))

    def _answer(self, body: dict[str, Any]) -> None:
        status, text = self.server.fake.reply(self.path, body)  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def serving(fake: FakeVllm) -> Iterator[FakeVllm]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.fake = fake  # type: ignore[attr-defined]
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def servers() -> Iterator[list[FakeVllm]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(serving(FakeVllm(context=context))) for context in (512, 256, 1024)
        ]


@pytest.fixture
def engine(servers: list[FakeVllm], tmp_path: Path) -> ServedEngine:
    return ServedEngine([f"{server.url}/" for server in servers], exchange=tmp_path / "weights")


def request(episode: str = "e", *ids: int) -> Request:
    return Request(episode, ids or (1, 2, 3), 12, 0.7, 9, frozenset({5, 6}))


def test_ids_go_in_and_ids_and_logprobs_come_out(
    engine: ServedEngine, servers: list[FakeVllm]
) -> None:
    sampled = engine.generate(request(), timeout_s=10)
    assert (sampled.ids, sampled.logprobs, sampled.stopped) == ((7, 8, 5), (-1.0, -2.0, -0.5), True)
    (asked,) = [body for server in servers for route, body in server.calls if "compl" in route]
    assert asked == {
        "model": "m", "prompt": [1, 2, 3], "max_tokens": 12, "temperature": 0.7, "seed": 9,
        "stop_token_ids": [5, 6], "logprobs": 0, "return_token_ids": True,
        # Said, so that no default of a server or of a model's files bends what is sampled from.
        "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0,
    }  # fmt: skip
    assert engine.context_tokens == 256, "what every server takes"


def test_an_episode_stays_on_its_server_and_episodes_spread(
    engine: ServedEngine, servers: list[FakeVllm]
) -> None:
    def play(number: int) -> None:
        for turn in range(3):
            engine.generate(request(f"e{number}", number, turn), timeout_s=10)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(play, range(30)))
    episodes = [
        {body["prompt"][0] for route, body in server.calls if route == "/v1/completions"}
        for server in servers
    ]
    assert sum(len(found) for found in episodes) == 30, "no episode asked two servers"
    assert all(len(found) > 3 for found in episodes)


def test_every_server_sleeps_wakes_takes_the_weights_and_drops_its_cache_in_this_order(
    engine: ServedEngine, servers: list[FakeVllm]
) -> None:
    weights = {"model.w": torch.arange(6.0).view(2, 3), "lm_head.weight": torch.ones(3)}
    for server in servers:
        server.calls.clear()
    engine.sleep()
    engine.wake()
    engine.update_weights(lambda: weights.items())
    for server in servers:
        assert server.routes() == [
            "/sleep?level=1", "/wake_up", "/collective_rpc", RESET,
        ]  # fmt: skip
        assert server.weights.keys() == weights.keys()
        for name, tensor in weights.items():
            assert torch.equal(server.weights[name], tensor)


def test_servers_that_cannot_sleep_are_left_awake(tmp_path: Path) -> None:
    with serving(FakeVllm()) as one, serving(FakeVllm(sleeps=False)) as other:
        engine = ServedEngine([one.url, other.url], exchange=tmp_path)
        engine.sleep()
        engine.wake()
        assert "/sleep?level=1" not in one.routes() + other.routes()


BROKEN: dict[str, tuple[int, bytes] | None] = {
    "HTTP 500": (500, b"out of memory"),
    "not JSON": (200, b"<html>"),
    "JSON of another shape": (200, b'{"choices": []}'),
    "no log-probabilities": (200, b'{"choices": [{"token_ids": [1], "logprobs": null}]}'),
    "fewer log-probabilities than ids": (
        200,
        b'{"choices": [{"token_ids": [1, 2], "logprobs": {"token_logprobs": [-1]},'
        b' "finish_reason": "stop"}]}',
    ),
    "a server that gives no ids": (
        200,
        b'{"choices": [{"logprobs": {"token_logprobs": [-1]}, "finish_reason": "stop"}]}',
    ),
    "a turn that the server gave up": (
        200,
        b'{"choices": [{"token_ids": [1], "logprobs": {"token_logprobs": [-1]},'
        b' "finish_reason": "abort"}]}',
    ),
    "a server that hangs": None,
}


@pytest.mark.parametrize("how", BROKEN)
def test_whatever_a_server_does_wrong_is_a_policy_failure_that_names_it(
    how: str, tmp_path: Path
) -> None:
    with serving(FakeVllm()) as server:
        engine = ServedEngine([server.url], exchange=tmp_path)
        server.broken["/v1/completions"] = BROKEN[how]
        with pytest.raises(PolicyFailure, match=server.url):
            engine.generate(request(), timeout_s=0.3)
        del server.broken["/v1/completions"]
        assert engine.generate(request(), timeout_s=10).ids == (7, 8, 5)


@pytest.mark.parametrize("route", ["/collective_rpc", RESET, "/wake_up"])
def test_a_server_that_does_not_take_the_weights_is_named(
    route: str, engine: ServedEngine, servers: list[FakeVllm]
) -> None:
    servers[1].broken[route] = (500, b"worker died")
    with pytest.raises(PolicyFailure, match=rf"{servers[1].url}.*worker died"):
        hand_over(engine)


def test_a_server_that_keeps_its_prefix_cache_is_named(
    engine: ServedEngine, servers: list[FakeVllm]
) -> None:
    """It answers 200 while a request holds blocks; what it kept are states of the old weights."""
    servers[2].broken[RESET] = (200, b'{"success": false}')
    with pytest.raises(PolicyFailure, match=rf"{servers[2].url}.*prefix cache"):
        hand_over(engine)
    servers[2].broken[RESET] = (200, b'{"success": true}')
    hand_over(engine)


def hand_over(engine: ServedEngine) -> None:
    engine.wake()
    engine.update_weights(lambda: {"w": torch.zeros(1)}.items())


def test_a_server_that_is_not_there_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(PolicyFailure, match=r"127\.0\.0\.1:1/"):
        ServedEngine(["http://127.0.0.1:1"], exchange=tmp_path)
    with pytest.raises(UsageError, match=r"engine\.urls"):
        ServedEngine([], exchange=tmp_path)
