"""Tools: typed Python functions that an agent calls, with one transaction a call.

Write tools with ``tool`` and ``Db``; run them with ``ToolSession``, or serve them over MCP.
"""

from tb_envs.errors import ToolRefusal
from tb_envs.tools.db import Db, Row
from tb_envs.tools.opening import open_tools
from tb_envs.tools.session import AnyToolSession, ExecutedCall, ToolDatabase, ToolSession
from tb_envs.tools.tool import Tool, ToolInfo, tool
from tb_envs.tools.toolsets import load_toolset

__all__ = [
    "AnyToolSession",
    "Db",
    "ExecutedCall",
    "Row",
    "Tool",
    "ToolDatabase",
    "ToolInfo",
    "ToolRefusal",
    "ToolSession",
    "load_toolset",
    "open_tools",
    "tool",
]
