"""Games, positions and files on command lines, with their errors."""

import sys
from functools import cache
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from engine.commands.program import Rejected, finite, install_line, reason, say
from engine.compiling.binding import is_installed
from engine.games.catalogue import GAMES, title_of, unknown_game
from engine.games.interface import BadParameters, BadPosition, Game, Position

GameName = Annotated[str, Parameter(help="The game's name.")]

VARIANT = Parameter(help="The variant, as in 4,4,15,15; the usual one when left out.")

Params = Annotated[str | None, VARIANT]

File = Annotated[str | None, Parameter(allow_leading_hyphen=True)]
"""An option with the name of a file; ``-`` is stdin."""

Time = Annotated[float | None, Parameter(validator=(finite, Number(gt=0)))]
"""The option ``--time`` in seconds; None without it."""

Source = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""An argument with the name of a file; ``-`` is stdin."""

MAX_BYTES = 1 << 21
"""Largest file: a board has some kilobytes, and the longest record has a megabyte."""


def game_named(name: str) -> Game:
    """Return a game by name; raises `Rejected`."""
    if name not in GAMES:
        raise Rejected(f"GAME: {unknown_game(name)}")
    return GAMES[name]


def position_of(game: str, params: str | None, file: str | None) -> Position:
    """Return the position in a file (``-`` is stdin), or without a file that of `start_of`; raises `Rejected`.

    Unusual parameters get a warning on stderr.
    """
    if file is None:
        position = start_of(game, params)
    elif params is not None:
        raise Rejected("--params and --position exclude each other: a position has its own parameters")
    else:
        try:
            position = game_named(game).read(text_of(file))
        except BadPosition as error:
            raise Rejected(f"{place_of(file)}: {error}") from None
    if warning := position.game.warning(position.parameters):
        say(f"warning: {warning}")
    return position


def start_of(game: str, params: str | None) -> Position:
    """Return the start position of a variant, by default the usual one; raises `Rejected`."""
    played = game_named(game)
    try:
        return played.start(played.default_parameters if params is None else params)
    except BadParameters as error:
        raise Rejected(f"--params: {error}") from None


def playable_start(game: str, params: str | None) -> Position:
    """Return the start position of a variant, which must not be over; raises `Rejected`."""
    start = position_of(game, params, None)
    if start.is_over:
        raise Rejected("--params: this game is over before it begins")
    return start


def say_compiling(position: Position) -> None:
    """Write to stderr that the search is compiled or loaded, which may take some seconds."""
    say(f"compiling the search for {title_of(position)}, or loading what was compiled before")


@cache
def say_interpreted() -> None:
    """Say on stderr, once, how to get the compiler where it is not installed."""
    if not is_installed("numba"):
        say(f"the search runs interpreted, a hundredth as fast as compiled; {install_line('fast')} adds numba")


def within(option: str, least: int, most: int) -> Parameter:
    """Return the bounds of an option. A number outside raises `Rejected`."""
    return Parameter(validator=lambda _type, value: check_range(option, value, least, most))


def check_range(option: str, number: int | None, least: int, most: int) -> None:
    """Raise `Rejected` if the number of an option lies outside its bounds. None is allowed."""
    if number is not None and not least <= number <= most:
        raise Rejected(f"--{option} is {number}, but it has to be {least} to {most}")


def place_of(file: str) -> str:
    """Return the name of a file (``-`` is stdin) for people."""
    return "standard input" if file == "-" else file


def text_of(file: str, most_bytes: int = MAX_BYTES) -> str:
    """Return the text of a file, with the arguments of `bytes_of`."""
    return bytes_of(file, most_bytes).decode("utf-8-sig", errors="replace")


def bytes_of(file: str, most_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file (``-`` is stdin) of at most ``most_bytes`` bytes; raises `Rejected`."""
    place = place_of(file)
    try:
        if file == "-":
            content = sys.stdin.buffer.read(most_bytes + 1)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(most_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise Rejected(f"{place}: cannot be read: {reason(error)}") from None
    if len(content) > most_bytes:
        raise Rejected(f"{place}: longer than {most_bytes} bytes, the limit for this file")
    return content
