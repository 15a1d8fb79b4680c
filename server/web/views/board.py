"""Positions, moves and matches as plain data that a page can draw. Pure: from the engine's values to structs for JSON.

The page knows no rules: all that it draws, every piece that slides and every one that is taken, is told here.
docs/api.md describes the JSON. A running match, a finished match, and a record that somebody dropped on the page have
the same parts, so that one page shows them all. Times are whole milliseconds.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.games.boards.layout import Layout, Piece, Stock
from engine.games.boards.svg import board
from engine.games.catalogue import GAMES, title_of
from engine.games.endings import headline
from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.kernel import bind
from engine.games.gipf.notation import names
from engine.games.gipf.position import GipfPosition, play_push
from engine.games.interface import Outcome, Position
from engine.match.clock import Clock
from engine.match.record import Header, RecordedNote
from engine.match.referee import MatchState
from engine.match.verification import Summary
from engine.wire.words import without_code
from server.contest.report.formatting import control, date


class EndOfGame(msgspec.Struct, frozen=True):
    """How a game ended."""

    winner: int | None
    result: str
    """A side's name, draw or annulled."""
    reason: str
    headline: str
    """The fault of the loser, and who won."""
    sentence: str
    """Details, for players; may be empty."""


class PositionView(msgspec.Struct, frozen=True, kw_only=True):
    """A position."""

    game: str
    parameters: str
    sides: tuple[str, str]
    turn: int
    text: str
    """The game's text form."""
    summary: str
    ending: EndOfGame | None
    layout: Layout
    svg: str
    """The empty board as `engine.games.boards.svg.board` draws it."""
    pieces: tuple[Piece, ...] = ()
    stock: tuple[Stock, Stock] | None = None
    blocked: tuple[str, ...] = ()
    """Fields on which nothing can be placed."""
    aims: tuple[str | None, str | None] = (None, None)
    """The field that a side has to play to next, where the game says so and it lies on the board."""
    decisive: tuple[str, ...] = ()
    """Fields that decided the game: the winner's line, or the arrow that points nowhere."""


class Motion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Steps of a move, in order: slides, placement, highlighted rows, removed pieces.

    Attributes that the JSON omits are empty.
    """

    move: str
    side: int
    slides: tuple[tuple[str, str], ...] = ()
    """From where to where each piece that stood on the board goes."""
    placed: str | None = None
    """The field that gets a piece from outside."""
    source: str | None = None
    """The dot from which that piece is pushed."""
    taken: tuple[str, ...] = ()
    """Fields whose pieces leave the board afterwards."""
    returned: tuple[str, ...] = ()
    """Taken fields whose pieces return to their own side's reserve; other pieces are captured."""
    target: str | None = None
    """The field to mark as the last move's."""


def ending_of(
    outcome: Outcome | None, sides: tuple[str, str], players: tuple[str, str] | None = None, plies: int | None = None
) -> EndOfGame | None:
    """Return an outcome as a page shows it, after some moves; players that have no names are called by their sides."""
    if outcome is None:
        return None
    said = headline(players or (sides[0], sides[1]), outcome.winner, str(outcome.reason), plies)
    return EndOfGame(outcome.winner, outcome.result(sides), str(outcome.reason), said, without_code(outcome.detail))


def view(position: Position) -> PositionView:
    """Return what a page draws of a position."""
    game, drawing = position.game, position.drawing()
    return PositionView(
        game=game.name,
        parameters=position.parameters,
        sides=game.sides,
        turn=position.turn,
        text=position.text(),
        summary=position.summary(),
        ending=ending_of(position.outcome, game.sides),
        layout=drawing.layout,
        svg=board(drawing),
        pieces=drawing.pieces,
        stock=drawing.stock,
        blocked=drawing.blocked,
        aims=drawing.aims,
        decisive=drawing.decisive,
    )


def motion(before: Position, move: str) -> Motion:
    """Return the effect of a move on the board; raises `engine.games.interface.BadMove`."""
    text, after = before.child(move)
    field, words = after.marked_field(text), text.split()
    made = Motion(move=text, side=before.turn, target=field)
    if isinstance(before, GipfPosition) and isinstance(after, GipfPosition):
        return msgspec.structs.replace(made, **_gipf_motion(before, text, after))
    # each word of a longer move is a field: the field of the piece that moves, its goal, the fields of taken pieces
    if len(words) > 1 and words[0] != field:
        return msgspec.structs.replace(made, slides=((words[0], words[1]),), taken=tuple(words[2:]))
    return msgspec.structs.replace(made, placed=field, taken=tuple(words[1:]))


