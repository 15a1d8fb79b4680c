"""A contest's definition as text in the database: JSON, with each struct as the list of its fields.

The organiser's interventions are no part of it: the store keeps them by themselves. Fields that were added behind
the `FIRST_FIELDS` may be missing, and are left out where they and all that follow have their defaults: a contest is
recognised by its text, also one that an older version has opened. Any other change of a definition needs a step of
`server.contest.store.schema.MIGRATIONS`.
"""

from typing import Any

import msgspec

from server.contest.definition import Definition
from server.ops import typed_json

STORED = [name for name in Definition.__struct_fields__ if name != "interventions"]
"""The fields of a definition that stand in its text, in order."""

FIRST_FIELDS = STORED.index("visible") + 1
"""How many fields every text has."""

LATER_DEFAULTS = Definition.__struct_defaults__[FIRST_FIELDS - len(Definition.__struct_fields__) : -1]
"""The defaults of the others."""

LATER_OF_FORMATS: dict[str, tuple[Any, ...]] = {"knockout": (False,)}
"""By the word of a format, the defaults of the fields that were added to it later, together."""

ENTRANTS = STORED.index("entrants")

STAGES = STORED.index("stages")
"""A stage stands there as the word of its format, the list of the format's fields, and the stage's other fields."""


def encode(definition: Definition) -> str:
    """Return the text of a definition."""
    values = msgspec.to_builtins(definition)[: len(STORED)]
    while len(values) > FIRST_FIELDS and values[-1] == LATER_DEFAULTS[len(values) - FIRST_FIELDS - 1]:
        values.pop()
    for entrant in values[ENTRANTS]:
        if not entrant[-1]:  # no number of a version
            entrant.pop()
    values[STAGES] = [(word, _trimmed(word, format), *rest) for (word, *format), *rest in values[STAGES]]
    return msgspec.json.encode(values).decode()


def _trimmed(word: str, format: list[Any]) -> list[Any]:
    """Leave out the fields of a format that were added later, where they have their defaults."""
    later = LATER_OF_FORMATS.get(word, ())
    return format[: -len(later)] if later and tuple(format[-len(later) :]) == later else format


def decode(text: str) -> Definition:
    """Return the definition of a text; raises `msgspec.DecodeError` if it is not one."""
    values = typed_json.decode(text, type=list[Any])[: len(STORED)]
    try:
        stages = typed_json.convert(values[STAGES], list[list[Any]])
        values[STAGES] = [((word, *format), *rest) for word, format, *rest in stages]
        return typed_json.convert(values, Definition)
    except (IndexError, TypeError, ValueError) as error:
        raise msgspec.DecodeError(f"this is no definition of a contest: {error}") from None
