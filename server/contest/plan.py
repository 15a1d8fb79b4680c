"""The tables of stages, and the plan of the next games (pure).

Both follow from the definition, the interventions and the games so far. Nothing else is remembered: a server with these
data continues the contest. A ladder also needs the free entrants and the seconds that it has lasted, since it pairs the
entrants that are free.

Points are 1 for a win and a half for a draw, a game that somebody had to forfeit included. Then the order is

    round robin     points, Sonneborn-Berger, wins
    Swiss           points, Buchholz, Sonneborn-Berger, wins
    gauntlet        rating, since challengers and others play different numbers of games
    ladder          rating, since everybody plays whom he gets
    knockout        rounds got through, then the match for the third place

Players who are still even share the place, and stand in the order of seeding. Disqualified players come last.
Sonneborn-Berger is, for each game, the points of the opponent for a win and half of them for a draw. Buchholz is the
sum of the opponents' points, one for each meeting. A bye gives the points of a meeting won in all games; for Buchholz
it counts as an opponent with as many points as the player, like the virtual opponent of the FIDE Handbook (C.07).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from engine.duel.openings import split_mix
from engine.games.outcome import Termination
from server.contest.definition import Definition, Seeding
from server.contest.fixtures import (
    END,
    FORFEIT,
    QUALIFICATION,
    WITHDRAWN,
    Bye,
    Fixture,
    GameResult,
    Schedule,
    counted_games,
    is_cancelled,
    meeting,
    rated_games,
)
from server.contest.formats.format import StageView, Standing
from server.contest.scoring import Disqualification, find_disqualified

GameOrNumber = TypeVar("GameOrNumber", GameResult, int)


class Cell(msgspec.Struct, Generic[GameOrNumber], frozen=True):
    """The result of a player against another one."""

    points: float
    wins: int
    draws: int
    losses: int
    games: tuple[GameOrNumber, ...]
    """Those that have been played or forfeited, in their order; in reports their numbers there."""


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
    out = find_disqualified(definition, valid, before)
    table = crosstable(players, view.games)
    had = Counter(bye.name for bye in byes)
    bye_points = view.meeting_games if format.byes_score else 0
    points = {
        name: sum((cell.points for cell in table[name].values()), start=0.0) + had[name] * bye_points
        for name in players
    }
    ranked = [
        ((not line.disqualified, *marks), line)
        for line, marks in format.rank(
            view, [_line(name, table[name], points, had[name], out.get(name)) for name in players]
        )
    ]
    ranked.sort(key=lambda one: one[0], reverse=True)  # those who are even stay in order
    placed: list[Standing] = []
    for number, (marks, line) in enumerate(ranked, 1):
        shared = number > 1 and ranked[number - 2][0] == marks
        placed.append(msgspec.structs.replace(line, place=placed[-1].place if shared else number))
    return placed


def crosstable(players: tuple[str, ...], games: Collection[GameResult]) -> dict[str, dict[str, Cell[GameResult]]]:
    """Return the result of each player against each opponent; both in order of seeding."""
    met: dict[tuple[str, str], list[GameResult]] = {}
    for game in games:
        first, second = game.fixture.players
        met.setdefault((first, second), []).append(game)
        met.setdefault((second, first), []).append(game)
    return {
        name: {other: _cell(name, met[name, other]) for other in players if (name, other) in met} for name in players
    }


def _cell(name: str, games: list[GameResult]) -> Cell[GameResult]:
    reached = [game.points(game.fixture.players.index(name)) for game in games]
    draws = sum(game.shared for game in games)
    wins = reached.count(1.0)
    return Cell(sum(reached), wins, draws, len(games) - wins - draws, tuple(games))


def _line(
    name: str, row: dict[str, Cell[GameResult]], points: dict[str, float], byes: int, out: Disqualification | None
) -> Standing:
    """Return the line of a player, without its place."""
    games = [(game, game.fixture.players.index(name)) for cell in row.values() for game in cell.games]
    played = [(game, side) for game, side in games if game.played]
    unplayed = [game.points(side) for game, side in games if not game.played]
    used = [game.used[side] for game, side in played]
    rounds = {(other, game.fixture.round) for other, cell in row.items() for game in cell.games}
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
        sonneborn_berger=sum((cell.points * points[other] for other, cell in row.items()), 0.0),
        buchholz=sum(points[other] for other, _ in rounds) + byes * points[name],
        rating=None,
        rounds_won=None,
        firsts=sum(side == 0 for _, side in played),
        used=sum(used),
        longest=max(used, default=0),
        time_losses=sum(game.termination == Termination.TIME and game.winner != side for game, side in played),
        disqualified=out.reason if out else "",
    )


def shuffled(names: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the names in an order that depends on the seed alone (Fisher and Yates 1938)."""
    order = list(names)
    numbers = split_mix(seed)
    for last in range(len(order) - 1, 0, -1):
        other = next(numbers) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def qualification(definition: Definition) -> Schedule:
    """Return all games of the qualification: each entrant against each built-in bot, in all variants."""
    rules = definition.qualification
    if rules is None:
        return Schedule(())
    variants = range(len(definition.variants))
    return Schedule(
        tuple(
            fixture
            for number, opponent in enumerate(rules.opponents, 1)
            for entrant in definition.entrants
            for fixture in meeting(
                QUALIFICATION,
                number,
                (entrant.name, opponent),
                variants,
                range(rules.pairs),
                (number - 1) * rules.pairs,
            )
        )
    )


