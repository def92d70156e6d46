"""Oracle, trap, idle, talkative and random policies, against observations written by hand."""

import json

import pytest
from jsonschema import Draft202012Validator

from tb_envs.errors import PolicyFailure, UsageError
from tb_envs.messages import AssistantTurn, ObservedMessage, ToolCall
from tb_envs.policies import (
    EpisodeContext,
    IdlePolicy,
    OraclePolicy,
    RandomPolicy,
    TalkativePolicy,
    TrapPolicy,
    make_policy,
)
from tb_envs.policies.scripted import CLOSING, ScriptSession
from tb_envs.specs import all_tasks, find_task
from tb_envs.specs.models import Step, UserSpec
from tb_envs.users import ScriptedUser

SCHEMA = {
    "type": "object",
    "$defs": {"Kind": {"enum": ["deluxe", "suite"]}},
    "properties": {
        "reference": {"type": "string"},
        "kind": {"$ref": "#/$defs/Kind"},
        "nights": {"type": "integer", "minimum": 1, "maximum": 3},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "rooms": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        "guest": {
            "type": "object",
            "properties": {"age": {"type": "number"}, "vip": {"type": "boolean"}},
            "required": ["age"],
        },
    },
    "required": ["reference", "kind", "nights", "rooms"],
}
VALIDATOR = Draft202012Validator(SCHEMA)
TOOLS = (
    {"type": "function", "function": {"name": "change", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}},
)


def context(task_id: str = "t", seed: int = 1, attempt: int = 0) -> EpisodeContext:
    return EpisodeContext("env", task_id, seed, attempt, "Be kind.", TOOLS)


def told(content: str) -> tuple[ObservedMessage, ...]:
    return (ObservedMessage(role="user", name="", content=content),)


def result(name: str, content: object) -> tuple[ObservedMessage, ...]:
    return (ObservedMessage(role="tool", name=name, content=json.dumps(content)),)


def step(**fields: object) -> Step:
    return Step.model_validate(fields)


def test_a_script_is_played_step_by_step_with_references_resolved() -> None:
    steps = [
        step(call="find", **{"with": {"email": "a@b.example"}, "as": "found"}),
        step(say="One moment."),
        step(call="refund", **{"with": {"id": "$found.rooms.1.id", "parts": ["$found.total"]}}),
        step(say="Done."),
    ]
    session = ScriptSession(steps)

    def act(observation: tuple[ObservedMessage, ...]) -> AssistantTurn:
        return session.act(observation, timeout_s=1)

    call = ToolCall("find", '{"email": "a@b.example"}')
    assert act(told("Hello")) == AssistantTurn("", (call,))
    found = {"rooms": [{"id": 4}, {"id": 7}], "total": "12.50"}
    assert act(result("find", found)) == AssistantTurn("One moment.")
    call = ToolCall("refund", '{"id": 7, "parts": ["12.50"]}')
    assert act(told("Okay.")) == AssistantTurn("", (call,))
    assert act(result("refund", {})) == AssistantTurn("Done.")
    assert act(told("And my cat?")) == AssistantTurn(CLOSING)
    assert act(told("Hm.")) == AssistantTurn(CLOSING)


@pytest.mark.parametrize("reference", ["$found.id", "$nothing.id", "$found.rooms.5"])
def test_a_reference_to_nothing_is_a_failure_of_the_policy(reference: str) -> None:
    steps = [
        step(call="find", **{"as": "found"}),
        step(call="refund", **{"with": {"x": reference}}),
    ]
    session = ScriptSession(steps)
    session.act(told("Hello"), timeout_s=1)
    with pytest.raises(PolicyFailure, match="step 2 of the script, refund"):
        session.act(result("find", {"rooms": []}), timeout_s=1)


def test_a_refused_call_is_a_result_like_any_other() -> None:
    session = ScriptSession([step(call="find", **{"as": "found"}), step(say="I could not.")])
    session.act(told("Hello"), timeout_s=1)
    refusal = (ObservedMessage(role="tool", name="find", content="no such booking"),)
    assert session.act(refusal, timeout_s=1) == AssistantTurn("I could not.")


