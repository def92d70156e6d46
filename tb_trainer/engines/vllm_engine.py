"""The vLLM engine, in this process: continuous batching over episodes, prefix caching over turns.

One thread makes the engine and is the only one that touches it; everyone else hands it commands.
(vLLM is not thread-safe, and its CPU kernels count the threads of the thread that made it.)
Log-probabilities are those of the distribution that was sampled from (``processed_logprobs``:
after temperature).
"""

import itertools
import os
import queue
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tb_envs.errors import PolicyFailure
from tb_trainer.engines.protocol import Request, WeightSource
from tb_trainer.engines.weights_file import write_weights
from tb_trainer.trajectory import Sampled

# Read when vLLM is imported: the engine core must live in this process, where the learner's
# tensors are.
os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")

import torch
from vllm import EngineArgs, LLMEngine, SamplingParams

CPU_MEMORY_SHARE = 0.3
_STOP = "stop"


class VllmEngine:
    """Samples with vLLM.

    Args:
        path: Model directory or hub name.
        context_tokens: The longest sequence.
        dtype: Of weights and computation.
        tensor_parallel: GPUs that share the model.
        memory_share: Share of a GPU's memory to take.
    """

    def __init__(
        self,
        path: str,
        *,
        context_tokens: int,
        dtype: str = "bfloat16",
        tensor_parallel: int = 1,
        memory_share: float = 0.6,
    ) -> None:
        on_gpu = torch.cuda.is_available()
        arguments: dict[str, Any] = {
            "model": path,
            "dtype": dtype,
            "max_model_len": context_tokens,
            "tensor_parallel_size": tensor_parallel,
            "enable_prefix_caching": True,
            "skip_tokenizer_init": True,
            "logprobs_mode": "processed_logprobs",
            "enable_sleep_mode": on_gpu,
            "enforce_eager": not on_gpu,
            "disable_log_stats": True,
            # A checkpoint's own sampling defaults (top-p, top-k) would bend what is sampled from.
            "generation_config": "vllm",
        }
        if on_gpu:
            arguments["gpu_memory_utilization"] = memory_share
        elif "VLLM_CPU_KVCACHE_SPACE" not in os.environ:
            # vLLM's own default is nearly all of the machine's memory, here as on a GPU.
            arguments["gpu_memory_utilization"] = min(memory_share, CPU_MEMORY_SHARE)
        self._arguments = arguments
        self._context_tokens = context_tokens
        self._sleeps = on_gpu
        self._one_process = tensor_parallel == 1
        self._answers: dict[str, Future[Sampled]] = {}
        self._commands: queue.SimpleQueue[_Command | None] = queue.SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()  # no command may follow the one that ends the thread
        self._numbers = itertools.count()
        self._worker = threading.Thread(target=self._work, name="vllm-engine", daemon=True)
        self._worker.start()
        self._do(lambda engine: None)  # waits until the engine is there, or raises what it raised

    @property
    def context_tokens(self) -> int:
        """The longest sequence, prompt and sampled tokens together."""
        return self._context_tokens

    def expect(self, episodes: int, concurrency: int) -> None:
        """Continuous batching waits for nobody."""

    def generate(self, request: Request, *, timeout_s: float) -> Sampled:
        """Sample one turn; blocks until it is there.

        Raises:
            PolicyFailure: the engine raised or is closed, or the time is over.
        """
        answer: Future[Sampled] = Future()
        key = f"{request.episode}#{next(self._numbers)}"

        def add(engine: Any) -> None:
            prompt = {"prompt_token_ids": list(request.ids)}
            engine.add_request(key, prompt, sampling_parameters(request))
            self._answers[key] = answer

        self._do(add)
        try:
            return answer.result(timeout=timeout_s)
        except FutureTimeout as error:
            self._do(lambda engine: self._abandon(engine, key))
            raise PolicyFailure(f"no turn within {timeout_s:.1f} s") from error

    def forget(self, episode: str) -> None:
        """The prefix cache drops what is oldest by itself."""

    def update_weights(self, source: WeightSource) -> None:
        """Load the weights in place and drop the prefix cache."""
        self._do(lambda engine: self._reload(engine, source))

    def sleep(self) -> None:
        """Give the GPU's memory to the learner; the weights wait in CPU memory."""
        if self._sleeps:
            self._do(lambda engine: engine.sleep(level=1))

    def wake(self) -> None:
        """Take the memory back."""
        if self._sleeps:
            self._do(lambda engine: engine.wake_up())

    def close(self) -> None:
        """Stop; a request that still waits fails."""
        with self._closing:
            self._closed = True
            self._commands.put(None)
        self._worker.join()

    def _do(self, action: Callable[[Any], None]) -> None:
        """Let the engine's thread do something and wait for it."""
        command = _Command(action)
        with self._closing:
            if self._closed:
                raise PolicyFailure("the engine is closed")
            self._commands.put(command)
        command.done.result()

    def _work(self) -> None:
        engine: Any = None
        error: Exception | None = None
        try:
            engine = LLMEngine.from_engine_args(EngineArgs(**self._arguments))
        except Exception as caught:  # noqa: BLE001 - handed to whoever made the engine
            error = caught
        while (command := self._next_command(engine)) is not _STOP:
            if isinstance(command, _Command):
                command.run(engine, error)
            elif self._answers:
                self._step(engine)
        for answer in self._answers.values():
            answer.set_exception(PolicyFailure("the engine was closed"))

    def _next_command(self, engine: Any) -> "_Command | str | None":
        """Take a command; wait for one only when there is nothing to sample. None says: step."""
        try:
            command = self._commands.get(block=engine is None or not self._answers)
        except queue.Empty:
            return None
        return _STOP if command is None else command

    def _step(self, engine: Any) -> None:
        try:
            outputs = engine.step()
        except Exception as error:  # noqa: BLE001 - the boundary: whatever the engine raises
            failed, self._answers = self._answers, {}
            for answer in failed.values():
                answer.set_exception(PolicyFailure(f"vLLM raised {type(error).__name__}: {error}"))
            return
        for output in outputs:
            answer = self._answers.pop(output.request_id, None) if output.finished else None
            if answer is not None:
                answer.set_result(_sampled(output.outputs[0]))

    def _abandon(self, engine: Any, key: str) -> None:
        self._answers.pop(key, None)
        engine.abort_request([key])

    def _reload(self, engine: Any, source: WeightSource) -> None:
        if self._one_process:
            engine.collective_rpc("reload_weights", kwargs={"weights_iterator": iter(source())})
        else:
            with tempfile.TemporaryDirectory(dir=_memory_folder()) as folder:
                path = write_weights(source, Path(folder))
                engine.collective_rpc("reload_weights", kwargs={"weights_path": str(path)})
        if not engine.reset_prefix_cache(reset_running_requests=True):
            raise PolicyFailure("vLLM did not drop the prefix cache of the old weights")


