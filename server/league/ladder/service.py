"""The ladder as a service of the server, which goes on after faults of the machine."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from engine.statistics.online import LadderPlayer
from server.arena.arena import Arena
from server.contest.definition import Entrant, Qualification
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.contest_players import ContestPlayers, RatedGames
from server.contest.hosts.precompile import precompile_bots
from server.contest.interventions import is_paused
from server.contest.runtime.service import ContestService
from server.contest.store.folders import errors_of
from server.contest.store.store import LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.definition import LadderDefinition, Listed, roster
from server.league.ladder.pairing import Pairing
from server.league.ladder.runner import LadderRunner
from server.league.ladder.store import LadderStore
from server.league.submissions import upload
from server.league.submissions.versions import BUILD, Versions
from server.ops.supervisor import supervise
from server.storage.player_logs import KeptByContest

UNRATED_SECONDS = 5.0
"""How often to look whether bots that wait may still be rated."""


class LadderService:
    """The service that plays the ladder."""

    def __init__(
        self, definition: LadderDefinition, arena: Arena, store: Store, accounts: Accounts, versions: Versions
    ) -> None:
        """Take the arena in which games are played, the store of contests, and the versions of bots."""
        self.definition = definition
        self.store = LadderStore(accounts)
        self._contest_store = store
        self._arena = arena
        self._accounts = accounts
        self._versions = versions
        self._runner: LadderRunner | None = None
        self._players = ContestPlayers.of(arena)
        self._players.ladder = RatedGames(self.why_not, self._wake)

    @property
    def is_paused(self) -> bool:
        """Whether an organiser has paused it."""
        return self._runner is not None and is_paused(self._runner.definition.interventions)

    def running(self) -> dict[int, Pairing]:
        """Return the games that are being played, by the numbers of their matches."""
        return {} if self._runner is None else self._runner.running

    async def run(self, contests: ContestService) -> None:
        """Play until cancelled, on the cores of contests as long as these do not want them."""
        await contests.cleaned.wait()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(supervise, "ladder_unrated", self._send_home_unrated)
            nursery.start_soon(supervise, "ladder_compiling", self._compile)
            await supervise("ladder_games", self._play, contests.seats)

    async def _play(self, seats: ArenaHost) -> None:
        make = partial(LadderRunner, self.definition, self._contest_store, self.store, self.listed, self._arena, seats)
        self._runner = await seats.stored(make)
        await self._runner.run()

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
        if self._runner is not None:
            names |= self._runner.connected_in_games()
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
        await precompile_bots(contest, beside_games=True)

    def _wake(self) -> None:
        """Let the runner see who has come."""
        if self._runner is not None:
            self._runner.wake()

    async def _send_home_unrated(self) -> None:
        """End the sessions of bots that wait and are rated no more: an account was closed, say, or a version plays."""
        while True:
            await trio.sleep(UNRATED_SECONDS)
            for name in self._players.waiting_for_ladder():
                if why := await trio.to_thread.run_sync(self.why_not, name):
                    self._players.send_home_unrated(name, why)


def kept_by_ladder(data: Path, store: LadderStore, match: int, name: str) -> KeptByContest | None:
    """Return what the ladder has of a player in a match, for its author; None where it is no match of the ladder."""
    found = store.player_in(match, name)
    return KeptByContest(errors_of(data, LADDER, match, found), "") if found else None
