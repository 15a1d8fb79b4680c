"""A lean client that plays many matches at once with prepared games: plain sockets and epoll, in its own process.

``python -m tests.bench.load PORT MATCHES SECONDS [PACE [NOTES]]`` prints moves a second and the time from sending a
move to the opponent's TURN, in milliseconds: p50, p99, p99.9. PACE is in moves a second and match; without it (or with
0) every player answers at once. So many NOTES go before each move, in one piece with it. A line on stderr says when it
begins to measure.
"""

import heapq
import random
import select
import socket
import sys
from array import array
from time import perf_counter

from engine.games.catalogue import GAMES
from engine.games.interface import History

GAMES_PREPARED = 20
PLIES = range(60, 121)
"""Length of the prepared games, as of those between equals."""

WARM_SECONDS = 1.0

NOTE = b"NOTE score=35 depth=9 nodes=1203456 pv=a5-b5,e9-e8,a4-b5,i5-h5,a5-b5,e9-e8\n"


class Player:
    """One side of a match."""

    def __init__(self, port: int, match: int, side: int, game: list[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.side, self.game, self.ply = side, game, side
        self.rest = b""
        self.other: Player = self
        self.sent = 0.0
        colour, name, rival = (("white", "a", "b"), ("black", "b", "a"))[side]
        self.seek = f"SEEK gipf colour={colour} opponent=p{match}{rival} budget=600000\n".encode()
        self.socket.sendall(f"LOGIN p{match}{name}\n".encode() + self.seek)
        self.socket.setblocking(False)

    def move(self, now: float) -> None:
        """Send the next move of the game."""
        self.sent = now
        self.socket.send(self.game[self.ply % len(self.game)])
        self.ply += 2


def prepare(seed: int) -> list[bytes]:
    """Return the lines of both players of a game of GIPF as long as those between equals, in order."""
    chance = random.Random(seed)
    while True:
        history = History.begin(GAMES["gipf"].start("4 4 15 15"))
        while not history.outcome(1000):
            moves = list(history.position.children())
            usual = moves[0].position.summary()
            others = [
                move for move in moves if move.position.summary() != usual
            ]  # they collect rows: games last longer
            history = history.after(chance.choice(others if others and chance.random() < 0.5 else moves).move)
        if history.plies in PLIES:
            return [f"MOVE {move}\n".encode() for move in history.moves]


def play(port: int, matches: int, seconds: float, pace: float, notes: int) -> tuple[float, "array[float]"]:
    """Return moves a second, and the seconds that each move took to the opponent, sorted.

    They are measured for so long when all matches have begun and gone on for `WARM_SECONDS`: stderr says when.
    ``pace`` is in moves a second and match, 0 for as fast as it goes; so many ``notes`` go before each move.
    """
    games = [[NOTE * notes + line for line in prepare(seed)] for seed in range(GAMES_PREPARED)]
    poll = select.epoll()
    players: dict[int, Player] = {}
    for match in range(matches):
        pair = [Player(port, match, side, games[match % GAMES_PREPARED]) for side in (0, 1)]
        for player, other in zip(pair, reversed(pair), strict=True):
            player.other = other
            players[player.socket.fileno()] = player
            poll.register(player.socket.fileno(), select.EPOLLIN)
    due: list[tuple[float, int]] = []
    times = array("d")
    measuring, began = False, perf_counter()
    seated: set[int] = set()
    while True:
        now = perf_counter()
        if len(seated) < len(players):
            began = now
        if not measuring and now - began > WARM_SECONDS:
            print("measuring", file=sys.stderr, flush=True)
            measuring, began = True, now
            times = array("d")
        if measuring and now - began > seconds:
            return len(times) / (now - began), array("d", sorted(times))
        while due and due[0][0] <= now:
            players[heapq.heappop(due)[1]].move(perf_counter())
        for number, _ in poll.poll(max(0.0, due[0][0] - now) if due else 0.1):
            player = players[number]
            data = player.rest + player.socket.recv(65536)
            end = data.rfind(b"\n") + 1
            data, player.rest = data[:end], data[end:]
            if b"RESULT" in data:
                player.socket.send(player.seek)
            if b"MATCH" in data:
                seated.add(number)
                player.ply, player.sent = player.side, 0.0
                player.socket.send(b"READY\n")
            if b"TURN" in data:
                now = perf_counter()
                if player.other.sent:
                    times.append(now - player.other.sent)
                if pace:
                    heapq.heappush(due, (now + random.expovariate(pace), number))
                else:
                    player.move(now)


def main() -> None:
    """Play as the command line says, and print the figures."""
    port, matches, seconds, pace, notes = (*map(float, sys.argv[1:]), 0.0, 0.0)[:5]
    rate, times = play(int(port), int(matches), seconds, pace, int(notes))
    print(rate, *(1000 * times[int(len(times) * share)] for share in (0.5, 0.99, 0.999)))


if __name__ == "__main__":
    main()
