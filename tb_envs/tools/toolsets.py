"""Toolsets by name: the tools of the modules of ``tb_envs.domains``."""

import importlib
from collections.abc import Sequence
from typing import cast

from tb_envs.errors import SpecError
from tb_envs.tools.tool import Tool

_PACKAGE = "tb_envs.domains"


def load_toolset(names: Sequence[str]) -> tuple[Tool, ...]:
    """Collect the tools of several modules, in order.

    Args:
        names: Modules of ``tb_envs.domains``; each has a tuple ``TOOLS``.

    Raises:
        SpecError: there is no such module, it has no tools, or a tool's name comes twice.
    """
    found: dict[str, Tool] = {}
    for name in names:
        for tool in _load_module(name):
            if tool.name in found:
                raise SpecError(
                    f"the tool {tool.name} comes twice in {', '.join(names)}", field="toolsets"
                )
            found[tool.name] = tool
    return tuple(found.values())


def _load_module(name: str) -> tuple[Tool, ...]:
    path = f"{_PACKAGE}.{name}"
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name not in (path, _PACKAGE):
            raise
        raise SpecError(
            f"there is no toolset {name!r}: no module {path}", field="toolsets"
        ) from None
    tools: object = getattr(module, "TOOLS", None)
    members = cast(tuple[object, ...], tools) if isinstance(tools, tuple) else ()
    found = tuple(member for member in members if isinstance(member, Tool))
    if not found or len(found) != len(members):
        raise SpecError(
            f"{path} must have TOOLS, a tuple of tools; got {tools!r}", field="toolsets"
        )
    return found
