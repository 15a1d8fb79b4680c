"""The bot that a command line names, started, and the side whose turns it gets."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bots.client.errors import ArenaError
from bots.workbench.replay.answers import Asked
from bots.workbench.replay.in_process import BotHere
from bots.workbench.replay.programs import program
from bots.workbench.replay.python_file import loaded
from engine.record import Header


class Player(NamedTuple):
    """A bot in the place of a player of the record."""

    name: str
    side: int
    asked: Asked


@contextmanager
def player(
    bot: str, header: Header, side: str | None, *, debugger: bool, report: Callable[[str], None]
) -> Iterator[Player]:
    """Start the bot that a text names: a Python file with its arguments, or the command of a program.

    Without a side it gets that of the player of its name. Raises `ArenaError`.
    """
    try:
        words = shlex.split(bot)
    except ValueError as error:
        raise ArenaError(f"{bot!r} is no command: {str(error).lower()}") from None
    if not words:
        raise ArenaError("the bot is empty: it is a Python file, or the command of a program")
    if words[0].endswith(".py"):
        with loaded(Path(words[0]), words[1:]) as file:
            place = _side_of(header, side, (file.name, Path(words[0]).stem))
            yield Player(file.name, place, BotHere(file.bot, header, debugger=debugger))
        return
    if debugger:
        raise ArenaError(
            "--debugger is for a Python file that plays by the client library, as mybot.py; not for a command"
        )
    names = _names_of(words)
    place = _side_of(header, side, names)
    with closing(program(words, header, place, report)) as asked:
        yield Player(names[0], place, asked)


def _side_of(header: Header, wanted: str | None, names: Sequence[str]) -> int:
    """Return the side that is asked for, or that of the player who has one of the names."""
    sides = header.position.game.sides
    if wanted is not None:
        if wanted not in sides:
            raise ArenaError(f"--side is {sides[0]} or {sides[1]} here, not {wanted}")
        return sides.index(wanted)
    known = {name.lower() for name in names}
    found = [side for side in (0, 1) if header.players[side].lower() in known]
    if len(found) != 1:
        who = (
            f"neither {header.who(0)} nor {header.who(1)}" if not found else f"both {header.who(0)} and {header.who(1)}"
        )
        raise ArenaError(f"{who} is called {names[0]}: say by --side whose turns to replay")
    return found[0]


def _names_of(words: Sequence[str]) -> list[str]:
    """Return what a program may be called: after the files of its command, the last one first, or after its program."""
    files = [Path(word).stem for word in words[1:] if Path(word).is_file()]
    return [*reversed(files), Path(words[0]).stem]
