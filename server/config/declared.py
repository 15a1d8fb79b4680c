"""Options as fields of a class, with ranges and forms: read from a table of TOML, and checked on the command line.

A field's annotation holds a `Range` or a `TextForm`. Its key in a file, and its option, is its name with dashes,
unless it has a `Key`. A field that is a struct is a table of its own. If a field is one of
several tagged structs, the table has the tag and the fields of that struct.
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.wire.words import nearest

MAX_CHARACTERS = 1 << 21
"""Largest file: `read_text` ends at a device that never ends, as /dev/zero."""


class BadTable(ValueError):
    """A file with a value that cannot be used. ``str(error)`` names the key, its value and what would be right."""


class TomlTable:
    """The keys of one table. Each is asked for once; `finish` refuses those that nobody has asked for."""

    def __init__(self, values: dict[str, Any], place: str, file: str, fault: type[BadTable] = BadTable) -> None:
        """Keep a table as `tomllib` gives it.

        ``place`` is where it stands, empty for the file itself; ``file`` says what kind of file it is, in sentences;
        ``fault`` is raised where something is wrong.
        """
        self.place = place
        self._file = file
        self._fault = fault
        self._values = values
        self._known: dict[str, None] = {}
        self._expected: dict[str, None] = {}

    def expect(self, keys: Iterable[str]) -> None:
        """Name all keys of this table, so that an unknown key is refused before a missing one."""
        self._expected = dict.fromkeys(keys)

    def name_of(self, key: str) -> str:
        """Return a key with its place, as it stands in sentences."""
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, right: str) -> BadTable:
        """Return the complaint about the value of a key: ``right`` says what would be right."""
        if key not in self._values:
            if self._expected:
                self._refuse_others(self._known | self._expected)
            return self._fault(f"{self.name_of(key)} is missing: {right}")
        return self._fault(f"{self.name_of(key)} is {right}, not {self._values[key]!r:.60}")

    def has(self, key: str) -> bool:
        """Tell whether a key is there; it is known from now on."""
        self._known[key] = None
        return key in self._values

    def value(self, key: str) -> Any:
        """Return the value of a key, as TOML has it; None where it is missing. It is known from now on."""
        self._known[key] = None
        return self._values.get(key)

    def texts(self, key: str, right: str) -> tuple[str, ...]:
        """Return a list of texts, none of them empty; the list may be."""
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
            raise self.wrong(key, right)
        return tuple(value)

    def table(self, key: str) -> "TomlTable":
        """Return the table under a key."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.wrong(key, f"a table, as [{self.name_of(key)}]")
        return TomlTable(value, self.name_of(key), self._file, self._fault)

    def tables(self, key: str, right: str) -> list["TomlTable"]:
        """Return the tables of a list; they are numbered from 1. There has to be one at least."""
        value = self.value(key)
        if not isinstance(value, list) or not value or not all(isinstance(part, dict) for part in value):
            raise self.wrong(key, right)
        return [
            TomlTable(part, f"{self.name_of(key)}[{number}]", self._file, self._fault)
            for number, part in enumerate(value, 1)
        ]

    def finish(self) -> None:
        """Refuse keys that nobody has asked for: a key with a slip of the pen would be ignored otherwise."""
        self._refuse_others(self._known)

    def _refuse_others(self, known: Iterable[str]) -> None:
        """Refuse the first key that is not known."""
        for key in self._values:
            if key not in known:
                sentence = f"{self.name_of(key)} is no key of {self.place or self._file}; these are {', '.join(known)}"
                meant = nearest(key, known)
                raise self._fault(f"{sentence}; did you mean {meant}?" if meant else sentence)


