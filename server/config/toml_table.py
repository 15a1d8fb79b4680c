"""A table of a TOML file, key by key: what is wrong with a value is said in one sentence, with its place."""

from typing import Any


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
        for key in self._values:
            if key not in self._known:
                where = f"of {self.place}" if self.place else f"of {self._file}"
                raise self._fault(f"{self.name_of(key)} is no key {where}; these are {', '.join(self._known)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
