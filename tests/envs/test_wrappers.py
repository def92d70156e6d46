"""Raw model text and discrete menus as actions."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.errors import UsageError
from tb_envs.wrappers import CheckShare, MenuAction, TextAction

HOTEL = "ThinkingBox/hotel-downgrade-v0"


def test_model_text_with_a_hermes_call_runs_the_tool(database_choice: str) -> None:
    env = TextAction(gymnasium.make(HOTEL, database=database_choice))
    try:
        env.reset(seed=7)
        text = (
            "<think>I need the booking.</think>\n"
            '<tool_call>\n{"name": "get_booking", "arguments": {"booking_reference": "BKG-4821"}}\n'
            "</tool_call><|im_end|>"
        )
        observation, *_, info = env.step(text)
    finally:
        env.close()
    assert [call["name"] for call in info["calls"]] == ["get_booking"]
    assert '"reference":"BKG-4821"' in observation[0]["content"]


def test_the_xml_format_is_typed_by_the_tools_schema(database_choice: str) -> None:
    env = TextAction(gymnasium.make(HOTEL, database=database_choice), tool_format="qwen3_xml")
    try:
        env.reset(seed=7)
        text = (
            "<tool_call>\n<function=search_knowledge>\n<parameter=query>\nrefund\n</parameter>\n"
            "<parameter=limit>\n2\n</parameter>\n</function>\n</tool_call>"
        )
        *_, info = env.step(text)
    finally:
        env.close()
    assert info["calls"][0]["is_error"] is False
    assert '"limit": 2' in info["calls"][0]["arguments"]


def test_text_that_begins_inside_a_think_block_is_not_said(database_choice: str) -> None:
    """Templates that open the block themselves leave the model only its end to write."""
    env = TextAction(gymnasium.make(HOTEL, database=database_choice), reasoning_open=True)
    try:
        env.reset(seed=7)
        text = (
            'Maybe <tool_call>\n{"name": "list_codes", "arguments": {}}\n</tool_call>?\n</think>\n'
            "Which e-mail address is the booking under?<|im_end|>"
        )
        observation, *_, info = env.step(text)
    finally:
        env.close()
    assert info["calls"] == ()
    assert observation[0]["role"] == "user"
    assert "mariana.costa@castellane.example" in observation[0]["content"]


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
def test_gymnasium_finds_no_fault_in_the_menu(database_choice: str) -> None:
    env = MenuAction(gymnasium.make(HOTEL, database=database_choice))
    try:
        check_env(env, skip_render_check=True)
    finally:
        env.close()


def test_the_menus_mask_opens_as_results_come_in(database_choice: str) -> None:
    env = MenuAction(gymnasium.make(HOTEL, database=database_choice))
    try:
        _, info = env.reset(seed=7)
        closed = info["action_mask"]
        assert 0 < closed.sum() < len(env.menu)
        find = next(
            index
            for index, step in enumerate(env.menu)
            if step.call == "find_customers" and "mariana" in str(step.with_)
        )
        features, *_, info = env.step(find)
    finally:
        env.close()
    assert info["action_mask"].sum() > closed.sum()
    assert features[find] == 1.0
    assert features[len(env.menu) + find] == 0.0
    assert features.shape == (2 * len(env.menu) + 64 + 1,)
    assert features.dtype == np.float32


def test_a_menu_needs_a_single_task() -> None:
    with pytest.raises(UsageError, match="single task"):
        MenuAction(gymnasium.make("ThinkingBox/Suite-v0", tasks=["hotel-downgrade"]))


def test_a_task_menu_is_a_part_of_its_familys(database_choice: str) -> None:
    family = MenuAction(gymnasium.make(HOTEL, database=database_choice))
    task = MenuAction(gymnasium.make(HOTEL, database=database_choice), scope="task")
    assert len(task.menu) < len(family.menu) / 5
    moves = [(step.call, step.with_, step.say) for step in family.menu]
    assert all((step.call, step.with_, step.say) in moves for step in task.menu)
    with pytest.raises(UsageError, match="expected family or task"):
        MenuAction(gymnasium.make(HOTEL, database=database_choice), scope="all")  # type: ignore[arg-type]


def test_partial_credit_is_a_part_of_the_share_of_checks_that_held(database_choice: str) -> None:
    env = CheckShare(gymnasium.make(HOTEL, database=database_choice), weight=0.4)
    try:
        env.reset(seed=7)
        rewards = []
        ended = False
        while not ended:
            _, reward, terminated, truncated, info = env.step("Done.")
            rewards.append(reward)
            ended = terminated or truncated
    finally:
        env.close()
    held = [result["passed"] for result in info["grade"]["results"]]
    assert 0 < sum(held) < len(held)
    assert rewards[-1] == 0.4 * sum(held) / len(held)
    assert set(rewards[:-1]) == {0.0}
    assert info["is_success"] is False


def test_partial_credit_never_reaches_success() -> None:
    with pytest.raises(UsageError, match="less than 1"):
        CheckShare(gymnasium.make(HOTEL), weight=1.0)


def test_gymnasiums_wrappers_work(database_choice: str) -> None:
    env = RecordEpisodeStatistics(
        TimeLimit(gymnasium.make(HOTEL, database=database_choice), max_episode_steps=2)
    )
    try:
        env.reset(seed=7)
        env.step("Hello?")
        *_, truncated, info = env.step("May I have your e-mail address?")
    finally:
        env.close()
    assert truncated
    assert info["episode"]["l"] == 2
    assert info["episode"]["r"] == 0.0
