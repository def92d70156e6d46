"""OpenEnv's own server and client around our suite: one more door to the same episodes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("openenv", reason="OpenEnv has an environment of its own; see .ci/adapters")

import httpx
import uvicorn
from openenv.core import GenericEnvClient
from openenv.core.env_server.mcp_types import CallToolAction

from tb_envs.adapters.openenv import ThinkingBoxClient, create_app
from tb_envs.policies import Policy
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    act,
    break_tools,
    lent_databases,
    plain_reward,
    policies,
    run_example,
    start,
)

pytestmark = pytest.mark.filterwarnings("default")

TRAVEL = "hotel-downgrade"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    app = create_app([TRAVEL, "warranty-claim"], database=DATABASE, judge="skip", max_sessions=4)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def call_of(turn: Any) -> CallToolAction:
    """A policy's turn as the one kind of action that there is."""
    if turn.tool_calls:
        call = turn.tool_calls[0]
        return CallToolAction(tool_name=call.name, arguments=json.loads(call.arguments))
    return CallToolAction(tool_name="message_user", arguments={"message": turn.content})


def eventually(condition: Any, timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_the_reward_is_that_of_the_plain_environment(policy: Policy, url: str) -> None:
    session = start(policy)
    rewards: list[float] = []
    with ThinkingBoxClient(base_url=url).sync() as client:
        result = client.reset(seed=SEED, task_id=TASK)
        seen = {"role": "user", "content": result.observation.message}
        while not result.done:
            turn = act(session, [seen])
            result = client.step(call_of(turn))
            rewards.append(result.reward)
            seen = {
                "role": "tool" if turn.tool_calls else "user",
                "content": result.observation.result["data"],
            }
    assert rewards[-1] == plain_reward(policy)
    assert set(rewards[:-1]) == {0.0} or len(rewards) == 1
    assert result.observation.metadata["outcome"]["kind"] == "graded"
    eventually(lambda: lent_databases() == 0)


def test_the_opening_tells_what_an_agent_may_know(url: str) -> None:
    with ThinkingBoxClient(base_url=url).sync() as client:
        opening = client.reset(seed=SEED, task_id=TASK).observation
        tools = client.list_tools(use_cache=False)
        state = client.state()
    assert opening.task_id == TASK
    assert opening.system_prompt.startswith("You are a support agent")
    assert "find_tickets" in [tool.name for tool in tools]
    assert tools[-1].name == "message_user"
    assert state.step_count == 0


def test_the_tools_are_those_of_the_running_task(url: str) -> None:
    with ThinkingBoxClient(base_url=url).sync() as client:
        client.reset(task_id=TASK)
        travel = {tool.name for tool in client.list_tools(use_cache=False)}
        client.reset(task_id="warranty-claim")
        retail = {tool.name for tool in client.list_tools(use_cache=False)}
    assert "get_booking" in travel - retail
    assert "get_order" in retail - travel


def test_the_mcp_door_and_the_step_door_are_one_episode(url: str) -> None:
    with ThinkingBoxClient(base_url=url).sync() as client:
        client.reset(seed=SEED, task_id=TASK)
        found = client.call_tool("get_booking", booking_reference="BKG-4821")  # over /mcp
        changed = client.call_tool("hold_ticket", ticket_id="TCK-3101", hold_reason="HOLD-APPROVAL")
        seen = client.step(
            CallToolAction(tool_name="get_ticket", arguments={"ticket_id": "TCK-3101"})
        )
        steps = client.state().step_count
    assert '"reference":"BKG-4821"' in found["result"]["data"]
    assert changed["result"]["is_error"] is False
    assert '"status":"on_hold"' in seen.observation.result["data"]
    assert steps == 3


def test_an_episode_that_is_finished_early_has_a_verdict(url: str) -> None:
    with ThinkingBoxClient(base_url=url).sync() as client:
        client.reset(seed=SEED, task_id=TASK)
        result = client.finish()
        after = client.step(CallToolAction(tool_name="find_tickets", arguments={}))
    assert (result.done, result.reward) == (True, 0.0)
    assert result.observation.metadata["outcome"]["limit"] == "steps"
    assert after.done


def test_a_system_error_is_an_error_of_the_step_and_no_reward(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThinkingBoxClient(base_url=url).sync() as client:
        client.reset(seed=SEED, task_id=TASK)
        with monkeypatch.context() as broken:
            break_tools(broken)
            with pytest.raises(RuntimeError, match=r"system error: database.*EXECUTION_ERROR"):
                client.step(CallToolAction(tool_name="find_tickets", arguments={}))
        client.reset(seed=SEED, task_id=TASK)
        result = client.step(CallToolAction(tool_name="find_tickets", arguments={}))
        assert (result.done, result.observation.result["is_error"]) == (False, False)


def test_a_wrong_task_is_refused(url: str) -> None:
    with (
        ThinkingBoxClient(base_url=url).sync() as client,
        pytest.raises(RuntimeError, match="not among this server's"),
    ):
        client.reset(task_id="paid-twice")


def test_the_librarys_generic_client_needs_nothing_of_ours(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as client:
        opening = client.reset(seed=SEED, task_id=TASK)
        result = client.step({"type": "call_tool", "tool_name": "find_tickets", "arguments": {}})
    assert opening.observation["task_id"] == TASK
    assert (result.done, result.reward) == (False, 0.0)


def test_tasks_are_listed_and_chosen_by_split_and_index(url: str) -> None:
    splits = httpx.get(f"{url}/thinkingbox/splits").json()
    assert [split["name"] for split in splits] == ["bench", "demo"]
    count = httpx.post(f"{url}/thinkingbox/num_tasks", json={"split": "demo"}).json()
    third = httpx.post(f"{url}/thinkingbox/task", json={"split": "demo", "index": 2}).json()
    with ThinkingBoxClient(base_url=url).sync() as client:
        opening = client.reset(split="demo", index=2).observation
    assert "14" in str(count)
    assert opening.task_id in str(third)


def test_the_same_seed_and_task_begin_alike_in_every_session(url: str) -> None:
    openings = []
    for _ in range(2):
        with ThinkingBoxClient(base_url=url).sync() as client:
            openings.append(client.reset(seed=SEED, task_id=TASK).observation.model_dump())
    assert openings[0] == openings[1]


def test_sessions_are_apart_and_bounded(url: str) -> None:
    clients = [ThinkingBoxClient(base_url=url).sync() for _ in range(4)]
    try:
        for client in clients:
            client.connect()
            client.reset(seed=SEED, task_id=TASK)
        assert lent_databases() == 4
        late = ThinkingBoxClient(base_url=url).sync()
        with pytest.raises(RuntimeError, match=r"(?i)capacity|sessions"):
            late.connect()
        late.close()
    finally:
        for client in clients:
            client.close()
    eventually(lambda: lent_databases() == 0)


CLIENT = """
import sys, time
from openenv.core import GenericEnvClient
client = GenericEnvClient(base_url=sys.argv[1]).sync()
client.connect()
client.reset(seed=7)
print("begun", flush=True)
time.sleep(600)
"""


def test_a_killed_clients_database_comes_back(url: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, url], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun"
    assert lent_databases() == 1
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    eventually(lambda: lent_databases() == 0)


def test_the_example_plays(url: str) -> None:
    output = run_example("openenv_client.py", "--base-url", url, "--task", TASK)
    assert output.splitlines()[-1] == "reward 0.0"
