"""Scoring: results of fixtures, causes of lost games, disqualifications, and the table of a stage (pure).

The format of a stage orders its table. Players who are even share a place, and stand in the order of seeding.
Disqualified players come last. Sonneborn-Berger is, for each game, the points of the opponent for a win and half of
them for a draw. Buchholz is the sum of the opponents' points, one for each meeting. A bye gives the points of a meeting
with all games won. For Buchholz it counts as an opponent with as many points as the player, like the virtual opponent
of the FIDE Handbook (C.07).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.games.interface import ANNULLED, Termination
from engine.match.clock import about
from engine.match.referee import MatchState
from engine.wire.words import number_of, without_code
from server.contest.definition import Definition
from server.contest.fixtures import (
    ABSENT,
    BOTH_WAYS,
    BY_ORGANISER,
    END,
    ENDED_AT_START,
    FORFEIT,
    NO_ANSWER,
    NOT_STARTED,
    QUALIFICATION,
    SET_ASIDE,
    UNPLAYED,
    WITHDRAWN,
    Bye,
    Fixture,
    GameResult,
    Intervention,
    Kind,
    counted_games,
    pardoned,
    points,
    rated_games,
    withdrawn,
)
from server.contest.formats.format import StageView, Standing


def game_result(fixture: Fixture, state: MatchState) -> GameResult:
    """Return the result of a fixture from its finished match."""
    outcome = state.outcome
    assert outcome is not None
    return GameResult(
        fixture,
        state.header.match,
        outcome.winner,
        str(outcome.reason),
        outcome.detail,
        state.history.plies,
        state.used,
        state.ready,
        state.gone,
    )


def absence_result(fixture: Fixture, missing: Collection[str], why: str, termination: str = ABSENT) -> GameResult:
    """Return the result of a game to which one or both players did not come; the termination says why."""
    here = [side for side, name in enumerate(fixture.players) if name not in missing]
    return GameResult(fixture, None, here[0] if here else None, termination, why)


def missing_sentence(names: Collection[str], patience: int) -> str:
    """Return the sentence that players have been missing for a number of seconds."""
    return f"{' and '.join(names)} had been missing for {number_of(patience, 'second')}"


def with_commands(definition: Definition) -> Definition:
    """Return a definition with the commands of the organiser's interventions, and those of versions of bots."""
    entrants = {entrant.name: entrant for entrant in definition.entrants}
    for done in definition.interventions:
        if done.kind is Kind.COMMAND:
            entrants[done.name] = replace(entrants[done.name], command=done.command)
        elif done.kind is Kind.VERSION:
            entrants[done.name] = replace(entrants[done.name], command=done.command, folder=done.folder)
    return replace(definition, entrants=tuple(entrants.values()))


def replayed_matches(definition: Definition) -> set[int | None]:
    """Return the matches that the organiser has annulled to replay their games."""
    return {done.match for done in definition.interventions if done.kind is Kind.REPLAY}


def effective_results(definition: Definition, games: Iterable[GameResult]) -> list[GameResult]:
    """Return all results after interventions: replayed games, and forfeits that were taken back, are annulled."""
    games = list(games)
    replayed = replayed_matches(definition)
    reinstated = [done for done in definition.interventions if done.kind is Kind.REINSTATE]
    if not replayed and not reinstated:
        return games
    found = []
    for game in games:
        why = ""
        if game.match is not None and game.match in replayed:
            why = f"annulled by the organiser and played again; it had ended with {game.termination}"
        elif not game.played and any(_takes_back(definition, done, game) for done in reinstated):
            why = "taken back by the organiser"
        annulled = game._replace(
            winner=None, termination=Termination.ORGANISER, detail=f"{why}: {game.detail}".rstrip(": ")
        )
        found.append(annulled if why else game)
    return found


def rests_on(definition: Definition, fixture: Fixture, begun: Iterable[Fixture]) -> str:
    """Return a clause about games that were paired by the result of a game; empty if there are none.

    Swiss rounds and those of a knockout follow from the round before, each stage from the one before, and games that
    break a tie from those that ended even.
    """
    begun = list(begun)
    if any(other.stage > fixture.stage for other in begun):
        return f"stage {fixture.stage + 2} has begun"
    if not _is_by_rounds(definition, fixture):
        return ""
    here = [other for other in begun if other.stage == fixture.stage]
    if any(other.round > fixture.round for other in here):
        return f"round {fixture.round + 1} has begun"
    meeting = (
        other.pair for other in here if other.round == fixture.round and set(other.players) == set(fixture.players)
    )
    more = max(meeting, default=0) > max(fixture.pair, definition.stages[fixture.stage].pairs - 1)
    return "games that break the tie of its meeting have begun" if more else ""


