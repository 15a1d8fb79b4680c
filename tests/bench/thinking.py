"""How soon a search ends when it has to, and what a larger board costs."""

from collections.abc import Mapping
from random import Random
from statistics import median
from time import perf_counter, thread_time

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.search.searcher import Searcher, SearchLimits, warm_up

PARAMETERS = "4 4 15 15"

ENDS = 200
"""Searches that are ended by their time."""

THOUGHT_MS = 20

POSITIONS = 8

BOARDS = {
    "gipf": {"4 4 15 15": None, "5 4 20 20": 0.20, "7 5 30 30": 0.20, "9 5 60 60": None},
    "mnk": {"8 8 5": None, "15 15 5": 0.25},
}
"""The first of each game fits a machine word; the others of GIPF take two, three and five, that of m,n,k four. With
each is the part of the first one's nodes a second that it is to make at least, where there is such a bar."""

ROUNDS, NODES = 7, 1_000_000
"""Each board is searched in turn so often, and for so many nodes each time."""


def run() -> None:
    """Print how late searches end, and how fast boards are searched."""
    places = list(_positions())
    warm_up(places[0])
    _ends(places)
    for game, boards in BOARDS.items():
        _boards(game, boards)


def _positions() -> list[Position]:
    found = []
    for seed in range(POSITIONS):
        chance = Random(seed)
        position = GAMES["gipf"].start(PARAMETERS)
        for _ in range(8 + seed):
            children = list(position.children())
            position = chance.choice(children).position
        found.append(position)
    return found


def _ends(places: list[Position]) -> None:
    searcher = Searcher(places[0].kernel())
    lateness = []
    for number in range(ENDS):
        began = perf_counter()
        position = places[number % len(places)]
        searcher.think(position, (), SearchLimits(hard_ms=THOUGHT_MS), clock=perf_counter)
        lateness.append(1000 * (perf_counter() - began) - THOUGHT_MS)
    lateness.sort()
    print(
        f"thinking: ended by a timer of the searcher's own after {THOUGHT_MS} ms, {ENDS} times: late by "
        f"{median(lateness):.2f} ms (median), {lateness[int(0.99 * ENDS)]:.2f} (99 %), {lateness[-1]:.2f} at most"
    )


def _boards(game: str, boards: Mapping[str, float | None]) -> None:
    first = next(iter(boards))
    positions = [GAMES[game].start(parameters) for parameters in boards]
    searchers = []
    for position in positions:
        began = perf_counter()
        warm_up(position)
        print(f"thinking: {game} {position.parameters}: compiled, or loaded, in {perf_counter() - began:.1f} s")
        searchers.append(Searcher(position.kernel()))
    rates: list[list[float]] = []
    for _ in range(ROUNDS):
        results = [
            searcher.think(position.kernel().state, (), SearchLimits(nodes=NODES), clock=thread_time)
            for searcher, position in zip(searchers, positions, strict=True)
        ]
        rates.append([result.nodes / result.seconds for result in results])
    for number, (parameters, bar) in enumerate(boards.items()):
        million = median(rate[number] for rate in rates) / 1e6
        part = median(rate[number] / rate[0] for rate in rates)
        shown = "" if bar is None else f"; bar {bar:.2f}"
        print(f"thinking: {game} {parameters}: {million:.2f} million nodes/s, {part:.2f} of {first} (medians){shown}")
