"""Random values that fit a JSON schema, made of things that were seen where possible."""

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from tb_envs.reading.coercion import Schema, resolve

_WORDS = ("please", "check", "urgent", "customer", "request")
_MAX_DEPTH = 6


def sample_value(schema: Schema, root: Schema, seen: Sequence[str], rng: random.Random) -> Any:
    """Draw a value that a schema admits.

    Args:
        schema: The value's schema.
        root: The whole parameters schema, against which ``$ref`` is resolved.
        seen: Texts worth repeating, such as identifiers from earlier results.
        rng: Decides.
    """
    return _Sampler(root, seen, rng).draw(schema, depth=0)


class _Sampler:
    def __init__(self, root: Schema, seen: Sequence[str], rng: random.Random) -> None:
        self._root = root
        self._seen = seen
        self._rng = rng

    def draw(self, schema: Schema, *, depth: int) -> Any:
        if "$ref" in schema:
            schema = resolve(str(schema["$ref"]), self._root) | {
                key: value for key, value in schema.items() if key != "$ref"
            }
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._rng.choice(schema["enum"])
        members = cast("list[Schema]", schema.get("anyOf") or schema.get("oneOf") or [])
        if members:
            return (
                None
                if depth > _MAX_DEPTH
                else self.draw(self._rng.choice(members), depth=depth + 1)
            )
        kind: Any = schema.get("type", "string")
        if isinstance(kind, list):
            kind = self._rng.choice(cast("list[str]", kind))
        draws: dict[str, Callable[[], Any]] = {
            "null": lambda: None,
            "boolean": lambda: self._rng.random() < 0.5,
            "integer": lambda: self._integer(schema),
            "number": lambda: self._number(schema),
            "array": lambda: self._array(schema, depth),
            "object": lambda: self._object(schema, depth),
        }
        return draws.get(str(kind), lambda: self._string(schema))()

    def _integer(self, schema: Schema) -> int:
        low, high = self._bounds(schema)
        return self._rng.randint(int(low), max(int(low), int(high)))

    def _number(self, schema: Schema) -> float:
        low, high = self._bounds(schema)
        return round(self._rng.uniform(low, max(low, high)), 2)

    def _bounds(self, schema: Schema) -> tuple[float, float]:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        low = low + 1 if "exclusiveMinimum" in schema else low
        return low, schema.get("maximum", low + 100)

    def _string(self, schema: Schema) -> str:
        if schema.get("format") in ("date", "date-time"):
            dates = [text for text in self._seen if len(text) >= 10 and text[4:5] == "-"]
            return self._rng.choice(dates)[:10] if dates else "2026-01-15"
        if self._seen and self._rng.random() < 0.8:
            return self._rng.choice(self._seen)
        return self._rng.choice(_WORDS)

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        if depth > _MAX_DEPTH:
            return []
        count = max(int(schema.get("minItems", 0)), self._rng.randint(0, 2))
        items = cast("Schema", schema.get("items") or {})
        return [self.draw(items, depth=depth + 1) for _ in range(count)]

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        if depth > _MAX_DEPTH:
            return {}
        properties = cast("dict[str, Schema]", schema.get("properties", {}))
        required = cast("list[str]", schema.get("required", []))
        return {
            name: self.draw(part, depth=depth + 1)
            for name, part in properties.items()
            if name in required or self._rng.random() < 0.5
        }
