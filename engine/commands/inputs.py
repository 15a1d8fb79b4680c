"""Games and positions as command lines name them, and what is wrong with them."""

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

File = Annotated[str | None, Parameter(allow_leading_hyphen=True)]
"""An option that names a file; ``-`` is stdin."""


Time = Annotated[float | None, Parameter(validator=(finite, Number(gt=0)))]
"""The option ``--time``, in seconds; None where it is left out."""

Source = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""An argument that names a file; ``-`` is stdin."""

MAX_BYTES = 1 << 21
"""No file is longer than this: a board of the largest game takes some kilobytes, the longest record a megabyte."""


def game_named(name: str) -> Game:
    """Return the game of a name; raises `Rejected`."""
    if name not in GAMES:
        raise Rejected(f"GAME: {unknown_game(name)}")
    return GAMES[name]


def position_of(game: str, params: str | None, file: str | None) -> Position:
    """Return the position in a file (``-`` is stdin), or, without a file, as `start_of`; raises `Rejected`.

    What is odd about its parameters is said on stderr.
    """
    if file is None:
        position = start_of(game, params)
    elif params is not None:
        raise Rejected("--params and --position exclude each other: a position names its own parameters")
    else:
        try:
            position = game_named(game).read(text_of(file))
        except BadPosition as error:
            raise Rejected(f"{place_of(file)}: {error}") from None
    if warning := position.game.warning(position.parameters):
        say(f"warning: {warning}")
    return position


def start_of(game: str, params: str | None) -> Position:
    """Return the start of the game that parameters name, the usual variant without them; raises `Rejected`."""
    played = game_named(game)
    try:
        return played.start(played.default_parameters if params is None else params)
    except BadParameters as error:
        raise Rejected(f"--params: {error}") from None


def playable_start(game: str, params: str | None) -> Position:
    """Return the start of a game that is not over before it begins, as `position_of`; raises `Rejected`."""
    start = position_of(game, params, None)
    if start.is_over:
        raise Rejected("--params: this game is over before it begins")
    return start


def say_compiling(position: Position) -> None:
    """Say on stderr why all is slow, or nothing happens, for some seconds where the search was never compiled."""
    say(f"compiling the search for {title_of(position)}, or loading what was compiled before")


@cache
def say_interpreted() -> None:
    """Say on stderr, once, how to get the compiler where it is not installed."""
    if not is_installed("numba"):
        say(f"the search runs interpreted, a hundredth as fast as compiled; {install_line('fast')} adds numba")


def within(option: str, least: int, most: int) -> Parameter:
    """Return the bounds of an option; a number outside of them raises `Rejected`."""
    return Parameter(validator=lambda _type, value: check_range(option, value, least, most))


def check_range(option: str, number: int | None, least: int, most: int) -> None:
    """Raise `Rejected` where the number of an option, which may be left out, lies outside of its bounds."""
    if number is not None and not least <= number <= most:
        raise Rejected(f"--{option} is {number}, but it has to be {least} to {most}")


def place_of(file: str) -> str:
    """Name a file (``-`` is stdin) for people."""
    return "standard input" if file == "-" else file


def text_of(file: str, most_bytes: int = MAX_BYTES) -> str:
    """Return the text in a file; as `bytes_of`."""
    return bytes_of(file, most_bytes).decode("utf-8-sig", errors="replace")


def bytes_of(file: str, most_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file (``-`` is stdin), no longer than so many bytes; raises `Rejected`."""
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
        raise Rejected(f"{place}: longer than {most_bytes} bytes, which is more than anything that is read here")
    return content
