"""Run every benchmark, or those that are named: ``python -m tests.bench [perft|games|solving|server]...``."""

import sys

from tests.bench import games, perft, server, solving

BENCHES = {"perft": perft.run, "games": games.run, "solving": solving.run, "server": server.run}

for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
