"""``arena-engine export``: records as training data, a line of JSON for each move."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

import msgspec

from engine.commands.inputs import Source, place_of, text_of
from engine.commands.program import Rejected, reason, say
from engine.games.history import History
from engine.match import verification
from engine.match.encoding import encoding_of, legal_actions
from engine.match.reader import BadRecord
from engine.match.record import RecordedNote
from engine.match.verification import Summary
from engine.wire.words import number_of


class ExampleNote(msgspec.Struct, frozen=True):
    """What the player noted of its move. What is None or empty was not said."""

    score: float | None
    depth: int | None
    nodes: int | None
    pv: tuple[str, ...]
    text: str


class Example(msgspec.Struct, frozen=True):
    """A move of a record. Times are in milliseconds."""

    match: int
    game: str
    parameters: str
    started: str
    """Date and time of the match, in UTC."""
    ply: int
    """The number of the move, from 1."""
    plies: int
    """How many moves the match has."""
    side: str
    """The side that moves."""
    player: str
    opponent: str
    position: str
    """The position before the move, in the game's text form."""
    legal_moves: tuple[str, ...]
    legal_actions: tuple[tuple[int, ...], ...]
    """The same moves as actions of `engine.match.encoding.Encoding`, in the same order."""
    move: str
    actions: tuple[int, ...]
    """The move as actions."""
    result: float | None
    """1 where the side that moves won the match, 0.5 for a draw, 0 where it lost; None for a match without a result."""
    reason: str
    """The rule that ended the match, in one word; empty for one without a result."""
    left_ms: float
    """What the side had left before the move."""
    opponent_left_ms: float
    used_ms: float
    """What the move took from the clock, the increment not counted."""
    notes: tuple[ExampleNote, ...]
    """What the player noted of this move, in the order in which it did."""


def examples(summary: Summary) -> Iterator[Example]:
    """Yield the moves of a record; raises OverflowError where a push of GIPF has more outcomes than can be listed."""
    header = summary.header
    game = header.position.game
    encoding = encoding_of(game.name, header.position.parameters)
    notes = {
        ply: tuple(map(_note, found))
        for ply, found in groupby(sorted(summary.state.notes, key=lambda note: note.ply), key=lambda note: note.ply)
    }
    left = list(summary.left)
    for ready in summary.initialised:
        left[ready.side] = ready.left[ready.side]
    history = History.begin(header.position)
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        side, position = played.side, history.position
        legal = legal_actions(position)
        yield Example(
            match=header.match,
            game=game.name,
            parameters=position.parameters,
            started=header.started,
            ply=ply,
            plies=summary.history.plies,
            side=game.sides[side],
            player=header.players[side],
            opponent=header.players[1 - side],
            position=position.text(),
            legal_moves=tuple(legal.values()),
            legal_actions=tuple(legal),
            move=move,
            actions=encoding.actions(position, move),
            result=_result(summary, side),
            reason=summary.reason,
            left_ms=left[side] / 1000,
            opponent_left_ms=left[1 - side] / 1000,
            used_ms=played.charge.charged / 1000,
            notes=notes.get(ply, ()),
        )
        left[side] = played.left[side]
        history = history.after(move)


def _result(summary: Summary, side: int) -> float | None:
    if summary.winner is not None:
        return float(summary.winner == side)
    return 0.5 if summary.result == "draw" else None


def _note(recorded: RecordedNote) -> ExampleNote:
    note = recorded.note
    return ExampleNote(note.score, note.depth, note.nodes, note.pv, note.text)


def export(
    *records: Source,
    output: Path | None = None,
) -> None:
    """Write the moves of records as lines of JSON: position, legal moves, move, result, clocks and notes.

    docs/learning.md describes the columns. Every record is verified; one that is not true is named, and left out.

    Parameters
    ----------
    records
        Records, folders of them, or data directories of servers; - is one record on standard input.
    output
        File to make; without it lines go to standard output.
    """
    if not records:
        raise Rejected("RECORDS: name a record, a folder of records, or - at least")
    files = [file for name in records for file in _files(name)]
    moves = matches = 0
    with _opened(output) as lines:
        for file in files:
            try:
                found = _examples(file)
            except Rejected as error:
                say(f"{error}; left out")
                continue
            lines.write(b"".join(msgspec.json.encode(row) + b"\n" for row in found))
            matches += 1
            moves += len(found)
    say(f"{number_of(moves, 'move')} of {number_of(matches, 'match', 'matches')}")
    if matches < len(files):
        raise Rejected(f"{len(files) - matches} of {number_of(len(files), 'record')} left out")


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """Open a new file, or standard output. Raises `Rejected`.

    The file is written as ``NAME.part``, and gets its name when it is complete.
    """
    if output is None:
        yield sys.stdout.buffer
        return
    if output.exists():
        raise Rejected(f"--output {output}: is there already; name another file, or remove it")
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, output)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Rejected(f"--output {output}: cannot be written: {reason(error)}") from None


def _files(name: str) -> Iterator[str]:
    """Yield a file, or those of a folder in the order of their matches; raises `Rejected` where there is none."""
    path = Path(name)
    if name == "-" or not path.is_dir():
        if name != "-" and not path.exists():
            raise Rejected(f"{name}: there is no such file or folder")
        yield name
        return
    folder = path / "records" if (path / "records").is_dir() else path
    found = sorted(folder.glob("*.txt"), key=lambda file: (len(file.name), file.name))
    if not found:
        raise Rejected(f"{folder}: there is no record in this folder; records are called NUMBER.txt")
    yield from map(str, found)


def _examples(file: str) -> list[Example]:
    """Return the moves of a record; raises `Rejected`, which names it."""
    try:
        return list(examples(verification.verify(text_of(file))))
    except (BadRecord, OverflowError) as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
