"""How punctually flags fall with many matches live, and whether who answers just before is flagged.

Players think for a random time until their budget is nearly used up. Half of them then let the flag fall: lateness is
from the deadline to the RESULT, both as the client sees them. The others answer so long before it that it has to count.

Beside them a process that does nothing else waits for as many deadlines of its own: so late does the machine itself
wake up who sleeps. ``python -m tests.bench.flags SECONDS`` is that process.
"""

import heapq
import random
import re
import select
import socket
import subprocess
import sys
import time
from time import perf_counter
from typing import NamedTuple

from tests.bench.load import GAMES_PREPARED, prepare
from tests.bench.server import serving

MATCHES = 500
BUDGET_MS = 4000
THINKING_SECONDS = 0.5
"""Mean of a turn."""
BEFORE = 0.020
"""Seconds before the deadline at which the last answer is sent."""
SECONDS = 30.0
TIMERS = 100
"""Deadlines a second of the process that only waits."""
PUNCTUAL = 0.002
"""Seconds by which the client itself may be late with it; else the answer is not counted."""


TURN = re.compile(rb"^TURN ([0-9]+)", re.MULTILINE)


class Side:
    """One side of a match."""

    def __init__(self, port: int, match: int, side: int, game: list[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.game, self.side, self.ply = game, side, side
        self.rest = b""
        name, rival, colour = (("a", "b", "white"), ("b", "a", "black"))[side]
        self.seek = f"SEEK gipf colour={colour} opponent=f{match}{rival} budget={BUDGET_MS}\n".encode()
        self.socket.sendall(f"LOGIN f{match}{name}\n".encode() + self.seek)
        self.socket.setblocking(False)
        self.other = self
        self.said = 0.0
        """When it sent what gave the turn to the other side."""
        self.deadline = 0.0
        """When its flag falls, as far as it can tell: TURN may have been on its way for some while."""
        self.sure = 0.0
        """A moment before which its flag cannot fall: TURN came after what the other side had sent."""
        self.silent = False
        """It lets its flag fall."""
        self.close = False
        """It has answered just before the deadline, and was not told yet that this counts."""

    def turn(self, data: bytes, now: float, chance: random.Random) -> float | None:
        """A TURN has come; return when to answer, None for never."""
        left = int(TURN.findall(data)[-1]) / 1000
        self.deadline, self.sure = now + left, self.other.said + left
        when, last = now + chance.expovariate(1 / THINKING_SECONDS), self.sure - BEFORE
        if when < last:
            return when
        if last > now and self.ply < len(self.game) and chance.random() < 0.5:
            return last
        self.silent = True
        return None

    def answer(self) -> None:
        """Move."""
        last, begun = self.sure - BEFORE, perf_counter()
        if self.ply < len(self.game):
            self.socket.send(self.game[self.ply])
            self.ply += 2
        else:
            self.socket.send(b"RESIGN\n")
            last = 0.0
        self.said = begun
        self.close = last <= begun <= perf_counter() < last + PUNCTUAL

    def begin(self) -> None:
        """A match was announced."""
        self.ply, self.silent, self.close, self.deadline = self.side, False, False, 0.0
        self.said = perf_counter()
        self.socket.send(b"READY\n")


class Figures(NamedTuple):
    """What came of it."""

    late: list[float]
    """Seconds from deadline to RESULT of those who let the flag fall, sorted."""
    answered: int
    """Answers that were sent just before the deadline."""
    flagged: int
    """How many of these were lost on time."""


def measure(port: int) -> Figures:
    """Play for so long."""
    games, chance = [prepare(seed) for seed in range(GAMES_PREPARED)], random.Random(11)
    poll, sides = select.epoll(), {}
    for match in range(MATCHES):
        pair = [Side(port, match, side, games[match % GAMES_PREPARED]) for side in (0, 1)]
        for player, other in zip(pair, reversed(pair), strict=True):
            player.other = other
            sides[player.socket.fileno()] = player
            poll.register(player.socket.fileno(), select.EPOLLIN)
    due: list[tuple[float, int, float]] = []
    late: list[float] = []
    answered = flagged = 0
    began = perf_counter()
    while (now := perf_counter()) - began < SECONDS:
        while due and due[0][0] <= now:
            _, number, deadline = heapq.heappop(due)
            if sides[number].deadline == deadline:  # it is still the same turn
                sides[number].answer()
        for number, _ in poll.poll(max(0.0, due[0][0] - now) if due else 0.1):
            player, now = sides[number], perf_counter()
            data = player.rest + player.socket.recv(65536)
            end = data.rfind(b"\n") + 1
            data, player.rest = data[:end], data[end:]
            if player.close and (b"MOVED" in data or b"RESULT" in data):
                answered, flagged = answered + 1, flagged + (b"MOVED" not in data)
                player.close = False
            if b"RESULT" in data:
                if player.silent:
                    late.append(now - player.deadline)
                player.deadline, player.silent = 0.0, False
                player.socket.send(player.seek)
            if b"MATCH" in data:
                player.begin()
            if b"RESULT" not in data and TURN.search(data):
                when = player.turn(data, now, chance)
                if when is not None:
                    heapq.heappush(due, (when, number, player.deadline))
    return Figures(sorted(late), answered, flagged)


def wait(seconds: float) -> list[float]:
    """Sleep until one deadline after the other; return by how many seconds each was overslept, sorted."""
    chance, late = random.Random(5), []
    began = deadline = perf_counter()
    while deadline - began < seconds:
        deadline += chance.expovariate(TIMERS)
        time.sleep(max(0.0, deadline - perf_counter()))
        late.append(perf_counter() - deadline)
    return sorted(late)


def _shares(late: list[float]) -> str:
    return " ".join(f"{1000 * late[int(len(late) * share)]:.2f}" for share in (0.5, 0.99, 0.999))


def run() -> None:
    """Print the figures."""
    timers = [sys.executable, "-P", "-m", "tests.bench.flags", str(SECONDS)]
    with (
        serving() as server,
        subprocess.Popen(timers, stdout=subprocess.PIPE, text=True) as waiting,
    ):
        late, answered, flagged = measure(server.port)
        machine, _ = waiting.communicate()
    print(f"flags: {MATCHES} matches, {len(late)} flags fell; ms from the deadline to RESULT, p50 p99 p99.9:")
    print(f"flags:     {_shares(late)}; a process that only sleeps: {machine.strip()}")
    print(f"flags: {answered} answers sent {1000 * BEFORE:.0f} ms before the deadline, {flagged} of them lost on time")


if __name__ == "__main__":
    print(_shares(wait(float(sys.argv[1]))))
