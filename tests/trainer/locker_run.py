"""A run on one case of the locker desk whose engine knows when to work it and when to give up."""

from pathlib import Path

from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.config import RunConfig, load_config
from tb_trainer.engines import Request
from tb_trainer.models import load_tokenizer
from tests.typist import TypingEngine

CASE = "locker-request.unlock-paid-silver"
WORK = (
    '{"name": "request", "arguments": {"id": "R63"}}',
    '{"name": "member", "arguments": {"id": "M68"}}',
    '{"name": "locker", "arguments": {"id": "L48", "member": "M68"}}',
    '{"name": "unlock", "arguments": {"request": "R63"}}',
)


class Typist(TypingEngine):
    """Odd attempts work the case and pass; even ones say that they are done, and fail."""

    def __init__(self, model_directory: Path) -> None:
        self._tokenizer = load_tokenizer(str(model_directory))
        super().__init__(ChatCodec(self._tokenizer, family_of("qwen3")), self._next)

    def _next(self, request: Request) -> str:
        turn = self._tokenizer.decode(list(request.ids)).count("<|im_start|>assistant") - 1
        if int(request.episode.rsplit("/", 1)[1]) % 2 and turn < len(WORK):
            return f"<tool_call>\n{WORK[turn]}\n</tool_call>"
        return "Done. a e"


def config(model: Path, output: Path, *changes: str) -> RunConfig:
    return load_config(
        None,
        [
            f"output={output}", "steps=3", f"model.path={model}", "model.chat_template=qwen3",
            "model.tools=[]", "model.system_prompt=Desk.", f"tasks.train=[{CASE}]",
            f"tasks.held_out=[{CASE}]", "tasks.validate_every=3", "rollout.groups=2",
            "rollout.group_size=4", "rollout.replacements=0", "rollout.max_prompt_tokens=128",
            "rollout.max_response_tokens=896", "rollout.max_turn_tokens=128",
            "rollout.concurrency=8", "learner.learning_rate=1e-3", *changes,
        ],
    )  # fmt: skip
