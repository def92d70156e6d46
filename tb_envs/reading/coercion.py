"""Arguments that arrive as text, typed by the tool's JSON schema.

Only a format without types needs this (Qwen's XML). The schema decides, never the look of the text:
``"007"`` stays a string where a string is expected. A text that no type of the schema fits stays a
string, and the environment's validation says what is wrong with it.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, cast

from tb_envs.reading import json_text

Schema = dict[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_MAX_DEPTH = 16
_JSON_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def coerce(text: str, schema: Schema | None, root: Schema | None = None) -> Any:
    """Type a text by a JSON schema.

    Args:
        text: The argument as the model wrote it.
        schema: The argument's schema; None for an argument that the tool does not know.
        root: The whole parameters schema, against which ``$ref`` is resolved.
    """
    types = set(_types(schema or {}, root or {}, depth=0))
    bare = text.strip()
    if "null" in types and bare in ("null", "None"):
        return None
    if types & {"array", "object"}:
        value = _container(bare, types)
        if value is not None:
            return value
    if "string" in types:
        return text
    if "boolean" in types and bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    return _number(bare, text, types)


def _number(bare: str, text: str, types: set[str]) -> Any:
    if types & {"integer", "number"} and _INTEGER.fullmatch(bare):
        return int(bare)
    if "number" in types and _NUMBER.fullmatch(bare):
        value = float(bare)
        return value if math.isfinite(value) else text
    return text


def _container(text: str, types: set[str]) -> Any:
    """Decode an array or object of one of the types, or return None."""
    if not text.startswith(("[", "{")):
        return None
    try:
        value = json_text.decode(text)
    except ValueError:
        return None
    return value if _json_name(value) in types else None


def _json_name(value: object) -> str:
    return _JSON_NAMES.get(type(value), "")


def _types(schema: Schema, root: Schema, *, depth: int) -> Iterator[str]:
    """Yield the JSON types that a schema admits, through unions, references and enums."""
    if depth > _MAX_DEPTH:
        return
    declared = schema.get("type")
    if isinstance(declared, str):
        yield declared
    elif isinstance(declared, list):
        yield from (name for name in cast("list[Any]", declared) if isinstance(name, str))
    elif "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        if isinstance(values, list):
            for value in cast("list[object]", values):
                yield _json_name(value)
    for inner in _parts(schema, root):
        yield from _types(inner, root, depth=depth + 1)


def _parts(schema: Schema, root: Schema) -> Iterator[Schema]:
    """Yield the schemas that this one is made of."""
    for key in ("anyOf", "oneOf", "allOf"):
        members = schema.get(key)
        if isinstance(members, list):
            for member in cast("list[Any]", members):
                if isinstance(member, dict):
                    yield cast("Schema", member)
    if isinstance(reference := schema.get("$ref"), str):
        yield resolve(reference, root)


def resolve(reference: str, root: Schema) -> Schema:
    """Find what a local ``$ref`` (``#/$defs/…``) points to; an empty schema where nothing is."""
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        if not isinstance(found, dict):
            return {}
        found = cast("Schema", found).get(part.replace("~1", "/").replace("~0", "~"))
    return cast("Schema", found) if isinstance(found, dict) else {}
