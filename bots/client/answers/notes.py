"""The notes of a bot: made from what it says, and sent as long as the server knows NOTE. None of them fails the bot."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Real
from typing import Unpack

from bots.bot import Choice, Clocks, Noting, Said
from bots.client.errors import ConnectionLost
from engine.games.interface import Successor
from engine.record.notes import MAX_NOTES_PER_MOVE
from engine.wire import messages as m
from engine.wire.codes import Code
from engine.wire.lines import REQUEST_BYTES
from engine.wire.notes import Note, write_note

MAX_CONTENT_BYTES = REQUEST_BYTES - len("NOTE ")
"""Longest note: longer ones are cut."""

MAX_PV_BYTES = 512
"""Longest principal variation in a note, of which the last moves are cut; the text gets the rest."""

MAX_SCORE, MAX_COUNT = 10**9, 10**12
"""Scores and counts of a note lie below these."""

PROBE = m.Text("noted")
"""Text of the PING behind the first note: an ERROR before its PONG shows a server that does not know NOTE."""


class NotingClocks(Clocks):
    """Clocks whose notes are sent."""

    noting: Noting

    def note(
        self,
        *,
        score: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        pv: Iterable[Choice] = (),
        text: str = "",
    ) -> None:
        """Send the note."""
        self.noting(score=score, depth=depth, nodes=nodes, pv=pv, text=text)


class NoteSender:
    """Sends the notes of a session."""

    def __init__(self, send: Callable[[m.Message], None], report: Callable[[str], None]) -> None:
        """Take what sends a message, and what is told of notes that are left out."""
        self._send = send
        self._report = report
        self._known: bool | None = None
        """Whether the server knows NOTE; None as long as nothing was answered."""
        self._unanswered = 0
        """Notes that were sent before that was known."""
        self._told = False

    def connected(self) -> None:
        """Note that the connection is a new one, on which nothing is on its way."""
        self._unanswered = 0

    def take(self, ply: int, said: Said) -> None:
        """Send what a bot notes, about the move ``ply`` where it names no other; report what is wrong with it."""
        try:
            note = make_note(ply, **said)
        except Exception as error:  # whatever a bot of no types says
            self.leave_out(str(error))
        else:
            self.send(note)

    def send(self, note: Note) -> None:
        """Send a note, cut to the length of a line; nothing to a server that does not know NOTE. Raises nothing."""
        if self._known is False or self._unanswered >= MAX_NOTES_PER_MOVE or note == Note(note.ply):
            return
        with suppress(ConnectionLost):  # who receives next is told of it
            self._send(m.Note(m.Text(write_note(_cut(note)))))
            if self._known is None:
                self._unanswered += 1
                if self._unanswered == 1:
                    self._send(m.Ping(PROBE))

    def leave_out(self, sentence: str) -> None:
        """Report that a note is left out, once."""
        if not self._told:
            self._told = True
            self._report(f"a note is left out: {sentence}")

    def refused(self, code: str) -> bool:
        """Take an ERROR if it answers a note that the server does not know; tell whether it does."""
        if code != Code.UNKNOWN_COMMAND or not self._unanswered:
            return False
        self._known = False
        self._unanswered -= 1
        return True

    def answered(self) -> None:
        """Take the PONG behind the first note."""
        if self._known is None:
            self._known = True
            self._unanswered = 0


def make_note(move: int, **said: Unpack[Said]) -> Note:
    """Return what a bot says, about ``move`` where it names no other ply, as a note.

    What cannot be printed becomes a space. Raises ValueError with a sentence, or what the values themselves raise.
    """
    ply, pv = said.get("ply"), said.get("pv", ())
    score: object = said.get("score")
    if score is not None and not (isinstance(score, Real) and abs(float(score)) < MAX_SCORE):
        raise ValueError(f"score is a number of at most nine digits, not {score!r}")
    words = [one.move if isinstance(one, Successor) else one for one in ([pv] if isinstance(pv, str) else pv)]
    if not all(isinstance(word, str) and word.strip() and not {",", "_"} & set(word) for word in words):
        raise ValueError(f"pv is a list of moves, not {words!r}")
    return Note(
        move if ply is None else ply,
        None if score is None else round(float(score), 3) + 0.0,
        _count("depth", said.get("depth")),
        _count("nodes", said.get("nodes")),
        tuple(" ".join(_printable(word).split()) for word in words),
        _printable(str(said.get("text", ""))).strip(),
    )


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not (isinstance(value, Real) and not value < 0 and value < MAX_COUNT):
        raise ValueError(f"{name} is a whole number from 0 on, of at most 12 digits, not {value!r}")
    return int(float(value))


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _cut(note: Note) -> Note:
    """Cut what makes a note too long for a line."""
    while len(write_note(Note(pv=note.pv)).encode()) > MAX_PV_BYTES:
        note = note._replace(pv=note.pv[:-1])
    too_long = len(write_note(note).encode()) - MAX_CONTENT_BYTES
    if too_long > 0:
        kept = note.text.encode()[: -too_long - len("…".encode())].decode(errors="ignore")
        note = note._replace(text=f"{kept.rstrip()}…")
    return note
