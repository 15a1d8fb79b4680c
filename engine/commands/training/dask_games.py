"""Games of self-play on the workers of a dask cluster, each in a process or thread of whatever machine has joined.

Games are independent, so a worker that dies costs nothing but the time of its games, which dask gives to another one.
"""

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from engine.commands.program.output import Rejected, say
from engine.commands.training.games_of_selfplay import play_some
from engine.duel.training.selfplay import ScoredGame, Setting

CONNECT_SECONDS = 5.0
"""How long connecting to the scheduler may take."""

CHUNK = 20
"""Games of a task."""

AHEAD = 1000
"""Tasks that are given to the cluster before the first of them has come back: more than it has cores."""


def played_on(address: str, setting: Setting, numbers: range) -> Iterator[ScoredGame]:
    """Yield the games of numbers in their order, as workers play them.

    Raises `Rejected` where there is no cluster, where it is lost, and where a worker has another version.
    """
    client = _connected(address)
    with closing(client):
        if not client.nthreads():
            say("the cluster has no worker yet: games begin when one joins")
        chunks = (numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK))
        under_way: deque[Any] = deque()
        try:
            for chunk in chunks:
                under_way.append(client.submit(play_some, setting, chunk, pure=False))
                if len(under_way) >= AHEAD:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        except Exception as error:
            sentence = " ".join(str(error).split()).rstrip(".") or type(error).__name__
            raise Rejected(
                f"--dask: the cluster has failed: {sentence}. What was played is kept; the same command goes on"
            ) from None


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise Rejected(
            f"--dask needs packages that are not installed ({error.name}): pip install 'gipf-arena[dask]'"
        ) from None
    for name in ("distributed", "distributed.client", "distributed.core"):  # what matters is said here, in a sentence
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise Rejected(
            f"--dask: no dask scheduler can be reached at {address!r}: {' '.join(str(error).split())}"
        ) from None
