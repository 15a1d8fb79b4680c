"""Notes of a bot on positions, in the form of the protocol."""

from collections.abc import Callable, Iterable
from typing import Any, Unpack

from bots.bot import Choice, NoteFields
from bots.client.errors import printable
from engine.games.interface import Child
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, read_note, write_note

MAX_CONTENT_BYTES = REQUEST_BYTES - len("NOTE ")
"""Longest note: the text of longer ones is cut."""

MAX_PV_BYTES = 512
"""Bytes of the longest principal variation in a note; further moves are cut. The text gets the rest."""


def make_note(move: int, **said: Unpack[NoteFields]) -> Note:
    """Return what a bot says as a note, about ``move`` where it names no other ply.

    Characters that cannot be printed become spaces. Raises `ProtocolError`, or what the values themselves raise.
    """
    convert: dict[str, Callable[[Any], Any]] = {"score": float, "pv": _printable_moves, "text": _printable_text}
    given = {key: value for key, value in said.items() if key in Note._fields and value is not None}
    values = {key: convert.get(key, int)(value) for key, value in given.items()}
    return read_note(write_note(Note(**{"ply": move, **values})))


def _printable_moves(choices: Iterable[Choice]) -> tuple[str, ...]:
    return tuple(printable(each.move if isinstance(each, Child) else each) for each in choices)


def _printable_text(text: object) -> str:
    return printable(str(text)).strip()


def cut_note(note: Note) -> Note:
    """Cut a note that is too long for a line."""
    while len(write_note(Note(pv=note.pv)).encode()) > MAX_PV_BYTES:
        note = note._replace(pv=note.pv[:-1])
    too_long = len(write_note(note).encode()) - MAX_CONTENT_BYTES
    if too_long > 0:
        kept = note.text.encode()[: -too_long - len("…".encode())].decode(errors="ignore")
        note = note._replace(text=f"{kept.rstrip()}…")
    return note