@dataclass(frozen=True, slots=True)
class _Command:
    action: Callable[[Any], None]
    done: "Future[None]" = field(default_factory=lambda: Future[None]())

    def run(self, engine: Any, broken: Exception | None) -> None:
        """Do it; what it raises is raised where it was asked for."""
        try:
            if broken is not None:
                raise PolicyFailure(f"vLLM did not start: {broken}") from broken
            self.action(engine)
        except PolicyFailure as error:
            self.done.set_exception(error)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever the engine raises
            failure = PolicyFailure(f"vLLM raised {type(error).__name__}: {error}")
            failure.__cause__ = error
            self.done.set_exception(failure)
        else:
            self.done.set_result(None)


def sampling_parameters(request: Request) -> SamplingParams:
    """Turn a request into vLLM's terms; nothing but temperature shapes the distribution."""
    return SamplingParams(
        temperature=request.temperature,
        seed=request.seed,
        max_tokens=request.max_new_tokens,
        stop_token_ids=sorted(request.stop_ids),
        logprobs=0,
        detokenize=False,
    )


def _sampled(output: Any) -> Sampled:
    ids = tuple(int(token) for token in output.token_ids)
    logprobs = tuple(
        float(step[token].logprob) for token, step in zip(ids, output.logprobs, strict=True)
    )
    return Sampled(ids, logprobs, stopped=output.finish_reason == "stop")


def _memory_folder() -> str | None:
    """A folder in memory, where the system has one; else the default for temporary files."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None
