"""The oracle: ids gathered turn by turn equal the ids of one full rendering."""

import pytest

from tb_envs.messages import AssistantTurn, ToolSchema
from tb_envs.reading import read_turn
from tb_trainer.chat import FAMILIES, ChatCodec, ChatMessage, assistant_message
from tb_trainer.trajectory import Sampled, TrajectoryBuilder
from tests.trainer.conversations import CONVERSATIONS, TOOLS, codec_of, say


def rendered_at_once(
    codec: ChatCodec, messages: list[ChatMessage], tools: tuple[ToolSchema, ...] = ()
) -> list[int]:
    """The ids of the whole conversation, up to the last end of a turn."""
    ids = codec.encode(codec.render(messages, tools, generate=False))
    return ids[: len(ids) - ids[::-1].index(codec.end_of_turn_id)]


@pytest.mark.parametrize("tools", [(), TOOLS], ids=["no tools", "tools"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_ids_gathered_turn_by_turn_equal_the_ids_of_one_full_render(
    name: str, family: str, tools: tuple[ToolSchema, ...]
) -> None:
    conversation = CONVERSATIONS[name]
    if family != "qwen3":
        conversation = [
            part._replace(reasoning="") if isinstance(part, AssistantTurn) else part
            for part in conversation
        ]
    codec = codec_of(family)
    builder = TrajectoryBuilder(codec, "You are an agent.", tools)
    full: list[ChatMessage] = [{"role": "system", "content": "You are an agent."}]
    for part in conversation:
        if isinstance(part, AssistantTurn):
            ids = codec.write_turn(part)
            builder.sampled(Sampled(tuple(ids), (-0.5,) * len(ids), stopped=True), part)
            full.append(assistant_message(part))
        else:
            builder.observe(part)
            full += [{"role": m["role"], "content": m["content"]} for m in part]

    trajectory = builder.build()

    assert list(trajectory.ids) == rendered_at_once(codec, full, tools)
    if "special" not in name and not tools:
        # What transformers itself renders and encodes; it would read special text as tokens.
        text = codec.tokenizer.apply_chat_template(full, tokenize=False)
        text = text[: text.rindex(codec.family.end_of_turn)] + codec.family.end_of_turn
        assert list(trajectory.ids) == codec.tokenizer.encode(text, add_special_tokens=False)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_turn_cut_by_its_limit_goes_on_as_the_full_render_does(family: str) -> None:
    codec = codec_of(family)
    cut = codec.encode("cut in the mid")
    builder = TrajectoryBuilder(codec, "", TOOLS)
    builder.observe(say("user", "a"))
    builder.sampled(
        Sampled(tuple(cut), (-1.0,) * len(cut), stopped=False), AssistantTurn("cut in the mid")
    )
    builder.observe(say("user", "b"))
    last = tuple(codec.write_turn(AssistantTurn("c")))
    builder.sampled(Sampled(last, (-1.0,) * len(last), stopped=True), AssistantTurn("c"))
    full: list[ChatMessage] = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "cut in the mid"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
    ]
    trajectory = builder.build()
    assert list(trajectory.ids) == rendered_at_once(codec, full, TOOLS)
    assert trajectory.sampled_tokens == len(cut) + len(last)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_cut_in_the_middle_is_kept_as_it_was_sampled(family: str) -> None:
    """What it is read as is another text, and no token of the next turn moves for that."""
    codec = codec_of(family)
    cut = tuple(codec.encode('<tool_call>\n{"name": "find_b'))
    read = read_turn(codec.decode(cut), TOOLS, tool_format=codec.family.reading)
    builder = TrajectoryBuilder(codec, "", TOOLS)
    builder.observe(say("user", "a"))
    before = builder.prompt
    builder.sampled(Sampled(cut, (-1.0,) * len(cut), stopped=False), read)
    builder.observe(say("user", "b"))
    other = TrajectoryBuilder(codec, "", TOOLS)
    other.observe(say("user", "a"))
    done = tuple(codec.write_turn(AssistantTurn("x")))
    other.sampled(Sampled(done, (-1.0,) * len(done), stopped=True), AssistantTurn("x"))
    other.observe(say("user", "b"))
    rest = other.prompt[len(before) + len(done) :]
    assert builder.prompt == (*before, *cut, codec.end_of_turn_id, *rest)
