"""What RESUME with wrong tokens costs others, over TCP: ``python -m tests.bench guesses``, and behind ``requests``.

A server has the record of a finished match of 1000 plies on the largest board. One client asks PING after PING; in
every other round another one guesses the match's token twelve times a second.
"""

import random
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from engine.clock import TimeControl
from engine.games.catalogue import GAMES
from engine.games.interface import Successor
from engine.record import Header
from engine.wire import messages as m
from server.match import referee
from server.storage.record_store import Keys, RecordStore
from tests.server.process import Client, ServerProcess

PLIES, PARAMETERS = 1000, "12 4 999 999"

GUESSES = 12
"""A second."""

ROUNDS, SECONDS = 5, 3.0
"""Rounds of each kind, in turns, and how long each is."""

ERRORS = 90
"""Guesses on a connection, which is closed after a hundred."""


def long_match() -> Iterator[str]:
    """Return the lines of the record of a match at random."""
    chance = random.Random(1)
    start, control = GAMES["gipf"].start(PARAMETERS), TimeControl(10**10)
    header = Header(1, start, ("ann", "bob"), control, PLIES, "test", "2026-01-02T03:04:05.678Z")
    yield header.text()
    state, now = referee.begin(header), 0
    while state.outcome is None:
        now += 1000
        if state.history.plies == 0 and not all(state.ready):
            state, effects = referee.ready(state, 0 if state.ready[1] else 1, now)
        else:
            state = referee.start_turn(state, now)
            move = _some(state.history.position.successors(), chance)
            state, effects = referee.move(state, state.history.position.turn, move, now)
        yield "".join(effect.line for effect in effects if isinstance(effect, referee.WriteRecord))


def _some(successors: Iterator[Successor], chance: random.Random) -> str:
    """Return one of the first forty moves: to find all of them takes long."""
    return chance.choice([successor.move for successor in islice(successors, 40)])


def keep_long_match(data: Path) -> int:
    """Put the record of such a match into a data directory, where it is over; return its plies."""
    first, *lines = long_match()
    journal = RecordStore(data).begin(1, Keys.of("a" * 32, "b" * 32), first)
    journal.write("".join(lines))
    journal.finish()
    return sum(line.startswith("move ") for text in lines for line in text.splitlines())


def _round(port: int, guesses: int) -> list[float]:
    """Return the milliseconds of each answer to PING, in a round with so many guesses a second."""
    peer, attacker, asked = Client(port), Client(port), 0
    times = []
    began = last = time.perf_counter()
    due = began + (1 / guesses if guesses else 2 * SECONDS)
    while last - began < SECONDS:
        if last >= due:
            due += 1 / guesses
            asked += 1
            attacker.say(m.Resume(1, f"{asked:032x}"))
            if asked % ERRORS == 0:
                attacker.close()
                attacker = Client(port)
        now = time.perf_counter()
        peer.say(m.Ping())
        peer.hear(m.Pong)
        last = time.perf_counter()
        times.append((last - now) * 1000)
    peer.close()
    attacker.close()
    return times


def run() -> None:
    """Print what PING takes with guesses and without."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        plies = keep_long_match(data)
        rounds = f"{ROUNDS} rounds of {SECONDS:g} s each in turns"
        print(f"guesses: ms from PING to PONG, {rounds}; a match of {plies} plies")
        print(f"{'RESUME a second':>16}{'p50':>9}{'p99':>9}{'worst':>9}{'answers':>9}")
        times: dict[int, list[float]] = {0: [], GUESSES: []}
        with ServerProcess(data) as server:
            _round(server.port, 0)  # what is made once is made
            for _ in range(ROUNDS):
                for guesses, found in times.items():
                    found += _round(server.port, guesses)
        for guesses, found in times.items():
            found.sort()
            p99 = found[len(found) * 99 // 100]
            print(f"{guesses:16d}{median(found):9.3f}{p99:9.3f}{found[-1]:9.3f}{len(found):9d}")
