"""Browsers that watch one match, which two players keep going at an even pace: plain sockets and epoll.

``python -m tests.bench.browsers PORT WEB_PORT BROWSERS SECONDS`` prints ``ready``, and in the end how many events each
browser got a second.
"""

import select
import socket
import sys
from time import perf_counter

from tests.bench.load import prepare

PACE = 20.0
"""Moves a second of the match that is watched: faster than people follow."""

GAME = "SEEK gipf params=4,4,15,15 colour={colour} opponent={rival} budget=600000\n"


class Player:
    """One side of the match."""

    def __init__(self, port: int, name: str, rival: str, colour: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f"LOGIN {name}\n".encode() + GAME.format(colour=colour, rival=rival).encode())
        self.heard = b""

    def wait(self, word: bytes) -> bytes:
        """Read until a word has come, and return what came."""
        while word not in self.heard:
            self.heard += self.socket.recv(65536)
        return self.heard


def open_browsers(port: int, match: int, count: int) -> dict[int, socket.socket]:
    """Let browsers watch a match, and wait until each has been told of it."""
    browsers = {}
    for _ in range(count):
        browser = socket.create_connection(("127.0.0.1", port))
        browser.sendall(f"GET /live/matches/{match} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode())
        browsers[browser.fileno()] = browser
    for browser in browsers.values():
        told = b""
        while b"data:" not in told:
            told += browser.recv(65536)
            assert told, "a browser was not let in"
        browser.setblocking(False)
    return browsers


def watch(port: int, web_port: int, count: int, seconds: float) -> float:
    """Play and watch for so long; return events a second and browser."""
    white, black = Player(port, "white", "black", "white"), Player(port, "black", "white", "black")
    match = int(white.wait(b"MATCH ").partition(b"MATCH ")[2].split()[0])
    black.wait(b"MATCH ")
    for player in (white, black):
        player.socket.sendall(b"READY\n")
    white.wait(b"TURN")
    browsers = open_browsers(web_port, match, count)
    poll = select.epoll()
    for number in browsers:
        poll.register(number, select.EPOLLIN)
    print("ready", flush=True)
    game = max((prepare(seed) for seed in range(8)), key=len)
    began, ply, events = perf_counter(), 0, 0
    while (now := perf_counter()) - began < seconds:
        if ply < len(game) - 1 and now - began >= ply / PACE:
            (white, black)[ply % 2].socket.sendall(game[ply])
            ply += 1
        for number, _ in poll.poll(max(0.0, began + ply / PACE - perf_counter())):
            events += browsers[number].recv(65536).count(b"data: {")
    return events / max(1, count) / seconds


def main() -> None:
    """Watch as the command line says, and print the figure."""
    port, web_port, count = map(int, sys.argv[1:4])
    print(watch(port, web_port, count, float(sys.argv[4])))


if __name__ == "__main__":
    main()
