"""A match as a page shows it: what is fixed, how it stands, and every position. Pure: state in, structs out.

The same three parts stand for a match that is running, one that is over, and a record that somebody dropped on the
page, so that one page shows them all. Times are whole milliseconds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.games.boards.layout import Piece, Stock
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.match.clock import Clock
from engine.match.record import Header, RecordedNote
from engine.match.referee import State
from engine.match.verification import Summary
from server.web.views.board import Ending, Motion, ending_of, motion, view


class Step(NamedTuple):
    """A move, and what both sides had left after it."""

    move: str
    first: int
    second: int


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A position without what all positions of a match share, and the move that led to it."""

    ply: int
    turn: int
    stock: tuple[Stock, Stock] | None = None
    aims: tuple[str | None, str | None] = (None, None)
    decisive: tuple[str, ...] = ()
    summary: str = ""
    text: str = ""
    """The text form; of a change where it has another number of lines."""
    motion: Motion | None = None


class Frame(Placed, frozen=True, kw_only=True):
    """A whole position."""

    pieces: tuple[Piece, ...]


class Change(Placed, frozen=True, kw_only=True, omit_defaults=True):
    """A position by what tells it from the one before, so that a match is told in a size that its record is in.

    What is left out of the JSON is empty.
    """

    came: tuple[Piece, ...] = ()
    """Pieces that stand now where none stood, or another one."""
    left: tuple[str, ...] = ()
    """Fields on which nothing stands any more."""
    lines: tuple[tuple[int, str], ...] = ()
    """Lines of the text form that have changed, numbered from 0."""


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A match as far as it has come, its moves legal."""

    game: str
    start: str
    """The first position, in the game's text form."""
    moves: tuple[str, ...]


def whole_match(summary: Summary) -> dict[str, Any]:
    """Return all that a page shows of a record."""
    return {
        "info": info_of(summary.header),
        "now": now_of_record(summary),
        "frames": frames(summary.header.position, summary.history.moves),
        "notes": note_views(summary.state.notes),
    }


def positions(played: Played) -> tuple[Frame | Change, ...]:
    """Return the positions of a match that the server plays."""
    return frames(GAMES[played.game].read(played.start), played.moves)


def note_views(notes: Sequence[RecordedNote]) -> list[dict[str, Any]]:
    """Return the move, the side and the fields of each note, in the order in which the notes came."""
    return [{"ply": recorded.ply, "side": recorded.side, **recorded.note.said} for recorded in notes]


def info_of(header: Header) -> dict[str, Any]:
    """Return what is fixed of a match."""
    budget, increment = header.control.milliseconds
    return {
        "match": header.match,
        "players": header.players,
        "budget": budget,
        "increment": increment,
        "move_limit": header.move_limit,
        "started": header.started,
        "server": header.server,
        "start": view(header.position),
    }


def frame_of(ply: int, position: Position, before: Position | None = None, move: str = "") -> Frame:
    """Return a position as a frame, with the move that was made in the position before where there is one."""
    seen = view(position)
    return Frame(
        ply=ply,
        turn=seen.turn,
        pieces=seen.pieces,
        stock=seen.stock,
        aims=seen.aims,
        decisive=seen.decisive,
        summary=seen.summary,
        text=seen.text,
        motion=None if before is None else motion(before, move),
    )


def frames(position: Position, moves: Sequence[str]) -> tuple[Frame | Change, ...]:
    """Return a first position as a frame, and that after each of these legal moves as a change."""
    first = frame_of(0, position)
    return first, *changes(first, position, moves)


def changes(frame: Frame, position: Position, moves: Sequence[str]) -> Iterator[Change]:
    """Yield the change that each of these legal moves makes, from a position and its frame on."""
    for move in moves:
        before, position = position, position.resolve(move).position
        last, frame = frame, frame_of(frame.ply + 1, position, before, move)
        yield _change(last, frame)


def _change(before: Frame, after: Frame) -> Change:
    stood, stand = set(before.pieces), {piece.field for piece in after.pieces}
    old, new = before.text.split("\n"), after.text.split("\n")
    same = len(old) == len(new)
    return Change(
        ply=after.ply,
        turn=after.turn,
        came=tuple(piece for piece in after.pieces if piece not in stood),
        left=tuple(piece.field for piece in before.pieces if piece.field not in stand),
        stock=after.stock,
        aims=after.aims,
        decisive=after.decisive,
        summary=after.summary,
        lines=tuple((i, line) for i, line in enumerate(new) if line != old[i]) if same else (),
        text="" if same else after.text,
        motion=after.motion,
    )


def now_of(
    state: State, frame: Frame | None, first: int, now: int, away: tuple[bool, bool], noted: int
) -> dict[str, Any]:
    """Return how a match of the server stands at a stamp of its clock, in microseconds.

    ``first`` is the number of moves before those that are told, and ``noted`` the number of notes to be seen. Without a
    frame all positions are told beside this.
    """
    return {
        "first": first,
        "steps": tuple(Step(moved.move, moved.first, moved.second) for moved in state.shown[first:]),
        "frame": frame,
        "clocks": state.clock.milliseconds(now),
        "runs": state.clock.runs,
        "phase": "over" if state.outcome is not None else "running" if state.playing else "preparing",
        "away": away,
        "ending": ending_of(state.outcome, state.sides),
        "noted": noted,
    }


def now_of_record(summary: Summary) -> dict[str, Any]:
    """Return how the match of a record stood at its end."""
    ending = Ending(summary.winner, summary.result, summary.reason, summary.sentence) if summary.result else None
    moves = zip(summary.history.moves, summary.played, strict=True)
    return {
        "first": 0,
        "steps": tuple(Step(move, *Clock(played.left).milliseconds(0)) for move, played in moves),
        "frame": None,
        "clocks": Clock(summary.left).milliseconds(0),
        "runs": (False, False),
        "phase": "over",
        "away": (False, False),
        "ending": ending,
        "noted": len(summary.state.notes),
    }
