"""Whatever a model writes, reading it gives a turn."""

import json
import time
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_envs.messages import AssistantTurn, ToolCall
from tb_envs.reading import read_turn

FORMATS: tuple[Literal["hermes", "qwen3_xml"], ...] = ("hermes", "qwen3_xml")
SCHEMA = {"type": "object", "properties": {"x": {"type": ["integer", "null", "array"]}}}
TOOLS = [{"type": "function", "function": {"name": "t", "parameters": SCHEMA}}]

TAGS = (
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", "<|im_start|>assistant"),
    *("<function=t>", "<function=", "</function>", "<parameter=x>", "<parameter=", "</parameter>"),
    *('{"name":', '"t",', '"arguments":', "{}", "}", '{"x":1}', "null", "1", "[", "]", '"', "\\"),
)
scribble = st.lists(st.sampled_from(TAGS) | st.text(max_size=5), max_size=25).map("".join)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(text=scribble | st.text(), tool_format=st.sampled_from(FORMATS), open_thought=st.booleans())
def test_no_text_raises(
    text: str, tool_format: Literal["hermes", "qwen3_xml"], open_thought: bool
) -> None:
    turn = read_turn(text, TOOLS, tool_format=tool_format, reasoning_open=open_thought)
    assert isinstance(turn, AssistantTurn)
    for call in turn.tool_calls:
        assert call.arguments
        call.arguments.encode("utf-8", "surrogatepass")


@settings(deadline=None)
@given(arguments=st.dictionaries(st.text(), json_values, max_size=4))
def test_hermes_arguments_come_back_equal(arguments: dict[str, object]) -> None:
    body = json.dumps({"name": "t", "arguments": arguments}, ensure_ascii=False)
    (call,) = read_turn(f"Hm.</think><tool_call>\n{body}\n</tool_call>", TOOLS).tool_calls
    assert call.name == "t"
    assert json.loads(call.arguments) == arguments


@settings(deadline=None)
@given(value=st.text(alphabet=st.characters(exclude_characters="<"), max_size=40))
def test_a_string_parameter_comes_back_letter_by_letter(value: str) -> None:
    text = f"<function=t><parameter=s>\n{value}\n</parameter></function>"
    tools = [
        {"function": {"name": "t", "parameters": {"properties": {"s": {"type": "string"}}}}},
    ]
    (call,) = read_turn(text, tools, tool_format="qwen3_xml").tool_calls
    assert json.loads(call.arguments) == {"s": value}


@settings(deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_characters="<|")))
def test_text_without_tags_is_content_and_nothing_else(text: str) -> None:
    assert read_turn(text, TOOLS) == AssistantTurn(text.strip())


@pytest.mark.parametrize("tool_format", FORMATS)
@pytest.mark.parametrize(
    "unit", ["<tool_call>", "<function=t>", "<parameter=x>", "<parameter=", "<think>", "[", "<"]
)
def test_a_model_that_repeats_itself_is_read_in_linear_time(
    unit: str, tool_format: Literal["hermes", "qwen3_xml"]
) -> None:
    text = "<function=t></function><tool_call>" + unit * (400_000 // len(unit))
    started = time.process_time()
    turn = read_turn(text, TOOLS, tool_format=tool_format)
    assert all(isinstance(call, ToolCall) for call in turn.tool_calls)
    assert time.process_time() - started < 5.0