def _gipf_motion(before: GipfPosition, text: str, after: GipfPosition) -> dict[str, Any]:
    size = before.variant.size
    known = names(size)
    number = known.pushes[text.partition(" ")[0]]
    entry = geometry(size).entries[number]
    name_at = known.by_place
    down, right = (entry.target[i] - entry.dot[i] for i in (0, 1))
    occupied = before.state.white | before.state.black
    row, column = entry.target
    slides = []
    while is_field(size, row, column) and occupied & known.fields[name_at[row, column]]:
        follower = row + down, column + right
        slides.append((name_at[row, column], name_at[follower]))
        row, column = follower
    pushed = bind(size, before.variant.run).after_push(before.state, number)
    left = (pushed.white | pushed.black) & ~(after.state.white | after.state.black)
    returned: list[str] = []
    for collected in play_push(before, text).taken if left else ():
        own = pushed.white if collected.text.startswith("w") else pushed.black
        returned += (name for name in collected.fields if known.fields[name] & own)
    placed = name_at[entry.target]
    return {
        "slides": tuple(slides),
        "placed": placed,
        "source": name_at[entry.dot],
        "taken": tuple(name for name, bit in known.fields.items() if left & bit),
        "returned": tuple(returned),
    }


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


class FrameChange(Placed, frozen=True, kw_only=True, omit_defaults=True):
    """A position by what tells it from the one before, so that a match is told in a size that its record is in.

    Attributes that the JSON omits are empty.
    """

    came: tuple[Piece, ...] = ()
    """Pieces that stand now where none stood, or another one."""
    left: tuple[str, ...] = ()
    """Fields on which nothing stands any more."""
    lines: tuple[tuple[int, str], ...] = ()
    """Lines of the text form that have changed, numbered from 0."""


class MatchSoFar(msgspec.Struct, frozen=True, kw_only=True):
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


def positions(played: MatchSoFar) -> tuple[Frame | FrameChange, ...]:
    """Return the positions of a match that the server plays."""
    return frames(GAMES[played.game].read(played.start), played.moves)


def note_views(notes: Sequence[RecordedNote]) -> list[dict[str, Any]]:
    """Return the move, the side and the fields of each note, in the order in which the notes came."""
    return [{"ply": recorded.ply, "side": recorded.side, **recorded.note.said} for recorded in notes]


def about(header: Header) -> str:
    """Say what is fixed of a match in a line: variant, number, time control and date."""
    started = datetime.fromisoformat(header.started)
    return f"{title_of(header.position)} · match {header.match} · {control(header.control)} · {date(started)}"


def info_of(header: Header) -> dict[str, Any]:
    """Return what is fixed of a match."""
    budget, increment = header.control.milliseconds
    return {
        "match": header.match,
        "about": about(header),
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


def frames(position: Position, moves: Sequence[str]) -> tuple[Frame | FrameChange, ...]:
    """Return a first position as a frame, and that after each of these legal moves as a change."""
    first = frame_of(0, position)
    return first, *changes(first, position, moves)


def changes(frame: Frame, position: Position, moves: Sequence[str]) -> Iterator[FrameChange]:
    """Yield the change that each of these legal moves makes, from a position and its frame on."""
    for move in moves:
        before, position = position, position.play(move)
        last, frame = frame, frame_of(frame.ply + 1, position, before, move)
        yield _change(last, frame)


def _change(before: Frame, after: Frame) -> FrameChange:
    stood, stand = set(before.pieces), {piece.field for piece in after.pieces}
    old, new = before.text.split("\n"), after.text.split("\n")
    same = len(old) == len(new)
    return FrameChange(
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
    state: MatchState, frame: Frame | None, first: int, now: int, away: tuple[bool, bool], noted: int
) -> dict[str, Any]:
    """Return how a match of the server stands at a stamp of its clock, in microseconds.

    ``first`` is the number of moves before those that are told, and ``noted`` the number of notes to be seen. Without a
    frame all positions are told beside this.
    """
    return {
        "first": first,
        "steps": tuple((moved.move, moved.first, moved.second) for moved in state.shown[first:]),
        "frame": frame,
        "clocks": state.clock.milliseconds(now),
        "runs": state.clock.runs,
        "phase": "over" if state.outcome is not None else "running" if state.playing else "preparing",
        "away": away,
        "ending": ending_of(state.outcome, state.sides, state.header.players, len(state.shown)),
        "noted": noted,
    }


def now_of_record(summary: Summary) -> dict[str, Any]:
    """Return how the match of a record stood at its end."""
    players, plies = summary.header.players, summary.history.plies
    said = headline(players, summary.winner, summary.reason, plies) if summary.result else ""
    ending = (
        EndOfGame(summary.winner, summary.result, summary.reason, said, without_code(summary.sentence))
        if summary.result
        else None
    )
    moves = zip(summary.history.moves, summary.played, strict=True)
    return {
        "first": 0,
        "steps": tuple((move, *Clock(played.left).milliseconds(0)) for move, played in moves),
        "frame": None,
        "clocks": Clock(summary.left).milliseconds(0),
        "runs": (False, False),
        "phase": "over",
        "away": (False, False),
        "ending": ending,
        "noted": len(summary.state.notes),
    }
