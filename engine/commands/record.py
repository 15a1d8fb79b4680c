"""``arena-engine record`` and ``export``: verify and show records of matches, or convert them to training data."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from engine.commands.inputs import Source, bytes_of, check_range, place_of, text_of
from engine.commands.program import Rejected, answer, reason, say
from engine.games.interface import History, Termination
from engine.match import verification
from engine.match.clock import about
from engine.match.record import BadRecord, RecordedNote, decoded, milliseconds, seconds_of
from engine.match.signature import ANOTHER_KEY, public_key, signer
from engine.wire.words import number_of, without_code

NOT_ENDED, UNSIGNED = 3, 4
"""Exit statuses for true records that do not prove a result."""

CLOCKS_APART_SECONDS = 86_400
"""Largest difference between the clocks of the server and of the machine with the file: a wrong time zone."""


def replay(
    file: Source,
    /,
    *,
    verify: bool = False,
    picture: Path | None = None,
    ply: int | None = None,
    key: str = "",
) -> None:
    """Verify the record of a match, and show its moves, its notes and the final board.

    The exit status is 0 for a verified record, which with --key is also signed by this key. It is 2 for a wrong record,
    3 for a match that has not ended, and 4 for an unsigned record with --key.

    Parameters
    ----------
    file
        The record; - is standard input.
    verify
        Show the clocks instead of the board, in milliseconds: for each move the stamps, the stall of the server, the
        lag allowance, the charged time, and the remaining time; then the use of each side's time, which is also shown
        after a loss on time.
    picture
        File for a picture: a position as .svg or .png, or the whole match as an animated .gif.
    ply
        Number of moves before the position of the picture; without it all moves.
    key
        The public key of the server that signed the record, in base64, or a PEM file. Only the signature proves who
        played, when and where, and that times were not shifted together.
    """
    raw = _key(key) if key else None
    try:
        content = bytes_of(file)
        summary = verification.verify(decoded(content))
    except BadRecord as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    # an archive gives its files any time of modification (8), and not of the last change (9)
    if file != "-" and (seconds_of(summary.header.started) or 0) > max(Path(file).stat()[8:10]) + CLOCKS_APART_SECONDS:
        raise Rejected(f"{place_of(file)}: the match began at {summary.header.started}, after the file was written")
    if raw and signer(raw, content) == ANOTHER_KEY:
        last = content.count(b"\n")
        raise Rejected(f"{place_of(file)}: line {last}: the signature is not of this key for this text")
    if picture is not None:
        _draw(summary, picture, ply)
    (_show_clocks if verify else _show)(summary)
    if verify or summary.reason == Termination.TIME:
        for line in verification.time_account(summary):
            answer(line)
    left = " and ".join(map(about, summary.left))
    moves = number_of(summary.history.plies, "move")
    match = f"match {summary.header.match}"
    if not summary.result:
        answer(f"not ended: {match}, {moves}, {left} left")
        raise SystemExit(NOT_ENDED)
    ended = f"{match}: {summary.result} {summary.reason}, {moves}, {left} left"
    if summary.signature is None:
        answer(f"unsigned {ended}" if raw else f"verified {ended}; unsigned")
        raise SystemExit(UNSIGNED if raw else 0)
    answer(f"verified {ended}; {'signed by that key' if raw else 'signed, and no key was given'}")


def _key(text: str) -> bytes:
    """Return the public key of the option; raises `Rejected`."""
    try:
        return public_key(Path(text).read_bytes() if Path(text).is_file() else text.encode())
    except (OSError, ValueError):
        raise Rejected(f"--key: {text!r} is no public key of Ed25519 in base64, and no file with one in PEM") from None


def _draw(summary: verification.Summary, file: Path, ply: int | None) -> None:
    """Write a picture of a match in the format of the file's suffix; raises `Rejected`."""
    from engine.games import pictures

    start, moves = summary.header.position, summary.history.moves
    if ply is not None:
        check_range("ply", ply, 0, len(moves))
        moves = moves[:ply]
    position, last = pictures.end_of(start, moves)
    try:
        if file.suffix == ".svg":
            data = position.svg(last).encode()
        elif file.suffix == ".png":
            data = position.png(last)
        elif file.suffix == ".gif":
            data = pictures.animation(start, moves, summary.header.players, without_code(summary.sentence))
        else:
            raise Rejected(f"--picture: {file} has to end in .svg, .png or .gif")
        file.write_bytes(data)
    except OSError as error:
        raise Rejected(f"--picture: {file}: cannot be written: {reason(error)}") from None


