"""The ladder as a contest that never ends: entrants come and go, and each game is chosen by what it tells.

A game is in the database before it begins, and is counted when its record is on the disk. So a runner that begins finds
the games of one that was killed, and counts those that were over.
"""

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial

import structlog
import trio

from engine.games.outcome import ANNULLED
from engine.statistics.online import DAY, LadderPlayer, OnlineRating
from server.arena.arena import Arena
from server.contest.fixtures import Fixture, GameResult, Programs
from server.contest.hosts.arena_host import ArenaGame, ArenaHost, GameSeating
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.core_queue import CoreQueue
from server.contest.hosts.host import GameTask, Host
from server.contest.hosts.worker_job import PROGRAMS
from server.contest.plan import Plan
from server.contest.report.structure import Pause
from server.contest.runtime.ledger import Ledger, missing_resource
from server.contest.runtime.runner import Runner
from server.contest.store.folders import errors_of
from server.league.ladder.definition import LadderDefinition, Listed
from server.league.ladder.pairing import DROPPED_MEMORY, GameCounts, Pairing, next_pairings, opening
from server.league.ladder.store import BegunGame, LadderStore
from server.match.match import Match

log = structlog.get_logger()

LADDER = 0
"""Its number among the contests, which count from 1."""

UNPAIRED_SECONDS = 60.0
"""A bot on its author's machine that goes away from a game before it begins is not paired for so long."""

AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""

KEPT_LOGS = 1000
"""Logs of programs are kept for so many matches: the last ones of the server."""

LOGS_APART = 100
"""Older ones are removed once in so many matches: it takes a look at all of them."""


