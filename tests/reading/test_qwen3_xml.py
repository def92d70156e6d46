"""Qwen3's XML calls, typed by the tool's schema."""

import json
from typing import Any

import pytest

from tb_envs.messages import ToolCall
from tb_envs.reading import read_turn

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "$defs": {"Money": {"type": "number"}},
    "properties": {
        "reference": {"type": "string"},
        "nights": {"type": "integer"},
        "floor": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "note": {"type": ["string", "null"]},
        "amount": {"$ref": "#/$defs/Money"},
        "urgent": {"type": "boolean"},
        "rooms": {"type": "array", "items": {"type": "string"}},
        "guest": {"type": "object"},
        "tier": {"enum": ["gold", "silver"]},
        "level": {"enum": [1, 2]},
        "any_of_both": {"anyOf": [{"type": "string"}, {"type": "array"}]},
    },
}
TOOLS = [{"type": "function", "function": {"name": "update", "parameters": PARAMETERS}}]


def calls(text: str) -> tuple[ToolCall, ...]:
    return read_turn(text, TOOLS, tool_format="qwen3_xml").tool_calls


def typed(name: str, value: str) -> Any:
    text = f"<tool_call>\n<function=update>\n<parameter={name}>\n{value}\n</parameter>\n"
    (call,) = calls(text + "</function>\n</tool_call>")
    assert call.name == "update"
    return json.loads(call.arguments)[name]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("reference", "BKG-1", "BKG-1"),
        ("reference", "007", "007"),
        ("reference", "null", "null"),
        ("reference", "true", "true"),
        ("reference", '{"a": 1}', '{"a": 1}'),
        ("reference", "two\nlines ", "two\nlines "),
        ("nights", "3", 3),
        ("nights", "-3", -3),
        ("nights", "three", "three"),
        ("nights", "3.5", "3.5"),
        ("nights", "null", "null"),
        ("floor", "null", None),
        ("floor", "None", None),
        ("floor", "4", 4),
        ("note", "null", None),
        ("note", "12", "12"),
        ("amount", "12", 12),
        ("amount", "12.50", 12.5),
        ("amount", "1e3", 1000.0),
        ("amount", "1e999", "1e999"),
        ("amount", "NaN", "NaN"),
        ("urgent", "true", True),
        ("urgent", "False", False),
        ("urgent", "yes", "yes"),
        ("rooms", '["a", "b"]', ["a", "b"]),
        ("rooms", "a, b", "a, b"),
        ("rooms", '{"a": 1}', '{"a": 1}'),
        ("guest", '{"age": 3}', {"age": 3}),
        ("tier", "gold", "gold"),
        ("level", "2", 2),
        ("any_of_both", "5", "5"),
        ("any_of_both", "[5]", [5]),
        ("unknown", "5", "5"),
    ],
)
def test_the_schema_types_a_parameter(name: str, text: str, value: Any) -> None:
    result = typed(name, text)
    assert result == value
    assert type(result) is type(value)


def test_integers_and_numbers_are_told_apart_from_booleans() -> None:
    assert typed("nights", "1") is not True


def test_several_parameters_and_calls_keep_their_order() -> None:
    text = (
        "I do both.\n<tool_call><function=update><parameter=nights>3</parameter>"
        "<parameter=note>late</parameter></function></tool_call>\n"
        "<tool_call><function=now></function></tool_call>"
    )
    turn = read_turn(text, TOOLS, tool_format="qwen3_xml")
    assert turn.content == "I do both."
    assert turn.tool_calls == (
        ToolCall("update", '{"nights": 3, "note": "late"}'),
        ToolCall("now", "{}"),
    )


def test_a_function_without_the_outer_tag_is_a_call() -> None:
    assert calls("<function=update><parameter=nights>3</parameter></function>") == (
        ToolCall("update", '{"nights": 3}'),
    )


def test_a_parameter_that_is_not_closed_ends_at_the_next_one() -> None:
    text = "<function=update><parameter=nights>3\n<parameter=note>x</parameter></function>"
    assert calls(text) == (ToolCall("update", '{"nights": 3, "note": "x"}'),)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<tool_call><function=update><parameter=note>cut in the mid", "update"),
        ("<tool_call><function=update><parameter=note>cut</tool_call>", "update"),
        ("<function=update", "update"),
        ('<tool_call>{"name": "update", "arguments": {"nights": 3}}</tool_call>', ""),
        ("<tool_call></tool_call>", ""),
        ("<tool_call><function=update>nights=3</function></tool_call>", "update"),
        (
            "<tool_call><function=update><parameter=nights>1</parameter>"
            "<parameter=nights>2</parameter></function></tool_call>",
            "update",
        ),
        ("<tool_call>so <function=update></function></tool_call>", "update"),
        ("<tool_call><function=update><parameter=nights</function></tool_call>", "update"),
    ],
)
def test_a_malformed_call_is_kept_as_written_and_can_never_run(text: str, name: str) -> None:
    (call,) = calls(text)
    assert call.name == name
    assert call.arguments in text
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(call.arguments)


def test_reasoning_and_end_tokens_are_read_as_in_hermes() -> None:
    text = "Hm.</think>\n<tool_call><function=now></function></tool_call><|im_end|>"
    turn = read_turn(text, TOOLS, tool_format="qwen3_xml")
    assert turn.reasoning == "Hm."
    assert turn.content == ""
    assert turn.tool_calls == (ToolCall("now", "{}"),)


def test_a_schema_that_refers_to_itself_does_not_loop() -> None:
    parameters = {
        "$defs": {"Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "integer"}]}},
        "properties": {"x": {"$ref": "#/$defs/Loop"}, "y": {"$ref": "#/$defs/Nowhere"}},
    }
    tools = [{"type": "function", "function": {"name": "t", "parameters": parameters}}]
    text = "<function=t><parameter=x>5</parameter><parameter=y>5</parameter></function>"
    (call,) = read_turn(text, tools, tool_format="qwen3_xml").tool_calls
    assert json.loads(call.arguments) == {"x": 5, "y": "5"}
