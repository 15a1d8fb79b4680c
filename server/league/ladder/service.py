"""The service that plays the ladder: its players, and its planner, a contest without end whose entrants come and go.

Results, running games, failures, pauses and the organiser's actions are rows of the contest store, as in every contest.
Each game is chosen by its information (`server.league.ladder.pairing`), from the ratings that follow from the results.
"""

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

import trio
from msgspec.structs import replace

from engine.statistics.online import DAY, LadderPlayer
from server.arena.arena import Arena
from server.contest.definition import Entrant, Qualification
from server.contest.fixtures import Fixture, is_paused
from server.contest.hosts.arena_host import ArenaHost, precompile_bots
from server.contest.hosts.contest_players import ContestPlayers, RatedGames
from server.contest.hosts.host import PROGRAMS, CoreQueue, GameTask, Host, HostedGame, PlayerMissing
from server.contest.plan import Plan
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Planner, Runner
from server.contest.runtime.service import ContestService
from server.contest.store.folders import errors_of
from server.contest.store.store import LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.definition import LadderDefinition, LadderEntrant, roster
from server.league.ladder.pairing import LadderPairing, next_pairings, opening
from server.league.ladder.store import LadderStanding, LadderStore
from server.league.submissions import upload
from server.league.submissions.versions import BUILD, Versions
from server.ops.logs import log
from server.ops.supervisor import supervise

UNPAIRED_SECONDS = 60.0
"""A bot on its author's machine that goes away from a game before it begins is not paired for so long."""

AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""

KEPT_LOGS = 1000
"""Logs of programs are kept for so many matches: the last ones of the server."""

LOGS_APART = 100
"""Older ones are removed once in so many matches: it takes a look at all of them."""


