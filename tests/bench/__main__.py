"""Run every benchmark, or those that are named: ``python -m tests.bench [NAME]...``, where NAME is one of `BENCHES`.

``python -m tests.bench soak [--minutes 30]`` takes as long as it is told to, and is run only where it is named.
"""

import argparse
from collections.abc import Callable

from tests.bench import (
    contests,
    games,
    levels,
    pages,
    perft,
    server,
    soak,
    starting,
    strength,
    thinking,
)

BENCHES: dict[str, Callable[[], object]] = {
    "perft": perft.run,
    "games": games.run,
    "thinking": thinking.run,
    "levels": levels.run,
    "strength": strength.run,
    "starting": starting.run,
    "server": server.run,
    "pages": pages.run,
    "contests": contests.run,
}

LASTING: dict[str, Callable[[float], None]] = {"soak": soak.run}
"""Benchmarks that run for the minutes on the command line."""

parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure, and print figures.")
parser.add_argument(
    "names",
    nargs="*",
    metavar="NAME",
    help=f"one of {', '.join(BENCHES)}; all where none is named; or {', '.join(LASTING)}",
)
parser.add_argument("--minutes", type=float, default=30.0, help="how long the last ones take, 30 by default")
parser.add_argument(
    "--pairs", type=int, default=strength.PAIRS, help="pairs of games a board that strength plays, 50 by default"
)
asked = parser.parse_args()
unknown = [name for name in asked.names if name not in BENCHES and name not in LASTING]
if unknown:
    parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join((*BENCHES, *LASTING))}")
for name in asked.names or BENCHES:
    if name in LASTING:
        LASTING[name](asked.minutes)
    elif name == "strength":
        strength.run(asked.pairs)
    else:
        BENCHES[name]()
