"""The ladder as a service of the server: it plays the ladder file, and goes on after faults of the machine."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import structlog
import trio
from msgspec.structs import replace

from engine.statistics.online import LadderPlayer
from server.arena.arena import Arena
from server.config.declared import BadTable
from server.contest.definition import Entrant, Qualification
from server.contest.hosts.arena_host import GameSeating
from server.contest.hosts.contest_players import ContestPlayers, RatedGames
from server.contest.hosts.precompile import precompile_bots
from server.contest.runtime.service import ContestService
from server.contest.store.folders import errors_of
from server.league.accounts.accounts import Accounts
from server.league.ladder.definition import LadderControl, LadderDefinition, Listed, read_file, roster
from server.league.ladder.pairing import Pairing
from server.league.ladder.runner import LADDER, LadderRunner
from server.league.ladder.store import LadderStore
from server.league.submissions import upload
from server.league.submissions.versions import BUILD, Versions
from server.ops.supervisor import supervise
from server.storage.database import BadStore
from server.storage.player_logs import KeptByContest
from server.storage.record_store import RecordStore

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""How often to look whether an organiser has paused the ladder, or wants its file read again."""

UNRATED_SECONDS = 5.0
"""How often to look whether bots that wait may still be rated."""


class LadderService:
    """The service that plays the ladder."""

    def __init__(
        self,
        definition: LadderDefinition,
        arena: Arena,
        record_store: RecordStore,
        accounts: Accounts,
        versions: Versions,
    ) -> None:
        """Take the arena in which games are played, with its records, and the versions of bots."""
        self.definition = definition
        self.store = LadderStore(accounts)
        self.control = LadderControl(accounts)
        self._arena = arena
        self._record_store = record_store
        self._accounts = accounts
        self._versions = versions
        self._data = arena.settings.data
        self._runner: LadderRunner | None = None
        self._paused = False
        self._reads: int | None = None
        """How often the file was to be read again; None before that is known."""
        self._followed = trio.Event()
        """Set when it is known whether the ladder is paused."""
        self._replaced = trio.Event()
        """Another file is to be played, as soon as the games that are being played are over."""
        self._players = ContestPlayers.of(arena)
        self._players.ladder = RatedGames(self.why_not, self._wake)

    @property
    def is_paused(self) -> bool:
        """Whether an organiser has paused it."""
        return self._paused

    def running(self) -> dict[int, Pairing]:
        """Return the games that are being played, by the numbers of their matches."""
        return {} if self._runner is None else dict(self._runner.running)

    async def run(self, contests: ContestService) -> None:
        """Play until cancelled, on the cores of contests as long as these do not want them."""
        await contests.cleaned.wait()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(supervise, "ladder_organisers", self._follow_organisers)
            nursery.start_soon(supervise, "ladder_unrated", self._send_home_unrated)
            await supervise("ladder_games", self._play, contests.seats)

    async def _follow_organisers(self) -> None:
        """Do what organisers ask for in the database: pauses, and reading the file again."""
        await trio.to_thread.run_sync(self.control.begin, self.definition.file)
        while True:
            state = await trio.to_thread.run_sync(self.control.state)
            if self._reads not in (None, state.reads):
                await self._read_again()
            self._reads = state.reads
            if bool(state.paused) != self._paused:
                self._paused = bool(state.paused)
                log.info("ladder_state_changed", paused=self._paused)
                self._wake()
            self._followed.set()
            await trio.sleep(LOOK_SECONDS)

    async def _read_again(self) -> None:
        """Take the file as it is now; where it is wrong, go on by what stood there before."""
        try:
            found = await trio.to_thread.run_sync(read_file, Path(self.definition.file))
        except BadTable as error:
            log.error("ladder_file_wrong", reason=str(error))
            await trio.to_thread.run_sync(self.control.note_fault, str(error))
            return
        if found != self.definition:
            self.definition = found
            self._replaced.set()
            log.info("ladder_file_read", file=found.file)

    async def _play(self, seats: GameSeating) -> None:
        """Play by the file, and by another one when the games that are being played are over."""
        await self._followed.wait()
        arena = self._arena
        while True:
            self._replaced = trio.Event()
            make = partial(
                LadderRunner, self.definition, self.store, self.listed, arena, seats,
                stopping=lambda: arena.stopping or self._paused or self._replaced.is_set(),
            )  # fmt: skip
            self._runner = runner = await seats.stored(make)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(supervise, "ladder_compiling", self._compile)
                nursery.start_soon(runner.run)
                await self._replaced.wait()
                while runner.playing:
                    await trio.sleep(LOOK_SECONDS)
                nursery.cancel_scope.cancel()

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
        return self.unrated([name]).get(name, "")

    def unrated(self, names: Sequence[str]) -> dict[str, str]:
        """Return which of these bots are not rated, and why. For any thread."""
        started = {name.lower() for name in roster(self.definition, self._active())}
        return {name: why for name in names if (why := self._why_not(name, started))}

    def _why_not(self, name: str, started: set[str]) -> str:
        owner, tokens = self._accounts.owner(name), self._arena.settings.tokens
        other_token = (tokens is not None and name.lower() in tokens) or self._players.token_of(name.lower())
        if owner is None or not self._accounts.token_hash(name) or other_token:
            return "the ladder rates bots of people with accounts: log in by a token of the page /me"
        written = next(bot.name for bot in self._accounts.bots(owner) if bot.name.lower() == name.lower())
        if written != name:
            return f"this bot is called {written}: log in by that name, in capital and small letters as there"
        if name.lower() in started:
            return f"{name} is on the ladder already, as a program that the server starts; take a bot of another name"
        standing = self.store.standing(name)
        if standing is not None and standing.rests:
            return f"{name} rests, since {standing.rests}; let it play again on the page /ladder/{name}"
        return ""

    async def _compile(self) -> None:
        """Compile what the built-in bot needs, beside the games."""
        contest = self.definition.contest(self.definition.entrants, "")
        if self.definition.levels:
            levels = tuple(level.name for level in self.definition.levels)
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
            names = self._players.waiting_for_ladder()
            with suppress(BadStore):
                for name, why in (await trio.to_thread.run_sync(self.unrated, names)).items() if names else ():
                    self._players.send_home_unrated(name, why)


def kept_by_ladder(data: Path, store: LadderStore, match: int, name: str) -> KeptByContest | None:
    """Return what the ladder has of a player in a match, for its author; None where it is no match of the ladder."""
    found = store.player_in(match, name)
    return KeptByContest(errors_of(data, LADDER, match, found), "") if found else None
