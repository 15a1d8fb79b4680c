"""Answers of a bot: its move, checked, and its notes, sent to the server. A wrong note does not fail the bot."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Unpack

from bots.bot import Choice, Said
from bots.client.errors import BadChoice, ConnectionLost, printable
from engine.games.interface import GameError, Position, Successor
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, read_note, write_note


def text_of(choice: object, position: Position) -> str:
    """Return the text of the move that a bot has returned, legal or not; raises `BadChoice` for other values."""
    text = choice.move if isinstance(choice, Successor) else choice
    if not isinstance(text, str):
        move = next(position.successors()).move
        right = f"a move is text, as in {move!r}, or one of position.successors()"
        raise BadChoice(f"the bot returned {choice!r:.60} ({type(choice).__name__}); {right}")
    return text


def legal_move(text: str, position: Position) -> str:
    """Return a move in canonical text; raises `BadChoice` where it is not legal."""
    try:
        return position.resolve(text).move
    except GameError as error:
        raise BadChoice(f"the bot chose {text!r}, which is no legal move: {error}") from error


MAX_CONTENT_BYTES = REQUEST_BYTES - len("NOTE ")
"""Longest note: the text of longer ones is cut."""

MAX_PV_BYTES = 512
"""Longest principal variation in a note, of which the last moves are cut; the text gets the rest."""


class NoteSender:
    """Sends the notes of a session."""

    def __init__(self, send: Callable[[m.Message], None], report: Callable[[str], None]) -> None:
        """Take what sends a message, and what is told of notes that are left out."""
        self._send = send
        self._report = report
        self._reported = False

    def take(self, move: int, **said: Unpack[Said]) -> None:
        """Send what a bot notes, about ``move`` where it names no other; report what is wrong with it."""
        try:
            note = _cut(make_note(move, **said))
        except Exception as error:  # whatever a bot of no types says
            self.leave_out(str(error))
            return
        with suppress(ConnectionLost):  # the next receive raises it
            self._send(m.Note(m.Text(write_note(note))))

    def leave_out(self, sentence: str) -> None:
        """Report that a note is left out, once."""
        if not self._reported:
            self._reported = True
            self._report(f"a note is left out: {sentence}")


def make_note(move: int, **said: Unpack[Said]) -> Note:
    """Return what a bot says as a note, about ``move`` where it names no other ply.

    Characters that cannot be printed become spaces. Raises `ProtocolError`, or what the values themselves raise.
    """
    convert: dict[str, Callable[[Any], Any]] = {"score": float, "pv": _printable_moves, "text": _printable_text}
    given = {key: value for key, value in said.items() if key in Note._fields and value is not None}
    values = {key: convert.get(key, int)(value) for key, value in given.items()}
    return read_note(write_note(Note(**{"ply": move, **values})))


def _printable_moves(choices: Iterable[Choice]) -> tuple[str, ...]:
    return tuple(printable(each.move if isinstance(each, Successor) else each) for each in choices)


def _printable_text(text: object) -> str:
    return printable(str(text)).strip()


def _cut(note: Note) -> Note:
    """Cut what makes a note too long for a line."""
    while len(write_note(Note(pv=note.pv)).encode()) > MAX_PV_BYTES:
        note = note._replace(pv=note.pv[:-1])
    too_long = len(write_note(note).encode()) - MAX_CONTENT_BYTES
    if too_long > 0:
        kept = note.text.encode()[: -too_long - len("…".encode())].decode(errors="ignore")
        note = note._replace(text=f"{kept.rstrip()}…")
    return note
