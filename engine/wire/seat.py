"""Environment variables and command of a program that is started to play: its server, name, game and token."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

PIPES = "-"
"""In place of a host: a program plays on its own standard input and output."""


class Seat(NamedTuple):
    """Where a program plays, as whom and what. An empty text is not said."""

    host: str
    """Where the server listens, for a program that connects by itself; `PIPES` for one that has no other way."""
    port: int
    name: str
    """The name that it logs in by."""
    game: str
    token: str = ""
    """Its token for LOGIN."""
    params: str = ""
    """The variant, as `engine.wire.words.word_of` writes it."""
    games: str = ""
    """How many matches it plays; 0 for no end."""


_PLACEHOLDER = re.compile(f"{{({'|'.join(Seat._fields)})}}")


def variable(field: str) -> str:
    """Return the name of the environment variable for a field of `Seat`: ``ARENA_HOST`` and so on."""
    return f"ARENA_{field.upper()}"


def environment_variables(seat: Seat) -> dict[str, str]:
    """Return the environment variables for a program: ARENA_HOST and so on."""
    return {variable(field): str(value) for field, value in seat._asdict().items()}


def seat_fields(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what environment variables say of a seat, by its fields; what they do not say is left out."""
    return {field: text for field in Seat._fields if (text := environment.get(variable(field), ""))}


def fill_command(command: Sequence[str], seat: Seat) -> list[str]:
    """Return a command with {host}, {port}, {name}, {game}, {token} and {params} filled in; other braces stay."""
    values = seat._asdict()
    return [_PLACEHOLDER.sub(lambda found: str(values[found[1]]), word) for word in command]
