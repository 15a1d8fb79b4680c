"""Plays the ladder: begins games whenever there is room, counts those that are over, and lets who fails rest.

A game is in the database before it begins, and is counted when its record is on the disk. So a runner that begins finds
the games of one that was killed, and counts those that were over.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import structlog
import trio

from engine.games.outcome import ANNULLED, ENDED_PROGRAM, Termination
from server.contest.fixtures import Fixture, GameResult
from server.contest.hosts.host import GameTask, HostedGame, NotPlayed, PlayerMissing
from server.contest.scoring.game_result import absence_result
from server.contest.store.folders import errors_of
from server.league.ladder.definition import LadderDefinition, Listed
from server.league.ladder.hosts import LADDER, LadderHost
from server.league.ladder.pairing import DROPPED_MEMORY, GameCounts, Pairing, next_pairings, opening
from server.league.ladder.rating import DAY, LadderPlayer, Rating
from server.league.ladder.store import BegunGame, EndedGame, LadderStore
from server.ops.faults import pause_seconds, server_fault
from server.storage.database import BadStore

log = structlog.get_logger()

LOOK_SECONDS = 2.0
"""How often to look for versions that came into play, and for room, where nothing else tells of them."""

UNPAIRED_SECONDS = 60.0
"""A bot on its author's machine that goes away from a game before it begins is not paired for so long."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds until games begin again after a fault of the machine's; they double with each."""

KEPT_LOGS = 1000
"""Logs of programs are kept for so many matches: the last ones of the server."""

LOGS_APART = 100
"""Older ones are removed once in so many matches: it takes a look at all of them."""


class Records(Protocol):
    """The records of matches, as far as the ladder uses them; see `server.storage.record_store.RecordStore`."""

    def next_number(self) -> int:
        """Return the number of the next match; raises OSError if none is reserved."""

    async def numbers_available(self, count: int) -> None:
        """Wait until so many numbers are reserved, or the disk refuses to reserve them."""

    def sync_record(self, match: int) -> str:
        """Sync the record of a match to the disk, and return its SHA-256; raises OSError."""


class LadderRunner:
    """The runner of the ladder."""

    def __init__(
        self,
        definition: LadderDefinition,
        store: LadderStore,
        data: Path,
        host: LadderHost,
        records: Records,
        list_players: Callable[[], dict[str, Listed]],
        recover: Callable[[BegunGame, Fixture], Awaitable[GameResult | None]],
        *,
        stopping: Callable[[], bool] = lambda: False,
        now: Callable[[], float] = time.time,
        in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync,
    ) -> None:
        """Take where games are played, and what lists who plays.

        ``recover`` returns the result of a game that was begun by an earlier server, None where it is not over;
        ``stopping`` tells whether no game may begin now.
        """
        self._definition = definition
        self._store = store
        self._data = data
        self._host = host
        self._records = records
        self._list_players = list_players
        self._recover = recover
        self._stopping = stopping
        self._now = now
        self._in_thread = in_thread
        self._places = {one.key: place for place, one in enumerate(definition.variants)}
        self._counts = GameCounts()
        self._counted_players: dict[str, LadderPlayer] = {}
        """Players whose games have a share: all who have played, also those who have left."""
        self._dropped: list[Pairing] = []
        """Games that an earlier server has died of, perhaps, until `DROPPED_MEMORY` games are counted."""
        self._counted = 0
        """Games that this runner has counted."""
        self._listed: dict[str, Listed] = {}
        """Who plays, in the version that is in play."""
        self._seated: set[str] = set()
        """Who has a rating."""
        self._resting: set[str] = set()
        self._rest_since: set[str] = set()
        """Who has come to rest since the last look began, which may not have seen it."""
        self._logs_until = 0
        """From this match on old logs are removed again."""
        self._today = 0
        """Games that were counted within 24 hours."""
        self._running: dict[int, Pairing] = {}
        """By number."""
        self._away_until: dict[str, float] = {}
        """When bots that went away from a game before it began are paired again, by trio's clock."""
        self._faults = 0
        self._paused_until = -float("inf")
        self._changed = trio.Event()

    @property
    def running(self) -> Mapping[int, Pairing]:
        """The games that are being played, by the numbers of their matches."""
        return self._running

    @property
    def listed(self) -> Mapping[str, Listed]:
        """Who plays now, by name, and who rests."""
        return self._listed

    def connected_in_games(self) -> set[str]:
        """Return the names of players in games, or of games being set up, that are on their authors' machines."""
        names = {name for pairing in list(self._running.values()) for name in pairing[1:]}
        return {name for name, one in self._listed.items() if name in names and one.connects}

    def wake(self) -> None:
        """Look again whether games can begin."""
        self._changed.set()

    async def run(self) -> None:
        """Play until cancelled, which may happen at any time: another runner goes on. Raises `BadStore` and OSError."""
        self._listed = await self._in_thread(self._list_players)  # fixed points hold the scale from the first game on
        begun = await self._in_thread(self._store.begun)
        for game in begun:
            await self._take_up(game)
        if changed := await self._in_thread(self._store.rate_again, self._players):
            log.info("ladder_rated_again", ratings=changed)
        self._counted_players = await self._in_thread(self._store.owned) | self._players
        self._counts = await self._in_thread(self._store.game_counts, self._counted_players)
        async with trio.open_nursery() as nursery:
            while True:
                self._changed = trio.Event()
                await self._look_who_plays()
                if not self._stopping() and trio.current_time() >= self._paused_until:
                    await self._begin_games(nursery)
                with trio.move_on_after(LOOK_SECONDS):
                    await self._changed.wait()

    @property
    def _players(self) -> dict[str, LadderPlayer]:
        return {name: one.player for name, one in self._listed.items()}

    def _fixture(self, game: BegunGame) -> Fixture:
        return Fixture(0, 1, self._places[game.variant], 0, game.opening, game.players)

    async def _take_up(self, game: BegunGame) -> None:
        """Count a game that was over when the last server ended, and drop any other."""
        found = None
        if game.variant in self._places:
            found = await self._recover(game, self._fixture(game))
        if found is None or found.termination in ANNULLED:
            log.info("ladder_game_dropped", match=game.match, players=game.players)
            self._dropped.append(Pairing(game.variant, *game.players))
            await self._in_thread(self._store.forget, game.match)
        else:
            await self._count(game, found)

    async def _look_who_plays(self) -> None:
        """Bring versions into play that are new, as soon as their bots play no game."""
        self._rest_since.clear()
        found = await self._in_thread(self._list_players)
        playing = {name for pairing in self._running.values() for name in pairing[1:]}
        listed = {name: one for name, one in found.items() if name not in playing}
        listed |= {name: one for name, one in self._listed.items() if name in playing and name in found}
        players = {name: one.player for name, one in listed.items()}
        for name, one in listed.items():
            if self._listed.get(name) != one or name not in self._seated:
                await self._in_thread(self._store.seat, one.player, one.version, players)
        self._listed = listed
        self._counted_players |= players
        standings = await self._in_thread(self._store.standings)
        self._seated = {one.name for one in standings}
        self._resting = {one.name for one in standings if one.rests}
        self._today = await self._in_thread(self._store.number_since, self._now() - DAY)

    async def _begin_games(self, nursery: trio.Nursery) -> None:
        """Begin games as long as there is room for them."""
        if self._rooms() < 1:
            return
        try:
            ratings = {one.name: one.rating for one in await self._in_thread(self._store.standings)}
            await self._records.numbers_available(self._rooms())
            if self._stopping():
                return
            # from here to where the rooms are taken nothing else is done
            games = [self._begun(pairing) for pairing in self._choose(ratings)]
            await self._take_rooms(games)
        except (BadStore, OSError) as error:
            self._pause(str(error))
            return
        for game in games:
            nursery.start_soon(self._play, game)

    def _choose(self, ratings: Mapping[str, Rating]) -> list[Pairing]:
        """Choose the next games, the most urgent first."""
        return next_pairings(
            {name: one.player for name, one in sorted(self._listed.items()) if self._may_play(one)},
            ratings,
            self._counts,
            list(self._running.values()),
            {one.key: one.weight for one in self._definition.variants},
            self._rooms(),
            self._now(),
            dropped=self._dropped,
        )

    async def _take_rooms(self, games: Sequence[BegunGame]) -> None:
        """Take the rooms of games and store the games. If they cannot be stored, give the rooms back."""
        for game in games:
            self._running[game.match] = Pairing(game.variant, *game.players)
            self._host.take()
        stored = False
        try:
            await self._in_thread(self._store.begin, games)
            stored = True
        finally:
            for game in () if stored else games:
                del self._running[game.match]
                self._host.give_back()

    def _begun(self, pairing: Pairing) -> BegunGame:
        """Return a game that was chosen, with the next number."""
        players = (pairing.first, pairing.second)
        first, second = (self._listed[name].version for name in players)
        number = opening(self._definition.seed, self._counts, pairing)
        return BegunGame(self._records.next_number(), pairing.variant, number, players, (first, second))

    def _rooms(self) -> int:
        """Return how many games can begin now."""
        rooms = self._host.free()
        if self._definition.games_a_day:
            rooms = min(rooms, self._definition.games_a_day - self._today - len(self._running))
        return rooms

    def _may_play(self, one: Listed) -> bool:
        """Tell whether a player can have a game now."""
        name = one.player.name
        if name in self._resting or name in self._rest_since:
            return False
        return not one.connects or trio.current_time() >= self._away_until.get(name, 0.0)

    async def _play(self, game: BegunGame) -> None:
        """Play a game, and count it. Contains all faults."""
        counted = False
        try:
            counted = await self._have_played(game)
        except* BadStore as group:  # the game is counted when a server starts again
            self._pause(str(group.exceptions[0]))
        except* Exception as group:
            reason = server_fault(group)
            if not reason:
                log.error("ladder_game_failed", match=game.match, players=game.players, exc_info=group)
            self._pause(reason or repr(group.exceptions[0]))
            with suppress(BadStore):
                await self._in_thread(self._store.forget, game.match)
        finally:
            del self._running[game.match]
            if counted:
                self._today += 1  # where a look that is under way has not seen it
            self._host.give_back()
            self.wake()

    def _pause(self, reason: str) -> None:
        """Begin no game for a while, since the machine lacks something."""
        self._faults += 1
        seconds = pause_seconds(self._faults, FIRST_PAUSE, LONGEST_PAUSE)
        self._paused_until = trio.current_time() + seconds
        log.error("ladder_paused", reason=reason, times=self._faults, seconds=seconds)

    async def _have_played(self, game: BegunGame) -> bool:
        """Play a game and count it; tell whether it counts."""
        number, players = game.match, game.players
        first, second = (self._listed[name] for name in players)
        entrants = [one.entrant for one in (first, second) if one.entrant is not None]
        definition = self._definition.contest(entrants, str(self._data.resolve()))
        fixture = self._fixture(game)
        finished: GameResult | None = None
        trouble: PlayerMissing | NotPlayed | None = None
        lacked = ""
        try:
            async with self._host.play(GameTask(LADDER, definition, fixture, number)) as hosted:
                if hosted is not None:
                    finished = await _result(hosted)
                    lacked = hosted.lacked
        except (PlayerMissing, NotPlayed) as error:
            trouble = error
        if isinstance(trouble, PlayerMissing) and trouble.names and not trouble.fault:
            finished = absence_result(fixture, trouble.names, str(trouble), trouble.termination)
        if finished is None or finished.termination in ANNULLED:
            await self._in_thread(self._store.forget, number)
            if isinstance(trouble, PlayerMissing) and not trouble.fault:
                log.info("ladder_game_dropped", match=number, players=players)
                await self._note_who_left(first, second)
            elif trouble is not None or lacked or (finished and finished.termination == Termination.SERVER_FAULT):
                self._pause(lacked or str(trouble or (finished and finished.detail)))
            return False
        await self._count(game, finished)
        self._faults = 0
        return True

    async def _note_who_left(self, *players: Listed) -> None:
        """Pair those no more for a while who have gone away before their game began."""
        here = await self._in_thread(self._list_players)
        for one in players:
            if one.connects and one.player.name not in here:
                self._away_until[one.player.name] = trio.current_time() + UNPAIRED_SECONDS

    async def _count(self, game: BegunGame, finished: GameResult) -> None:
        """Count a game when its record is on the disk. Raises OSError where that is not to be had."""
        sha256 = ""
        if finished.match is not None:
            sha256 = await self._in_thread(self._records.sync_record, finished.match)
        ended = ended_game(game, finished, sha256)
        count = partial(self._store.count, ended, self._players, self._definition.failures)
        resting = await self._in_thread(count)
        self._counts.add(self._counted_players, game.variant, *game.players)
        self._counted += 1
        if self._counted >= DROPPED_MEMORY:
            self._dropped.clear()
        for name in resting:
            self._rest_since.add(name)
            log.warning("ladder_player_rests", name=name, match=game.match, termination=ended.termination)
        if game.match >= self._logs_until:
            self._logs_until = game.match + LOGS_APART
            await self._in_thread(self._remove_old_logs, game.match - KEPT_LOGS)

    def _remove_old_logs(self, before: int) -> None:
        """Remove what programs have written in matches with lower numbers."""
        for path in errors_of(self._data, LADDER, 0, "").parent.glob("*-*.txt"):
            if int(path.name.partition("-")[0]) < before:
                path.unlink(missing_ok=True)


async def _result(game: HostedGame) -> GameResult:
    """Return the result of a game; one that is cancelled before is annulled, and dropped when a server starts again."""
    try:
        return await game.result()
    finally:
        game.cut_off()


def ended_game(game: BegunGame, finished: GameResult, record: str) -> EndedGame:
    """Return a game that is over, and not annulled, as it is counted; ``record`` is the SHA-256 of its record.

    Nobody is rated where it was not played, as in contests: a program that does not start has shown nothing of how well
    it plays, and its opponent has not beaten it.
    """
    rated = finished.played and (finished.winner is not None or finished.shared)
    score = finished.points(0) if rated else None
    return EndedGame(game, score, finished.termination, finished.detail, finished.plies, _failed(finished), record)


def _failed(finished: GameResult) -> tuple[bool, bool]:
    """Return who has not started, or not stayed alive: a program that is no use, rather than one that plays badly."""
    first, second = (
        finished.winner != side and (not finished.played or _broke_down(finished, side)) for side in (0, 1)
    )
    return first, second


def _broke_down(finished: GameResult, side: int) -> bool:
    if finished.winner is None:
        return False
    late = finished.termination == Termination.TIME and not finished.ready[side]
    return finished.termination in ENDED_PROGRAM or late
