import datetime as dt
import json
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import BaseModel, ConfigDict, Field

from tb_envs.errors import ToolRefusal, UsageError
from tb_envs.tools import Db, Tool, tool


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Line(TypedDict):
    title: str
    amount: Annotated[Decimal, Field(gt=0)]
    note: NotRequired[str | None]


class Place(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    row: int
    seat: str = "A"


@tool(writes=True)
def order(
    db: Db,
    copy: str,
    count: Annotated[int, Field(ge=1, le=5)],
    price: Decimal,
    day: dt.date,
    *,
    colour: Colour | None = None,
    size: Literal["s", "m"] = "m",
    at: dt.datetime | None = None,
    weight: float = 1.5,
    gift: bool = False,
    lines: list[Line] = [],  # noqa: B006 - the schema shows it
    place: Place | None = None,
    tip: Decimal = Decimal("0.5"),
) -> dict[str, Any]:
    """Order a copy,
    at once.

    Orders cannot be undone.

    Args:
        copy: What to copy.
        count: How many.
        price: The price of one,
            in euros.
        day: When.
        colour: The paper's colour.
        size: The paper's size.
        at: The hour: exact.
        weight: In kilograms.
        gift: Whether to wrap it.
        lines: Extra lines.
        place: Where to bring it.
        tip: For the printer.

    Returns:
        The order.
    """
    return {}


def test_the_docstring_up_to_the_arguments_is_the_description() -> None:
    assert order.name == "order"
    assert order.description == "Order a copy, at once.\n\nOrders cannot be undone."


def test_the_schema_is_plain_json_schema_from_the_type_hints() -> None:
    assert order.input_schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["copy", "count", "price", "day"],
        "properties": {
            "copy": {"type": "string", "description": "What to copy."},
            "count": {"type": "integer", "minimum": 1, "maximum": 5, "description": "How many."},
            "price": {"type": "number", "description": "The price of one, in euros."},
            "day": {"type": "string", "format": "date", "description": "When."},
            "colour": {
                "anyOf": [{"type": "string", "enum": ["red", "blue"]}, {"type": "null"}],
                "description": "The paper's colour.",
                "default": None,
            },
            "size": {
                "type": "string",
                "enum": ["s", "m"],
                "description": "The paper's size.",
                "default": "m",
            },
            "at": {
                "anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}],
                "description": "The hour: exact.",
                "default": None,
            },
            "weight": {"type": "number", "description": "In kilograms.", "default": 1.5},
            "gift": {"type": "boolean", "description": "Whether to wrap it.", "default": False},
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["title", "amount"],
                    "properties": {
                        "title": {"type": "string"},
                        "amount": {"type": "number", "exclusiveMinimum": 0},
                        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                },
                "description": "Extra lines.",
                "default": [],
            },
            "place": {
                "anyOf": [
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["row"],
                        "properties": {
                            "row": {"type": "integer"},
                            "seat": {"type": "string", "default": "A"},
                        },
                    },
                    {"type": "null"},
                ],
                "description": "Where to bring it.",
                "default": None,
            },
            "tip": {"type": "number", "description": "For the printer.", "default": 0.5},
        },
    }


def test_arguments_arrive_as_the_types_of_the_hints() -> None:
    values = order.read_arguments(
        '{"copy": "x", "count": 2.0, "price": 19.9, "day": "2025-03-01", "colour": "red",'
        ' "at": "2025-03-01T10:00:00Z", "lines": [{"title": "t", "amount": 3}],'
        ' "place": {"row": 4}}'
    )
    assert values == {
        "copy": "x",
        "count": 2,
        "price": Decimal("19.9"),
        "day": dt.date(2025, 3, 1),
        "colour": Colour.RED,
        "at": dt.datetime(2025, 3, 1, 10, tzinfo=dt.UTC),
        "lines": [{"title": "t", "amount": Decimal(3)}],
        "place": Place(row=4),
    }


