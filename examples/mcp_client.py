"""Work a case as an MCP client, with the official SDK: pip install thinkingbox.

    tb-envs serve hotel-downgrade --http 127.0.0.1:8000 --out episodes.jsonl
    python examples/mcp_client.py --url http://127.0.0.1:8000/mcp

The server grades the episode when this client leaves, and appends it to the file.
"""

import argparse

import anyio
from mcp import Client


async def work(url: str) -> None:
    """Read the case, look at the tickets and ask the user something."""
    async with Client(url) as client:
        print((client.instructions or "")[-200:])
        tools = (await client.list_tools()).tools
        print(len(tools), "tools")
        for name, arguments in (
            ("find_tickets", {}),
            ("message_user", {"message": "Which e-mail address is the booking under?"}),
        ):
            answer = await client.call_tool(name, arguments)
            print(name, "refused" if answer.is_error else "answered", answer.content[0].text[:120])


def main() -> None:
    """Work one case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp")
    anyio.run(work, parser.parse_args().url)


if __name__ == "__main__":
    main()
