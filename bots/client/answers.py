"""Answers of a bot: its move, checked, and its notes, sent to the server. A wrong note does not fail the bot."""

import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from difflib import get_close_matches
from numbers import Real
from typing import Unpack

from bots.bot import Choice, Clocks, Noting, Said
from bots.client.errors import BadChoice, ConnectionLost, printable
from engine.games.interface import GameError, Position, Successor, moves
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, write_note

MAX_SHOWN_CHARACTERS = 60
"""Longest representation of a wrong return value of a bot."""

MAX_NEAREST = 3
"""Legal moves that are named beside one that is not."""


def text_of(choice: object, position: Position, chooser: str) -> str:
    """Return the text of what a bot has returned, legal or not; raises `BadChoice` for what is no move at all.

    ``chooser`` says which function has returned it, and where that stands.
    """
    if isinstance(choice, Successor):
        return choice.move
    if isinstance(choice, str):
        return choice
    legal = moves(position)
    returned = f"{choice!r:.{MAX_SHOWN_CHARACTERS}} ({type(choice).__name__})"
    right = f"a move as text, as in {legal[0]!r}, or one of position.successors()"
    sentence = f"{chooser} returned {returned}; it has to return {right}"
    if inspect.iscoroutine(choice):
        choice.close()
    hint = _hint(choice, position, legal)
    raise BadChoice(choice, f"{sentence}: {hint}" if hint else sentence)


def _hint(choice: object, position: Position, legal: list[str]) -> str:
    """Say what to change so that a wrong return value becomes a move; empty where that is not known."""
    if choice is None:
        return "a return is missing"
    if isinstance(choice, bytes):
        return f"write {choice.decode(errors='replace')!r}"
    if str(choice) in legal:
        return f"write {str(choice)!r}"
    if isinstance(choice, list | tuple | set | frozenset):
        return "return one of these alone"
    if type(choice) is type(position):
        return "return the move that leads to this position"
    if inspect.iscoroutine(choice):
        return "write def, not async def"
    if callable(choice):
        return "call it"
    return ""


def legal_move(text: str, position: Position) -> str:
    """Return a move in canonical text; raises `BadChoice` with the nearest legal moves where it is not legal."""
    try:
        return position.resolve(text).move
    except GameError as error:
        nearest = get_close_matches(text, moves(position), MAX_NEAREST)
        offer = f"; near it are {', '.join(map(repr, nearest))}" if nearest else ""
        raise BadChoice(text, f"the bot chose {text!r}, which is no legal move: {error}{offer}") from error


MAX_CONTENT_BYTES = REQUEST_BYTES - len("NOTE ")
"""Longest note: longer ones are cut."""

MAX_PV_BYTES = 512
"""Longest principal variation in a note, of which the last moves are cut; the text gets the rest."""

MAX_SCORE, MAX_COUNT = 10**9, 10**12
"""Scores and counts of a note lie below these."""


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
        self._told = False

    def take(self, ply: int, said: Said) -> None:
        """Send what a bot notes, about the move ``ply`` where it names no other; report what is wrong with it."""
        try:
            note = make_note(ply, **said)
        except Exception as error:  # whatever a bot of no types says
            self.leave_out(str(error))
        else:
            self.send(note)

    def send(self, note: Note) -> None:
        """Send a note, cut to the length of a line; raises nothing."""
        if note != Note(note.ply):
            with suppress(ConnectionLost):  # the next receive raises it
                self._send(m.Note(m.Text(write_note(_cut(note)))))

    def leave_out(self, sentence: str) -> None:
        """Report that a note is left out, once."""
        if not self._told:
            self._told = True
            self._report(f"a note is left out: {sentence}")


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
        tuple(" ".join(printable(word).split()) for word in words),
        printable(str(said.get("text", ""))).strip(),
    )


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not (isinstance(value, Real) and not value < 0 and value < MAX_COUNT):
        raise ValueError(f"{name} is a whole number from 0 on, of at most 12 digits, not {value!r}")
    return int(float(value))


def _cut(note: Note) -> Note:
    """Cut what makes a note too long for a line."""
    while len(write_note(Note(pv=note.pv)).encode()) > MAX_PV_BYTES:
        note = note._replace(pv=note.pv[:-1])
    too_long = len(write_note(note).encode()) - MAX_CONTENT_BYTES
    if too_long > 0:
        kept = note.text.encode()[: -too_long - len("…".encode())].decode(errors="ignore")
        note = note._replace(text=f"{kept.rstrip()}…")
    return note
