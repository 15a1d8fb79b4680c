"""Commands about records of matches: ``arena-bot replay`` and ``review``."""

import re
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bots.client.errors import ArenaError
from bots.client.run import to_stderr
from bots.commands.options import (
    POSITIVE,
    Flag,
    fail,
    interruptible_at_once,
)
from bots.commands.requests import fetch
from engine.commands import reports
from engine.commands.inputs import MAX_BYTES, File, bytes_of, place_of
from engine.commands.program import Rejected, answer
from engine.compiling.binding import can_compile
from engine.games.interface import Position
from engine.match.reader import BadRecord, decoded
from engine.match.verification import Summary, verify

Record = Annotated[str, Parameter(allow_leading_hyphen=True)]

DATA = Path("arena-data")
"""The data directory of a server that was told nothing else."""

REVIEW_NODES = 100_000


def replay(
    record: Record,
    bot: str,
    /,
    *,
    ply: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    side: str | None = None,
    debugger: Flag = False,
    data: Path = DATA,
    json: File = None,
) -> None:
    """Bring a bot into each of its turns of a match, and show where it plays otherwise now.

    Each turn is told to the bot as after a lost connection: the match from its beginning, and the clocks of that time.
    Times are in seconds. The exit status is 0 where it plays legally in time, and wherever the record has a move, plays
    that; 1 where not, and 2 where nothing could be replayed.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    bot
        A Python file that calls play or has a function choose; with arguments behind it, in quotes.
    ply
        Only the turn in which this move was made, or was to be made.
    side
        Whose turns to replay, as in white; without it those of the player who is called as the bot is.
    debugger
        Stop in Python's debugger, pdb, where the bot begins to choose.
    data
        Data directory of a server.
    json
        File for the answers as JSON; - is stdout, and the lines for people then go to stderr.
    """
    from bots.workbench import replay as texts
    from bots.workbench.replay import Outcome, player, turns_of

    summary = _record_of(record, data)
    if debugger and record == "-":
        fail("--debugger reads standard input itself: name a file of the record", 2)
    reports.check_files({"--json": json})
    write = to_stderr if json == "-" else answer
    answers = []
    try:
        with player(bot, summary.header, side, debugger=debugger) as playing:
            turns = turns_of(summary, playing.side)
            chosen = [turn for turn in turns if ply in (None, turn.ply)]
            if not chosen:
                where = (
                    f"at {', '.join(str(turn.ply) for turn in turns)}" if turns else "nowhere: the match was not begun"
                )
                fail(f"{summary.header.who(playing.side)} was to move {where}", 2)
            write(summary.header.title)
            write(texts.TITLES)
            for turn in chosen:
                answers.append(playing.bot.answer(turn).compare(late_counts=not debugger))
                for line in texts.lines(answers[-1]):
                    write(line)
    except ArenaError as error:
        raise Rejected(str(error)) from None
    write(texts.closing(playing.name, summary, playing.side, answers))
    reports.write("--json", json, lambda: texts.as_json(playing.name, summary, playing.side, answers))
    sys.exit(0 if {answer.outcome for answer in answers} <= {Outcome.SAME, Outcome.NEW} else 1)


def review(
    record: Record,
    /,
    *,
    nodes: Annotated[int, Parameter(validator=POSITIVE)] = REVIEW_NODES,
    data: Path = DATA,
    json: File = None,
) -> None:
    """Let the engine look at each move of a match: what was best, what was lost, and what is proven.

    Scores are for the side that moves, a piece of GIPF being worth 100; `win 3` is a proven win within 3 plies, `draw`
    a proven draw, and `?` what was not searched. The loss is how much less the move is worth than the best one. A
    blunder gives away a fifth of a point or more, 150 being 73 points of 100 games; a missed win had a proven one.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    nodes
        Positions that the search looks at for each position; the solver at a tenth of them where that proves nothing.
    data
        Data directory of a server.
    json
        File for the review as JSON; - is stdout, and the lines for people then go to stderr.
    """
    from time import perf_counter

    from bots.workbench import review as texts
    from engine.commands.inputs import say_compiling
    from engine.match.review import review as reviewed_moves

    summary = _record_of(record, data)
    reports.check_files({"--json": json})
    write = to_stderr if json == "-" else answer
    for line in texts.heading(summary, nodes):
        write(line)
    moves = []
    start = summary.header.position
    _make_tablebase(start)
    with interruptible_at_once():
        for move in reviewed_moves(summary, nodes, clock=perf_counter, compiling=lambda: say_compiling(start)):
            moves.append(move)
            write(texts.line(move, start.game.sides))
    for line in texts.closing(summary, moves):
        write(line)
    reports.write("--json", json, lambda: texts.as_json(summary, nodes, moves))


def _make_tablebase(position: Position) -> None:
    """Make the tablebase of a variant that is known as a whole by one, if it is to be made, and was not."""
    from engine.commands.precompile import make_tablebase
    from engine.solve.tablebase import are_made, tablebase_of

    book = tablebase_of(position)
    if can_compile() and are_made() and book is not None and book.is_whole and not book.is_made():
        make_tablebase(position)


PAGE = re.compile(r"(https?://[^/?#]+)/match/([0-9]+)/?(?:[?#].*)?")
"""The page of a match; its record stands elsewhere on the server."""

FOLDERS = ("records", "running")
"""Where a data directory has records of matches that are over, and of those that are not."""


def _record_of(name: str, data: Path) -> Summary:
    """Read a record; raises `Rejected` where it cannot be read, or with the line that is not true.

    ``name`` is a file, - for standard input, the number of a match in the data directory, or the URL of a match's page
    or of its record.
    """
    place = name
    try:
        if name.startswith(("http://", "https://")):
            page = PAGE.fullmatch(name)
            content = fetch(f"{page[1]}/api/matches/{page[2]}/record" if page else name, MAX_BYTES)
        else:
            file = _numbered(name, data) if name.isdecimal() and not Path(name).exists() else name
            place = place_of(file)
            content = bytes_of(file)
        return verify(decoded(content))
    except BadRecord as error:
        raise Rejected(f"{place}: {error}") from None
    except ArenaError as error:
        raise Rejected(str(error)) from None


def _numbered(number: str, data: Path) -> str:
    """Return the file of a match in a data directory."""
    for folder in FOLDERS:
        path = data / folder / f"{int(number)}.txt"
        if path.is_file():
            return str(path)
    raise Rejected(f"the data directory {data} has no match {number}; --data names another one")
