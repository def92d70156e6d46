"""Render messages with a chat template and encode them, safe against control tokens in content.

A user message, a tool result or a database field may hold the text of a control token, such as
``<|im_end|>``. Encoding a rendered template naively would turn that text into the token itself,
and whoever writes to the database could speak as the system. So control text inside content is
broken with a guard character before rendering, and the guard is dropped again when encoding.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict, cast

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from tb_envs.errors import UsageError
from tb_envs.messages import AssistantTurn, Observation, ToolSchema
from tb_trainer.chat.families import ChatFamily

_GUARD = "\ufdd0"  # a Unicode noncharacter: valid in a string, never valid in interchanged text


class ChatMessage(TypedDict):
    """A message as chat templates expect it."""

    role: str
    content: str
    name: NotRequired[str]
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[dict[str, Any]]]


class ChatCodec:
    """A tokenizer and a template: messages in, token ids out.

    Args:
        tokenizer: A fast tokenizer; it is not changed.
        family: The template and its control tokens.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, family: ChatFamily) -> None:
        self.tokenizer = tokenizer
        self.family = family
        self._template = family.template
        vocabulary = tokenizer.get_vocab()
        missing = [token for token in family.control_tokens if token not in vocabulary]
        if missing:
            raise UsageError(
                f"the tokenizer lacks {', '.join(missing)}, which the chat template "
                f"{family.name!r} writes; choose the template of the model's own family"
            )
        self.end_of_turn_id = vocabulary[family.end_of_turn]
        eos = cast("int | None", tokenizer.eos_token_id)
        self.stop_ids = frozenset({self.end_of_turn_id} | ({eos} if eos is not None else set()))
        self._added = {token: vocabulary[token] for token in tokenizer.get_added_vocab()}
        self._added_pattern = re.compile("|".join(map(re.escape, _longest_first(self._added))))
        self._plain = _without_added_tokens(tokenizer)

    def render(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema], *, generate: bool
    ) -> str:
        """Render a conversation; content is guarded, so the result is for `encode` only."""
        return cast(
            "str",
            self.tokenizer.apply_chat_template(
                [self._guard(message) for message in messages],
                tools=[self._guard(tool) for tool in tools] or None,
                chat_template=self._template,
                add_generation_prompt=generate,
                tokenize=False,
            ),
        )

    def encode(self, rendered: str) -> list[int]:
        """Encode guarded text: what stands outside guards is markup, the rest is plain text."""
        ids: list[int] = []
        start = 0
        for match in self._added_pattern.finditer(rendered):
            ids += self._encode_plain(rendered[start : match.start()])
            ids.append(self._added[match.group()])
            start = match.end()
        return ids + self._encode_plain(rendered[start:])

    def opening(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema]) -> list[int]:
        """Encode the first prompt, up to where the model's turn begins."""
        return self.encode(self.render(messages, tools, generate=True))

    def continuation(
        self,
        history: Sequence[ChatMessage],
        new: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
    ) -> list[int]:
        """Encode what follows the end-of-turn token of the last assistant turn in ``history``.

        That is the template's separator, the new messages, and the opening of the next turn.

        Raises:
            UsageError: the template rewrites history, so nothing can be appended to it.
        """
        before = self.render(history, tools, generate=False)
        end = before.rindex(self.family.end_of_turn) + len(self.family.end_of_turn)
        after = self.render([*history, *new], tools, generate=True)
        if not after.startswith(before[:end]):
            raise UsageError(
                f"the chat template {self.family.name!r} changes earlier messages when new ones "
                "arrive; training needs an append-only template"
            )
        return self.encode(after[end:])

    def write_turn(self, turn: AssistantTurn) -> list[int]:
        """Encode a turn as a model of the family would write it, end-of-turn token included."""
        before: list[ChatMessage] = [{"role": "user", "content": ""}]
        opened = self.render(before, (), generate=True)
        whole = self.render([*before, assistant_message(turn)], (), generate=False)
        end = whole.rindex(self.family.end_of_turn) + len(self.family.end_of_turn)
        return self.encode(whole[len(opened) : end])

    def decode(self, ids: Sequence[int]) -> str:
        """Decode a sampled turn; its stop token is left out, markup such as tool calls stays."""
        end = len(ids) - 1 if ids and ids[-1] in self.stop_ids else len(ids)
        return cast("str", self.tokenizer.decode(list(ids[:end]), skip_special_tokens=True))

    def _guard(self, value: Any) -> Any:
        if isinstance(value, str):
            clean = value.replace(_GUARD, "\ufffd")
            return self._added_pattern.sub(lambda match: _break(match.group()), clean)
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            return {self._guard(key): self._guard(item) for key, item in entries.items()}
        if isinstance(value, list | tuple):
            return [self._guard(item) for item in cast("Sequence[Any]", value)]
        return value

    def _encode_plain(self, text: str) -> list[int]:
        text = text.replace(_GUARD, "")
        return self._plain.encode(text, add_special_tokens=False).ids if text else []


def observed_messages(observation: Observation) -> list[ChatMessage]:
    """Turn an observation into template messages."""
    return [
        {"role": message["role"], "content": message["content"], "name": message["name"]}
        for message in observation
    ]


def assistant_message(turn: AssistantTurn) -> ChatMessage:
    """Turn an assistant's turn into the template's form; malformed arguments become a string."""
    message: ChatMessage = {"role": "assistant", "content": turn.content}
    if turn.reasoning:
        message["reasoning_content"] = turn.reasoning
    if turn.tool_calls:
        message["tool_calls"] = [
            {
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call.arguments)},
            }
            for call in turn.tool_calls
        ]
    return message


def _arguments(text: str) -> dict[str, Any]:
    """Parse arguments; a template iterates over a mapping, so anything else is wrapped in one."""
    try:
        value = json.loads(text)
    except ValueError:
        return {"arguments": text}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"arguments": value}


def _break(token: str) -> str:
    """Guard every place, since a token may hold another one."""
    return _GUARD.join(token)


def _longest_first(tokens: dict[str, int]) -> list[str]:
    return sorted(tokens, key=len, reverse=True)


def _without_added_tokens(tokenizer: PreTrainedTokenizerFast) -> Tokenizer:
    """Copy the tokenizer without its added tokens: all text is ordinary text to the copy."""
    spec = json.loads(tokenizer.backend_tokenizer.to_str())
    for token in spec["added_tokens"]:
        if token["lstrip"] or token["rstrip"] or token["single_word"]:
            raise UsageError(
                f"the added token {token['content']!r} swallows its neighbours (lstrip, rstrip or "
                "single_word); such a tokenizer cannot be encoded piece by piece"
            )
    return Tokenizer.from_str(json.dumps(spec | {"added_tokens": [], "post_processor": None}))
