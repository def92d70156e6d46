"""The tools of a task: its domain's own, or an outside server's."""

from collections.abc import Sequence
from typing import Protocol

from tb_envs.specs.models import OutsideServer
from tb_envs.tools.mcp_release import require_mcp
from tb_envs.tools.session import AnyToolSession, ToolDatabase, ToolSession
from tb_envs.tools.toolsets import load_toolset


class AddressedDatabase(ToolDatabase, Protocol):
    """An episode's database whose address can be given to another program."""

    @property
    def agent_url(self) -> str:
        """The address, for the tools' role."""
        ...


def open_tools(
    database: AddressedDatabase, toolsets: Sequence[str], server: OutsideServer | None = None
) -> AnyToolSession:
    """Open an episode's tools.

    Args:
        database: The episode's database.
        toolsets: Modules of ``tb_envs.domains``; not used where there is a server.
        server: An outside MCP server whose tools take their place.

    Raises:
        SpecError: there is no such toolset.
        UsageError: an outside server needs a newer MCP SDK than is installed.
        ToolFailure: the outside server does not start or does not answer.
    """
    if server is None:
        return ToolSession(database, load_toolset(toolsets))
    require_mcp()
    # The SDK takes a second to import, and most tasks need none of it.
    from tb_envs.tools.mcp_client import OutsideToolSession

    return OutsideToolSession(server, database, agent_url=database.agent_url)
