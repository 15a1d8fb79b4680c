"""A contest's definition as text in the database: JSON, with each struct as the list of its fields.

The organiser's interventions are no part of the text: the store keeps them in a table of their own.
"""

import msgspec
from msgspec.structs import replace

from server.contest.definition import Definition
from server.ops import typed_json


def encode(definition: Definition) -> str:
    """Return the text of a definition."""
    return msgspec.json.encode(replace(definition, interventions=())).decode()


def decode(text: str) -> Definition:
    """Return the definition of a text; raises `msgspec.DecodeError` if it is not one."""
    return replace(typed_json.decode(text, type=Definition), interventions=())
