"""Run every benchmark, or those that are named: ``python -m tests.bench [perft|server]...``."""

import sys

from tests.bench import perft, server

BENCHES = {"perft": perft.run, "server": server.run}

for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