class Present(NamedTuple):
    """Running games, free players and the age of stages at the moment."""

    running: frozenset[Fixture] = frozenset()
    """Games that have begun and are not over."""
    free: tuple[str, ...] = ()
    """Entrants that could begin a game: only a ladder asks for them."""
    seconds: Mapping[int, float] = MappingProxyType({})
    """How many seconds ago a stage began, by its number: only a ladder asks, also after its end."""


class StageState(NamedTuple):
    """A stage that has begun, and perhaps ended."""

    number: int
    """`QUALIFICATION`, or its place among the stages."""
    players: tuple[str, ...]
    """In order of seeding."""
    schedule: Schedule


class Plan(NamedTuple):
    """The state of a contest: its stages, and the games that are due."""

    stages: tuple[StageState, ...]
    """Those that have begun; the last one is being played, unless all is over."""
    due: tuple[Fixture, ...]
    """Games that can begin as soon as their players are free, in the order in which they are best played."""
    forfeited: tuple[GameResult, ...]
    """Games that are over without having been played; to be kept with the games that are over."""
    over: bool
    """The contest is over as soon as what is forfeited was kept."""


def plan(definition: Definition, games: Iterable[GameResult], present: Present | None = None) -> Plan:
    """Return the games to be played next. The order of results only decides which of two results of a fixture counts.

    A fixture that is due or running may become none, when a player of it is disqualified in the qualification.
    """
    now = present or Present()
    valid = counted_games(games)
    if is_cancelled(definition.interventions):
        return Plan(tuple(_stages(definition, valid, now)), (), (), over=not now.running)
    forfeited: list[GameResult] = []
    while True:
        stages = _stages(definition, valid, now)
        known = {game.fixture for game in valid} | now.running
        out = find_disqualified(definition, valid)
        opened = [fixture for fixture in stages[-1].schedule.fixtures if fixture not in known]
        lost = (
            []
            if stages[-1].number == QUALIFICATION
            else [forfeit(f, out) for f in opened if not out.keys().isdisjoint(f.players)]
        )
        if not lost:
            break
        lost = [game._replace(interventions=len(definition.interventions)) for game in lost]
        # a forfeit may open the next round, in which there are more of them
        forfeited += lost
        valid += lost
    due = tuple(fixture for fixture in opened if out.keys().isdisjoint(fixture.players))
    last = stages[-1]
    over = last.number == len(definition.stages) - 1 and last.schedule.complete and not due
    over = over and (last.schedule.final or not now.running)
    return Plan(tuple(stages), due, tuple(forfeited), over)


def _stages(definition: Definition, games: list[GameResult], now: Present) -> list[StageState]:
    """Return the stages up to the first that is not over."""
    names = tuple(entrant.name for entrant in definition.entrants)
    stages = []
    if definition.qualification is not None:
        stages.append(StageState(QUALIFICATION, names, qualification(definition)))
        if _open(definition, stages[-1], games):
            return stages
    players = shuffled(names, definition.seed) if definition.seeding == Seeding.CHANCE else names
    for number, stage in enumerate(definition.stages):
        before = [game for game in games if game.fixture.stage < number]
        out = find_disqualified(definition, before, (number, 0))
        if number > 0:
            last = stages[-1]
            table = standings(definition, last.number, last.players, before, last.schedule.byes, (number, 0))
            players = tuple(line.name for line in table)
        players = tuple(name for name in players if name not in out)[: stage.advance or None]
        seconds = now.seconds.get(number, 0.0)
        view = stage_view(definition, number, players, games, running=now.running, free=now.free, seconds=seconds)
        stages.append(StageState(number, players, stage.format.schedule(view)))
        if _open(definition, stages[-1], games):
            break
    return stages


