"""A tool: a typed Python function that an agent can call.

The function's name is the tool's name, its docstring the description, its type hints the JSON
schema. Its first parameter is the database, which the agent never sees::

    @tool(writes=True)
    def hold_ticket(db: Db, ticket_id: str, reason: str) -> dict[str, Any]:
        '''Put a ticket on hold.

        Args:
            ticket_id: The ticket, such as TCK-1041.
            reason: Why it waits, in a sentence.
        '''
        return db.require(
            f"No ticket {ticket_id}.",
            "UPDATE tickets SET status = 'on_hold', hold_reason = %(reason)s"
            " WHERE ticket_id = %(ticket_id)s RETURNING ticket_id, status",
            ticket_id=ticket_id,
            reason=reason,
        )
"""  # noqa: D214 - the section belongs to the example

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints, overload

from pydantic_core import SchemaValidator, ValidationError

from tb_envs.errors import ToolRefusal, UsageError
from tb_envs.messages import ToolSchema
from tb_envs.tools.db import Db
from tb_envs.tools.docstrings import read_docstring
from tb_envs.tools.refusals import explain_arguments
from tb_envs.tools.schema import build_arguments, plain_default, strict_type

ToolFunction = Callable[..., Any]


class ToolInfo(NamedTuple):
    """What an agent is told about a tool."""

    name: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool

    def openai(self) -> ToolSchema:
        """The tool in OpenAI's form."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.input_schema,
            },
        }


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function that an agent can call, with the schema of its arguments."""

    name: str
    description: str
    input_schema: dict[str, Any]
    writes: bool
    function: ToolFunction
    validator: SchemaValidator

    @property
    def info(self) -> ToolInfo:
        """What an agent is told about this tool."""
        return ToolInfo(self.name, self.description, self.input_schema, not self.writes)

    def read_arguments(self, arguments: str) -> dict[str, Any]:
        """Validate JSON text against the schema.

        Raises:
            ToolRefusal: the text is not JSON, or not what the schema asks for.
        """
        try:
            return self.validator.validate_json(arguments if arguments.strip() else "{}")
        except ValidationError as error:
            raise ToolRefusal(explain_arguments(error, self.input_schema)) from None
        except UnicodeError:
            raise ToolRefusal("arguments: not valid Unicode text") from None

    def call(self, db: Db, arguments: str) -> Any:
        """Validate the arguments, then run the function.

        Raises:
            ToolRefusal: the arguments or the function's own rules do not allow it.
        """
        return self.function(db, **self.read_arguments(arguments))


@overload
def tool(function: ToolFunction, /) -> Tool: ...
@overload
def tool(*, writes: bool = False) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: ToolFunction | None = None, /, *, writes: bool = False
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a function a tool.

    Args:
        function: The function, when the decorator stands without parentheses.
        writes: Whether the function changes the database. A tool that does not is run where
            PostgreSQL itself refuses writes.

    Raises:
        UsageError: the function's signature or docstring cannot be turned into a schema.
    """
    if function is not None:
        return _build(function, writes=writes)
    return lambda function: _build(function, writes=writes)


def _build(function: ToolFunction, *, writes: bool) -> Tool:
    name = function.__name__
    documentation = read_docstring(function.__doc__ or "")
    if not documentation.description:
        raise UsageError(f"{name}: a tool needs a docstring; the agent reads it")
    fields, defaults = _read_signature(function)
    _check_documented(name, set(fields), set(documentation.parameters))
    validator, schema = build_arguments(name, fields)
    for parameter, property_schema in schema["properties"].items():
        property_schema["description"] = documentation.parameters[parameter]
        if parameter in defaults:
            property_schema["default"] = plain_default(defaults[parameter])
    return Tool(
        name=name,
        description=documentation.description,
        input_schema=schema,
        writes=writes,
        function=function,
        validator=validator,
    )


def _read_signature(
    function: ToolFunction,
) -> tuple[dict[str, tuple[Any, bool]], dict[str, Any]]:
    """Return the parameters as (strict type, required), and the defaults."""
    name = function.__name__
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or hints.get(parameters[0].name) is not Db:
        raise UsageError(f"{name}: the first parameter of a tool is `db: Db`")
    fields: dict[str, tuple[Any, bool]] = {}
    defaults: dict[str, Any] = {}
    for parameter in parameters[1:]:
        where = f"{name}({parameter.name})"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise UsageError(f"{where}: expected a parameter that can be given by name")
        if parameter.name not in hints:
            raise UsageError(f"{where}: a parameter needs a type hint")
        required = parameter.default is parameter.empty
        fields[parameter.name] = (strict_type(hints[parameter.name], where), required)
        if not required:
            defaults[parameter.name] = parameter.default
    return fields, defaults


def _check_documented(name: str, parameters: set[str], documented: set[str]) -> None:
    if parameters != documented:
        raise UsageError(
            f"{name}: `Args:` must describe every parameter and nothing else; undescribed: "
            f"{sorted(parameters - documented)}, unknown: {sorted(documented - parameters)}"
        )
