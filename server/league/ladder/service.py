"""The service that plays the ladder of a server: its players, and its runner, which goes on after faults."""

from collections.abc import Iterator
from functools import partial

import trio
from msgspec.structs import replace

from engine.statistics.online import LadderPlayer
from server.arena.arena import Arena
from server.contest.definition import Entrant, Qualification
from server.contest.fixtures import is_paused
from server.contest.hosts.arena_host import ArenaHost, precompile_bots
from server.contest.hosts.contest_players import ContestPlayers, RatedGames
from server.contest.runtime.runner import Runner
from server.contest.runtime.service import ContestService
from server.contest.store.store import Store
from server.league.accounts import Accounts
from server.league.ladder.definition import LadderDefinition, Listed, roster
from server.league.ladder.pairing import Pairing
from server.league.ladder.planner import LadderPlanner, ladder_runner
from server.league.ladder.store import LadderStore
from server.league.submissions import upload
from server.league.submissions.versions import BUILD, Versions
from server.ops.supervisor import supervise


class LadderService:
    """The service that plays the ladder."""

    def __init__(
        self, definition: LadderDefinition, arena: Arena, store: Store, accounts: Accounts, versions: Versions
    ) -> None:
        """Take the arena in which games are played, the store of contests, and the versions of bots."""
        self.definition = definition
        self.store = LadderStore(accounts, arena.settings.data)
        self._contest_store = store
        self._arena = arena
        self._accounts = accounts
        self._versions = versions
        self._played: tuple[Runner, LadderPlanner] | None = None
        self._players = ContestPlayers.of(arena)
        self._players.ladder = RatedGames(self.why_not, self._wake)

    @property
    def is_paused(self) -> bool:
        """Whether an organiser has paused it."""
        return self._played is not None and is_paused(self._played[0].definition.interventions)

    def running(self) -> dict[int, Pairing]:
        """Return the games that are being played, by the numbers of their matches."""
        if self._played is None:
            return {}
        runner, planner = self._played
        return {match: planner.pairing(one) for one, match in list(runner.playing.items()) if match is not None}

    async def run(self, contests: ContestService) -> None:
        """Play until cancelled, on the cores of contests as long as these do not want them."""
        await contests.cleaned.wait()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(supervise, "ladder_compiling", self._compile)
            await supervise("ladder_games", self._play, contests.seats)

    async def _play(self, seats: ArenaHost) -> None:
        make = partial(ladder_runner, self.definition, self._contest_store, self.store, self.listed, self._arena, seats)
        self._played = await seats.stored(make)
        await self._played[0].run()

    def listed(self) -> dict[str, Listed]:
        """Return who plays now, by name. For any thread."""
        return roster(self.definition, self._active(), self._connected())

    def _active(self) -> Iterator[Listed]:
        """Yield the active versions of bots."""
        for version in self._versions.active():
            owner = self._accounts.owner(version.bot)
            if owner is not None and version.command:
                command = upload.runnable(version.command)
                folder = str((self._versions.folder(version) / BUILD).resolve())
                entrant = Entrant(version.bot, command, folder=folder)
                yield Listed(LadderPlayer(version.bot, owner.name), version.number, entrant)

    def _connected(self) -> Iterator[Listed]:
        """Yield the bots on their authors' machines that wait for a game of the ladder, or play one."""
        names = set(self._players.waiting_for_ladder())
        if self._played is not None:
            runner, planner = self._played
            playing = {name for fixture in list(runner.playing) for name in fixture.players}
            names |= {name for name in playing if name in planner.listed and planner.listed[name].connects}
        for name in sorted(names):
            owner = self._accounts.owner(name)
            if owner is not None and owner.is_open:
                yield Listed(LadderPlayer(name, owner.name), 0, Entrant(name))

    def why_not(self, name: str) -> str:
        """Return why a bot that connects is not rated, as a sentence; empty if it is. For any thread."""
        owner, tokens = self._accounts.owner(name), self._arena.settings.tokens
        other_token = (tokens is not None and name.lower() in tokens) or self._players.token_of(name.lower())
        if owner is None or not self._accounts.token_hash(name) or other_token:
            return "the ladder rates bots of people with accounts: log in by a token of the page /me"
        written = next(bot.name for bot in self._accounts.bots(owner) if bot.name.lower() == name.lower())
        if written != name:
            return f"this bot is called {written}: log in by that name, in capital and small letters as there"
        if name.lower() in map(str.lower, roster(self.definition, self._active())):
            return f"{name} is on the ladder already, as a program that the server starts; take a bot of another name"
        standing = self.store.standing(name)
        if standing is not None and standing.rests:
            return f"{name} rests, since {standing.rests}; let it play again on the page /ladder/{name}"
        return ""

    async def _compile(self) -> None:
        """Compile what the built-in bot needs, beside the games."""
        contest = self.definition.contest
        levels = tuple(one.player.name for one in self.definition.listed if one.entrant is None)
        if levels:
            contest = replace(contest, qualification=Qualification(levels, self.definition.control))
        await precompile_bots(contest)

    def _wake(self) -> None:
        """Let the runner see who has come."""
        if self._played is not None:
            self._played[0].wake()
