"""The shared reader against vLLM's own parsers, on what models write.

Where the two differ, they differ on purpose, and a test at the end says how: vLLM gives malformed
calls up as text or guesses, ours keeps them as calls that the environment answers with an error.
"""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_envs.reading import ToolFormat, read_turn

if find_spec("vllm") is None:
    pytest.skip("needs vLLM; .ci/vllm runs this", allow_module_level=True)

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("default"),  # vLLM's own imports warn
]

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reference": {"type": "string"},
        "nights": {"type": "integer"},
        "floor": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "amount": {"type": "number"},
        "urgent": {"type": "boolean"},
        "rooms": {"type": "array", "items": {"type": "string"}},
        "guest": {"type": "object"},
    },
}
TOOLS = [
    {"type": "function", "function": {"name": "update", "parameters": PARAMETERS}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}},
]
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]

Read = tuple[str, list[tuple[str, Any]]]


@dataclass(frozen=True)
class Theirs:
    """vLLM's parsers, without a model."""

    tokenizer: Any
    request: Any

    def calls(self, name: str, text: str) -> Read:
        from vllm.tool_parsers import ToolParserManager

        parser = ToolParserManager.get_tool_parser(name)(self.tokenizer, self.request.tools)
        read = parser.extract_tool_calls(text, self.request)
        calls = [
            (call.function.name, json.loads(call.function.arguments)) for call in read.tool_calls
        ]
        return (read.content or "").strip(), calls

    def reasoning(self, text: str) -> tuple[str, str]:
        from vllm.reasoning import ReasoningParserManager

        parser = ReasoningParserManager.get_reasoning_parser("qwen3")(self.tokenizer)
        reasoning, content = parser.extract_reasoning(text, self.request)
        return (reasoning or "").strip(), (content or "").strip()


@pytest.fixture(scope="module")
def theirs() -> Theirs:
    from tokenizers import Tokenizer, decoders, models
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import PreTrainedTokenizerFast
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    letters = {letter: index for index, letter in enumerate(sorted(ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=letters, merges=[]))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    fast.add_tokens(MARKS)
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    messages: list[Any] = [{"role": "user", "content": "x"}]
    request = ChatCompletionRequest(messages=messages, model="m", tools=TOOLS)  # type: ignore[arg-type]
    return Theirs(fast, request)


def ours(text: str, tool_format: ToolFormat) -> Read:
    turn = read_turn(text, TOOLS, tool_format=tool_format)
    return turn.content, [(call.name, json.loads(call.arguments)) for call in turn.tool_calls]


def hermes(name: str, arguments: object) -> str:
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def xml(name: str, **arguments: str) -> str:
    parameters = "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items()
    )
    return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"


ARGUMENTS = {"reference": "007", "nights": 3, "floor": None, "rooms": ["a"], "guest": {"age": 1.5}}


@pytest.mark.parametrize(
    "text",
    [
        "Just text.",
        "",
        hermes("update", ARGUMENTS),
        f"I look it up.\n{hermes('now', {})}",
        hermes("now", {}) + "\n" + hermes("update", {"reference": "Zoë 李"}),
        hermes("now", {}).removesuffix("</tool_call>"),
        hermes("update", {"reference": 'a "quoted" \\ \n text'}),
        hermes("update", {"reference": "<b>bold</b> & <think>"}),
        hermes("no_such_tool", {"x": 1}),
        '<tool_call>{"arguments": {"nights": 1}, "name": "update"}</tool_call>',
    ],
)
def test_hermes_calls_are_read_alike(theirs: Theirs, text: str) -> None:
    assert ours(text, "hermes") == theirs.calls("hermes", text)


@pytest.mark.parametrize("parser", ["qwen3_xml", "qwen3_coder"])
@pytest.mark.parametrize(
    "text",
    [
        "Just text.",
        xml("update", reference="BKG-1", nights="3", amount="12.5", urgent="true"),
        xml("update", reference="007", floor="null", rooms='["a", "b"]', guest='{"age": 3}'),
        xml("update", reference="null", floor="4", amount="12", urgent="false"),
        xml("update", reference="two\n\nlines", nights="-3"),
        xml("update", reference="<b>bold</b> & co", nights="three"),
        xml("update", unknown="5"),
        xml("now"),
        "I look it up.\n" + xml("now"),
        xml("now") + "\n" + xml("update", nights="2"),
        "<function=update>\n<parameter=nights>\n2\n</parameter>\n</function>",
        "<tool_call><function=update><parameter=nights>2</parameter></function></tool_call>",
        "<tool_call><function=update><parameter=nights>2<parameter=floor>1</parameter>"
        "</function></tool_call>",
    ],
)
def test_xml_calls_are_read_and_typed_alike(theirs: Theirs, parser: str, text: str) -> None:
    assert ours(text, "qwen3_xml") == theirs.calls(parser, text)


