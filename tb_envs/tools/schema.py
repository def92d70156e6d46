"""The arguments of a tool: a validator of JSON text, and the same thing as a JSON schema.

A parameter's type hint is first made as strict as JSON schema is (`"5"` is not an integer, a
decimal is a number, a date is an ISO string), then handed to pydantic once, when the tool is
defined. Calls only run the finished validator.
"""

import datetime as dt
import inspect
import re
import types
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum, StrEnum
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator
from typing_extensions import TypedDict, is_typeddict

from tb_envs.errors import UsageError
from tb_envs.tools.results import plain_number

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def _whole_number(value: object) -> object:
    """Read 5.0 as 5, as JSON schema does."""
    return int(value) if type(value) is float and value.is_integer() else value


def _decimal(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticCustomError("decimal_type", "Input should be a number")
    return Decimal(str(value))


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")


def _date(value: object) -> dt.date:
    try:
        if isinstance(value, str) and _DATE.fullmatch(value):
            return dt.date.fromisoformat(value)
    except ValueError:
        pass
    raise PydanticCustomError("date_type", "Input should be a date as YYYY-MM-DD")


def _datetime(value: object) -> dt.datetime:
    try:
        if isinstance(value, str) and _DATETIME.fullmatch(value):
            return dt.datetime.fromisoformat(value)
    except ValueError:
        pass
    raise PydanticCustomError("datetime_type", "Input should be a time in ISO 8601")


_SCALARS: dict[Any, Any] = {
    str: str,
    bool: bool,
    float: float,
    type(None): None,
    int: Annotated[int, BeforeValidator(_whole_number)],
    Decimal: Annotated[Decimal, BeforeValidator(_decimal)],
    dt.date: Annotated[dt.date, BeforeValidator(_date)],
    dt.datetime: Annotated[dt.datetime, BeforeValidator(_datetime)],
}


def strict_type(hint: Any, where: str) -> Any:
    """Make a type hint as strict as JSON schema.

    Args:
        hint: A type that tools may take.
        where: The parameter, for the error message.

    Raises:
        UsageError: tools cannot take this type.
    """
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _strict_annotated(hint, where)
    if origin in (Union, types.UnionType):
        return Union[tuple(strict_type(part, where) for part in arguments)]  # noqa: UP007 - a tuple
    if origin is list:
        return list[strict_type(arguments[0], where)]
    if origin is Literal:
        return hint
    return _strict_class(hint, where)


def _strict_class(hint: Any, where: str) -> Any:
    if is_typeddict(hint):
        return _strict_typeddict(hint, where)
    if inspect.isclass(hint) and issubclass(hint, StrEnum):
        return hint
    if inspect.isclass(hint) and issubclass(hint, BaseModel):
        if hint.model_config.get("extra") != "forbid":
            raise UsageError(f'{where}: the model {hint.__name__} needs extra="forbid"')
        return hint
    raise UsageError(
        f"{where}: a tool cannot take {hint!r}; expected str, int, float, Decimal, bool, date, "
        "datetime, a Literal, a StrEnum, list[...], a TypedDict or a pydantic model"
    )


def _strict_annotated(hint: Any, where: str) -> Any:
    """Keep the limits next to the type itself, and the strictness outside: it runs first."""
    inner, *limits = get_args(hint)
    strict = strict_type(inner, where)
    if get_origin(strict) is Annotated:
        inner, *outer = get_args(strict)
        return Annotated[(inner, *limits, *outer)]
    return Annotated[(strict, *limits)]


def _strict_typeddict(hint: Any, where: str) -> Any:
    fields: dict[str, Any] = {}
    for name, field in get_type_hints(hint, include_extras=True).items():
        while get_origin(field) in (Required, NotRequired):
            field = get_args(field)[0]
        fields[name] = (strict_type(field, f"{where}.{name}"), name in hint.__required_keys__)
    return record_type(hint.__name__, fields)


def record_type(name: str, fields: Mapping[str, tuple[Any, bool]]) -> Any:
    """Make a TypedDict of (type, required) fields that refuses unknown keys."""
    wrapped = {
        field: Required[hint] if required else NotRequired[hint]
        for field, (hint, required) in fields.items()
    }
    record: Any = cast(Any, TypedDict)(name, wrapped)
    record.__pydantic_config__ = STRICT
    return record


class _PlainSchema(GenerateJsonSchema):
    """JSON schema without titles, and with decimals as plain numbers."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        plain: JsonSchemaValue = {"type": "number"}
        for limit, keyword in _NUMBER_LIMITS.items():
            if limit in schema:
                plain[keyword] = plain_number(Decimal(schema[limit]))
        return plain

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        return {"type": "string", "enum": [member.value for member in schema["members"]]}


_NUMBER_LIMITS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}


def plain_default(value: Any) -> Any:
    """Write a parameter's default as JSON has it."""
    if isinstance(value, Decimal):
        return plain_number(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    return value


def build_arguments(
    name: str, fields: Mapping[str, tuple[Any, bool]]
) -> tuple[SchemaValidator, dict[str, Any]]:
    """Build the validator and the JSON schema of a tool's arguments.

    Args:
        name: The tool's name.
        fields: The parameters as (strict type, required).
    """
    adapter: TypeAdapter[Any] = TypeAdapter(record_type(name, fields))
    schema = adapter.json_schema(schema_generator=_PlainSchema)
    definitions = schema.pop("$defs", {})
    plain = _inline(schema, definitions)
    plain.setdefault("properties", {})
    plain["additionalProperties"] = False
    core: CoreSchema = adapter.core_schema
    return SchemaValidator(core), plain


def _inline(schema: Any, definitions: dict[str, Any]) -> Any:
    """Replace references by what they name, and drop titles."""
    if isinstance(schema, list):
        return [_inline(item, definitions) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    node = cast(dict[str, Any], schema)
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _inline({**target, **rest}, definitions)
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            plain[key] = {name: _inline(field, definitions) for name, field in value.items()}
        elif key in ("default", "enum", "const", "examples"):
            plain[key] = value
        elif key != "title":
            plain[key] = _inline(value, definitions)
    return plain
