"""An agent of twenty lines around any OpenAI-compatible server: pip install thinkingbox.

python examples/openai_loop.py --model MODEL --base-url http://localhost:8000/v1
"""

import argparse
import os
from typing import Any

import gymnasium
from openai import OpenAI

import tb_envs  # noqa: F401 - registers the ids


def play(client: OpenAI, model: str, env: gymnasium.Env[Any, Any]) -> tuple[float, str | None]:
    """Work one case; returns the reward, and what broke if it means nothing."""
    observation, info = env.reset(seed=7)
    tools = list(info["tools"])
    messages: list[Any] = [{"role": "system", "content": info["system_prompt"]}]
    ids: list[str] = []
    while True:
        for seen in observation:
            answers = {"tool_call_id": ids.pop(0)} if seen["role"] == "tool" and ids else {}
            role = seen["role"] if answers else "user"
            messages.append({"role": role, "content": seen["content"]} | answers)
        turn = client.chat.completions.create(model=model, messages=messages, tools=tools)
        reply = turn.choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        asked = reply.tool_calls or []
        ids = [call.id for call in asked]
        calls = [
            {"name": call.function.name, "arguments": call.function.arguments} for call in asked
        ]
        action = {"content": reply.content or "", "tool_calls": calls}
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return float(reward), info["system_error"]


def main() -> None:
    """Play one task and print its verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", default="https://api.openai.com/v1")
    parser.add_argument("--task", default="ThinkingBox/hotel-downgrade-v0")
    arguments = parser.parse_args()
    key = os.environ.get("OPENAI_API_KEY", "none")
    env = gymnasium.make(arguments.task, judge="skip")
    with OpenAI(base_url=arguments.base_url, api_key=key) as client:
        reward, system_error = play(client, arguments.model, env)
    env.close()
    print("reward", reward if system_error is None else f"none, {system_error}")


if __name__ == "__main__":
    main()
