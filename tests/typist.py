"""An engine for tests whose answers a function decides, as real tokens of a real tokenizer."""

from collections.abc import Callable

from tb_trainer.chat import ChatCodec
from tb_trainer.engines import Request, WeightSource
from tb_trainer.trajectory import Sampled


class TypingEngine:
    """Answers what a function says, spelled out by the real tokenizer."""

    context_tokens = 100_000

    def __init__(self, codec: ChatCodec, answer: Callable[[Request], str]) -> None:
        self._codec = codec
        self.answer = answer
        self.forgotten: list[str] = []

    def generate(self, request: Request, *, timeout_s: float) -> Sampled:
        ids = (*self._codec.encode(self.answer(request)), self._codec.end_of_turn_id)
        ids = ids[: request.max_new_tokens]
        return Sampled(ids, (-1.0,) * len(ids), stopped=ids[-1] in request.stop_ids)

    def forget(self, episode: str) -> None:
        self.forgotten.append(episode)

    def expect(self, episodes: int, concurrency: int) -> None: ...
    def update_weights(self, source: WeightSource) -> None: ...
    def sleep(self) -> None: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...
