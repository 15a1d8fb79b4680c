"""``arena-engine record``: replays the record of a match, and verifies every move, every clock and the result."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from engine import record
from engine.clock import about
from engine.commands.inputs import check_range, place_of, text_of
from engine.commands.program import Rejected, answer
from engine.commands.usage_errors import reason
from engine.games.history import History
from engine.games.outcome import Termination
from engine.record import Played, RecordedNote, milliseconds
from engine.wire.words import number_of


def replay(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    verify: bool = False,
    picture: Path | None = None,
    ply: int | None = None,
    night: bool = False,
    scale: int = 1,
) -> None:
    """Replay the record of a match: its moves and notes with the board at the end, and whether all of it is true.

    Parameters
    ----------
    file
        The record; - is standard input.
    verify
        Show, in place of the board, how each clock comes about, in milliseconds: the stamps between which it ran, what
        of that the server stood still for, what was allowed for lag, what was charged, and what was left with the
        increment; and where the time of both sides went, which is also shown after a loss on time.
    picture
        A file for a picture: of a position if its name ends in .svg or .png, of the whole match, animated, if in .gif.
    ply
        After how many moves the position of the picture stands; after all of them if missing.
    night
        Dark colours for the picture.
    scale
        How many times as large a PNG is, 1 to 3.
    """
    try:
        summary = record.verify(text_of(file))
    except record.BadRecord as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    if picture is not None:
        _draw(summary, picture, ply, night, scale)
    if verify:
        _show_clocks(summary)
    else:
        _show(summary)
    if verify or summary.reason == Termination.TIME:
        for line in record.time_account(summary):
            answer(line)
    left = " and ".join(map(about, summary.left))
    plies = summary.history.plies
    moves = number_of(plies, "move")
    ended = f"{summary.result} {summary.reason}" if summary.result else "not ended"
    answer(f"verified match {summary.header.match}: {ended}, {moves}, {left} left")


def _draw(summary: record.Summary, file: Path, ply: int | None, night: bool, scale: int) -> None:
    """Write a picture of a match, in the format that the name of its file ends in; raises `Rejected`."""
    from engine.games.boards import game_pictures as pictures

    start, moves = summary.header.position, summary.history.moves
    if ply is not None:
        check_range("ply", ply, 0, len(moves))
        moves = moves[:ply]
    check_range("scale", scale, 1, 3)
    try:
        if file.suffix == ".svg":
            data = pictures.svg(start, moves, night=night).encode()
        elif file.suffix == ".png":
            data = pictures.png(start, moves, night=night, scale=scale)
        elif file.suffix == ".gif":
            data = pictures.animation(
                start, moves, summary.header.players, record.readable(summary.sentence or ""), night=night
            )
        else:
            raise Rejected(f"--picture: {file} ends in none of .svg, .png and .gif, which are the formats")
        file.write_bytes(data)
    except pictures.NotDrawn as error:
        raise Rejected(f"--picture: {error}") from None
    except OSError as error:
        raise Rejected(f"--picture: {file}: cannot be written: {reason(error)}") from None


def _show(summary: record.Summary) -> None:
    """Print who played what, the moves with what was noted of each, and the board after the last one."""
    answer(summary.header.title)
    history = History.begin(summary.header.position)
    for move in summary.history.moves:
        side = summary.header.position.game.sides[history.position.turn]
        history = history.after(move)
        answer(f"{history.plies:4} {side} {move}")
        _show_notes(note for note in summary.notes if note.ply == history.plies)
    _show_notes(note for note in summary.notes if note.ply > history.plies)
    answer(history.position.picture())
    answer(history.position.summary())
    if summary.sentence:
        answer(record.readable(summary.sentence))


def _show_notes(notes: Iterable[RecordedNote]) -> None:
    """Print notes of players behind the move that they are about, or, if that was not made, behind the last one."""
    for note in notes:
        answer(f"{'':6}note: {note.note}")


def _show_clocks(summary: record.Summary) -> None:
    """Print a line for each time that a clock was stopped by its owner."""
    answer(summary.header.title)
    control = summary.header.control
    answer(f"budget {milliseconds(control.budget)}, increment {milliseconds(control.increment)}")
    titles = ("from", "until", "stalled", "lag", "charged", "left")
    answer(f"{'':4} {'':8} " + " ".join(f"{title:>14}" for title in titles))
    for ready in summary.initialised:
        answer(_row(summary, "", ready, "READY"))
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        answer(_row(summary, str(ply), played, move))


def _row(summary: record.Summary, ply: str, played: Played, what: str) -> str:
    charge = played.charge
    times = (charge.since, charge.until, charge.stalled, charge.allowed, charge.charged, played.left[played.side])
    side = summary.header.position.game.sides[played.side]
    return f"{ply:>4} {side:8} " + " ".join(f"{milliseconds(time):>14}" for time in times) + f"  {what}"