def _is_by_rounds(definition: Definition, fixture: Fixture) -> bool:
    """Tell whether a game is of a stage in which each round follows from the round before."""
    return fixture.stage >= 0 and definition.stages[fixture.stage].format.by_rounds


def _takes_back(definition: Definition, done: Intervention, game: GameResult) -> bool:
    """Tell whether a reinstatement takes back a forfeit."""
    fixture = game.fixture
    return (
        done.name in fixture.players
        and game.interventions < done.number
        and fixture.stage == done.stage
        and not game.points(fixture.players.index(done.name))
        and (not _is_by_rounds(definition, fixture) or fixture.round == done.round)
    )


class Cause(StrEnum):
    """Why a game was lost. A program that was ended for a limit of its sandbox has the word of that limit instead."""

    BOARD = "board"
    """By the rules of the game; the termination says which."""
    BAD_MOVE = "bad_move"
    """A move was illegal or could not be read."""
    TIME = "time"
    """The clock ran out."""
    CONNECTION_LOST = "connection_lost"
    """The clock ran out while the player had no connection."""
    CRASHED = "crashed"
    """Its program, started by the server, had ended before the game did, or before its first word."""
    HUNG = "hung"
    """The clock ran out before initialisation was over."""
    NOT_STARTED = "not_started"
    """The game was not played: the program could not be started."""
    NO_ANSWER = "no_answer"
    """The game was not played: the program was started, and said nothing in the time that it has for that."""
    ABSENT = "absent"
    """The game was not played: the player did not come."""
    RESIGN = "resign"
    ADJUDICATED = "adjudicated"
    """Exact solving has proven that the position was lost."""
    FORFEIT = "forfeit"
    """The game was not played: the player had been disqualified."""
    WITHDRAWN = "withdrawn"
    """The game was not played: the organiser had withdrawn the player."""


_CAUSES = {
    Termination.BAD_MOVE: Cause.BAD_MOVE,
    Termination.RESIGN: Cause.RESIGN,
    Termination.ADJUDICATED: Cause.ADJUDICATED,
    FORFEIT: Cause.FORFEIT,
    WITHDRAWN: Cause.WITHDRAWN,
    ABSENT: Cause.ABSENT,
    NOT_STARTED: Cause.NOT_STARTED,
    ENDED_AT_START: Cause.CRASHED,
    NO_ANSWER: Cause.NO_ANSWER,
}
"""By termination. One of `Termination` that stands neither here nor among the ends by rules is its own cause."""

_BY_RULE = frozenset({Termination.REPETITION, Termination.NO_PROGRESS, Termination.MOVE_LIMIT, *ANNULLED})

_FAULTS = frozenset(map(str, Termination)) - frozenset(map(str, (Termination.TIME, *_BY_RULE, *_CAUSES)))
"""Terminations that are a program's own fault, and their own cause: it has crashed, or gone beyond a bound."""

_COUNTED = frozenset({*_FAULTS, Termination.TIME, Termination.BAD_MOVE, *UNPLAYED} - {FORFEIT, WITHDRAWN, SET_ASIDE})
"""Terminations that may disqualify."""

_HARMLESS = frozenset(
    {Cause.BOARD, Cause.BAD_MOVE, Cause.RESIGN, Cause.ADJUDICATED, Cause.FORFEIT, Cause.WITHDRAWN}
)  # fmt: skip
"""Causes that are no failure of a program to play in time."""

_AT_ONCE = frozenset({Cause.HUNG, Cause.NOT_STARTED, Cause.NO_ANSWER})
"""Causes of which one is enough in the qualification: the program never got ready."""

_WORDS: dict[str, str] = {
    Cause.TIME: "lost on time",
    Cause.CONNECTION_LOST: "lost its connection",
    Cause.HUNG: "hung in initialisation",
    Cause.NOT_STARTED: "cannot be started",
    Cause.NO_ANSWER: "no answer after its start",
    Cause.ABSENT: "did not come",
    Cause.BAD_MOVE: "illegal moves",
}
"""How a disqualification says what happened; other causes are their own words."""