def test_the_closing_ends_the_talk_with_a_scripted_user() -> None:
    user = ScriptedUser(UserSpec(opening="x", private_context="", pushes=["Really?"]), seed=1)
    assert not user.reply(CLOSING).done
    assert user.reply(CLOSING).done


def test_oracle_and_traps_play_the_task_s_own_scripts() -> None:
    for task in all_tasks():
        variant = task.variant
        first_trap = variant.traps[0].steps
        scripts = {"oracle": variant.oracle, "trap": first_trap, "trap:0": first_trap}
        scripts |= {f"trap:{trap.name}": trap.steps for trap in variant.traps}
        for name, steps in scripts.items():
            session = make_policy(name).start(context(task.id))
            turn = session.act(told("Hello"), timeout_s=1)
            said = [call.name for call in turn.tool_calls] or [turn.content]
            assert said == [steps[0].call or steps[0].say]


def test_an_unknown_trap_names_the_ones_there_are() -> None:
    task = find_task("hotel-downgrade")
    with pytest.raises(UsageError, match=task.variant.traps[0].name):
        TrapPolicy("nothing").start(context(task.id))
    with pytest.raises(UsageError, match="got trap 99"):
        TrapPolicy(99).start(context(task.id))


def test_idle_declines_and_the_user_leaves() -> None:
    session = IdlePolicy().start(context())
    user = ScriptedUser(UserSpec(opening="x", private_context=""), seed=1)
    turn = session.act(told("x"), timeout_s=1)
    assert turn.tool_calls == ()
    assert user.reply(turn.content).done


def test_talkative_claims_everything_and_calls_nothing() -> None:
    session = TalkativePolicy().start(context())
    turns = [session.act(told("x"), timeout_s=1) for _ in range(6)]
    assert all(turn.content and not turn.tool_calls for turn in turns)
    assert "done" in turns[1].content
    user = ScriptedUser(UserSpec(opening="x", private_context="", pushes=["Sure?"]), seed=1)
    assert any(user.reply(turn.content).done for turn in turns)


def random_calls(seed: int, attempt: int = 0) -> list[ToolCall]:
    session = RandomPolicy().start(context(seed=seed, attempt=attempt))
    calls: list[ToolCall] = []
    observation = told("My booking is BKG-1042, arrival 2026-03-01.")
    while (turn := session.act(observation, timeout_s=1)).tool_calls:
        calls += turn.tool_calls
        observation = result("change", {"payment": "PAY-77"})
    assert session.act(told("ok"), timeout_s=1).content
    return calls


def test_random_calls_fit_the_schemas() -> None:
    for seed in range(200):
        for call in random_calls(seed):
            arguments = json.loads(call.arguments)
            if call.name == "change":
                VALIDATOR.validate(arguments)
            else:
                assert (call.name, arguments) == ("now", {})


def test_random_calls_are_about_what_was_seen() -> None:
    references = {
        json.loads(call.arguments)["reference"]
        for seed in range(100)
        for call in random_calls(seed)
        if call.name == "change"
    }
    assert {"BKG-1042", "PAY-77", "2026-03-01"} <= references


def test_random_calls_follow_seed_and_attempt() -> None:
    assert random_calls(3) == random_calls(3)
    assert len({tuple(random_calls(seed)) for seed in range(20)}) > 10
    assert len({tuple(random_calls(1, attempt)) for attempt in range(20)}) > 10


def test_random_without_tools_only_closes() -> None:
    bare = EpisodeContext("env", "t", 1, 0, "", ())
    assert RandomPolicy().start(bare).act(told("x"), timeout_s=1).content


@pytest.mark.parametrize(
    "name", ["oracle", "idle", "trap", "trap:change-at-once", "random", "talkative"]
)
def test_a_policy_is_filed_under_the_name_that_makes_it(name: str) -> None:
    policy = make_policy(name)
    assert policy.name == name


@pytest.mark.parametrize("name", ["", "orakel", "oracle:x", "trap:", "openai", "openai:"])
def test_a_name_that_stands_for_nothing_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="expected oracle, idle"):
        make_policy(name)


def test_scripts_use_no_tokens() -> None:
    session = OraclePolicy().start(context(all_tasks()[0].id))
    assert session.usage().prompt_tokens is None
    session.close()