class LadderLedger(Ledger):
    """The ledger of the ladder, in the database of the league: its games, and what follows from them for the next."""

    def __init__(
        self,
        ladder: LadderDefinition,
        store: LadderStore,
        listed: dict[str, Listed],
        arena: Arena,
        seats: GameSeating,
    ) -> None:
        """Read the games that have begun; to be called in a thread, as what it reads takes long."""
        self._data = arena.settings.data
        self.definition = ladder.contest(ladder.entrants, str(self._data.resolve()))
        self.games, self.failures, self.began = [], {}, {}
        self.listed = listed
        """Who plays now, by name, in the version that is in play, and who rests."""
        self.seats: dict[Fixture, list[Listed]] = {}
        """Both players of the games that are played or can begin."""
        self.counts = GameCounts()
        self.dropped: list[Pairing] = []
        """Games that an earlier server has died of, perhaps, until `DROPPED_MEMORY` games are counted."""
        self.rest_since: set[str] = set()
        """Who has come to rest since the last look began, which may not have seen it."""
        self.today = 0
        """Games that were counted within 24 hours."""
        self.counted_players: dict[str, LadderPlayer] = {}
        """Players whose games have a share: all who have played, also those who have left."""
        self._counted = 0
        self._logs_until = 0
        """From this match on old logs are removed again."""
        self._ladder = ladder
        self._ladder_store = store
        places = {one.key: place for place, one in enumerate(ladder.variants)}
        self._begun: dict[tuple[str, str], BegunGame] = {}
        """The last game that has begun between two players, of whom one plays a single game at a time."""
        self.left = {}
        for game in store.begun():
            self._begun[game.players] = game
            if game.variant in places:
                self.left[game.match] = Fixture(0, 1, places[game.variant], 0, game.opening, game.players)
            else:  # the file has changed
                store.forget(game.match)
        self._set_up(LADDER, arena.record_store, seats, lambda game: None)

    @property
    def players(self) -> dict[str, LadderPlayer]:
        """Who plays now."""
        return {name: one.player for name, one in self.listed.items()}

    def pairing(self, fixture: Fixture) -> Pairing:
        """Return a game as it is paired."""
        return Pairing(self._ladder.variants[fixture.variant].key, *fixture.players)

    def read_counts(self) -> None:
        """Rate all games again, and count them for the next pairings."""
        if changed := self._ladder_store.rate_again(self.players):
            log.info("ladder_rated_again", ratings=changed)
        self.counted_players = self._ladder_store.owned() | self.players
        self.counts = self._ladder_store.game_counts(self.counted_players)

    async def begin(self, fixture: Fixture, match: int) -> bool:
        """Store a game before it begins, with the versions that play it."""
        first, second = (one.version for one in self.seats[fixture])
        game = BegunGame(match, self.pairing(fixture).variant, fixture.opening, fixture.players, (first, second))
        await self.stored(partial(self._ladder_store.begin, [game]))
        self._begun[fixture.players] = game
        return True

    async def forget(self, match: int) -> None:
        """Drop a game that is not counted."""
        await self.surely(partial(self._ladder_store.forget, match))

    async def keep(self, game: GameResult) -> GameResult:
        """Count a game; one to which a player did not come has no record, and counts for failures alone."""
        kept = await super().keep(game)
        if kept.match is not None and kept.match >= self._logs_until:
            self._logs_until = kept.match + LOGS_APART
            await trio.to_thread.run_sync(self._remove_old_logs, kept.match - KEPT_LOGS)
        return kept

    def _finish(self, game: GameResult, sha256: str) -> None:
        begun = self._begun[game.fixture.players]
        if game.termination in ANNULLED:
            self._ladder_store.forget(begun.match)
            return
        resting = self._ladder_store.count(begun, game, sha256, self.players, self._ladder.failures)
        self.counts.add(self.counted_players, begun.variant, *begun.players)
        self._counted += 1
        self.today += 1  # where a look that is under way has not seen it
        if self._counted >= DROPPED_MEMORY:
            self.dropped.clear()
        self.rest_since.update(resting)
        for name in resting:
            log.warning("ladder_player_rests", name=name, match=begun.match, termination=game.termination)

    async def count_failure(self, fixture: Fixture) -> None:
        """Take a game that is not played for one that is, for a while: the server may have died of it."""
        self.dropped.append(self.pairing(fixture))

    async def save_programs(self, match: int, programs: Programs) -> None:
        """Store nothing: what programs use is not shown."""

    async def end_pauses(self) -> None:
        """Do nothing: pauses are in the log alone."""

    async def _keep_pause(self, pause: Pause) -> None:
        """Store nothing."""

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
        store: LadderStore,
        list_players: Callable[[], dict[str, Listed]],
        arena: Arena,
        seats: GameSeating,
        *,
        host: Host | None = None,
        stopping: Callable[[], bool] = lambda: False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Take a ladder, what lists who plays, and whether no game may begin now; to be called in a thread."""
        self._book = LadderLedger(ladder, store, list_players(), arena, seats)
        super().__init__(self._book, arena, seats, host=host or LadderHost(arena, seats))
        self._ladder = ladder
        self._ladder_store = store
        self._list_players = list_players
        self._stopping = stopping
        self._now = now
        self._seated: set[str] = set()
        """Who has a rating."""
        self._resting: set[str] = set()
        self._away_until: dict[str, float] = {}
        """When bots that went away from a game before it began are paired again, by trio's clock."""

    @property
    def running(self) -> dict[int, Pairing]:
        """The games that are being played, by the numbers of their matches."""
        return {match: self._book.pairing(one) for one, match in list(self._running.items()) if match is not None}

    def connected_in_games(self) -> set[str]:
        """Return the names of players in games, or of games being set up, that are on their authors' machines."""
        names = {name for fixture in list(self._running) for name in fixture.players}
        return {name for name, one in self._book.listed.items() if name in names and one.connects}

    async def _recover(self, nursery: trio.Nursery) -> None:
        """Count the games that were over when the last server ended, and drop the others."""
        await super()._recover(nursery)
        await self._ledger.stored(self._book.read_counts)

    async def _heed_organiser(self) -> None:
        """Do nothing: what organisers ask for is done by `server.league.ladder.service`."""

    @property
    def _is_paused(self) -> bool:
        return self._stopping()

    async def _planned(self) -> Plan:
        """Return the games that can begin now, the most urgent first."""
        playing = {name for fixture in self._running for name in fixture.players}
        ratings = await self._look_who_plays(playing)
        chosen = next_pairings(
            {name: one.player for name, one in sorted(self._book.listed.items()) if self._may_play(one, playing)},
            ratings,
            self._book.counts,
            [self._book.pairing(fixture) for fixture in self._running],
            {one.key: one.weight for one in self._ladder.variants},
            self._room(),
            self._now(),
            dropped=self._book.dropped,
        )
        places = {one.key: place for place, one in enumerate(self._ladder.variants)}
        number = partial(opening, self._ladder.seed, self._book.counts)
        due = tuple(Fixture(0, 1, places[one.variant], 0, number(one), (one.first, one.second)) for one in chosen)
        seats = {fixture: self._book.seats[fixture] for fixture in self._running}
        self._book.seats = seats | {one: [self._book.listed[name] for name in one.players] for one in due}
        return Plan((), due, (), over=False)

    async def _look_who_plays(self, playing: Collection[str]) -> dict[str, OnlineRating]:
        """Bring versions into play that are new, but for those that are ``playing``; return all ratings."""
        book, store, stored = self._book, self._ladder_store, self._ledger.stored
        book.rest_since.clear()
        found = await stored(self._list_players)
        listed = {name: one for name, one in found.items() if name not in playing}
        listed |= {name: one for name, one in book.listed.items() if name in playing and name in found}
        players = {name: one.player for name, one in listed.items()}
        for name, one in listed.items():
            if book.listed.get(name) != one or name not in self._seated:
                await stored(partial(store.seat, one.player, one.version, players))
        book.listed = listed
        book.counted_players |= players
        standings = await stored(store.standings)
        self._seated = {one.name for one in standings}
        self._resting = {one.name for one in standings if one.rests}
        book.today = await stored(partial(store.number_since, self._now() - DAY))
        return {one.name: one.rating for one in standings}

    def _room(self) -> int:
        """Return how many games can begin now."""
        games = len(self._running.keys() - self._left_cores)
        room = free_games(self._seats.turns, self._ladder.cores, games)
        if self._ladder.games_a_day:
            room = min(room, self._ladder.games_a_day - self._book.today - len(self._running))
        return room

    def _may_play(self, one: Listed, playing: Collection[str]) -> bool:
        """Tell whether a player can have a game now; one that connects may have gone since its game ended."""
        name = one.player.name
        if name in self._resting or name in self._book.rest_since:
            return False
        return not one.connects or (name not in playing and trio.current_time() >= self._away_until.get(name, 0.0))

    def _startable(self, due: Collection[Fixture]) -> list[Fixture]:
        return list(due)

    def _programs(self, fixture: Fixture) -> int:
        return PROGRAMS

    def _task(self, fixture: Fixture, number: int) -> GameTask:
        entrants = [one.entrant for one in self._book.seats[fixture] if one.entrant is not None]
        definition = self._ladder.contest(entrants, self.definition.folder)
        return GameTask(LADDER, definition, fixture, number)

    async def _failed(self, fixture: Fixture, error: BaseException) -> None:
        """Pause after a fault of the server; another game is chosen then."""
        lack = missing_resource(error)
        if not lack:
            log.error("contest_game_failed", contest=self.definition.name, players=fixture.players, exc_info=error)
        await self._ledger.pause("a game cannot be played", lack or repr(error), players=fixture.players)

    async def _gone(self, fixture: Fixture) -> None:
        """Pair those no more for a while who have gone away before their game began."""
        log.info("ladder_game_dropped", match=self._running[fixture], players=fixture.players)
        here = ContestPlayers.of(self._arena).waiting_for_ladder()
        for one in self._book.seats[fixture]:
            if one.connects and one.player.name not in here:
                self._away_until[one.player.name] = trio.current_time() + UNPAIRED_SECONDS


class LadderHost(ArenaHost):
    """Plays games in the arena, and ends those of bots that have no connection for too long."""

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[ArenaGame | None]:
        """Play a game, as `ArenaHost.play`."""
        async with super().play(task) as game, trio.open_nursery() as nursery:
            if game is not None:
                for side, name in enumerate(task.fixture.players):
                    entrant = task.definition.entrant(name)
                    if entrant is not None and entrant.connects:
                        nursery.start_soon(end_when_away, self._arena, game.match, side)
            yield game
            nursery.cancel_scope.cancel()


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
