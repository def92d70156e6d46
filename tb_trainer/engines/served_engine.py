"""vLLM servers over HTTP: token ids in and out, weights handed over through a shared folder.

Start each with ``VLLM_SERVER_DEV_MODE=1`` (weight update, cache reset and sleep are there only
then) and ``--logprobs-mode processed_logprobs --generation-config vllm``. An episode always asks
the same server, whose prefix cache holds its turns. Servers that were started with
``--enable-sleep-mode`` sleep while the learner works, so they can share its GPUs.
"""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tb_envs.errors import PolicyFailure, UsageError
from tb_trainer.engines.protocol import Request, WeightSource
from tb_trainer.engines.weights_file import write_weights
from tb_trainer.seeds import derive_seed
from tb_trainer.trajectory import Sampled

_CONTROL_TIMEOUT_S = 600.0
# Said in each request: a server may have other defaults, which models' files often bring along.
_UNBENT = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
_ENDS = ("stop", "length")


class ServedEngine:
    """Samples on one or more servers.

    Args:
        urls: Base URLs, such as ``http://node1:8000``.
        exchange: Folder that this process writes weights to and every server reads them from.
    """

    def __init__(self, urls: Sequence[str], *, exchange: Path) -> None:
        if not urls:
            raise UsageError("engine.kind=served needs engine.urls, one for each server")
        self._urls = [url.rstrip("/") for url in urls]
        self._exchange = exchange.resolve()
        cards = [_call(f"{url}/v1/models", timeout_s=30.0)["data"][0] for url in self._urls]
        self._models = [str(card["id"]) for card in cards]
        self._context_tokens = min(int(card["max_model_len"]) for card in cards)
        self._sleeps = all(_answers(f"{url}/is_sleeping") for url in self._urls)

    @property
    def context_tokens(self) -> int:
        """The longest sequence that every server takes."""
        return self._context_tokens

    def expect(self, episodes: int, concurrency: int) -> None:
        """Continuous batching waits for nobody."""

    def generate(self, request: Request, *, timeout_s: float) -> Sampled:
        """Sample one turn on the episode's server.

        Raises:
            PolicyFailure: the server failed or was too slow.
        """
        n = derive_seed(request.episode) % len(self._urls)
        answer = _call(
            f"{self._urls[n]}/v1/completions",
            {
                "model": self._models[n],
                "prompt": list(request.ids),
                "max_tokens": request.max_new_tokens,
                "temperature": request.temperature,
                **_UNBENT,
                "seed": request.seed,
                "stop_token_ids": sorted(request.stop_ids),
                "logprobs": 0,
                "return_token_ids": True,
            },
            timeout_s=timeout_s,
        )
        return _sampled(answer, self._urls[n])

    def forget(self, episode: str) -> None:
        """The servers' prefix caches drop what is oldest by themselves."""

    def update_weights(self, source: WeightSource) -> None:
        """Write the weights to the shared folder, let every server load them, drop caches."""
        folder = write_weights(source, self._exchange)
        body = {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}}
        self._control("/collective_rpc", body)
        # A turn that was given up may still hold blocks, and then the cache would stay.
        answers = self._control("/reset_prefix_cache?reset_running_requests=true", {})
        for url, answer in zip(self._urls, answers, strict=True):
            if answer.get("success") is False:
                raise PolicyFailure(f"{url} did not drop the prefix cache of the old weights")

    def sleep(self) -> None:
        """Free the servers' GPU memory, where they can sleep."""
        if self._sleeps:
            self._control("/sleep?level=1", {})

    def wake(self) -> None:
        """Take the memory back."""
        if self._sleeps:
            self._control("/wake_up", {})

    def close(self) -> None:
        """The servers are not ours to stop."""

    def _control(self, route: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Send the same to every server, and return what each answers."""

        def send(url: str) -> dict[str, Any]:
            return _call(url + route, body, timeout_s=_CONTROL_TIMEOUT_S)

        with ThreadPoolExecutor(len(self._urls)) as pool:
            return list(pool.map(send, self._urls))


def _sampled(answer: dict[str, Any], url: str) -> Sampled:
    """Read a completion; one that is not as asked for is the server's failure."""
    try:
        choice = answer["choices"][0]
        ids, logprobs = choice.get("token_ids"), choice["logprobs"]["token_logprobs"]
        end = choice["finish_reason"]
    except (KeyError, IndexError, TypeError) as error:
        raise PolicyFailure(f"{url}: not a completion with log-probabilities: {answer}") from error
    if end not in _ENDS:
        raise PolicyFailure(f"{url} ended a turn with {end!r}; expected {' or '.join(_ENDS)}")
    if ids is None:
        raise PolicyFailure(f"{url} returns no token ids; it needs a newer vLLM")
    if len(ids) != len(logprobs):
        raise PolicyFailure(f"{url}: {len(ids)} token ids, but {len(logprobs)} log-probabilities")
    return Sampled(tuple(ids), tuple(logprobs), stopped=end == "stop")


def _call(url: str, body: dict[str, Any] | None = None, *, timeout_s: float) -> dict[str, Any]:
    """Send JSON and read JSON; every way to fail is a policy failure that names the server."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            text = response.read()
        return json.loads(text) if text else {}
    except urllib.error.HTTPError as error:
        detail = error.read().decode(errors="replace")[:500]
        raise PolicyFailure(f"{url}: HTTP {error.code}: {detail}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise PolicyFailure(f"{url}: {error}") from error


def _answers(url: str) -> bool:
    try:
        _call(url, timeout_s=30.0)
    except PolicyFailure:
        return False
    return True