class Loss(NamedTuple):
    """A game that a player has lost."""

    game: GameResult
    side: int
    """Side of the player."""
    cause: str
    """A word of `Cause`, or of a bound that the program had broken."""
    sentence: str
    """For people: rule, move, or time used against time allowed."""

    @property
    def name(self) -> str:
        """The player's name."""
        return self.game.fixture.players[self.side]


class Disqualification(NamedTuple):
    """A disqualified entrant."""

    name: str
    reason: str
    """Causes, with the number of games of each."""
    evidence: tuple[Loss, ...]
    """The games it rests on."""
    withdrawn: bool = False
    """The organiser has withdrawn it, and it has done nothing wrong by that."""


def is_late(cause: str) -> bool:
    """Tell whether a loss counts as a loss on time: the program was missing or silent when it was to move."""
    return cause not in _HARMLESS


def is_harmless(game: GameResult) -> bool:
    """Tell whether a result counts, and can disqualify nobody."""
    return game.termination not in _COUNTED and game.termination not in ANNULLED


def losses(definition: Definition, game: GameResult) -> tuple[Loss, ...]:
    """Return the losses of a game: of no side, one, or both.

    Both lose where neither was ready in time, although the rules call that a draw: it counts against both.
    """
    if game.winner is not None:
        return (_loss(definition, game, 1 - game.winner),)
    both_lose = game.termination in (Termination.TIME, *UNPLAYED - {SET_ASIDE})
    return tuple(_loss(definition, game, side) for side in (0, 1) if both_lose)


def find_disqualified(
    definition: Definition, games: Iterable[GameResult], before: tuple[int, int] = END
) -> dict[str, Disqualification]:
    """Return the entrants who are out: by the qualification, by losses on time, or withdrawn by the organiser.

    With ``before``, a stage and a round, as it was when that round was paired; ``games`` are those before it then.
    """
    forgiven = pardoned(definition.interventions, before)
    faults: dict[str, list[Loss]] = {entrant.name: [] for entrant in definition.entrants}
    counted = (game for game in counted_games(games) if game.termination in _COUNTED)
    for loss in (loss for game in counted for loss in losses(definition, game)):
        counts = is_late(loss.cause) or loss.cause == Cause.BAD_MOVE
        if counts and loss.name in faults and loss.game.interventions >= forgiven.get(loss.name, 0):
            faults[loss.name].append(loss)
    out = {name: found for name, of_one in faults.items() if (found := _judge(definition, name, of_one))}
    names = sorted(withdrawn(definition.interventions, before).difference(out))
    return out | {name: Disqualification(name, BY_ORGANISER, (), withdrawn=True) for name in names}


def _judge(definition: Definition, name: str, faults: list[Loss]) -> Disqualification | None:
    before = [loss for loss in faults if loss.game.fixture.stage == QUALIFICATION]
    rules = definition.qualification
    if rules is not None:
        limits = (
            (1, tuple(loss for loss in before if loss.cause in _AT_ONCE)),
            (rules.bad_moves, tuple(loss for loss in before if loss.cause == Cause.BAD_MOVE)),
            (rules.time_losses, tuple(loss for loss in before if is_late(loss.cause))),
        )
        for limit, found in limits:
            if len(found) >= limit:
                return Disqualification(name, f"{_what_happened(found)} in the qualification", found)
    late = tuple(loss for loss in faults if loss.game.fixture.stage != QUALIFICATION and is_late(loss.cause))
    never = tuple(loss for loss in late if loss.cause == Cause.NOT_STARTED)  # it would go no better another time
    if definition.time_losses and (never or len(late) >= definition.time_losses):
        return Disqualification(name, _what_happened(never or late), never or late)
    return None


def _what_happened(faults: Iterable[Loss]) -> str:
    """Name each cause with its number of games, the most frequent first: ``crashed (2 games), no answer (1 game)``."""
    counts = Counter(loss.cause for loss in faults).most_common()
    return ", ".join(
        f"{_WORDS.get(cause, cause.replace('_', ' '))} ({number_of(number, 'game')})" for cause, number in counts
    )


