"""What a tool's docstring says: a description for the agent, and a line for each parameter.

Google style. The description is everything before the first section (``Args:``, ``Returns:``,
...); wrapped lines are joined, paragraphs stay apart.
"""

import inspect
import re
from typing import NamedTuple

_SECTION = re.compile(r"^(Args|Arguments|Returns|Raises|Yields|Example|Examples|Note):\s*$")
_PARAMETER = re.compile(r"^(?P<name>\w+)\s*(\([^)]*\))?:\s*(?P<text>.*)$")


class ToolDocumentation(NamedTuple):
    """A docstring, taken apart."""

    description: str
    parameters: dict[str, str]


def read_docstring(text: str) -> ToolDocumentation:
    """Take a Google-style docstring apart."""
    description: list[str] = []
    arguments: list[str] = []
    section = ""
    for line in inspect.cleandoc(text).splitlines():
        heading = _SECTION.match(line)
        if heading:
            section = heading[1]
        elif not section:
            description.append(line)
        elif section in ("Args", "Arguments"):
            arguments.append(line)
    return ToolDocumentation(_join_paragraphs(description), _read_parameters(arguments))


def _join_paragraphs(lines: list[str]) -> str:
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _read_parameters(lines: list[str]) -> dict[str, str]:
    """Read the lines of an ``Args:`` section; deeper lines continue the one before."""
    found: dict[str, str] = {}
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    name = ""
    for line in lines:
        match = _PARAMETER.match(line[indent:])
        if match:
            name = match["name"]
            found[name] = match["text"].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
