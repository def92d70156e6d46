"""Work a case through an OpenEnv server: pip install 'thinkingbox[openenv]'.

uvicorn --factory tb_envs.adapters.openenv:create_app --port 8000
python examples/openenv_client.py --base-url http://localhost:8000
"""

import argparse

from openenv.core.env_server.mcp_types import CallToolAction

from tb_envs.adapters.openenv import ThinkingBoxClient


def main() -> None:
    """Read the case, look at the open tickets, and leave it there: the verdict is 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="http://localhost:8000")
    parser.add_argument("--task", default="hotel-downgrade")
    arguments = parser.parse_args()
    with ThinkingBoxClient(base_url=arguments.base_url).sync() as client:
        opening = client.reset(seed=7, task_id=arguments.task).observation
        print(opening.message)
        print(len(client.list_tools(use_cache=False)), "tools")
        result = client.step(CallToolAction(tool_name="find_tickets", arguments={}))
        print(result.observation.result["data"][:200])
        print("reward", client.finish().reward)


if __name__ == "__main__":
    main()
