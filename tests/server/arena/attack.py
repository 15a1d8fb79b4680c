"""Hostile clients as a process: ``python -m tests.server.arena.attack PORT KIND SECONDS``, KIND one of `KINDS`.

They come from 127.0.0.66, which the server does not trust, and do what they do as fast as the server lets them. Prints
how many connections they had made, and how many bytes they got rid of.
"""

import os
import random
import select
import socket
import sys
from time import perf_counter

SOURCE = "127.0.0.66"
SESSIONS = 300
"""Fewer than an address may have, so that all of them are let in."""

PIECE = 65536

LINES = {
    "pings": b"PING\n",
    "lists": b"LIST\n",
    "deaf": b"LIST\n",
    "endless": b"x",
    "garbage": random.Random(1).randbytes(1021) + b"\n",
    "matches": b"SEEK gipf budget=10\nRESIGN\nCANCEL\n",
}
"""Bytes that are sent again and again."""

KINDS = (*LINES, "connections")


def connect(port: int) -> socket.socket | None:
    """Connect; None where that was not possible."""
    peer = socket.socket()
    peer.settimeout(5)
    try:
        peer.bind((SOURCE, 0))
        peer.connect(("127.0.0.1", port))
    except OSError:
        peer.close()
        return None
    peer.setblocking(False)
    return peer


def flood(port: int, kind: str, seconds: float) -> tuple[int, int]:
    """Send on all sessions whatever they take, and connect again where the server has closed one."""
    piece = LINES[kind] * (PIECE // len(LINES[kind]))
    made = sent = 0
    peers: dict[int, socket.socket] = {}
    rest: dict[int, bytes] = {}
    poll = select.epoll()
    until = perf_counter() + seconds
    while perf_counter() < until:
        if len(peers) < SESSIONS:
            peer = connect(port)
            if peer is not None:
                number = peer.fileno()
                peers[number], rest[number] = peer, f"LOGIN x{made}\n".encode() if kind == "matches" else b""
                made += 1
                poll.register(number, select.EPOLLOUT | (0 if kind == "deaf" else select.EPOLLIN))
        for number, events in poll.poll(0.01):
            try:
                if events & select.EPOLLOUT:
                    rest[number] = rest[number] or piece
                    taken = peers[number].send(rest[number])
                    rest[number], sent = rest[number][taken:], sent + taken
                if events & select.EPOLLIN and not peers[number].recv(PIECE):
                    raise ConnectionError
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(number)
                peers.pop(number).close()
    return made, sent


def connections(port: int, seconds: float) -> tuple[int, int]:
    """Connect as fast as possible, and keep what is not closed by the server."""
    peers = []
    until = perf_counter() + seconds
    made = 0
    while perf_counter() < until:
        peer = connect(port)
        made += 1
        if peer is not None:
            peers.append(peer)
        if len(peers) > 5000:
            peers.pop(0).close()
    return made, 0


def main() -> None:
    """Do harm as the command line says, and print the figures."""
    port, kind, seconds = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    os.nice(19)  # it stands for a machine of its own: the server's processor is not to be taken away from it
    if kind == "connections":
        print(*connections(port, seconds))
    else:
        print(*flood(port, kind, seconds))


if __name__ == "__main__":
    main()
