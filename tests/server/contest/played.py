"""Contests that are played without a server: results come from a seed, as those of bots that play by seed would."""

from collections.abc import Callable
from random import Random

from engine.games.interface import Termination
from engine.match.clock import TimeControl
from server.contest.definition import Definition, Entrant, Format, Qualification, Stage, Variant
from server.contest.fixtures import Fixture, GameResult
from server.contest.plan import Plan, Present, plan

CONTROL = TimeControl(1_000_000, 10_000)

Result = Callable[[Fixture], GameResult]


def contest(
    entrants: int,
    *formats: Format,
    variants: int = 1,
    pairs: int = 1,
    advance: int = 0,
    time_losses: int = 0,
    seed: int = 1,
    qualification: Qualification | None = None,
) -> Definition:
    """Return a contest of a1, a2, …; stages behind the first one have the best ``advance`` of the one before."""
    return Definition(
        name="test",
        seed=seed,
        entrants=tuple(Entrant(f"a{number}") for number in range(1, entrants + 1)),
        variants=tuple(Variant("morris", "", ("one", "two", "three")) for _ in range(variants)),
        stages=tuple(Stage(format, CONTROL, pairs, advance if number else 0) for number, format in enumerate(formats)),
        move_limit=100,
        time_losses=time_losses,
        qualification=qualification,
    )


def by_seed(seed: int, draws: float = 0.2, late: float = 0.0, slow: str = "") -> Result:
    """Return results that depend on the fixture and the seed alone; ``slow`` loses on time so often."""

    def result(fixture: Fixture) -> GameResult:
        chance = Random(f"{seed} {fixture}")
        if slow in fixture.players and chance.random() < late:
            return GameResult(fixture, 1, 1 - fixture.players.index(slow), Termination.TIME, "late", 6, (1_030_000, 5))
        winner = None if chance.random() < draws else chance.randrange(2)
        return GameResult(fixture, 1, winner, "line", "", 20, (chance.randrange(10**6), 200))

    return result


def better_wins(fixture: Fixture) -> GameResult:
    """Let the entrant with the smaller number win."""
    numbers = [int(name[1:]) for name in fixture.players]
    return GameResult(fixture, 1, numbers.index(min(numbers)), "line")


def play(definition: Definition, result: Result, order: Random | None = None, at_once: int = 1) -> list[GameResult]:
    """Play a contest to its end, so many games at a time; ``order`` draws which begin and end."""
    games: list[GameResult] = []
    running: list[Fixture] = []
    names = tuple(entrant.name for entrant in definition.entrants)
    while True:
        now = plan(definition, games, Present(frozenset(running), names))
        games += now.forfeited
        if now.over:
            return games
        due = list(now.due)
        if order is not None:
            order.shuffle(due)
        running += due[: at_once - len(running)]
        if running:
            games.append(result(running.pop(order.randrange(len(running)) if order else 0)))


def final_plan(definition: Definition, games: list[GameResult]) -> Plan:
    """Return the plan of a contest that is over."""
    last = plan(definition, games)
    assert last.over and not last.due and not last.forfeited
    return last
