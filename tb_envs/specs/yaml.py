"""Reading a YAML file into a strict model, with file, line and field in every error.

Only plain YAML is accepted: no tags (nothing is ever constructed from a file), no duplicate keys,
and dates, times and numbers with leading zeros (``14:30``, ``01234``) stay text, so that PostgreSQL
and not YAML decides what they mean.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from tb_envs.errors import SpecError

Model = TypeVar("Model", bound=BaseModel)
FieldPath = tuple[str | int, ...]

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _PlainLoader(_Base):
    """A safe loader without YAML 1.1's timestamps, yes/no/on/off, octals and base 60."""


_PLAIN = {
    "tag:yaml.org,2002:bool": (r"^(?:true|false)$", "tf"),
    "tag:yaml.org,2002:int": (r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    "tag:yaml.org,2002:float": (
        r"^[-+]?(?:(?:0|[1-9][0-9]*)?\.[0-9]+|(?:0|[1-9][0-9]*)\.)(?:[eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
}
_PlainLoader.yaml_implicit_resolvers = {
    first: [
        (tag, regexp)
        for tag, regexp in resolvers
        if tag not in _PLAIN and not tag.endswith(":timestamp")
    ]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
for _tag, (_pattern, _first) in _PLAIN.items():
    _PlainLoader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first))


class Document:
    """A parsed YAML file: plain values, and the line that each field stands on."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines: dict[FieldPath, int] = {}
        try:
            node = yaml.compose(text, Loader=_PlainLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            raise SpecError(f"not valid YAML: {error.problem}", path=path, line=line) from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise SpecError(f"not valid YAML: {error.reason}", path=path, line=line) from None
        if not isinstance(node, yaml.MappingNode):
            raise SpecError("expected a mapping of fields at the top", path=path, line=1)
        self.value: dict[str, Any] = self._mapping(node, ())

    def line_of(self, field: FieldPath) -> int | None:
        """The line of the field, or of its nearest enclosing field that the file holds.

        A variant's field may stand in ``base``, from where it was merged.
        """
        inherited: FieldPath = ("base", *field[2:]) if field[:1] == ("variants",) else ()
        while field:
            for place in (field, inherited):
                if len(place) > 1 or place == field:
                    line = self.lines.get(place)
                    if line is not None:
                        return line
            field, inherited = field[:-1], inherited[:-1]
        return None

    def _build(self, node: yaml.Node, field: FieldPath) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, field)
        if isinstance(node, yaml.SequenceNode):
            self._refuse_tag(node, "tag:yaml.org,2002:seq")
            return [self._item(child, (*field, index)) for index, child in enumerate(node.value)]
        return self._scalar(node)

    def _item(self, node: yaml.Node, field: FieldPath) -> Any:
        self.lines[field] = node.start_mark.line + 1
        return self._build(node, field)

    def _mapping(self, node: yaml.MappingNode, field: FieldPath) -> dict[str, Any]:
        self._refuse_tag(node, "tag:yaml.org,2002:map")
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in result:
                raise SpecError(
                    f"the key {key!r} stands twice; keep one", path=self.path, line=line
                )
            self.lines[*field, key] = line
            result[key] = self._build(value_node, (*field, key))
        return result

    def _scalar(self, node: yaml.Node) -> Any:
        kinds = ("str", "int", "float", "bool", "null")
        tag = node.tag.removeprefix("tag:yaml.org,2002:")
        if tag not in kinds:
            self._refuse_tag(node, "")
        loader = _PlainLoader("")
        try:
            return loader.construct_object(node)
        finally:
            loader.dispose()

    def _refuse_tag(self, node: yaml.Node, expected: str) -> None:
        if node.tag != expected:
            raise SpecError(
                f"the YAML tag {node.tag!r} is not allowed; write plain values",
                path=self.path,
                line=node.start_mark.line + 1,
            )


def read_document(path: Path) -> Document:
    """Parse a file.

    Raises:
        SpecError: the file is missing or is not plain YAML.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError("the file is missing", path=path) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SpecError("not UTF-8 text; save it as such", path=path, line=line) from None
    return Document(path, text)


def validate_model(document: Document, value: Mapping[str, Any], model: type[Model]) -> Model:
    """Build a model from a document's value.

    Raises:
        SpecError: names the first fault with its line, and counts the others.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _spec_error(document, model, error) from None


def load_model(path: Path, model: type[Model]) -> Model:
    """Read a file that holds exactly one model."""
    document = read_document(path)
    return validate_model(document, document.value, model)


def _spec_error(document: Document, model: type[BaseModel], error: ValidationError) -> SpecError:
    faults = error.errors()
    first = _worst(faults)
    field: FieldPath = tuple(first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"unknown key; {model.__name__} and its parts have no such field"
    elif first["type"] != "missing":
        message = f"{message}; got {_short(first.get('input'))}"
    if len(faults) > 1:
        message += f" (and {len(faults) - 1} more)"
    return SpecError(
        message,
        path=document.path,
        line=document.line_of(field),
        field=".".join(str(part) for part in field),
    )


def _worst(faults: Sequence[Any]) -> Any:
    """Prefer unknown keys: a misspelt key also shows up as a missing one."""
    return next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
