"""The cost of requests: a match is played at random in one process, and a meter reads each answer."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
import trio

from engine.wire import messages as m
from engine.wire.messages import ProtocolError
from server.arena.session import Session
from server.config.settings import Settings
from server.match.match_messages import SteppedAnswer
from tests.server.harness import ArenaHarness

SEED = 17


def limited_to(plies: int) -> Callable[[Settings], Settings]:
    """Return what gives a server's settings a move limit."""
    return lambda settings: msgspec.structs.replace(settings, move_limit=plies)


class Costs:
    """The costs of each kind of request, as a meter counts them."""

    def __init__(self, meter: Callable[[], float]) -> None:
        self._meter = meter
        self._of: dict[str, list[float]] = {}

    def ask(self, session: Any, line: str) -> None:
        """Let a session answer a line, and read the meter."""
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

    def worst(self) -> dict[str, float]:
        """Return the most that a request of each kind took."""
        return {kind: max(times) for kind, times in self._of.items()}


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
        costs.ask(mover, f"MOVE {random.choice(match.state.history.position.legal_moves)}")
    await trio.sleep(0.001)
    costs.ask(watcher, f"RESUME {match.number} x")
    costs.ask(watcher, "LIST")
    costs.ask(watcher, f"RECORD {match.number}")
    costs.ask(watcher, f"WATCH {match.number}")
    await guest.stream.aclose()
    for client in clients:
        await client.stream.aclose()
