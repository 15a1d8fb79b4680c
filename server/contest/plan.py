"""The plan of a contest: its stages, the games that are due, and the games that can start now (pure).

The plan follows from the definition, the interventions and the results. A server with these data continues the contest.
A ladder also needs the free entrants and the seconds that it has lasted, since it pairs the entrants that are free.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from engine.duel.openings import split_mix
from server.contest.definition import Definition, Seeding
from server.contest.fixtures import (
    FORFEIT,
    QUALIFICATION,
    WITHDRAWN,
    Fixture,
    GameResult,
    Schedule,
    counted_games,
    is_cancelled,
    whole_meeting,
)
from server.contest.scoring import Disqualification, find_disqualified, stage_view, standings


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
    if (rules := definition.qualification) is None:
        return Schedule(())
    return Schedule(
        tuple(
            fixture
            for number, opponent in enumerate(rules.opponents, 1)
            for entrant in definition.entrants
            for fixture in whole_meeting(
                QUALIFICATION, number, (entrant.name, opponent), len(definition.variants), rules.pairs
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
    """Stages that have begun; the last one is being played, unless all is over."""
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
        lost = [
            forfeit(fixture, out)._replace(interventions=len(definition.interventions))
            for fixture in opened
            if stages[-1].number != QUALIFICATION and not out.keys().isdisjoint(fixture.players)
        ]
        if not lost:
            break
        # a forfeit may open the next round, in which there are more of them
        forfeited += lost
        valid += lost
    due = tuple(fixture for fixture in opened if out.keys().isdisjoint(fixture.players))
    number, _, last = stages[-1]
    over = number == len(definition.stages) - 1 and last.complete and not due and (last.final or not now.running)
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
    left = set(stage.schedule.fixtures).difference(game.fixture for game in games)
    if stage.number == QUALIFICATION:
        before = [game for game in games if game.fixture.stage == QUALIFICATION]
        out = find_disqualified(definition, before, (0, 0)).keys()
        left = {fixture for fixture in left if out.isdisjoint(fixture.players)}
    return bool(left) or not stage.schedule.complete


def forfeit(fixture: Fixture, out: Mapping[str, Disqualification]) -> GameResult:
    """Return the forfeited result of a game with at least one player who is out."""
    present = [side for side, name in enumerate(fixture.players) if name not in out]
    gone = [name for name in fixture.players if name in out]
    is_withdrawn = all(out[name].withdrawn for name in gone)
    termination, what = (WITHDRAWN, "withdrawn") if is_withdrawn else (FORFEIT, "disqualified")
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
    busy = {name for fixture in running for name in fixture.players}
    taken = sum(_programs(fixture, connecting) for fixture in running)
    chosen: list[Fixture] = []
    blocked = False
    for fixture in due:
        if len(running) + len(chosen) >= most:
            break
        if any(name in connecting and (name not in connected or name in busy) for name in fixture.players):
            continue
        needed = _programs(fixture, connecting)
        fits = taken + needed <= min(cores, all_cores - others) or taken + others == 0
        blocked = blocked or (not fits and needed > 0)
        if blocked and not connecting:
            break
        if needed == 0 or not blocked:
            chosen.append(fixture)
            busy |= set(fixture.players)
            taken += needed
    return chosen


def _programs(fixture: Fixture, connecting: Collection[str]) -> int:
    """Return the number of programs that the server has to start for a game."""
    return sum(name not in connecting for name in fixture.players)
