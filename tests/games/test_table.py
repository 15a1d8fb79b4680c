"""Every game on the server: played, timed, watched, resumed, recorded and verified."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import trio
from trio.testing import MockClock

from engine.games.catalogue import GAMES
from engine.games.interface import Game
from engine.match import verification
from engine.wire import messages as m
from tests.games.cases import EVERY_GAME, named
from tests.games.stones import STONES
from tests.server.harness import ArenaHarness, Client, open_arena, ready
from tests.server.process import ServerProcess
from tests.waiting import WAIT_SECONDS

INTERPRETED = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
"""Environment of bots that search few positions: compiling takes longer than their games."""

every_game = pytest.mark.parametrize("game", EVERY_GAME, ids=named)


@pytest.fixture(autouse=True)
def _catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, STONES.name, STONES)


async def seated(harness: ArenaHarness, game: Game, budget: int = 60_000) -> tuple[Client, Client]:
    """Return the clients of a match of the usual variant, both ready, the one that begins first."""
    clients = await harness.pair(f"budget={budget}", game.name)
    await ready(*clients)
    return clients


@every_game
async def test_a_game_from_the_first_move_to_the_last(game: Game, tmp_path: Path, autojump_clock: MockClock) -> None:
    """At random, with the first connection lost and resumed on the way; a spectator sees every move."""
    chance = Random(5)
    async with open_arena(tmp_path) as harness:
        players = list(await seated(harness, game))
        spectator = await harness.connect()
        watched = await spectator.ask(m.Watch(1), m.Watching)
        assert (watched.game, watched.first, watched.second) == (game.name, "ann", "bob")
        shown = await spectator.hear(m.Board)
        position = game.read("\n".join(shown.lines))
        assert position.key == game.start(game.default_parameters).key
        ply = 0
        while True:
            mover = players[position.turn]
            await mover.hear(m.Turn)
            offered = list((await mover.ask(m.AskMoves(), m.Moves)).lines)
            assert offered == position.legal_moves
            if ply == 3:
                await mover.stream.aclose()
                back = await harness.guest(m.Resume(1, mover.token))
                mover = players[position.turn] = back
                resumed = await mover.hear(m.Match)
                assert (resumed.game, resumed.side) == (game.name, game.sides[position.turn])
                await mover.hear(m.Turn)
            choice = chance.choice(offered)
            await trio.sleep(0.010)
            await mover.say(m.Move(m.Text(choice)))
            moved = await spectator.hear(m.Moved)
            position = position.play(choice)
            ply += 1
            assert (moved.ply, moved.side, moved.move) == (ply, game.sides[1 - position.turn], choice)
            result = [heard for heard in spectator.heard if isinstance(heard, m.Result)]
            if result or position.is_over:
                break
        ended = await players[0].hear(m.Result)
        outcome = position.outcome
        if outcome is not None:
            assert (ended.result, ended.reason) == (outcome.result(game.sides), outcome.reason)
        summary = verification.verify(harness.record())
        assert summary.history.position.key == position.key
        assert (summary.result, summary.reason) == (ended.result, ended.reason)
        assert summary.left[0] < 60_000_000


@pytest.mark.slow("interpreted")
@pytest.mark.thorough
def test_the_reference_bot_wins_a_game_of_others_over_tcp(tmp_path: Path) -> None:
    """Against the random one, each a program of its own; the game of stones is added to them as to the server."""
    program = ("tests.games.stones", "server")
    with ServerProcess(tmp_path, program=program) as server:
        # bound by nodes and at random with a seed, so that it does not matter how fast the machine is
        wish = ("--game", STONES.name, "--budget", "3600000", "--games", "2", "--port", str(server.port))
        bots = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.games.stones", "bots", *bot, *wish],
                env=INTERPRETED,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for bot in (("random", "--seed", "1"), ("alphabeta", "--nodes", "150"))
        ]
        texts = [bot.communicate(timeout=WAIT_SECONDS)[0] for bot in bots]
        assert [bot.returncode for bot in bots] == [0, 0], texts
        assert server.stop() == 0
    for match in (1, 2):
        summary = verification.verify((tmp_path / "records" / f"{match}.txt").read_text(encoding="utf-8"))
        assert summary.header.position.game.name == STONES.name
        assert summary.result in STONES.sides, texts
        winner = summary.header.players[STONES.sides.index(summary.result)]
        # with twelve stones who begins has lost where the other one never errs, be it by chance
        assert "alphabeta" in (winner, summary.header.players[0]), texts
        assert summary.reason not in ("time", "bad_move", "resign"), texts
