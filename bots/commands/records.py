"""Commands about records of matches: ``arena-bot review``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bots.client.errors import ArenaError
from bots.client.run import to_stderr
from bots.commands.options import (
    POSITIVE,
    check_report_files,
    fail,
    print_line,
    write_report,
)
from engine.commands.inputs import File
from engine.record import Summary

Record = Annotated[str, Parameter(allow_leading_hyphen=True)]

DATA = Path("arena-data")
"""The data directory of a server that was told nothing else."""

REVIEW_NODES = 100_000


def review(
    record: Record,
    /,
    *,
    nodes: Annotated[int, Parameter(validator=POSITIVE)] = REVIEW_NODES,
    data: Path = DATA,
    json: File = None,
    annotate: File = None,
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
        Positions that the search looks at for each position, and the solver where the search proves nothing.
    data
        Data directory of a server.
    json
        File for the review as JSON; - is stdout, and the lines for people then go to stderr.
    annotate
        File for a copy of the record with the review as notes, for pages and tools that show these.
    """
    from time import perf_counter

    from bots.workbench import review as texts
    from engine.commands.inputs import say_compiling
    from engine.record.review import review as reviewed_moves

    text, summary = _record_of(record, data)
    files = {"--json": json, "--annotate": annotate}
    check_report_files(files)
    write = to_stderr if "-" in files.values() else print_line
    for line in texts.heading(summary, nodes):
        write(line)
    moves = []
    start = summary.header.position
    for move in reviewed_moves(summary, nodes, clock=perf_counter, compiling=lambda: say_compiling(start)):
        moves.append(move)
        write(texts.line(move, start.game.sides))
    for line in texts.closing(summary, moves):
        write(line)
    write_report("--json", json, lambda: texts.as_json(summary, nodes, moves))
    write_report("--annotate", annotate, lambda: texts.annotated(text, start.game.sides, moves))


def _record_of(record: str, data: Path) -> tuple[str, Summary]:
    """Read a record, as text and as what it says; ends the command where that fails."""
    from bots.workbench.record_source import read_record

    try:
        return read_record(record, data)
    except ArenaError as error:
        fail(str(error), 2)
