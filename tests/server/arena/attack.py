"""Hostile clients as a process: ``python -m tests.server.arena.attack PORT KIND``, KIND one of `LINES` or connections.

They come from 127.0.0.66, which the server does not trust, and do what they do as fast as the server lets them.
"""

import os
import random
import select
import socket
import sys

SOURCE = "127.0.0.66"
SESSIONS = 300
"""Fewer than an address may have, so that all of them are let in."""

PIECE = 65536

LINES = {"lists": b"LIST\n", "garbage": random.Random(1).randbytes(1021) + b"\n"}
"""Bytes that are sent again and again."""


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


def flood(port: int, kind: str) -> None:
    """Send on all sessions whatever they take, and connect again where the server has closed one."""
    piece = LINES[kind] * (PIECE // len(LINES[kind]))
    peers: dict[int, socket.socket] = {}
    rest: dict[int, bytes] = {}
    poll = select.epoll()
    while True:
        if len(peers) < SESSIONS and (peer := connect(port)) is not None:
            peers[peer.fileno()], rest[peer.fileno()] = peer, b""
            poll.register(peer.fileno(), select.EPOLLOUT | select.EPOLLIN)
        for number, events in poll.poll(0.01):
            try:
                if events & select.EPOLLOUT:
                    rest[number] = rest[number] or piece
                    rest[number] = rest[number][peers[number].send(rest[number]) :]
                if events & select.EPOLLIN and not peers[number].recv(PIECE):
                    raise ConnectionError
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(number)
                peers.pop(number).close()


def connections(port: int) -> None:
    """Connect as fast as possible, and keep what is not closed by the server."""
    peers = []
    while True:
        if (peer := connect(port)) is not None:
            peers.append(peer)
        if len(peers) > 5000:
            peers.pop(0).close()


if __name__ == "__main__":
    os.nice(19)  # it stands for a machine of its own: the server's processor is not to be taken away from it
    if sys.argv[2] == "connections":
        connections(int(sys.argv[1]))
    else:
        flood(int(sys.argv[1]), sys.argv[2])
