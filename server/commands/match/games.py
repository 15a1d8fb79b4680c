"""Plays the games of a match on a host of contests, several at a time, in the order of their schedule."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import structlog
import trio

from engine.games.catalogue import GAMES
from engine.games.outcome import ANNULLED
from server.commands.match.setup import MatchSetup
from server.commands.match.tally import PlayedGame, played_game
from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.hosts.game_worker import CONTEST
from server.contest.hosts.host import GameTask, Host, NotPlayed, PlayerMissing
from server.contest.scoring.game_result import absence_result
from server.contest.store.folders import last_lines

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""How often to look how many games may be played at a time: workers of a cluster come and go."""

SILENT_SECONDS = 5.0
"""Time without a game after which it is told what is waited for."""

MAX_TRIES = 3
"""Attempts to play a game that fails through a fault of the machine or of this program."""


class CannotPlay(Exception):
    """The match cannot be played. ``str(error)`` says why."""

    def __init__(self, sentence: str, wrote: str = "") -> None:
        """Keep what the program to blame wrote on stderr, its last lines."""
        super().__init__(sentence)
        self.wrote = wrote


class GameOver(NamedTuple):
    """A game that is over."""

    game: PlayedGame
    match: int
    """The number of its record, if it has one."""


class MatchGames:
    """The games of a match while they are played."""

    def __init__(self, setup: MatchSetup, host: Host, data: Path, at_once: Callable[[], int]) -> None:
        """Take a match, its host, the host's data directory, and how many games may be played at a time."""
        self._setup = setup
        self._host = host
        self._data = data
        self._at_once = at_once
        self._retries = 0
        self._freed = trio.Event()
        self.running = 0
        """Games that are being played now, or whose programs are starting."""
        self.begun = 0
        """Games to which both players came."""
        self.started: set[str] = set()
        """Players whose programs have been ready for a game; whose never was stops the match."""

    async def play(self, numbers: Iterable[int], keep: Callable[[GameOver], bool]) -> None:
        """Play games of the schedule, numbered from 1; ``keep`` gets each when it is over, and returns False to stop.

        Then, or when this is cancelled, games that run are given up. Raises an exception group of `CannotPlay` and of
        what ``keep`` raises.
        """
        async with trio.open_nursery() as nursery:

            async def play_one(number: int, definition: Definition) -> None:
                try:
                    over = await self._played(number, definition)
                    if not keep(over):
                        nursery.cancel_scope.cancel()
                finally:
                    self.running -= 1
                    self._freed.set()

            for number in numbers:
                while self.running >= self._at_once():
                    self._freed = trio.Event()
                    with trio.move_on_after(LOOK_SECONDS):
                        await self._freed.wait()
                fixture = self._setup.fixtures[number - 1]
                opening = await trio.to_thread.run_sync(self._setup.opening, fixture)
                self.running += 1
                nursery.start_soon(play_one, number, self._setup.game_definition(fixture, opening))

    async def tell_awaited(self, say: Callable[[str], None]) -> None:
        """Say what is waited for where no game has begun for some seconds."""
        await trio.sleep(SILENT_SECONDS)
        if not self.begun:
            limit = self._setup.definition.start_seconds
            what = "a program has to connect and seek, or to read its input"
            say(f"no game has begun after {SILENT_SECONDS:g} s: {what}, and has {limit} s for that")

    async def _played(self, number: int, definition: Definition) -> GameOver:
        """Play a game, again after a fault that is no player's; raises `CannotPlay`."""
        match, trouble = number, ""
        for _ in range(MAX_TRIES):
            if trouble:
                self._retries += 1
                match = len(self._setup.fixtures) + self._retries  # no other game has this number
                log.warning("match_game_replayed", game=number, reason=trouble)
            try:
                over = await self._hosted(number, match, definition)
            except NotPlayed as error:
                trouble = str(error)
                continue
            if over.termination not in ANNULLED:
                opening = definition.position(over.fixture)
                first = GAMES[self._setup.setting.game].read(opening).turn
                return GameOver(played_game(definition, number, over, first), match)
            trouble = over.detail
        raise CannotPlay(f"game {number} cannot be played: {trouble}")

    async def _hosted(self, number: int, match: int, definition: Definition) -> GameResult:
        """Let the host play a game once; raises `NotPlayed` and `CannotPlay`."""
        fixture = self._setup.fixtures[number - 1]
        try:
            async with self._host.play(GameTask(CONTEST, definition, fixture, match)) as game:
                assert game is not None  # nobody stops this arena, and nobody is withdrawn
                self.begun += 1
                over = await game.result()
        except PlayerMissing as error:
            if error.fault or not error.names:
                raise NotPlayed(str(error)) from error
            never = [name for name in error.names if name not in self.started]
            if never:
                wrote = "\n".join(last_lines(self._data, CONTEST, match, name) for name in never)
                raise CannotPlay(str(error), wrote) from error
            return absence_result(fixture, error.names, str(error), error.termination)
        self.started.update(fixture.players)
        return over
