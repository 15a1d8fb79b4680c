"""The moves of a record, each with what its player saw, and how the match ended for it."""

from collections.abc import Iterator
from itertools import groupby

import msgspec

from engine.games.history import History
from engine.record.encoding import encoding_of, legal_actions
from engine.record.notes import RecordedNote
from engine.record.summary import Summary


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
    """The same moves as actions of `engine.record.encoding.Encoding`, in the same order."""
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
        for ply, found in groupby(sorted(summary.notes, key=lambda note: note.ply), key=lambda note: note.ply)
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
