"""What requests cost the event loop: ``python -m tests.bench requests``.

Matches on the smallest and the largest boards are played at random in one process, without a network. What is given is
the processor's time from a line to its answer, in microseconds, and how many answers to PING that is. Of a request that
is dealt with in parts, the longest part counts: others are answered between them.
"""

import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import msgspec
import trio

from engine.games.interface import moves
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from server.arena.session import Session
from server.config.settings import Settings
from server.match.match_messages import SteppedAnswer
from server.ops.logs import configure
from tests.server.harness import ArenaHarness, open_arena

BOARDS = (
    ("gipf", "2,2,5,5"), ("gipf", "4,4,15,15"), ("gipf", "12,4,200,200"), ("gipf", "12,12,400,400"), ("arrows", "4,4"),
    ("arrows", "10,10"), ("morris", ""), ("mnk", "3,3,3"), ("mnk", "8,8,5"), ("mnk", "19,19,5"), ("mnk", "19,19,19"),
)  # fmt: skip

PLIES = 400
"""Moves of a match, at most."""

SEED = 17


def _worked() -> float:
    """Return microseconds of the processor."""
    return time.thread_time() * 1e6


def limited_to(plies: int) -> Callable[[Settings], Settings]:
    """Return what gives a server's settings a move limit."""
    return lambda settings: msgspec.structs.replace(settings, move_limit=plies)


class Costs:
    """What each kind of request took, by a meter: microseconds, or whatever it counts."""

    def __init__(self, meter: Callable[[], float] = _worked) -> None:
        self._meter = meter
        self._of: dict[str, list[float]] = {}

    def ask(self, session: Any, line: str) -> None:
        """Let a session answer a line, and take the time."""
        kind = line.partition(" ")[0]
        began = self._meter()
        later = Session._answer(session, line, session._arena.stalls.previous_look)
        self._add(kind, began)
        if later is not None and kind in ("MOVES", "LIST"):
            listing: SteppedAnswer = later.wait.__self__  # type: ignore[attr-defined]
            with suppress(ProtocolError):
                answer = b""
                while not answer:
                    began = self._meter()
                    answer = listing.step()
                    self._add(kind, began)
                later.then(answer)

    def _add(self, kind: str, began: float) -> None:
        self._of.setdefault(kind, []).append(self._meter() - began)

    def lines(self, name: str, ping: float, kinds: Iterable[str]) -> Iterable[str]:
        """Return a line for each kind."""
        for kind in kinds:
            times = self._of.get(kind)
            if times:
                middle, worst = median(times), max(times)
                yield f"{name:22} {kind:7} {middle:9.0f} {worst:9.0f} {middle / ping:9.1f}"

    def worst(self) -> dict[str, float]:
        """Return the most that a request of each kind took."""
        return {kind: max(times) for kind, times in self._of.items()}

    def usual(self, kind: str) -> float:
        """Return the median of a kind."""
        return median(self._of[kind])


async def ask_for_all(harness: ArenaHarness, costs: Costs, game: str, params: str, number: int = 0) -> None:
    """Play a match at random, and ask for all that its players, and guests, may ask for."""
    random = Random(SEED)
    clients = [await harness.connect(f"{side}{number}") for side in ("first", "second")]
    options = f"budget=86400000 {f'params={params}' if params else ''}"
    for client, other in zip(clients, ("second", "first"), strict=True):
        await client.say(m.Seek(game, m.Text(f"{options} opponent={other}{number}".replace("  ", " "))))
        await client.hear(m.Seeking)
    for client in clients:
        await client.hear(m.Match)
    sessions = [harness.arena.sessions[f"{side}{number}"] for side in ("first", "second")]
    match = sessions[0].match
    assert match is not None
    by_side: dict[int, Any] = {session.side: session for session in sessions if session.side is not None}
    for session in by_side.values():
        costs.ask(session, "READY")
    guest = await harness.connect()
    watcher: Any = harness.arena.connected_sessions()[-1]
    while match.state.outcome is None:
        await trio.sleep(0.001)
        mover = by_side[match.state.history.position.turn]
        costs.ask(mover, "PING")
        costs.ask(mover, "BOARD")
        costs.ask(mover, "MOVES")
        costs.ask(mover, f"MOVE {random.choice(moves(match.state.history.position))}")
    await trio.sleep(0.001)
    costs.ask(watcher, f"RESUME {match.number} x")
    costs.ask(watcher, "LIST")
    costs.ask(watcher, f"RECORD {match.number}")
    costs.ask(watcher, f"WATCH {match.number}")
    await guest.stream.aclose()
    for client in clients:
        await client.stream.aclose()


async def _all(folder: Path) -> None:
    async with open_arena(folder, change=limited_to(PLIES)) as harness:
        print("requests: microseconds of the processor to answer one; PING is 1")
        print(f"{'board':22} {'request':7} {'median':>9} {'worst':>9} {'of PING':>9}")
        for number, (game, params) in enumerate(BOARDS):
            costs = Costs()
            await ask_for_all(harness, costs, game, params, number)
            kinds = ("PING", "READY", "BOARD", "MOVES", "MOVE", "RESUME", "LIST", "RECORD", "WATCH")
            for line in costs.lines(f"{game} {params}", costs.usual("PING"), kinds):
                print(line)


def run() -> None:
    """Print what each request costs on each board."""
    configure(quiet=True)
    with tempfile.TemporaryDirectory() as folder:
        trio.run(_all, Path(folder))
