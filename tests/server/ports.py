"""Ports for servers that are started again under the same one."""

import os
import socket
from itertools import count

FIRST, LAST = 12_000, 32_000
"""Below those that systems give by themselves: whoever connects, or asks for any port, takes none of these."""

BLOCK = 1_000
"""Ports of each of the processes that run tests."""

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = count(FIRST + (_worker * BLOCK + os.getpid() * 8) % (LAST - FIRST))


def free_port() -> int:
    """Return a port on which nobody listens, and that nobody gets by chance while its server is away."""
    while True:
        port = FIRST + (next(_ports) - FIRST) % (LAST - FIRST)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
