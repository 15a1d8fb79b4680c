"""How long pages of the search and of a player take with 100,000 games: ``python -m tests.bench games-index``."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from server.config.process_settings import compute_in_one_thread
from server.web.people import indexing
from server.web.people.profiles import profile
from server.web.people.search import find

GAMES = 100_000
PLAYERS = 200
REPEATED = 15

BAR = 50
"""Milliseconds in which a page of a search is to be found."""

VARIANTS = (("gipf", "3 3 9 9"), ("gipf", "4 4 15 15"), ("arrows", "8 8"), ("morris", ""), ("mnk", "3 3 3"))
ENDS = ((0, "won", "no_reserve"), (1, "won", "no_reserve"), (0, "won", "time"), (None, "draw", "repetition"))

SEARCHES: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "all, the thousandth page": {"before": str(GAMES // 2)},
    "a player": {"player": "bot7"},
    "two players": {"player": "bot7", "opponent": "bot8"},
    "a player's losses on time": {"player": "bot7", "result": "lost", "reason": "time"},
    "a variant": {"game": "gipf", "variant": "4 4 15 15"},
    "a variant, length and days": {"game": "gipf", "shortest": "100", "since": "2026-03-01", "until": "2026-04-01"},
    "what nobody has played": {"reason": "nothing"},
}


def fill(data: Path, games: int) -> None:
    """Fill the index of a data directory with synthetic games."""
    chance = random.Random(1)
    (data / "records").mkdir()
    with indexing.opened(data) as connection:
        connection.execute("BEGIN")
        for match in range(1, games + 1):
            first, second = chance.sample(range(PLAYERS), 2)
            day = f"2026-{1 + match * 12 // (games + 1):02d}-{1 + chance.randrange(28):02d}T10:00:00.000Z"
            winner, result, reason = chance.choice(ENDS)
            names = f"bot{first}", f"bot{second}"
            row = (match, *chance.choice(VARIANTS), *names, *names, winner, result, reason, chance.randrange(10, 200))
            times = (day, *(chance.randrange(60_000_000) for _ in range(4)))
            connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * 16)})", (*row, *times))
        connection.execute("COMMIT")


def timed(work: Callable[[], object]) -> list[float]:
    """Return how many milliseconds something takes, each time of some, in order of size."""
    spans = []
    for _ in range(REPEATED):
        begin = time.perf_counter()
        work()
        spans.append(1000 * (time.perf_counter() - begin))
    return sorted(spans)


def run() -> None:
    """Print the median and the longest time of each search, and the times of a player's page."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        fill(data, GAMES)
        print(f"a page of a search of {GAMES:,} games, in ms: median, longest of {REPEATED}; bar {BAR}")
        for name, asked in SEARCHES.items():

            def search(asked: Mapping[str, str] = asked) -> None:
                with indexing.opened(data) as connection:
                    find(data, connection, asked)

            spans = timed(search)
            print(f"  {name:32} {median(spans):7.1f} {spans[-1]:7.1f}")
        subprocess.run([sys.executable, "-m", "tests.bench.games_index", folder], check=True)


def run_players(data: Path) -> None:
    """Print how long the page of a player takes, in a process of its own, as where the server computes it."""
    compute_in_one_thread()

    def look() -> None:
        with indexing.opened(data) as connection:
            profile(data, connection, {"name": "bot7"})

    spans = timed(look)
    print(f"the page of a player, in ms: {median(spans):.1f} {spans[-1]:.1f}")


if __name__ == "__main__":
    run_players(Path(sys.argv[1]))
