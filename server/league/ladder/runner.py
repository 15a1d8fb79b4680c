"""The ladder as a contest that never ends: entrants come and go, and each game is chosen by its information.

Running games, failures, pauses and the organiser's actions are rows of the contest store, as in every contest. A game
that is over is counted in the database of the league, when its record is on the disk. The service goes on after faults
of the machine.
"""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from engine.games.outcome import ANNULLED
from engine.statistics.online import DAY, LadderPlayer
from server.arena.arena import Arena
from server.contest.definition import Entrant, Qualification
from server.contest.fixtures import Fixture, GameResult
from server.contest.hosts.arena_host import ArenaGame, ArenaHost, precompile_bots
from server.contest.hosts.contest_players import ContestPlayers, RatedGames
from server.contest.hosts.host import PROGRAMS, CoreQueue, Host, HostedGame
from server.contest.interventions import is_paused
from server.contest.plan import Plan
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Runner
from server.contest.runtime.service import ContestService
from server.contest.store.folders import errors_of
from server.contest.store.schema import LADDER
from server.contest.store.store import Store
from server.league.accounts import Accounts
from server.league.ladder.definition import LadderDefinition, Listed, roster
from server.league.ladder.pairing import Pairing, next_pairings, opening
from server.league.ladder.store import LadderStore, Standing
from server.league.submissions import upload
from server.league.submissions.versions import BUILD, Versions
from server.match.match import Match
from server.ops.logs import log
from server.ops.supervisor import supervise
from server.storage.player_logs import KeptByContest

UNPAIRED_SECONDS = 60.0
"""A bot on its author's machine that goes away from a game before it begins is not paired for so long."""

AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""

KEPT_LOGS = 1000
"""Logs of programs are kept for so many matches: the last ones of the server."""

LOGS_APART = 100
"""Older ones are removed once in so many matches: it takes a look at all of them."""


class LadderLedger(Ledger):
    """The ledger of the ladder, which counts results instead of keeping them. To be made in a thread."""

    def __init__(
        self, ladder: LadderDefinition, store: Store, ladder_store: LadderStore, arena: Arena, seats: ArenaHost,
        listed: dict[str, Listed],
    ) -> None:  # fmt: skip
        """Rate all games again, and count them for the next pairings."""
        store.open_ladder(replace(ladder.contest, folder=str(arena.settings.data.resolve())), datetime.now(UTC))
        super().__init__(LADDER, store, arena.record_store, seats)
        self._data = arena.settings.data
        self._ladder = ladder
        self._ladder_store = ladder_store
        self._logs_until = 0
        """From this match on old logs are removed again."""
        self.players = {name: one.player for name, one in listed.items()}
        """Who plays now."""
        if changed := ladder_store.rate_again(self.players):
            log.info("ladder_rated_again", ratings=changed)
        self.counted_players = ladder_store.owned() | self.players
        """Players whose games have a share: all who have played, also those who have left."""
        self.counts = ladder_store.game_counts(self.counted_players)

    def pairing(self, fixture: Fixture) -> Pairing:
        """Return a game as it is paired."""
        return Pairing(self.definition.variants[fixture.variant].name, *fixture.players)

    def _finish(self, game: GameResult, sha256: str) -> None:
        """Count a result. From then on the game does not run."""
        pairing = self.pairing(game.fixture)
        if game.termination not in ANNULLED:
            failures = self._ladder.failures
            resting = self._ladder_store.count(game, pairing.variant, sha256, self.players, failures)
            self.counts.add(self.counted_players, *pairing)
            for name in resting:
                log.warning("ladder_player_rests", name=name, match=game.match, termination=game.termination)
        if game.match is not None:
            self._store.forget(LADDER, game.match)
            if game.match >= self._logs_until:
                self._logs_until = game.match + LOGS_APART
                self._remove_old_logs(game.match - KEPT_LOGS)

    def _remove_old_logs(self, before: int) -> None:
        """Remove what programs have written in matches with lower numbers."""
        for path in errors_of(self._data, LADDER, 0, "").parent.glob("*-*.txt"):
            if int(path.name.partition("-")[0]) < before:
                path.unlink(missing_ok=True)


