"""``arena-engine shell``: the command protocols of the assignments, on stdin and stdout."""

import io
import sys
from time import perf_counter

from engine.commands.program.output import Rejected, fast_answer, say
from engine.shell import UnknownShell, find


def shell(game: str, /, *, strict: bool = False) -> None:
    """Read a game's commands from stdin, a line each, and answer each on stdout at once.

    Parameters
    ----------
    game
        The game's name.
    strict
        After a bad move, no longer look at moves, and answer nothing to them.
    """
    try:
        run = find(game)
    except UnknownShell as error:
        raise Rejected(f"GAME: {error}") from None
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # any bytes may come in, and go out again as they came
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    run(sys.stdin, fast_answer(), say, strict=strict, clock=perf_counter)
