"""An outside MCP server, as other people write them: ``outside_server.py DATABASE_URL``."""

import os
import sys
import time

import psycopg
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

server = MCPServer("outside")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def count_books(most: int = 100) -> str:
    """Count the books that cost at most so much."""
    with psycopg.connect(sys.argv[1]) as connection:
        row = connection.execute("SELECT count(*) FROM books WHERE price <= %s", (most,)).fetchone()
    return f"{row[0] if row else 0} books"


@server.tool()
def rename_member(member_id: str, name: str) -> dict[str, str]:
    """Give a member another name."""
    with psycopg.connect(sys.argv[1]) as connection:
        connection.execute("UPDATE members SET name = %s WHERE member_id = %s", (name, member_id))
    return {"member_id": member_id, "name": name}


@server.tool()
def refuse() -> str:
    """Say no."""
    raise ToolError("the desk is closed")


@server.tool()
def crash() -> str:
    """Break down in the middle of a call."""
    sys.stderr.write("out of ink\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool()
def hang() -> str:
    """Never answer."""
    time.sleep(3600)
    return ""


if __name__ == "__main__":
    server.run()