class LadderRunner(Runner):
    """The runner of the ladder."""

    def __init__(
        self,
        ladder: LadderDefinition,
        store: Store,
        ladder_store: LadderStore,
        list_players: Callable[[], dict[str, Listed]],
        arena: Arena,
        seats: ArenaHost,
        *,
        host: Host | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Take a ladder, and the function that lists its players; to be called in a thread."""
        self._book = LadderLedger(ladder, store, ladder_store, arena, seats, list_players())
        super().__init__(self._book, arena, seats, host=host)
        self._ladder = ladder
        self._ladder_store = ladder_store
        self._list_players = list_players
        self._now = now
        self._listed: dict[str, Listed] = {}
        """Who plays now, by name, in the version that is in play, and who rests."""
        self._away_until: dict[str, float] = {}
        """When bots that went away from a game before it began are paired again, by trio's clock."""

    @property
    def running(self) -> dict[int, Pairing]:
        """The games that are being played, by the numbers of their matches."""
        return {match: self._book.pairing(one) for one, match in list(self.playing.items()) if match is not None}

    def connected_in_games(self) -> set[str]:
        """Return the names of players in games, or of games being set up, that are on their authors' machines."""
        names = {name for fixture in list(self.playing) for name in fixture.players}
        return {name for name in names if name in self._listed and self._listed[name].connects}

    async def _planned(self) -> Plan:
        """Return the games that can begin now, the most urgent first."""
        await self._heed_organiser()
        running = list(self.playing)
        playing = {name for fixture in running for name in fixture.players}
        room = free_games(self._seats.turns, self.definition.cores, len(self.playing.keys() - self._left_cores))
        standings, today = await self._ledger.stored(partial(self._look_who_plays, playing))
        if self._ladder.games_a_day:
            room = min(room, self._ladder.games_a_day - today - len(running))
        entrants = (one.entrant for one in self._listed.values() if one.entrant is not None)
        self._ledger.definition = replace(self.definition, entrants=tuple(entrants))
        chosen = next_pairings(
            {name: one.player for name, one in sorted(self._listed.items()) if self._may_play(one, playing, standings)},
            {name: one.rating for name, one in standings.items()},
            self._book.counts,
            [self._book.pairing(fixture) for fixture in running],
            self._ladder.weights,
            room,
            self._now(),
        )
        places = {variant.name: place for place, variant in enumerate(self.definition.variants)}
        number = partial(opening, self.definition.seed, self._book.counts)
        due = tuple(Fixture(0, 1, places[one.variant], 0, number(one), (one.first, one.second)) for one in chosen)
        return Plan((), due, (), over=False)

    def _look_who_plays(self, playing: Collection[str]) -> tuple[dict[str, Standing], int]:
        """Bring new versions into play, except those of players that are ``playing``.

        Return the standings by name, and the number of games within 24 hours. For a thread.
        """
        listed = {name: one for name, one in self._list_players().items() if name not in playing}
        listed |= {name: one for name, one in self._listed.items() if name in playing}
        self._book.players = {name: one.player for name, one in listed.items()}
        self._book.counted_players |= self._book.players
        for name, one in listed.items():
            if self._listed.get(name) != one:
                self._ladder_store.seat(one.player, one.version, self._book.players)
        self._listed = listed
        standings = {one.name: one for one in self._ladder_store.standings()}
        return standings, self._ladder_store.number_since(self._now() - DAY)

    def _may_play(self, one: Listed, playing: Collection[str], standings: dict[str, Standing]) -> bool:
        """Tell whether a player can have a game now; one that connects may have gone since its game ended."""
        name = one.player.name
        is_here = not one.connects or (name not in playing and trio.current_time() >= self._away_until.get(name, 0.0))
        return is_here and not standings[name].rests

    def _startable(self, due: Collection[Fixture]) -> list[Fixture]:
        return list(due)

    def _programs(self, fixture: Fixture) -> int:
        return PROGRAMS

    async def _result(self, game: HostedGame) -> GameResult:
        """Return the result of a game; a bot on its author's machine that is away for too long loses it."""
        if not isinstance(game, ArenaGame):
            return await super()._result(game)
        async with trio.open_nursery() as nursery:
            for name in game.connecting:
                side = game.task.fixture.players.index(name)
                nursery.start_soon(end_when_away, self._arena, game.match, side)
            over = await super()._result(game)
            nursery.cancel_scope.cancel()
        return over

    async def _gone(self, fixture: Fixture) -> None:
        """Pair those no more for a while who have gone away before their game began."""
        log.info("ladder_game_dropped", match=self.playing[fixture], players=fixture.players)
        here = ContestPlayers.of(self._arena).waiting_for_ladder()
        for name in fixture.players:
            if self._listed[name].connects and name not in here:
                self._away_until[name] = trio.current_time() + UNPAIRED_SECONDS


async def end_when_away(arena: Arena, match: Match, side: int) -> None:
    """Let a player lose a match as soon as it has had no connection for too long.

    Seconds are counted one by one: one in which the server stood still counts once.
    """
    seconds = 0
    while seconds < AWAY_SECONDS:
        await trio.sleep(1)
        seconds = 0 if match.players[side] is not None else seconds + 1
    arena.end_crashed(match.number, side, f"it had no connection for {AWAY_SECONDS} seconds")


def free_games(turns: CoreQueue, most_cores: int, games: int) -> int:
    """Return how many games of the ladder can begin beside those that it plays. Contests go first."""
    if turns.alone or turns.contested(LADDER):
        return 0
    taken = turns.others(LADDER) + PROGRAMS * games
    if taken == 0:
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
        await precompile_bots(contest)

    def _wake(self) -> None:
        """Let the runner see who has come."""
        if self._runner is not None:
            self._runner.wake()


def kept_by_ladder(data: Path, store: LadderStore, match: int, name: str) -> KeptByContest | None:
    """Return what the ladder has of a player in a match, for its author; None where it is no match of the ladder."""
    found = store.player_in(match, name)
    return KeptByContest(errors_of(data, LADDER, match, found), "") if found else None
