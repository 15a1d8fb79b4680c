"""Connections lost at random, in every state of the protocol: each comes back, and clocks are those of a simulation.

With ARENA_CAMPAIGN=1 ten thousand are lost.
"""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.games.catalogue import GAMES
from engine.games.interface import History
from engine.match import verification
from engine.wire import messages as m
from engine.wire.ends import SessionState
from tests.server.arena.test_requests import TOKEN, organised
from tests.server.harness import ArenaHarness, open_arena

DROPS = 10_000 if os.environ.get("ARENA_CAMPAIGN") else 250
BUDGET, INCREMENT = 5.0, 0.1
"""Seconds."""
AGREEMENT_MS = 1.0


class Simulation:
    """Both clocks, worked out from what the players did and when: knows nothing of the server's."""

    def __init__(self, now: float) -> None:
        self.left = [BUDGET, BUDGET]
        self.since: list[float | None] = [now, now]

    def stop(self, side: int, now: float) -> None:
        self.left[side] = self.now(side, now)
        self.since[side] = None

    def moved(self, side: int, now: float) -> None:
        """A side has moved: the other one is on turn."""
        self.stop(side, now)
        self.left[side] += INCREMENT
        self.since[1 - side] = now

    def now(self, side: int, now: float) -> float:
        since = self.since[side]
        return self.left[side] - (0.0 if since is None else now - since)

    def check(self, told: tuple[int, int]) -> None:
        """Hold clocks that were told just now, first side first, against these."""
        for side in (0, 1):
            right = 1000 * self.now(side, trio.current_time())
            assert -0.001 <= right - told[side] <= AGREEMENT_MS + 0.001, f"{told} told, {right} right for {side}"


class Play:
    """A match whose players lose their connections."""

    def __init__(
        self, harness: ArenaHarness, number: int, chance: random.Random, dropped: Counter[SessionState]
    ) -> None:
        self.harness, self.number, self.chance, self.dropped = harness, number, chance, dropped
        self.names = (f"a{number}", f"b{number}")
        self.history = History.begin(GAMES["gipf"].start("3 3 9 9"))
        self.ready = [False, False]

    async def begin(self) -> None:
        options = f"params=3,3,9,9 budget={BUDGET * 1000:.0f} increment={INCREMENT * 1000:.0f}"
        self.players = list(await self.harness.pair(options, names=self.names))
        self.match = self.players[0].match
        self.tokens = [player.token for player in self.players]
        self.clocks = Simulation(trio.current_time())

    async def run(self) -> None:
        await self.begin()
        order = [0, 1] if self.chance.random() < 0.5 else [1, 0]
        for side in order:
            await self.perhaps_drop()
            await trio.sleep(self.chance.uniform(0, 0.2))
            await self.players[side].say(m.Ready())
            await trio.lowlevel.checkpoint()  # on a simulated clock, until it was heard
            await trio.testing.wait_all_tasks_blocked()
            self.clocks.stop(side, trio.current_time())
            self.ready[side] = True
        for player in self.players:
            start = await player.hear(m.Start)
            self.clocks.check((start.first, start.second))
        self.clocks.since[0] = trio.current_time()
        for _ in range(self.chance.randrange(2, 9)):
            if await self.play_on():
                return
        await self.players[0].say(m.Resign())
        await self.over("black", "resign")

    @property
    def turn(self) -> int:
        return self.history.position.turn

    async def play_on(self) -> bool:
        """Play a move, with mishaps; tell whether the match has ended."""
        side = self.turn
        turn = await self.players[side].hear(m.Turn)
        self.clocks.check((turn.yours, turn.theirs) if side == 0 else (turn.theirs, turn.yours))
        await trio.sleep(self.chance.uniform(0, 0.3))
        await self.perhaps_drop()
        if self.chance.random() < 0.05:
            await self.fall(side)
            return True
        move = self.chance.choice(self.history.position.legal_moves)
        await self.players[side].say(m.Move(m.Text(move)))
        await trio.testing.wait_all_tasks_blocked()
        self.clocks.moved(side, trio.current_time())
        self.history = self.history.after(move)
        verdict = self.history.outcome(1000)
        for player in self.players:
            moved = await player.hear(m.Moved)
            assert moved.move == self.history.moves[-1]
            self.clocks.check((moved.first, moved.second))
        if verdict is not None:
            await self.over(verdict.result(("white", "black")), str(verdict.reason))
        return verdict is not None

    async def fall(self, side: int) -> None:
        """Be away until the flag has fallen, and come back to learn it."""
        await self.players[side].stream.aclose()
        self.dropped[SessionState.THINKING] += 1
        await trio.sleep(self.clocks.now(side, trio.current_time()) + 0.01)
        self.players[side] = await self.harness.connect()
        await self.players[side].say(m.Resume(self.match, self.tokens[side]))
        self.clocks.left[side], self.clocks.since[side] = 0.0, None
        await self.over(("black", "white")[side], "time")

    async def over(self, result: str, reason: str) -> None:
        for player in self.players:
            told = await player.hear(m.Result)
            assert (told.result, told.reason) == (result, reason)
            assert player.end.state is SessionState.LOBBY
        assert verification.verify(self.harness.record(self.match)).history.moves == self.history.moves
        for side, player in enumerate(self.players):
            await player.stream.aclose()
            self.dropped[SessionState.LOBBY] += 1
            late = await self.harness.connect()
            assert (await late.ask(m.Resume(self.match, self.tokens[side]), m.Result)).reason == reason
            await late.stream.aclose()

    async def perhaps_drop(self) -> None:
        for side in (0, 1):
            while self.chance.random() < 0.4:
                await self.drop(side)

    async def drop(self, side: int) -> None:
        """Lose a connection, or let it be taken over, and come back."""
        player, other = self.players[side], self.players[1 - side]
        await trio.testing.wait_all_tasks_blocked()
        before = player.end.state
        self.dropped[before] += 1
        taken_over = self.chance.random() < 0.2
        if not taken_over:
            await player.stream.aclose()
            assert await other.hear(m.Opponent) == m.Opponent("gone")
            spare = self.clocks.now(side, trio.current_time()) if self.clocks.since[side] is not None else 1.0
            await trio.sleep(self.chance.uniform(0, min(1.0, max(0.0, spare - 0.8))))
        again = await self.harness.connect()
        assert await again.answer(m.Resume(self.match, self.tokens[side])) == m.Welcome(self.names[side])
        if taken_over:
            assert (await player.hear(m.Bye)).reason == "resumed"
        assert (await again.next())[:2] == (self.match, "gipf")
        assert isinstance(await again.next(), m.Board)
        if all(self.ready):
            start = await again.next()
            self.clocks.check((start.first, start.second))
            for move in self.history.moves:
                assert (await again.next()).move == move
            if self.turn == side:
                turn = await again.next()
                self.clocks.check((turn.yours, turn.theirs) if side == 0 else (turn.theirs, turn.yours))
        await again.nothing()
        assert again.end.state is (before if all(self.ready) else SessionState.PREPARING)
        if not all(self.ready) and self.ready[side]:
            await again.say(m.Ready())
        if not taken_over:
            assert await other.hear(m.Opponent) == m.Opponent("back")
        self.players[side] = again


