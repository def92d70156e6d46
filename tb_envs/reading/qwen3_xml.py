"""Qwen3 tool calls in XML: ``<tool_call><function=name><parameter=x>…</parameter></function>``.

Parameters are text and are typed by the tool's schema. A function that is not closed was cut: it is
kept as a malformed call and never run with half an argument.
"""

import re
from collections.abc import Sequence
from typing import Any, cast

from tb_envs.messages import ToolCall, ToolSchema
from tb_envs.reading import json_text
from tb_envs.reading.coercion import Schema, coerce

# Qwen3-Coder sometimes leaves the outer tag out, so that a function alone is a block too.
_BLOCK = re.compile(
    r"<tool_call>(?P<wrapped>.*?)(?:</tool_call>|(?=<tool_call>)|\Z)"
    r"|(?P<bare><function=.*?(?:</function>|\Z))",
    re.DOTALL,
)
# Every pattern below matches at each of its opening tags, so that reading takes linear time.
_FUNCTION = re.compile(
    r"<function=(?P<name>[^<>\n]*)>?(?P<body>.*?)(?P<closed></function>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"<parameter=(?P<name>[^<>\n]*)(?P<named>>?)(?P<value>.*?)"
    r"(?:</parameter>|(?=<parameter=)|\Z)",
    re.DOTALL,
)


def read_qwen3_xml(text: str, tools: Sequence[ToolSchema]) -> tuple[str, tuple[ToolCall, ...]]:
    """Take the tool calls out of a turn; return the text around them and the calls in order."""
    schemas = {name: schema for name, schema in map(_named_schema, tools) if name}
    calls: list[ToolCall] = []
    said: list[str] = []
    at = 0
    for block in _BLOCK.finditer(text):
        said.append(text[at : block.start()])
        at = block.end()
        body = block.group("wrapped") or block.group("bare") or ""
        calls += _read_block(body, block.group(0), schemas)
    said.append(text[at:])
    return "".join(said), tuple(calls)


def _read_block(body: str, block: str, schemas: dict[str, Schema]) -> list[ToolCall]:
    """Read a block's functions; one malformed call where there is anything else in it."""
    functions = list(_FUNCTION.finditer(body))
    cut = any(not function.group("closed") for function in functions)
    if not functions or cut or _FUNCTION.sub("", body).strip():
        name = functions[0].group("name").strip() if functions else ""
        return [ToolCall(name, block)]
    return [_call_of(function, schemas) for function in functions]


def _call_of(function: re.Match[str], schemas: dict[str, Schema]) -> ToolCall:
    name = function.group("name").strip()
    schema = schemas.get(name, {})
    try:
        return ToolCall(name, json_text.encode(_arguments(function.group("body"), schema)))
    except ValueError:
        return ToolCall(name, function.group(0))


def _arguments(body: str, schema: Schema) -> dict[str, Any]:
    """Read and type the parameters of a function.

    Raises:
        ValueError: there is something else beside them, or one stands twice.
    """
    if _PARAMETER.sub("", body).strip():
        raise ValueError("text between the parameters")
    properties = schema.get("properties")
    known = cast("dict[str, Any]", properties) if isinstance(properties, dict) else {}
    arguments: dict[str, Any] = {}
    for parameter in _PARAMETER.finditer(body):
        name = parameter.group("name").strip()
        if name in arguments or not parameter.group("named"):
            raise ValueError(f"the parameter {name!r} cannot be read")
        arguments[name] = coerce(_unwrap(parameter.group("value")), known.get(name), schema)
    return arguments


def _unwrap(value: str) -> str:
    """Drop the one line break after the opening tag and the one before the closing tag."""
    return value.removeprefix("\n").removesuffix("\n")


def _named_schema(tool: ToolSchema) -> tuple[str, Schema]:
    function = tool.get("function", tool)
    if not isinstance(function, dict):
        return "", {}
    fields = cast("dict[str, Any]", function)
    parameters = fields.get("parameters")
    return str(fields.get("name", "")), (
        cast("Schema", parameters) if isinstance(parameters, dict) else {}
    )