def _open(definition: Definition, stage: StageState, games: list[GameResult]) -> bool:
    """Tell whether a stage has games that are not over."""
    over = {game.fixture for game in games}
    left = [fixture for fixture in stage.schedule.fixtures if fixture not in over]
    if stage.number == QUALIFICATION:
        before = [game for game in games if game.fixture.stage == QUALIFICATION]
        out = find_disqualified(definition, before, (0, 0))
        left = [fixture for fixture in left if not any(name in out for name in fixture.players)]
    return bool(left) or not stage.schedule.complete


def forfeit(fixture: Fixture, out: Mapping[str, Disqualification]) -> GameResult:
    """Return the forfeited result of a game with at least one player who is out."""
    present = [side for side, name in enumerate(fixture.players) if name not in out]
    gone = [name for name in fixture.players if name in out]
    if all(out[name].withdrawn for name in gone):
        termination, what = WITHDRAWN, "withdrawn"
    else:
        termination, what = FORFEIT, "disqualified"
    sentence = f"{' and '.join(gone)} had been {what}"
    return GameResult(fixture, None, present[0] if present else None, termination, sentence)


def games_to_start(
    definition: Definition,
    due: Iterable[Fixture],
    running: Collection[Fixture],
    connected: Collection[str],
    cores: int,
    others: int = 0,
) -> list[Fixture]:
    """Return the due games that can begin now, in order, in addition to those that are running.

    An entrant that connects by itself plays one game at a time, while it is connected. A program that the server
    starts, built-in bots included, has a core of its own as long as its game lasts, so that no bot thinks on another's
    processor time; ``cores`` is how many the machine has, if the contest does not say how many it may take. A game that
    needs more than there are at all is played by itself. No game overtakes one that needs more cores than are free:
    that one would wait for ever. ``others`` of the machine's cores are not for this contest.
    """
    most = definition.games_at_once or len(definition.entrants) ** 2
    all_cores, cores = max(cores, definition.cores), definition.cores or cores
    connecting = {entrant.name for entrant in definition.entrants if entrant.connects}
    begun = list(running)
    busy = {name for fixture in begun for name in fixture.players}
    taken = sum(_programs(fixture, connecting) for fixture in begun)
    chosen = []
    blocked = False
    for fixture in due:
        if len(begun) >= most:
            break
        needed = _programs(fixture, connecting)
        if any(name in connecting and (name not in connected or name in busy) for name in fixture.players):
            continue
        fits = taken + needed <= min(cores, all_cores - others) or taken + others == 0
        blocked = blocked or (not fits and needed > 0)
        if blocked and not connecting:
            break
        if needed == 0 or not blocked:
            chosen.append(fixture)
            begun.append(fixture)
            busy |= set(fixture.players)
            taken += needed
    return chosen


def _programs(fixture: Fixture, connecting: Collection[str]) -> int:
    """Return the number of programs that the server has to start for a game."""
    return sum(name not in connecting for name in fixture.players)


STANDS_SECONDS = 1.0
"""How long a plan is gone by at most: the organiser may have changed something."""


class PlanCache:
    """The last plan of a contest, without the games that have begun since.

    To plan costs more the more games there were. In a round robin all games are known from the start, and where nobody
    could be disqualified by what was played since, those that have not begun are still due. So a contest is planned
    once a second at most where its games are shorter, and each of its games costs the same.
    """

    def __init__(self) -> None:
        """Begin without a plan."""
        self._plan: Plan | None = None
        self._made = 0.0
        self._due: dict[Fixture, None] = {}

    def keep(self, found: Plan, definition: Definition, now: float) -> None:
        """Keep a plan, unless later results may change the games that are due."""
        number = found.stages[-1].number
        format = None if number == QUALIFICATION else definition.stages[number].format
        changes = format is not None and (format.by_rounds or format.is_open)
        self._plan = None if changes or found.forfeited else found
        self._made, self._due = now, dict.fromkeys(found.due)

    def drop(self) -> None:
        """Drop the plan, which is outdated."""
        self._plan = None

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the due ones."""
        for fixture in fixtures:
            self._due.pop(fixture, None)

    def standing(self, now: float) -> Plan | None:
        """Return the plan without games that have begun since; None if it is outdated."""
        if self._plan is None or not self._due or now - self._made >= STANDS_SECONDS:
            return None
        return self._plan._replace(due=tuple(self._due))


def make_plan(
    definition: Definition, games: tuple[GameResult, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return the plan, and the disqualified entrants; to be called in a thread, since a long contest takes long."""
    return plan(definition, games, present), find_disqualified(definition, games)
