"""A table of a TOML file, read key by key: what is wrong with a value is said in one sentence, with its place."""

import re
from collections.abc import Iterable
from typing import Any

NOTHING: Any = object()
"""Stands for: there is no default, the key has to be there."""


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

    def name_of(self, key: str) -> str:
        """Return a key with its place, as it stands in sentences."""
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, right: str) -> BadTable:
        """Return the complaint about the value of a key: ``right`` says what would be right."""
        if key not in self._values:
            return self._fault(f"{self.name_of(key)} is missing: {right}")
        return self._fault(f"{self.name_of(key)} is {right}, not {_shown(self._values[key])}")

    def has(self, key: str) -> bool:
        """Tell whether a key is there; it is known from now on."""
        self._known[key] = None
        return key in self._values

    def value(self, key: str) -> Any:
        """Return the value of a key that is there, as TOML has it."""
        self._known[key] = None
        return self._values[key]

    def truth(self, key: str, default: bool = NOTHING) -> bool:
        """Return true or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def number(self, key: str, least: int, most: int, default: int = NOTHING, unit: str = "") -> int:
        """Return a whole number within bounds."""
        value = self._value(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(key, f"a whole number from {least} to {most}{unit and ' ' + unit}")
        return value

    def decimal(self, key: str, least: float, most: float, default: float = NOTHING, unit: str = "") -> float:
        """Return a number within bounds, whole or not."""
        value = self._value(key, default)
        if type(value) not in (int, float) or not least <= value <= most:
            raise self.wrong(key, f"a number from {least:g} to {most:g}{unit and ' ' + unit}")
        return float(value)

    def text(self, key: str, pattern: str, right: str, default: str = NOTHING) -> str:
        """Return a text that matches a pattern as a whole."""
        value = self._value(key, default)
        if not isinstance(value, str) or (key in self._values and not re.fullmatch(pattern, value)):
            raise self.wrong(key, right)
        return value

    def choice(self, key: str, choices: Iterable[str], default: str = NOTHING) -> str:
        """Return one of some words."""
        value = self._value(key, default)
        words = [str(choice) for choice in choices]
        if value not in words:
            raise self.wrong(key, f"one of {', '.join(words)}")
        return str(value)

    def texts(self, key: str, right: str, default: tuple[str, ...] = NOTHING) -> tuple[str, ...]:
        """Return a list of texts, none of them empty; the list may be."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) and text for text in value):
            raise self.wrong(key, right)
        return tuple(value)

    def lists(self, key: str, right: str) -> tuple[tuple[str, ...], ...]:
        """Return a list of lists of texts."""
        value = self._value(key, NOTHING)
        good = isinstance(value, list) and all(
            isinstance(part, list) and all(isinstance(text, str) for text in part) for part in value
        )
        if not good:
            raise self.wrong(key, right)
        return tuple(tuple(part) for part in value)

    def table(self, key: str) -> "TomlTable | None":
        """Return the table under a key; None where there is none."""
        value = self._value(key, None)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(key, f"a table, as [{self.name_of(key)}]")
        return TomlTable(value, self.name_of(key), self._file, self._fault)

    def tables(self, key: str, right: str) -> list["TomlTable"]:
        """Return the tables of a list; they are numbered from 1. There has to be one at least."""
        value = self._value(key, NOTHING)
        if not isinstance(value, list) or not value or not all(isinstance(part, dict) for part in value):
            raise self.wrong(key, right)
        return [
            TomlTable(part, f"{self.name_of(key)}[{number}]", self._file, self._fault)
            for number, part in enumerate(value, 1)
        ]

    def finish(self) -> None:
        """Refuse keys that nobody has asked for: a key with a slip of the pen would be ignored otherwise."""
        for key in self._values:
            if key not in self._known:
                where = f"of {self.place}" if self.place else f"of {self._file}"
                raise self._fault(f"{self.name_of(key)} is no key {where}; these are {', '.join(self._known)}")

    def _value(self, key: str, default: Any) -> Any:
        self._known[key] = None
        return self._values.get(key, default)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
