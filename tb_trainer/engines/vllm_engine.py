"""The vLLM engine, in this process: continuous batching over episodes, prefix caching over turns.

A worker thread steps the engine; episodes add requests from their own threads. Log-probabilities
are those of the distribution that was sampled from (``processed_logprobs``: after temperature).
"""

import os
import tempfile
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
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
        self._engine: Any = LLMEngine.from_engine_args(EngineArgs(**arguments))
        self._context_tokens = context_tokens
        self._sleeps = on_gpu
        self._one_process = tensor_parallel == 1
        self._answers: dict[str, Future[Sampled]] = {}
        self._asked = 0
        self._closed = False
        self._lock = threading.Lock()  # the engine is not thread-safe
        self._work_there = threading.Event()
        self._worker = threading.Thread(target=self._work, name="vllm-engine", daemon=True)
        self._worker.start()

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
        with self._lock:
            if self._closed:
                raise PolicyFailure("the engine is closed")
            self._asked += 1
            key = f"{request.episode}#{self._asked}"
            self._answers[key] = answer
            try:
                self._engine.add_request(
                    key, {"prompt_token_ids": list(request.ids)}, sampling_parameters(request)
                )
            except ValueError as error:
                del self._answers[key]
                raise PolicyFailure(f"vLLM refused the prompt: {error}") from error
        self._work_there.set()
        try:
            return answer.result(timeout=timeout_s)
        except FutureTimeout as error:
            with self._lock:
                self._answers.pop(key, None)
                self._engine.abort_request([key])
            raise PolicyFailure(f"no turn within {timeout_s:.1f} s") from error

    def forget(self, episode: str) -> None:
        """The prefix cache drops what is oldest by itself."""

    def update_weights(self, source: WeightSource) -> None:
        """Load the weights in place and drop the prefix cache."""
        with self._lock:
            if self._one_process:
                self._engine.collective_rpc(
                    "reload_weights", kwargs={"weights_iterator": iter(source())}
                )
            else:
                with tempfile.TemporaryDirectory(dir=_memory_folder()) as folder:
                    path = write_weights(source, Path(folder))
                    self._engine.collective_rpc(
                        "reload_weights", kwargs={"weights_path": str(path)}
                    )
            self._engine.reset_prefix_cache()

    def sleep(self) -> None:
        """Give the GPU's memory to the learner; the weights wait in CPU memory."""
        if self._sleeps:
            with self._lock:
                self._engine.sleep(level=1)

    def wake(self) -> None:
        """Take the memory back."""
        if self._sleeps:
            with self._lock:
                self._engine.wake_up()

    def close(self) -> None:
        """Stop; a request that still waits fails."""
        with self._lock:
            self._closed = True
            waiting, self._answers = list(self._answers.values()), {}
        self._work_there.set()
        self._worker.join()
        for answer in waiting:
            answer.set_exception(PolicyFailure("the engine was closed"))

    def _work(self) -> None:
        while True:
            self._work_there.wait()
            with self._lock:
                if self._closed:
                    return
                if not self._engine.has_unfinished_requests():
                    self._work_there.clear()
                    continue
                self._step()

    def _step(self) -> None:
        try:
            outputs = self._engine.step()
        except Exception as error:  # noqa: BLE001 - the boundary: whatever the engine raises
            failed, self._answers = list(self._answers.values()), {}
            for answer in failed:
                answer.set_exception(PolicyFailure(f"vLLM raised {type(error).__name__}: {error}"))
            return
        for output in outputs:
            answer = self._answers.pop(output.request_id, None) if output.finished else None
            if answer is not None:
                answer.set_result(_sampled(output.outputs[0]))


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
