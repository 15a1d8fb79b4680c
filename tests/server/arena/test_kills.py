"""The server as a process that is killed at random moments under load, with the client library on both sides.

With ARENA_CAMPAIGN=1 it is killed a thousand times.
"""

import os
import random
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bots.bot import Bot, Clocks, GameResult
from bots.client import connection
from bots.client.connection import Address
from bots.client.errors import ArenaError, BadChoice
from bots.client.session import Session
from engine.games.interface import Position
from engine.match import verification
from engine.wire import messages as m
from tests.server.process import ServerProcess, wait_until
from tests.waiting import WAIT_SECONDS

KILLS = 1000 if os.environ.get("ARENA_CAMPAIGN") else 1
"""Least number of kills. The server waits longer after each of them before it starts another process."""
MOVES = range(10, 50)
"""So many moves of running matches are known to the players at each kill."""
MIN_CHECKED = 20
"""Moves of running matches that are compared with the disk, for each kill on average."""
PAIRS = 8 if os.environ.get("ARENA_CAMPAIGN") else 3
VARIANTS = ("2,2,5,5", "3,3,9,9", "4,4,15,15")


class Dice(Bot):
    """Plays at random, until it is told to stop; then it resigns, whatever becomes of its connection."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stop = False
        self.results: list[GameResult] = []

    def choose(self, position: Position, clocks: Clocks) -> str:
        move = "no move" if self.stop else self.chance.choice(position.legal_moves)
        clocks.note(text=move)
        return move

    def finished(self, result: GameResult) -> None:
        self.results.append(result)


class Player(threading.Thread):
    """A bot that plays match after match, whatever becomes of the server."""

    def __init__(self, number: int, port: int) -> None:
        super().__init__(daemon=True)
        self.bot = Dice(number)
        self.reports: list[str] = []
        self.error = ""
        rival, params = f"p{number ^ 1}", VARIANTS[number // 2 % len(VARIANTS)]
        seek = m.Seek("gipf", m.Text(f"params={params} budget=600000 opponent={rival}"))
        login = m.Login(f"p{number}")
        where = Address("127.0.0.1", port)
        self.session = Session(self.bot, where, login, seek, carry_on=False, report=self.reports.append)

    def run(self) -> None:
        try:
            self.session.run(0)
        except BadChoice:
            pass  # it was told to stop
        except ArenaError as error:
            self.error = str(error)

    def known(self) -> tuple[int, tuple[str, ...]] | None:
        """Return the match that is played, as far as the server has told it."""
        game = self.session._game
        return None if game is None else (game.match.match, game.history.moves)

    def busy(self) -> bool:
        """Tell whether it plays, or tries to come back."""
        return self.is_alive() and (self.known() is not None or self.session._pauses is not None)


class Server(ServerProcess):
    """A server that dies and comes back, with the client library on the other side."""

    def moves(self, match: int) -> tuple[str, ...]:
        """Return the moves of a match, on disk, whether it is over or not."""
        for place in ("running", "records"):
            path = self.data / place / f"{match}.txt"
            with suppress(FileNotFoundError):  # it may be moved just now
                summary = verification.verify(path.read_text(encoding="utf-8"))
                made = summary.history.moves
                noted = {note.ply: note.note.text for note in summary.state.notes if note.ply <= len(made)}
                assert all(made[ply - 1] == text for ply, text in noted.items()), "each note is about its own move"
                assert len(noted) >= len(made) - len(self._logged), "each server that dies loses one note at most"
                return made
        raise AssertionError(f"match {match} is lost")


@pytest.mark.slow
def test_nothing_is_lost_by_kills_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES", (0.05, 0.1))
    with Server(tmp_path) as server:
        _kill_again_and_again(server)


def _kill_again_and_again(server: Server) -> None:
    chance = random.Random(20261120)
    players = [Player(number, server.port) for number in range(2 * PAIRS)]
    for player in players:
        player.start()
    kills = checked = 0
    while kills < KILLS or checked < MIN_CHECKED * KILLS:
        _wait_for_moves(players, chance.choice(MOVES))
        server.kill()
        for player in players:
            known = player.known()
            if known is not None:
                on_disk = server.moves(known[0])
                assert on_disk[: len(known[1])] == known[1], f"match {known[0]}: told {known[1]}, written {on_disk}"
                checked += len(known[1])
        server.start()
        if chance.random() < 0.2:  # dies again while it starts
            time.sleep(chance.uniform(0, 1.2))
            server.kill()
            server.start()
        server.wait()
        kills += 1
    assert not any(player.error for player in players)
    _let_finish(server, players)
    for player in players:
        player.session._patience = 0.0
    server.kill()
    for player in players:
        player.join(WAIT_SECONDS)
    _check_results(server, players)


def _let_finish(server: Server, players: list[Player]) -> None:
    """Let the players resign, and wait until all matches are over and recorded, and each player has had a result."""
    for player in players:
        player.bot.stop = True
    running, damaged = server.data / "running", server.data / "damaged"
    wait_until(lambda: not any(running.iterdir()) and all(one.bot.results and not one.busy() for one in players), 0.05)
    assert list(damaged.iterdir()) == []


def _wait_for_moves(players: list[Player], number: int) -> None:
    """Wait until the players together know so many moves of running matches."""
    wait_until(lambda: sum(len(game[1]) for player in players if (game := player.known())) >= number)


def _check_results(server: Server, players: list[Player]) -> None:
    """Every match was played to its end, its record is true, and both players were told the same."""
    for path in (server.data / "records").iterdir():
        summary = verification.verify(path.read_text(encoding="utf-8"))
        if summary.result == "annulled":  # MATCH had not gone out to both when the server died
            assert summary.history.plies == 0
    for player in players:
        assert [line for line in player.reports if "cannot be resumed" in line] == []
        for told in player.bot.results:
            path = server.data / "records" / f"{told.match.match}.txt"
            summary = verification.verify(path.read_text(encoding="utf-8"))
            assert (summary.result, summary.reason) == (told.result, told.reason)
            assert summary.history.moves == told.history.moves