@pytest.mark.parametrize(
    "text",
    [
        "<think>Hm.</think>Yes.",
        "Hm.</think>\n\nYes.",
        "<think>Hm, and cut",
        "cut without any tag",
        "<think>\n\n</think>\n\nYes.",
        "Hm.</think>Yes.</think> Really.",
    ],
)
def test_reasoning_is_split_alike(theirs: Theirs, text: str) -> None:
    turn = read_turn(text, TOOLS, tool_format="qwen3_xml", reasoning_open=True)
    assert (turn.reasoning, turn.content) == theirs.reasoning(text)


def test_a_call_ends_an_open_thought_alike(theirs: Theirs) -> None:
    text = "<think>I look.\n" + xml("update", nights="2")
    reasoning, content = theirs.reasoning(text)
    turn = read_turn(text, TOOLS, tool_format="qwen3_xml")
    assert turn.reasoning == reasoning
    assert [(call.name, json.loads(call.arguments)) for call in turn.tool_calls] == theirs.calls(
        "qwen3_xml", content
    )[1]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_characters="<>", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=6,
)
many = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@many
@given(
    calls=st.lists(st.dictionaries(st.text("abc", min_size=1), json_values, max_size=3), max_size=3)
)
def test_generated_hermes_calls_are_read_alike(theirs: Theirs, calls: list[Any]) -> None:
    text = "Well. " + "\n".join(hermes("update", arguments) for arguments in calls)
    assert ours(text, "hermes") == theirs.calls("hermes", text)


@many
@given(
    reference=st.text(
        st.characters(exclude_characters="<>", exclude_categories=["Cs", "Cc"]), min_size=1
    ),
    nights=st.integers(),
    floor=st.none() | st.integers(),
    urgent=st.booleans(),
    rooms=st.lists(st.text("ab ", max_size=3), max_size=3),
)
def test_generated_xml_calls_are_read_alike(
    theirs: Theirs, reference: str, nights: int, floor: int | None, urgent: bool, rooms: list[str]
) -> None:
    text = xml(
        "update",
        reference=reference,
        nights=str(nights),
        floor=json.dumps(floor),
        urgent=json.dumps(urgent),
        rooms=json.dumps(rooms),
    )
    assert ours(text, "qwen3_xml") == theirs.calls("qwen3_xml", text)


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        ("hermes", '<tool_call>{"name": "update", "arguments": {"nights": }}</tool_call>'),
        ("hermes", '<tool_call>{"arguments": {"nights": 1}}</tool_call>'),
        ("qwen3_xml", '<tool_call>{"name": "update", "arguments": {}}</tool_call>'),
    ],
)
def test_on_purpose_a_malformed_call_stays_a_call(theirs: Theirs, parser: str, text: str) -> None:
    assert theirs.calls(parser, text)[1] == []
    tool_format: ToolFormat = "hermes" if parser == "hermes" else "qwen3_xml"
    (call,) = read_turn(text, TOOLS, tool_format=tool_format).tool_calls
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(call.arguments)


def test_on_purpose_a_cut_call_is_not_run_without_its_arguments(theirs: Theirs) -> None:
    text = "<tool_call><function=update><parameter=reference>BKG-10"
    assert theirs.calls("qwen3_xml", text)[1] == [("update", {})]
    (call,) = read_turn(text, TOOLS, tool_format="qwen3_xml").tool_calls
    assert call.arguments == text


def test_on_purpose_null_stays_text_where_the_schema_has_no_null(theirs: Theirs) -> None:
    text = xml("update", nights="null")
    assert theirs.calls("qwen3_xml", text)[1] == [("update", {"nights": None})]
    assert ours(text, "qwen3_xml")[1] == [("update", {"nights": "null"})]