class LadderPlanner(Planner):
    """The planner of the ladder, and a host whose connected players lose a game if they are away for too long."""

    def __init__(
        self,
        ladder: LadderDefinition,
        ledger: Ledger,
        ladder_store: LadderStore,
        list_players: Callable[[], dict[str, LadderEntrant]],
        arena: Arena,
        turns: CoreQueue,
        host: Host,
        now: Callable[[], float],
    ) -> None:
        """Rate all games again, and count them for the next pairings; to be called in a thread."""
        self._host = host
        self._ladder = ladder
        self._ledger = ledger
        self._ladder_store = ladder_store
        self._list_players = list_players
        self._arena = arena
        self._turns = turns
        self._now = now
        self.listed: dict[str, LadderEntrant] = {}
        """Active and resting players by name, each with the version that plays."""
        self._away_until: dict[str, float] = {}
        """Times by trio's clock until which bots are not paired that left before their game began."""
        self._logs_until = 0
        """From this match on old logs are removed again."""
        self._players = {name: one.player for name, one in list_players().items()}
        """Active and resting players, for the rating."""
        if changed := ladder_store.rate_again(self._players):
            log.info("ladder_rated_again", ratings=changed)
        self._counted_players = ladder_store.owned() | self._players
        """Players whose games have a share: all who have played, also those who have left."""
        self._counts = ladder_store.game_counts(self._counted_players)

    def pairing(self, fixture: Fixture) -> LadderPairing:
        """Return a game as it is paired."""
        return LadderPairing(self._ledger.definition.variants[fixture.variant].name, *fixture.players)

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the games that can begin now, the most urgent first."""
        names = {name for fixture in playing for name in fixture.players}
        definition = self._ledger.definition
        room = free_games(self._turns, definition.cores, (self._turns.taken - self._turns.others(LADDER)) // PROGRAMS)
        standings, today = await self._ledger.stored(partial(self._look_who_plays, names))
        if self._ladder.games_a_day:
            room = min(room, self._ladder.games_a_day - today - len(playing))
        entrants = tuple(one.entrant for one in self.listed.values() if one.entrant is not None)
        self._ledger.definition = replace(self._ledger.definition, entrants=entrants)
        places = {variant.name: place for place, variant in enumerate(definition.variants)}
        due = []
        for one in next_pairings(
            {name: one.player for name, one in sorted(self.listed.items()) if self._may_play(one, names, standings)},
            {name: one.rating for name, one in standings.items()},
            self._counts,
            [self.pairing(fixture) for fixture in playing],
            self._ladder.weights,
            room,
            self._now(),
        ):
            pair = self._counts.met(one.first, one.second, one.variant) // 2
            number = opening(definition.seed, self._counts, one)
            due.append(Fixture(0, 1, places[one.variant], pair, number, (one.first, one.second)))
        return Plan((), tuple(due), (), over=False)

    def _look_who_plays(self, playing: Collection[str]) -> tuple[dict[str, LadderStanding], int]:
        """Count new results, and bring new versions into play, except those of players that are ``playing``.

        Return the standings by name, and the number of games within 24 hours. For a thread.
        """
        for game in self._ladder_store.rate_results(self._players, self._ladder.failures):
            self._counts.add(self._counted_players, game.variant, *game.result.fixture.players)
            if (match := game.result.match) is not None and match >= self._logs_until:
                self._logs_until = match + LOGS_APART
                for path in errors_of(self._arena.settings.data, LADDER, 0, "").parent.glob("*-*.txt"):
                    if int(path.name.partition("-")[0]) < match - KEPT_LOGS:
                        path.unlink(missing_ok=True)
        listed = {name: one for name, one in self._list_players().items() if name not in playing}
        listed |= {name: one for name, one in self.listed.items() if name in playing}
        self._players = {name: one.player for name, one in listed.items()}
        self._counted_players |= self._players
        for name, one in listed.items():
            if self.listed.get(name) != one:
                self._ladder_store.seat(one.player, one.version, self._players)
        self.listed = listed
        return {one.name: one for one in self._ladder_store.standings()}, self._ladder_store.number_since(
            self._now() - DAY
        )

    def _may_play(self, one: LadderEntrant, playing: Collection[str], standings: dict[str, LadderStanding]) -> bool:
        """Tell whether a player can have a game now; one that connects may have gone since its game ended."""
        name = one.player.name
        is_here = not one.connects or (name not in playing and trio.current_time() >= self._away_until.get(name, 0.0))
        return is_here and not standings[name].rests

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        """Let a game be played, as `Host.play`. A player that leaves before its game is not paired for a while."""
        try:
            async with self._host.play(task._replace(away_seconds=AWAY_SECONDS)) as game:
                yield game
        except PlayerMissing as error:
            if not error.names and not error.fault:
                log.info("ladder_game_dropped", match=task.number, players=task.fixture.players)
                here = ContestPlayers.of(self._arena).waiting_for_ladder()
                for name in task.fixture.players:
                    if self.listed[name].connects and name not in here:
                        self._away_until[name] = trio.current_time() + UNPAIRED_SECONDS
            raise


def ladder_runner(
    ladder: LadderDefinition,
    store: Store,
    ladder_store: LadderStore,
    list_players: Callable[[], dict[str, LadderEntrant]],
    arena: Arena,
    seats: ArenaHost,
    *,
    host: Host | None = None,
    now: Callable[[], float] = time.time,
) -> tuple[Runner, LadderPlanner]:
    """Return the runner of a ladder, and its planner; to be called in a thread.

    ``list_players`` returns the present players; ``host`` plays the games in place of the arena.
    """
    store.open_ladder(replace(ladder.contest, folder=str(arena.settings.data.resolve())), datetime.now(UTC))
    ledger = Ledger(LADDER, store, arena.record_store, seats)
    planner = LadderPlanner(ladder, ledger, ladder_store, list_players, arena, seats.turns, host or seats, now)
    return Runner(ledger, arena, seats, host=planner, planner=planner), planner


def free_games(turns: CoreQueue, most_cores: int, games: int) -> int:
    """Return how many games of the ladder can begin beside those that it plays. Contests go first."""
    if turns.alone or turns.contested(LADDER):
        return 0
    if (taken := turns.others(LADDER) + PROGRAMS * games) == 0:
        return max(1, min(turns.cores, most_cores or turns.cores) // PROGRAMS)
    room = turns.cores - taken
    if most_cores:
        room = min(room, most_cores - PROGRAMS * games)
    return max(0, room // PROGRAMS)


class LadderService:
    """The service that plays the ladder."""

    def __init__(
        self, definition: LadderDefinition, arena: Arena, store: Store, accounts: Accounts, versions: Versions
    ) -> None:
        """Take the arena that plays the games, the store of contests, and the versions of bots."""
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

    def running(self) -> dict[int, LadderPairing]:
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

    def listed(self) -> dict[str, LadderEntrant]:
        """Return who plays now, by name. For any thread."""
        return roster(self.definition, self._active(), self._connected())

    def _active(self) -> Iterator[LadderEntrant]:
        """Yield the active versions of bots."""
        for version in self._versions.active():
            if (owner := self._accounts.owner(version.bot)) is not None and version.command:
                command = upload.runnable(version.command)
                entrant = Entrant(version.bot, command, folder=str((self._versions.folder(version) / BUILD).resolve()))
                yield LadderEntrant(LadderPlayer(version.bot, owner.name), version.number, entrant)

    def _connected(self) -> Iterator[LadderEntrant]:
        """Yield the bots on their authors' machines that wait for a game of the ladder, or play one."""
        names = set(self._players.waiting_for_ladder())
        if self._played is not None:
            runner, planner = self._played
            playing = {name for fixture in list(runner.playing) for name in fixture.players}
            names |= {name for name in playing if name in planner.listed and planner.listed[name].connects}
        owners = {name: self._accounts.owner(name) for name in sorted(names)}
        yield from (
            LadderEntrant(LadderPlayer(name, owner.name), 0, Entrant(name))
            for name, owner in owners.items()
            if owner and owner.is_open
        )

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
        if (standing := self.store.standing(name)) is not None and standing.rests:
            return f"{name} rests, since {standing.rests}; let it play again on the page /ladder/{name}"
        return ""

    async def _compile(self) -> None:
        """Compile what the built-in bot needs, beside the games."""
        contest = self.definition.contest
        if levels := tuple(one.player.name for one in self.definition.listed if one.entrant is None):
            contest = replace(contest, qualification=Qualification(levels, self.definition.control))
        await precompile_bots(contest)

    def _wake(self) -> None:
        """Let the runner poll the players."""
        if self._played is not None:
            self._played[0].wake()