def _loss(definition: Definition, game: GameResult, side: int) -> Loss:
    ways = BOTH_WAYS.get(game.termination)
    cause: str = _CAUSES.get(game.termination if ways is None else ways[side], Cause.BOARD)
    sentence = without_code(game.detail or game.termination)
    if game.termination == Termination.TIME:
        cause = Cause.CONNECTION_LOST if game.gone[side] else Cause.TIME
        cause = cause if game.ready[side] else Cause.HUNG
        sentence = f"{sentence}; {_times_used(definition, game, side)}"
    elif cause == Cause.BOARD and game.termination in _FAULTS:
        cause = str(game.termination)
    return Loss(game, side, str(cause), sentence)


def _times_used(definition: Definition, game: GameResult, side: int) -> str:
    control = definition.control(game.fixture)
    # the loser was to move, so the other one made the last move, if there was one
    moves = game.plies // 2
    if not moves:
        return f"lost on time before the first move: all {about(control.budget)} were used"
    used, allowed = about(game.used[side]), about(control.budget + moves * control.increment)
    return f"{used} used of {allowed} allowed for {number_of(moves, 'move')}"


def stage_view(
    definition: Definition, stage: int, players: tuple[str, ...], games: Sequence[GameResult], **present: Any
) -> StageView:
    """Return a stage as its format sees it; ``games`` are all that count, ``present`` further fields."""
    variants = len(definition.variants)

    def rate(games: Iterable[GameResult], players: Sequence[str]) -> dict[str, float]:
        from engine.statistics.likelihood import strengths  # loads numpy

        return strengths(rated_games(games), players, variants)

    return StageView(
        stage,
        players,
        variants,
        definition.stages[stage].pairs,
        games,
        lambda games, before: find_disqualified(definition, games, before),
        rate,
        **present,
    )


def standings(
    definition: Definition,
    stage: int,
    players: tuple[str, ...],
    games: Collection[GameResult],
    byes: Collection[Bye] = (),
    before: tuple[int, int] = END,
) -> list[Standing]:
    """Return the table of a stage, the best first; ``players`` are in order of seeding, ``games`` all so far.

    With ``before``, a stage and a round, as it was when that round was paired; ``games`` are those before it then.
    """
    valid = counted_games(games)
    view, format = stage_view(definition, stage, players, valid), definition.stages[stage].format
    out, had, score = (
        find_disqualified(definition, valid, before),
        Counter(bye.name for bye in byes),
        points(view.games),
    )
    for name, count in had.items() if format.byes_score else ():
        score[name] += count * view.meeting_games
    mine: defaultdict[str, list[tuple[GameResult, int]]] = defaultdict(list)
    for game in view.games:
        for side, name in enumerate(game.fixture.players):
            mine[name].append((game, side))
    lines = [_line(name, mine[name], score, had[name], out.get(name)) for name in players]
    ranked = [((not line.disqualified, *marks), line) for line, marks in format.rank(view, lines)]
    ranked.sort(key=lambda one: one[0], reverse=True)  # those who are even stay in order
    placed: list[Standing] = []
    for number, (marks, line) in enumerate(ranked, 1):
        shared = number > 1 and ranked[number - 2][0] == marks
        placed.append(msgspec.structs.replace(line, place=placed[-1].place if shared else number))
    return placed


def _line(
    name: str, games: list[tuple[GameResult, int]], points: Mapping[str, float], byes: int, out: Disqualification | None
) -> Standing:
    """Return the line of a player, without its place, from its games and its side in each."""
    played = [(game, side) for game, side in games if game.played]
    unplayed = [game.points(side) for game, side in games if not game.played]
    used = [game.used[side] for game, side in played]
    opponents = {(game.fixture.players[1 - side], game.fixture.round) for game, side in games}
    return Standing(
        place=0,
        name=name,
        points=points[name],
        games=len(played),
        wins=sum(game.winner == side for game, side in played),
        draws=sum(game.winner is None for game, _ in played),
        losses=sum(game.winner == 1 - side for game, side in played),
        forfeits_won=unplayed.count(1.0),
        forfeits_lost=unplayed.count(0.0),
        byes=byes,
        sonneborn_berger=sum((game.points(side) * points[game.fixture.players[1 - side]] for game, side in games), 0.0),
        buchholz=sum(points[other] for other, _ in opponents) + byes * points[name],
        rating=None,
        rounds_won=None,
        firsts=sum(side == 0 for _, side in played),
        used=sum(used),
        longest=max(used, default=0),
        time_losses=sum(game.termination == Termination.TIME and game.winner != side for game, side in played),
        disqualified=out.reason if out else "",
    )
