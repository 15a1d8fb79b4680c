"""Options as fields of a class, each with what it may be: read from a table of TOML, and checked on the command line.

A field's annotation holds a `Range` or a `Form`. Its key in a file, and its option, is its name with dashes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from server.config.toml_table import TomlTable


class Range(NamedTuple):
    """What a number may be, bounds included."""

    least: float
    most: float
    unit: str = ""
    refusal: str = ""
    """What is said on the command line of a number that lies elsewhere; by default that it has to lie between both."""

    def right(self, kind: type) -> str:
        """Say what a number of that kind may be, as behind "is"."""
        unit = self.unit and f" {self.unit}"
        if kind is int:
            return f"a whole number from {self.least} to {self.most}{unit}"
        return f"a number from {self.least:g} to {self.most:g}{unit}"

    def fault(self, name: str, value: float) -> str:
        """Say what is wrong with an option of the command line; empty where nothing is."""
        if self.least <= value <= self.most:
            return ""
        return f"--{name} is {value}; {self.refusal or f'it has to lie between {self.least} and {self.most}'}"


class Form(NamedTuple):
    """What a text may be, or what the texts of a list are."""

    pattern: str
    """A regular expression for the whole of it."""
    right: str
    """What is right, as behind "is"."""


Read: TypeAlias = Callable[[TomlTable, str], Any]
"""Reads the value of a key that is there; raises `server.config.toml_table.BadTable`."""


class Field(NamedTuple):
    """An option as it is declared."""

    name: str
    """As an attribute."""
    key: str
    """In a file, and on the command line behind two dashes."""
    kind: Any
    """Its type without annotation and without None."""
    rule: Range | Form | None


def fields_of(declaring: type) -> Iterator[Field]:
    """Yield the options that a class declares, in order."""
    for name, hint in get_type_hints(declaring, include_extras=True).items():
        rules: tuple[Any, ...] = ()
        kind = hint
        if get_origin(kind) is Annotated:
            kind, *found = get_args(kind)
            rules = tuple(found)
        if isinstance(kind, UnionType):
            kind = next((one for one in get_args(kind) if one is not type(None)), kind)
        rule = next((one for one in rules if isinstance(one, Range | Form)), None)
        yield Field(name, name.replace("_", "-"), kind, rule)


def read_fields(
    table: TomlTable, fields: Iterable[Field], special: Mapping[str, Read] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the values of the options that a table has, by their names as attributes; ``special`` reads some of them.

    Raises `server.config.toml_table.BadTable` for the first value that is not as it is declared.
    """
    found = {}
    for field in fields:
        if table.has(field.key):
            found[field.name] = special[field.name](table, field.key) if field.name in special else _read(table, field)
    return found


def _read(table: TomlTable, field: Field) -> Any:
    """Return a value as its type has it."""
    kind, rule = field.kind, field.rule
    right = _right(field)
    try:
        value: Any = msgspec.convert(table.value(field.key), str if isinstance(rule, Form) else kind)
    except msgspec.ValidationError:
        raise table.wrong(field.key, right) from None
    if isinstance(rule, Form):
        fits = re.fullmatch(rule.pattern, value) is not None
    else:  # a comparison also refuses what is no number, unlike msgspec
        fits = rule is None or rule.least <= value <= rule.most
    if not fits:
        raise table.wrong(field.key, right)
    return Path(value) if kind is Path else value


def _right(field: Field) -> str:
    """Say what is right, as behind "is"."""
    if isinstance(field.rule, Range):
        return field.rule.right(field.kind)
    return "true or false" if field.rule is None else field.rule.right