def read_toml(text: str, kind: str, fault: type[BadTable] = BadTable) -> TomlTable:
    """Return the top table of a file of some kind; raises ``fault``."""
    try:
        return TomlTable(tomllib.loads(text), "", kind, fault)
    except tomllib.TOMLDecodeError as error:
        raise fault(f"this is no TOML: {error}") from None


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Raise `BadTable` with the name of the file where it cannot be read, or used."""
    try:
        yield
    except OSError as error:
        raise BadTable(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadTable(f"{path} is no UTF-8 text") from None
    except BadTable as error:
        raise BadTable(f"{path}: {error}") from None


def read_text(path: Path) -> str:
    """Return the text of a file, in UTF-8; raises `BadTable` if it is too long, OSError and UnicodeDecodeError."""
    with path.open(encoding="utf-8-sig") as file:  # some editors begin files with a mark
        text = file.read(MAX_CHARACTERS + 1)
    if len(text) > MAX_CHARACTERS:
        raise BadTable(f"{path.name!r} is longer than {MAX_CHARACTERS} characters, the limit for this file")
    return text


Declared = TypeVar("Declared")


class Range(NamedTuple):
    """Range of a number, bounds included."""

    least: float
    most: float
    unit: str = ""

    def right(self, kind: type) -> str:
        """Say what a number of that kind may be, as behind "is"."""
        unit = self.unit and f" {self.unit}"
        if kind is int:
            return f"a whole number from {self.least} to {self.most}{unit}"
        return f"a number from {self.least:g} to {self.most:g}{unit}"

    def fits(self, value: Any) -> bool:
        """Tell whether a number is right. A comparison also refuses what is no number, unlike msgspec."""
        return self.least <= value <= self.most

    def fault(self, name: str, value: float) -> str:
        """Say what is wrong with an option of the command line; empty where nothing is."""
        return "" if self.fits(value) else f"--{name} is {value}; it has to lie between {self.least} and {self.most}"


class TextForm(NamedTuple):
    """Form of a text, or of the texts of a list."""

    pattern: str
    """A regular expression for the whole of it."""
    right: str
    """Description of a right value, to follow "is"."""

    @classmethod
    def one_of(cls, words: Iterable[str]) -> "TextForm":
        """Return the form of a text that is one of some words."""
        known = list(words)
        return cls("|".join(map(re.escape, known)), f"one of {', '.join(known)}")

    def fits(self, value: Any) -> bool:
        """Tell whether a text, or each text of a list, is right."""
        texts = value if isinstance(value, tuple) else (value,)
        return all(re.fullmatch(self.pattern, str(text)) for text in texts)

    def fault(self, name: str, value: Any) -> str:
        """Say what is wrong with an option of the command line; empty where nothing is."""
        return "" if self.fits(value) else f"--{name} is {str(value)!r}; it is {self.right}"


class Key(str):
    """The key of a field in files where that is not its name."""

    __slots__ = ()


Read: TypeAlias = Callable[[TomlTable, str], Any]
"""Reads the value of a key; raises `server.config.declared.BadTable`."""

NO_READERS: Mapping[str, Read] = MappingProxyType({})


class Field(NamedTuple):
    """An option as it is declared."""

    name: str
    """As an attribute."""
    key: str
    """In a file, and on the command line behind two dashes."""
    kind: Any
    """Its type without annotation and without None."""
    rule: Range | TextForm | None
    required: bool = False
    """It has no default."""

    @property
    def right(self) -> str:
        """Say what is right, as behind "is"."""
        if isinstance(self.rule, Range):
            return self.rule.right(self.kind)
        if self.rule is not None:
            return self.rule.right
        if _is(self.kind, StrEnum):
            return TextForm.one_of(self.kind).right
        return "true or false"


def fields_of(declaring: type) -> Iterator[Field]:
    """Yield the options that a class declares, in order."""
    parameters = inspect.signature(declaring).parameters
    for name, hint in get_type_hints(declaring, include_extras=True).items():
        if get_origin(hint) is ClassVar:
            continue
        kind, *rules = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if get_origin(kind) in (Union, UnionType):
            kind = Union[tuple(one for one in get_args(kind) if one is not type(None))]  # noqa: UP007 - one type remains itself
        rule = next((one for one in rules if isinstance(one, Range | TextForm)), None)
        key = next((str(one) for one in rules if isinstance(one, Key)), name.replace("_", "-"))
        yield Field(name, key, kind, rule, parameters[name].default is inspect.Parameter.empty)


def read_table(table: TomlTable, declaring: type[Declared], special: Mapping[str, Read] = NO_READERS) -> Declared:
    """Return what a table says as an object of the class that declares it.

    Raises `server.config.declared.BadTable`, also for keys that are not declared.
    """
    table.expect(_keys_of(declaring))
    found = declaring(**read_fields(table, fields_of(declaring), special))
    table.finish()
    return found


def read_fields(table: TomlTable, fields: Iterable[Field], special: Mapping[str, Read] = NO_READERS) -> dict[str, Any]:
    """Return the values of the options that a table has, by their names as attributes.

    ``special`` has readers of some keys; they are also asked where a key is missing and there is no default. Raises
    `server.config.declared.BadTable` for the first value that is missing, or not as it is declared.
    """
    found = {}
    for field in fields:
        if table.has(field.key) or field.required:
            reader = special.get(field.key)
            found[field.name] = read_value(table, field, special) if reader is None else reader(table, field.key)
    return found


def read_value(table: TomlTable, field: Field, special: Mapping[str, Read] = NO_READERS) -> Any:
    """Return the value of an option, which has to be there; ``special`` has readers of what is declared within it."""
    if get_origin(field.kind) is Union:
        tagged = {one.__struct_config__.tag: one for one in get_args(field.kind)}
        kind = tagged[read_value(table, field._replace(kind=str, rule=TextForm.one_of(tagged)))]
        return kind(**read_fields(table, fields_of(kind), special))
    if not table.has(field.key):
        raise table.wrong(field.key, field.right)
    if _is(field.kind, msgspec.Struct):
        return read_table(table.table(field.key), field.kind, special)
    try:
        value = msgspec.convert(table.value(field.key), str if field.kind is Path else field.kind)  # noqa: TID251 - plain types
    except msgspec.ValidationError:
        raise table.wrong(field.key, field.right) from None
    if field.rule is not None and not field.rule.fits(value):
        raise table.wrong(field.key, field.right)
    return Path(value) if field.kind is Path else value


def _keys_of(declaring: type) -> Iterator[str]:
    """Yield the keys of a class, with those of all structs that a field may be one of."""
    for field in fields_of(declaring):
        yield field.key
        if get_origin(field.kind) is Union:
            for kind in get_args(field.kind):
                yield from _keys_of(kind)


def _is(kind: Any, parent: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, parent)
