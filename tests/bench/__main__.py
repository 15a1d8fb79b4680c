"""Run every benchmark, or those that are named: ``python -m tests.bench [perft|games|thinking|solving|server]...``."""

import sys

from tests.bench import games, perft, server, solving, thinking

BENCHES = {
    "perft": perft.run,
    "games": games.run,
    "thinking": thinking.run,
    "solving": solving.run,
    "server": server.run,
}

for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
