"""Run every benchmark, or those that are named: ``python -m tests.bench [NAME]...``, where NAME is one of `BENCHES`.

``python -m tests.bench soak [--minutes 30]`` takes as long as it says, and is run only where it is named.
"""

import argparse
from collections.abc import Callable

from tests.bench import (
    contests,
    flags,
    games,
    games_index,
    guesses,
    hostile,
    learning,
    levels,
    perft,
    playing,
    profile,
    requests,
    routes,
    server,
    soak,
    solving,
    starting,
    sync,
    thinking,
    web,
)

BENCHES: dict[str, Callable[[], object]] = {
    "perft": perft.run,
    "games": games.run,
    "thinking": thinking.run,
    "levels": levels.run,
    "solving": solving.run,
    "starting": starting.run,
    "server": server.run,
    "sync": sync.run,
    "flags": flags.run,
    "profile": profile.run,
    "requests": requests.run,
    "guesses": guesses.run,
    "hostile": hostile.run,
    "playing": playing.run,
    "web": web.run,
    "routes": routes.run,
    "contests": contests.run,
    "learning": learning.run,
    "games-index": games_index.run,
}

parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure, and print figures.")
parser.add_argument(
    "names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHES)}; all where none is named; or soak"
)
parser.add_argument("--minutes", type=float, default=30.0, help="how long a soak takes, 30 by default")
asked = parser.parse_args()
unknown = [name for name in asked.names if name not in BENCHES and name != "soak"]
if unknown:
    parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(BENCHES)} and soak")
for name in asked.names or BENCHES:
    if name == "soak":
        soak.run(asked.minutes)
    else:
        BENCHES[name]()
