"""Why games were lost, and whom that disqualifies."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from engine.outcome import Termination
from engine.record.text import milliseconds
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, FORFEIT, QUALIFICATION, Finished, counted


class Cause(StrEnum):
    """Why a game was lost."""

    BOARD = "board"
    """By the rules of the game; the termination says which."""
    BAD_MOVE = "bad_move"
    """A move was illegal or could not be read."""
    TIME = "time"
    """The clock ran out."""
    CONNECTION_LOST = "connection_lost"
    """The clock ran out while the player had no connection, or its program, started by the server, has ended."""
    HUNG = "hung"
    """The clock ran out before initialisation was over."""
    ABSENT = "absent"
    """The game was not played: the player did not come, or its program did not start."""
    RESIGN = "resign"
    ADJUDICATED = "adjudicated"
    """Exact solving has proven that the position was lost."""
    FORFEIT = "forfeit"
    """The game was not played: the player had been disqualified."""


ON_TIME = frozenset({Cause.TIME, Cause.CONNECTION_LOST, Cause.HUNG, Cause.ABSENT})
"""Losses on time, of whatever origin."""

_FAULTS = frozenset({Termination.TIME, Termination.CRASHED, Termination.BAD_MOVE, ABSENT})
"""Terminations that may disqualify."""

_CAUSES = {
    Termination.BAD_MOVE: Cause.BAD_MOVE,
    Termination.RESIGN: Cause.RESIGN,
    Termination.CRASHED: Cause.CONNECTION_LOST,
    Termination.ADJUDICATED: Cause.ADJUDICATED,
    FORFEIT: Cause.FORFEIT,
    ABSENT: Cause.ABSENT,
}


class Loss(NamedTuple):
    """A game that a player has lost."""

    name: str
    opponent: str
    stage: int
    match: int | None
    """Number of the record."""
    cause: Cause
    termination: str
    sentence: str
    """For people: rule, move, or time used against time allowed."""


class Disqualification(NamedTuple):
    """Somebody may play no more."""

    name: str
    reason: str
    evidence: tuple[Loss, ...]
    """The games it rests on."""


def losses(definition: Definition, game: Finished) -> tuple[Loss, ...]:
    """Return why a game was lost: by nobody, one side, or both.

    Both lose where neither was ready in time, although the rules call that a draw: it counts against both.
    """
    if game.winner is not None:
        return (_loss(definition, game, 1 - game.winner),)
    if game.termination in (Termination.TIME, FORFEIT, ABSENT):
        return tuple(_loss(definition, game, side) for side in (0, 1))
    return ()


def disqualified(definition: Definition, games: Iterable[Finished]) -> dict[str, Disqualification]:
    """Return who is out: by the qualification, or by losses on time in the contest itself."""
    faults: dict[str, list[Loss]] = {entrant.name: [] for entrant in definition.entrants}
    for game in counted(games):
        if game.termination in _FAULTS:
            for loss in losses(definition, game):
                if loss.name in faults:
                    faults[loss.name].append(loss)
    return {name: out for name, of_one in faults.items() if (out := _judge(definition, name, of_one))}


def _judge(definition: Definition, name: str, faults: list[Loss]) -> Disqualification | None:
    before = [loss for loss in faults if loss.stage == QUALIFICATION]
    rules = definition.qualification
    if rules is not None:
        hung = tuple(loss for loss in before if loss.cause == Cause.HUNG)
        late = tuple(loss for loss in before if loss.cause in ON_TIME)
        bad = tuple(loss for loss in before if loss.cause == Cause.BAD_MOVE)
        if hung:
            return Disqualification(name, "hung in initialisation, in the qualification", hung)
        if len(bad) >= rules.bad_moves:
            return Disqualification(name, f"{_times(len(bad), 'bad move')} in the qualification", bad)
        if len(late) >= rules.time_losses:
            return Disqualification(name, f"{_times(len(late), 'loss', 'es')} on time in the qualification", late)
    late = tuple(loss for loss in faults if loss.stage != QUALIFICATION and loss.cause in ON_TIME)
    if 0 < definition.time_losses <= len(late):
        return Disqualification(name, f"{_times(len(late), 'loss', 'es')} on time", late)
    return None


def _loss(definition: Definition, game: Finished, side: int) -> Loss:
    players = game.fixture.players
    cause = _CAUSES.get(game.termination, Cause.BOARD)
    sentence = game.detail or game.termination
    if game.termination == Termination.TIME:
        cause = Cause.TIME
        if not game.ready[side]:
            cause = Cause.HUNG
        elif game.gone[side]:
            cause = Cause.CONNECTION_LOST
        sentence = f"{sentence}; {_times_used(definition, game, side)}"
    return Loss(players[side], players[1 - side], game.fixture.stage, game.match, cause, game.termination, sentence)


def _times_used(definition: Definition, game: Finished, side: int) -> str:
    control = game.fixture.control(definition)
    # the loser was to move, so the other one made the last move, if there was one
    moves = game.plies // 2
    allowed = control.budget + moves * control.increment
    return f"{milliseconds(game.used[side])} ms used of {milliseconds(allowed)} ms allowed for {moves} moves"


def _times(number: int, word: str, plural: str = "s") -> str:
    return f"{number} {word}{'' if number == 1 else plural}"