async def _elsewhere(harness: ArenaHarness, chance: random.Random, dropped: Counter[SessionState], number: int) -> None:
    """Lose a connection outside of a match: the name is free again, and nobody waits."""
    name = f"c{number}"
    unnamed = (SessionState.GUEST, SessionState.GUEST_WATCHING, SessionState.ORGANISING)
    state = chance.choice([SessionState.LOBBY, SessionState.SEEKING, SessionState.WATCHING, *unnamed])
    client = await harness.connect("" if state in unnamed else name)
    running = list(harness.arena.matches)
    if state is SessionState.SEEKING:
        await client.ask(m.Seek("gipf", m.Text("opponent=nobody")), m.Seeking)
    elif state is SessionState.ORGANISING:
        await client.ask(m.Organise(TOKEN), m.Organising)
    elif state in (SessionState.WATCHING, SessionState.GUEST_WATCHING):
        if not running:
            state = client.end.state
        else:
            await client.ask(m.Watch(running[0]), m.Watching)
    assert client.end.state is state
    await client.stream.aclose()
    await trio.testing.wait_all_tasks_blocked()
    dropped[state] += 1
    assert name not in harness.arena.sessions and name not in harness.arena.seeking_keys()
    assert not any(seat.name == name for match in harness.arena.matches.values() for seat in match.watchers)  # type: ignore[attr-defined]


@pytest.mark.slow
async def test_every_lost_connection_comes_back_and_clocks_are_those_of_a_simulation(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    chance, dropped, number = random.Random(20261121), Counter[SessionState](), 0
    with capture_logs() as logs:
        async with open_arena(tmp_path, change=organised) as harness:
            while dropped.total() < DROPS:
                play = Play(harness, number, random.Random(chance.random()), dropped)
                await play.run()
                watched = Play(harness, number + 1, random.Random(chance.random()), dropped)
                await watched.begin()
                for _ in range(4):
                    await _elsewhere(harness, chance, dropped, number)
                await watched.players[0].say(m.Resign())
                await watched.over("black", "resign")
                number += 2
            await trio.testing.wait_all_tasks_blocked()
            assert not harness.arena.matches and not harness.arena.connected_sessions()
    assert not [entry for entry in logs if entry["log_level"] in ("error", "critical")]
    states = set(SessionState) - {SessionState.CLOSED}
    assert set(dropped) == states and min(dropped[state] for state in states) > DROPS // 100, dropped
    print(f"{dropped.total()} connections lost, in {number} matches: {dict(dropped)}")