def _show(summary: verification.Summary) -> None:
    """Print the title of a match, its moves and notes, and the final board."""
    answer(summary.header.title)
    history = History.begin(summary.header.position)
    for move in summary.history.moves:
        side = summary.header.position.game.sides[history.position.turn]
        history = history.after(move)
        answer(f"{history.plies:4} {side} {move}")
        _show_notes([note for note in summary.state.notes if note.ply == history.plies])
    unmade = [note for note in summary.state.notes if note.ply > history.plies]
    for ply in sorted({note.ply for note in unmade}):
        answer(f"{ply:4} not made")
        _show_notes([note for note in unmade if note.ply == ply])
    answer(history.position.picture())
    answer(history.position.summary())
    if summary.sentence:
        answer(without_code(summary.sentence))


def _show_notes(notes: Iterable[RecordedNote]) -> None:
    """Print notes of players after their moves."""
    for note in notes:
        answer(f"{'':6}note: {note.note}")


def _show_clocks(summary: verification.Summary) -> None:
    """Print a line for each stop of a clock by its owner."""
    answer(summary.header.title)
    control = summary.header.control
    answer(f"budget {milliseconds(control.budget)}, increment {milliseconds(control.increment)}")
    titles = ("from", "until", "stalled", "lag", "charged", "left")
    answer(f"{'':4} {'':8} " + " ".join(f"{title:>14}" for title in titles))
    for ready in summary.initialised:
        answer(_row(summary, "", ready, "READY"))
    for ply, (played, move) in enumerate(zip(summary.played, summary.history.moves, strict=True), 1):
        answer(_row(summary, str(ply), played, move))


def _row(summary: verification.Summary, ply: str, played: verification.TurnCharge, what: str) -> str:
    charge = played.charge
    times = (charge.since, charge.until, charge.stalled, charge.allowed, charge.charged, played.left[played.side])
    side = summary.header.position.game.sides[played.side]
    return f"{ply:>4} {side:8} " + " ".join(f"{milliseconds(time):>14}" for time in times) + f"  {what}"


def examples(summary: verification.Summary) -> Iterator[dict[str, Any]]:
    """Yield a row for each move of a record. docs/learning.md describes the columns.

    Raises OverflowError for a push of GIPF with too many final positions.
    """
    from engine.match.encoding import encoding_of, legal_actions  # loads numpy

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


def _result(summary: verification.Summary, side: int) -> float | None:
    if summary.winner is not None:
        return float(summary.winner == side)
    return 0.5 if summary.result == "draw" else None


def export(
    *records: Source,
    output: Path | None = None,
) -> None:
    """Write the moves of records as JSON lines: position, legal moves, move, result, clocks and notes.

    docs/learning.md describes the columns. Every record is verified. A wrong record is reported and left out.

    Parameters
    ----------
    records
        Records, folders of records, or data directories of servers; - is one record on standard input.
    output
        New file for the lines; without it standard output.
    """
    if not records:
        raise Rejected("RECORDS: name at least one record, a folder of records, or -")
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
    """Open a new file, or standard output. Raises `Rejected`."""
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with output.open("xb") as file:
            yield file
    except OSError as error:
        raise Rejected(f"--output {output}: cannot be written: {reason(error)}") from None


def _files(name: str) -> Iterator[str]:
    """Yield a file, or the records of a folder in the order of their numbers; raises `Rejected` if there are none."""
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
