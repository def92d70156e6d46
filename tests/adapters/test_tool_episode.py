"""Episodes that are worked through tools alone end with the verdict of the plain environment."""

import json

import pytest

from tb_envs.adapters.tool_episode import CLOSED, ToolEpisode
from tb_envs.errors import UsageError
from tb_envs.policies import OraclePolicy, Policy
from tb_envs.policies.protocol import PolicySession
from tb_envs.tools.talk import HOW_TO_TALK
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    act,
    break_tools,
    lent_databases,
    plain_reward,
    policies,
    start,
)


def play(episode: ToolEpisode, session: PolicySession) -> float | None:
    """Play a policy whose talk goes through ``message_user``."""
    seen = {"role": "user", "content": episode.reset(TASK, SEED)}
    while not episode.ended:
        turn = act(session, [seen])
        if turn.tool_calls:
            result = episode.call(*turn.tool_calls[0])
        else:
            result = episode.call("message_user", json.dumps({"message": turn.content}))
        seen = {"role": "tool" if turn.tool_calls else "user", "content": result.content}
    return episode.verdict()


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_the_reward_is_that_of_the_plain_environment(policy: Policy) -> None:
    episode = ToolEpisode(database=DATABASE)
    assert play(episode, start(policy)) == plain_reward(policy)
    assert lent_databases() == 0


def test_an_episode_that_its_library_leaves_early_is_graded() -> None:
    episode = ToolEpisode(database=DATABASE)
    episode.reset(TASK, SEED)
    assert episode.verdict() == 0.0
    assert episode.info["outcome"]["limit"] == "steps"
    assert episode.call("find_tickets", "{}") == (CLOSED, True)


def test_talking_is_listed_among_the_tools() -> None:
    episode = ToolEpisode(database=DATABASE)
    episode.reset(TASK, SEED)
    names = [tool["function"]["name"] for tool in episode.tools]
    episode.close()
    assert names[-1] == "message_user"
    assert episode.system_prompt.endswith(HOW_TO_TALK)
    assert "find_tickets" in names


@pytest.mark.parametrize("arguments", ["", "[]", "{}", '{"message": 3}', "{"])
def test_a_message_that_is_none_is_answered(arguments: str) -> None:
    episode = ToolEpisode(database=DATABASE)
    episode.reset(TASK, SEED)
    assert episode.call("message_user", arguments).is_error
    episode.close()


def test_a_reset_that_failed_leaves_no_episode_and_no_verdict() -> None:
    episode = ToolEpisode(database=DATABASE)
    assert play(episode, start(OraclePolicy())) == 1.0
    with pytest.raises(UsageError, match="no task"):
        episode.reset("no-such-task", SEED)
    for act_again in (episode.verdict, lambda: episode.call("find_tickets", "{}")):
        with pytest.raises(UsageError, match=r"there is no episode; call reset\(\) first"):
            act_again()


def test_where_there_is_no_user_the_tool_that_talks_is_unknown() -> None:
    episode = ToolEpisode(database=DATABASE)
    episode.reset("locker-request", SEED)
    content, is_error = episode.call("message_user", '{"message": "Done."}')
    assert is_error
    assert content.startswith('There is no tool "message_user"')
    assert not episode.ended
    episode.close()


def test_a_system_error_leaves_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = ToolEpisode(database=DATABASE)
    episode.reset(TASK, SEED)
    break_tools(monkeypatch)
    episode.call("find_tickets", "{}")
    assert episode.ended
    assert episode.verdict() is None
    assert episode.system_error == "database: the server is gone"
    assert lent_databases() == 0