GOOD = '{"copy": "x", "count": 1, "price": 1, "day": "2025-03-01", %s}'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "copy: missing; count: missing; price: missing; day: missing"),
        ("[1]", "arguments: got [1], expected a JSON object"),
        ("null", "arguments: got null, expected a JSON object"),
        (GOOD % '"weight": "1"', 'weight: got "1", expected a number'),
        (GOOD % '"weight": 1e999', "weight: got Infinity, expected a finite number"),
        (GOOD % '"gift": 1', "gift: got 1, expected true or false"),
        (GOOD % '"copy": 5', "copy: got 5, expected a string"),
        (GOOD % '"copy": null', "copy: got null, expected a string"),
        (GOOD % '"count": "five"', 'count: got "five", expected an integer'),
        (GOOD % '"count": true', "count: got true, expected an integer"),
        (GOOD % '"count": 1.5', "count: got 1.5, expected an integer"),
        (GOOD % '"count": 9', "count: got 9, expected at most 5"),
        (GOOD % '"price": "5"', 'price: got "5", expected a number'),
        (GOOD % '"price": true', "price: got true, expected a number"),
        (GOOD % '"day": "1 March"', 'day: got "1 March", expected a date as YYYY-MM-DD'),
        (GOOD % '"day": "2025-02-30"', 'day: got "2025-02-30", expected a date as YYYY-MM-DD'),
        (GOOD % '"day": 20250301', "day: got 20250301, expected a date as YYYY-MM-DD"),
        (
            GOOD % '"at": "2025-03-01"',
            'at: got "2025-03-01", expected a time in ISO 8601, such as 2025-03-01T09:30:00+00:00',
        ),
        (GOOD % '"size": "xl"', "size: got \"xl\", expected one of 's' or 'm'"),
        (GOOD % '"colour": "green"', "colour: got \"green\", expected one of 'red' or 'blue'"),
        (GOOD % '"lines": {}', "lines: got {}, expected an array"),
        (
            GOOD % '"lines": [{"title": "t", "amount": 0, "x": 1}]',
            "lines[0].amount: got 0, expected more than 0; lines[0].x: unknown argument",
        ),
        (GOOD % '"place": {}', "place.row: missing"),
        (
            GOOD % '"color": "red"',
            "color: unknown argument; expected copy, count, price, day, colour, size, at, weight,"
            " gift, lines, place, tip",
        ),
    ],
)
def test_a_refusal_says_what_was_got_and_what_is_expected(arguments: str, message: str) -> None:
    with pytest.raises(ToolRefusal) as refusal:
        order.read_arguments(arguments)
    assert str(refusal.value) == message


@pytest.mark.parametrize("text", ["{", '{"a" 1}', '{"copy": "\\ud800"}', "[" * 5000, "NaN,", "'x'"])
def test_what_is_not_json_is_refused_as_such(text: str) -> None:
    with pytest.raises(ToolRefusal, match=r"^arguments: not valid JSON: "):
        order.read_arguments(text)


def test_half_a_surrogate_pair_in_the_text_is_refused_with_a_message_that_can_be_written() -> None:
    with pytest.raises(ToolRefusal) as refusal:
        order.read_arguments("\ud800")
    str(refusal.value).encode()


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["2025-03-01", "2025-13-01", "red", "s", "5", ""])
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["title", "amount", "note", "row"]), inner, max_size=3)
    ),
    max_leaves=4,
)
SCHEMA_CHECK = Draft202012Validator(order.input_schema, format_checker=FormatChecker(["date"]))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from([*order.input_schema["properties"], "other"]), PLAIN).map(
        lambda extra: {"copy": "x", "count": 1, "price": 1, "day": "2025-03-01"} | extra
    )
)
def test_arguments_are_accepted_exactly_when_the_schema_accepts_them(
    values: dict[str, Any],
) -> None:
    values.pop("at", None)  # jsonschema knows the format date-time only with a further package
    text = json.dumps(values)
    if SCHEMA_CHECK.is_valid(values):
        order.read_arguments(text)
    else:
        with pytest.raises(ToolRefusal, match=r"."):
            order.read_arguments(text)


def _no_docstring(db: Db) -> None: ...


def _no_db(name: str) -> None:
    """Do it."""


def _no_hint(db: Db, name) -> None:
    """Do it.

    Args:
        name: A name.
    """


def _undocumented(db: Db, name: str) -> None:
    """Do it."""


def _misdocumented(db: Db, name: str) -> None:
    """Do it.

    Args:
        name: A name.
        nam: A name.
    """


def _odd_type(db: Db, names: set[str]) -> None:
    """Do it.

    Args:
        names: Some names.
    """


def _gathers(db: Db, *names: str) -> None:
    """Do it.

    Args:
        names: Some names.
    """


class Loose(BaseModel):
    row: int


def _loose_model(db: Db, place: Loose) -> None:
    """Do it.

    Args:
        place: A place.
    """


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_no_docstring, "needs a docstring"),
        (_no_db, "the first parameter of a tool is `db: Db`"),
        (_no_hint, "needs a type hint"),
        (_undocumented, r"undescribed: \['name'\]"),
        (_misdocumented, r"unknown: \['nam'\]"),
        (_odd_type, "a tool cannot take set"),
        (_gathers, "can be given by name"),
        (_loose_model, 'the model Loose needs extra="forbid"'),
    ],
)
def test_a_function_that_makes_no_schema_is_refused_when_it_is_defined(
    function: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        tool(function)


def test_the_decorator_works_with_and_without_parentheses() -> None:
    def ping(db: Db) -> str:
        """Answer."""
        return "pong"

    bare, called, writing = tool(ping), tool()(ping), tool(writes=True)(ping)
    assert isinstance(bare, Tool)
    assert [bare.writes, called.writes, writing.writes] == [False, False, True]
    assert bare.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
