"""What a model writes, and the turn that is read from it."""

import json
from typing import Any

import pytest

from tb_envs.errors import UsageError
from tb_envs.messages import AssistantTurn, ToolCall
from tb_envs.reading import read_turn

CALL = '<tool_call>\n{"name": "get_booking", "arguments": {"reference": "BKG-1"}}\n</tool_call>'
CALLED = ToolCall("get_booking", '{"reference": "BKG-1"}')


def hermes(text: str, **options: Any) -> AssistantTurn:
    return read_turn(text, [], tool_format="hermes", **options)


def only_call(text: str) -> ToolCall:
    (call,) = hermes(text).tool_calls
    return call


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_plain_text_is_content() -> None:
    assert hermes("  Your booking is changed.\n") == AssistantTurn("Your booking is changed.")


def test_an_empty_text_is_an_empty_turn() -> None:
    assert hermes("") == AssistantTurn("")


@pytest.mark.parametrize(
    "text",
    [
        "Done.<|im_end|>",
        "<|im_start|>assistant\nDone.<|im_end|>\n",
        "Done.<|im_end|>\n<|im_start|>user\nAnd then?<|im_end|>",
        "Done.<|endoftext|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nDone.<|eot_id|>",
    ],
)
def test_special_tokens_and_what_follows_the_turn_are_not_content(text: str) -> None:
    assert hermes(text) == AssistantTurn("Done.")


@pytest.mark.parametrize(
    ("text", "content", "reasoning"),
    [
        ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("Hm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("<think>\n\n</think>\n\nYes.", "Yes.", ""),
        ("<think>Hm, and then the model was cut", "", "Hm, and then the model was cut"),
        ("Well. <think>Hm.</think>Yes.", "Well. Yes.", "Hm."),
        ("Hm.</think>Yes.</think> Really.", "Yes. Really.", "Hm."),
        ("<think>One.</think>A<think>Two.</think>B", "AB", "One.\n\nTwo."),
    ],
)
def test_reasoning_is_split_from_what_is_said(text: str, content: str, reasoning: str) -> None:
    assert hermes(text) == AssistantTurn(content, (), reasoning)


def test_a_cut_thought_is_not_said_where_the_prompt_opened_it() -> None:
    assert hermes("I should refund", reasoning_open=True) == AssistantTurn(
        "", (), "I should refund"
    )
    assert hermes("<think>I should", reasoning_open=True) == AssistantTurn("", (), "I should")
    assert hermes("Hm.</think>Yes.", reasoning_open=True) == AssistantTurn("Yes.", (), "Hm.")


def test_a_call_inside_a_closed_thought_is_only_a_thought() -> None:
    turn = hermes(f"<think>Shall I {CALL}? No.</think>Which booking?")
    assert turn.content == "Which booking?"
    assert turn.tool_calls == ()
    assert CALL in turn.reasoning


def test_a_call_ends_a_thought_that_never_closes() -> None:
    assert hermes(f"<think>I look.\n{CALL}") == AssistantTurn("", (CALLED,), "I look.")


def test_a_think_tag_inside_an_argument_is_not_reasoning() -> None:
    for tag in ("<think>", "</think>"):
        text = '<tool_call>{"name": "note", "arguments": {"text": "TAG"}}</tool_call>'
        (call,) = hermes(text.replace("TAG", tag)).tool_calls
        assert json.loads(call.arguments) == {"text": tag}


def test_a_call_with_text_around_it_keeps_both() -> None:
    assert hermes(f"I look it up.\n{CALL}<|im_end|>") == AssistantTurn("I look it up.", (CALLED,))


def test_several_calls_keep_their_order() -> None:
    second = '<tool_call>{"name": "get_policy", "arguments": {}}</tool_call>'
    assert hermes(f"{CALL}\n{second}").tool_calls == (CALLED, ToolCall("get_policy", "{}"))


def test_a_call_whose_closing_tag_is_missing_is_read() -> None:
    assert only_call(CALL.removesuffix("</tool_call>")) == CALLED


def test_a_closing_tag_inside_an_argument_does_not_end_the_call() -> None:
    call = only_call('<tool_call>{"name": "note", "arguments": {"t": "</tool_call>"}}</tool_call>')
    assert json.loads(call.arguments) == {"t": "</tool_call>"}


def test_json_types_are_kept_as_written() -> None:
    written = {"nights": 3, "note": None, "code": "007", "rooms": ["a"], "late": True, "fee": 1.5}
    call = only_call(f'<tool_call>{{"name": "t", "arguments": {json.dumps(written)}}}</tool_call>')
    assert json.loads(call.arguments) == written


def test_letters_beyond_ascii_stay_readable() -> None:
    call = only_call('<tool_call>{"name": "t", "arguments": {"name": "Zoë 李"}}</tool_call>')
    assert call.arguments == '{"name": "Zoë 李"}'


def test_a_lone_surrogate_stays_an_escape_so_that_it_can_be_stored() -> None:
    call = only_call('<tool_call>{"name": "t", "arguments": {"x": "\\ud800"}}</tool_call>')
    assert call.arguments == '{"x": "\\ud800"}'


def test_arguments_written_as_a_json_string_are_unwrapped() -> None:
    call = only_call('<tool_call>{"name": "t", "arguments": "{\\"a\\": 1}"}</tool_call>')
    assert call == ToolCall("t", '{"a": 1}')


def test_a_call_that_names_only_its_tool_has_no_arguments() -> None:
    assert only_call('<tool_call>{"name": "now"}</tool_call>') == ToolCall("now", "{}")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"name": "refund", "arguments": {"amount": 5}', "refund"),
        ('{"name": "refund", "arguments": {"amount": }}', "refund"),
        ('{"name": "refund", "arguments": {"amount": NaN}}', "refund"),
        ('{"name": "refund", "arguments": {"amount": 1e999}}', "refund"),
        ('{"name": "refund", "parameters": {"amount": 5}}', "refund"),
        ('{"arguments": {"amount": 5}}', ""),
        ('{"name": 5, "arguments": {}}', ""),
        ('[{"name": "refund", "arguments": {}}]', ""),
        ("refund(amount=5)", ""),
        ("{}", ""),
        ("", ""),
        ("[" * 100_000, ""),
    ],
)
def test_a_malformed_call_is_kept_as_written_and_can_never_run(body: str, name: str) -> None:
    call = only_call(f"<tool_call>{body}</tool_call>")
    assert call.name == name
    assert body in call.arguments
    assert not is_json(call.arguments)


def test_a_malformed_call_does_not_swallow_the_next_one() -> None:
    first, second = hermes(f'<tool_call>{{"name": "refund", \n{CALL}').tool_calls
    assert first == ToolCall("refund", '{"name": "refund",')
    assert second == CALLED


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="expected 'hermes' or 'qwen3_xml'"):
        read_turn("", [], tool_format="xml")  # type: ignore[arg-type]
