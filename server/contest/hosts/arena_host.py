"""Hosts games in the arena of this process, with connected players and with programs that it starts."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from engine.games.outcome import Termination
from server.arena.arena import Arena
from server.contest.fixtures import GameResult, Programs
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import GameTask, PlayerMissing
from server.contest.hosts.seating import GameSeating, SeatedPlayers
from server.contest.scoring.results import game_result
from server.match.match import Match


class ArenaGame:
    """A match of the arena, with its players."""

    recorded = True

    def __init__(self, arena: Arena, seats: GameSeating, players: SeatedPlayers, match: Match) -> None:
        """Take a match that has just begun, and its players."""
        self.match = match
        self._arena = arena
        self._seats = seats
        self.players = players
        self._fixture = players.task.fixture
        self._over = ContestPlayers.of(arena).end_of(match.number, keep=players.task.kept)

    @property
    def programs(self) -> Programs:
        """Resource usage of the programs; complete when the lease has ended."""
        return self.players.programs

    @property
    def lacked(self) -> str:
        """The missing resource of the machine because of which the match was annulled; empty if there was none."""
        return self.match.fault_cause

    async def result(self) -> GameResult:
        """Return the result as soon as the match is over."""
        if self.match.state.outcome is None:
            await self._over.wait()
        return game_result(self._fixture, self.match.state, self.match.disconnected_at_end)

    def leave_cores(self) -> bool:
        """Let another game use the cores of this one while its programs are being ended, if that is possible."""
        return self._seats.leave_cores(self.players)

    def cut_off(self) -> GameResult | None:
        """Annul a match that is not over, and return it; None if it is over, or the arena has it no more."""
        if self.match.state.outcome is not None or self._arena.matches.get(self.match.number) is not self.match:
            return None
        sentence = "the server could not go on with the game, which is played again"
        self._arena.annul(self.match, Termination.SERVER_FAULT, sentence)
        return game_result(self._fixture, self.match.state, self.match.disconnected_at_end)


class ArenaHost:
    """The host that plays games in an arena, where they may be watched."""

    def __init__(self, arena: Arena, seats: GameSeating) -> None:
        """Take a running arena, and the seating of its games."""
        self._arena = arena
        self._seats = seats

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[ArenaGame | None]:
        """Begin a match as soon as its players wait, and lease them until the context is left; as `Host.play`."""
        players, missing = SeatedPlayers(self._arena, task), None
        async with AsyncExitStack() as stack:
            try:
                await self._seats.seat(stack, players)
                stops = self._arena.stopping or not task.wanted()
                game = None if stops else ArenaGame(self._arena, self._seats, players, players.begin())
            except PlayerMissing as error:
                missing = error
            else:
                yield game
        if missing is not None:
            missing.programs = players.programs
            raise missing
