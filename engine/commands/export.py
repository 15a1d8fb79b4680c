"""``arena-engine export``: records as training data, a line of JSON for each move."""

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from engine.commands.inputs import Source, place_of, text_of
from engine.commands.program import Rejected, reason, say
from engine.games.history import History
from engine.match import verification
from engine.match.encoding import encoding_of, legal_actions
from engine.match.reader import BadRecord
from engine.match.verification import Summary
from engine.wire.words import number_of


def examples(summary: Summary) -> Iterator[dict[str, Any]]:
    """Yield a row for each move of a record; docs/learning.md describes the columns.

    Raises OverflowError where a push of GIPF has more outcomes than can be listed.
    """
    header = summary.header
    game = header.position.game
    encoding = encoding_of(game.name, header.position.parameters)
    notes = defaultdict(list)
    for recorded in summary.state.notes:
        notes[recorded.ply].append({key: value for key, value in recorded.note._asdict().items() if key != "ply"})
    left = list(summary.left)
    for ready in summary.initialised:
        left[ready.side] = ready.left[ready.side]
    history = History.begin(header.position)
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        side, position = played.side, history.position
        legal = legal_actions(position)
        yield {
            "match": header.match,
            "game": game.name,
            "parameters": position.parameters,
            "started": header.started,
            "ply": ply,
            "plies": summary.history.plies,
            "side": game.sides[side],
            "player": header.players[side],
            "opponent": header.players[1 - side],
            "position": position.text(),
            "legal_moves": tuple(legal.values()),
            "legal_actions": tuple(legal),
            "move": move,
            "actions": encoding.actions(position, move),
            "result": _result(summary, side),
            "reason": summary.reason,
            "left_ms": left[side] / 1000,
            "opponent_left_ms": left[1 - side] / 1000,
            "used_ms": played.charge.charged / 1000,
            "notes": notes[ply],
        }
        left[side] = played.left[side]
        history = history.after(move)


def _result(summary: Summary, side: int) -> float | None:
    if summary.winner is not None:
        return float(summary.winner == side)
    return 0.5 if summary.result == "draw" else None


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


def _examples(file: str) -> list[dict[str, Any]]:
    """Return the moves of a record; raises `Rejected`, which names it."""
    try:
        return list(examples(verification.verify(text_of(file))))
    except (BadRecord, OverflowError) as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
