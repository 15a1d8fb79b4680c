"""The planner of the ladder: a contest without end, whose entrants come and go.

Results, running games, failures, pauses and the organiser's actions are rows of the contest store, as in every contest.
Each game is chosen by its information (`server.league.ladder.pairing`), from the ratings that follow from the results.
"""

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from engine.statistics.online import DAY
from server.arena.arena import Arena
from server.contest.fixtures import Fixture
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import PROGRAMS, CoreQueue, GameTask, Host, HostedGame, PlayerMissing
from server.contest.plan import Plan
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Planner, Runner
from server.contest.store.folders import errors_of
from server.contest.store.store import LADDER, Store
from server.league.ladder.definition import LadderDefinition, Listed
from server.league.ladder.pairing import Pairing, next_pairings, opening
from server.league.ladder.store import LadderStore, Standing
from server.ops.logs import log

UNPAIRED_SECONDS = 60.0
"""A bot on its author's machine that goes away from a game before it begins is not paired for so long."""

AWAY_SECONDS = 20
"""A bot on its author's machine that has no connection for so long during a game has lost it."""

KEPT_LOGS = 1000
"""Logs of programs are kept for so many matches: the last ones of the server."""

LOGS_APART = 100
"""Older ones are removed once in so many matches: it takes a look at all of them."""


class LadderPlanner(Planner):
    """The planner of the ladder."""

    def __init__(
        self,
        ladder: LadderDefinition,
        ledger: Ledger,
        ladder_store: LadderStore,
        list_players: Callable[[], dict[str, Listed]],
        arena: Arena,
        turns: CoreQueue,
        now: Callable[[], float],
    ) -> None:
        """Rate all games again, and count them for the next pairings; to be called in a thread."""
        self._ladder = ladder
        self._ledger = ledger
        self._ladder_store = ladder_store
        self._list_players = list_players
        self._arena = arena
        self._turns = turns
        self._now = now
        self.listed: dict[str, Listed] = {}
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

    def pairing(self, fixture: Fixture) -> Pairing:
        """Return a game as it is paired."""
        return Pairing(self._ledger.definition.variants[fixture.variant].name, *fixture.players)

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the games that can begin now, the most urgent first."""
        names = {name for fixture in playing for name in fixture.players}
        definition = self._ledger.definition
        own_cores = self._turns.taken - self._turns.others(LADDER)
        room = free_games(self._turns, definition.cores, own_cores // PROGRAMS)
        standings, today = await self._ledger.stored(partial(self._look_who_plays, names))
        if self._ladder.games_a_day:
            room = min(room, self._ladder.games_a_day - today - len(playing))
        entrants = (one.entrant for one in self.listed.values() if one.entrant is not None)
        self._ledger.definition = replace(self._ledger.definition, entrants=tuple(entrants))
        chosen = next_pairings(
            {name: one.player for name, one in sorted(self.listed.items()) if self._may_play(one, names, standings)},
            {name: one.rating for name, one in standings.items()},
            self._counts,
            [self.pairing(fixture) for fixture in playing],
            self._ladder.weights,
            room,
            self._now(),
        )
        places = {variant.name: place for place, variant in enumerate(definition.variants)}
        due = []
        for one in chosen:
            players, pair = (one.first, one.second), self._counts.met(one.first, one.second, one.variant) // 2
            number = opening(definition.seed, self._counts, one)
            due.append(Fixture(0, 1, places[one.variant], pair, number, players))
        return Plan((), tuple(due), (), over=False)

    def _look_who_plays(self, playing: Collection[str]) -> tuple[dict[str, Standing], int]:
        """Count new results, and bring new versions into play, except those of players that are ``playing``.

        Return the standings by name, and the number of games within 24 hours. For a thread.
        """
        for game in self._ladder_store.rate_results(self._players, self._ladder.failures):
            self._counts.add(self._counted_players, game.variant, *game.result.fixture.players)
            match = game.result.match
            if match is not None and match >= self._logs_until:
                self._logs_until = match + LOGS_APART
                _remove_old_logs(self._arena.settings.data, match - KEPT_LOGS)
        listed = {name: one for name, one in self._list_players().items() if name not in playing}
        listed |= {name: one for name, one in self.listed.items() if name in playing}
        self._players = {name: one.player for name, one in listed.items()}
        self._counted_players |= self._players
        for name, one in listed.items():
            if self.listed.get(name) != one:
                self._ladder_store.seat(one.player, one.version, self._players)
        self.listed = listed
        standings = {one.name: one for one in self._ladder_store.standings()}
        return standings, self._ladder_store.number_since(self._now() - DAY)

    def _may_play(self, one: Listed, playing: Collection[str], standings: dict[str, Standing]) -> bool:
        """Tell whether a player can have a game now; one that connects may have gone since its game ended."""
        name = one.player.name
        is_here = not one.connects or (name not in playing and trio.current_time() >= self._away_until.get(name, 0.0))
        return is_here and not standings[name].rests

    def drop_game(self, match: int, fixture: Fixture) -> None:
        """Pair those no more for a while who have gone away before their game began."""
        log.info("ladder_game_dropped", match=match, players=fixture.players)
        here = ContestPlayers.of(self._arena).waiting_for_ladder()
        for name in fixture.players:
            if self.listed[name].connects and name not in here:
                self._away_until[name] = trio.current_time() + UNPAIRED_SECONDS


class LadderHost:
    """A host whose connected players lose a game if they are away for too long."""

    def __init__(self, host: Host, planner: LadderPlanner) -> None:
        """Take the host that plays the games, and the planner, which is told of games that did not begin."""
        self._host = host
        self._planner = planner

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[HostedGame | None]:
        """Let a game be played; as `Host.play`."""
        try:
            async with self._host.play(task._replace(away_seconds=AWAY_SECONDS)) as game:
                yield game
        except PlayerMissing as error:
            if not error.names and not error.fault:
                self._planner.drop_game(task.number, task.fixture)
            raise


def ladder_runner(
    ladder: LadderDefinition,
    store: Store,
    ladder_store: LadderStore,
    list_players: Callable[[], dict[str, Listed]],
    arena: Arena,
    seats: ArenaHost,
    *,
    host: Host | None = None,
    now: Callable[[], float] = time.time,
) -> tuple[Runner, LadderPlanner]:
    """Return the runner of a ladder, and its planner; to be called in a thread.

    ``list_players`` returns who plays now; ``host`` plays the games in place of the arena.
    """
    store.open_ladder(replace(ladder.contest, folder=str(arena.settings.data.resolve())), datetime.now(UTC))
    ledger = Ledger(LADDER, store, arena.record_store, seats)
    planner = LadderPlanner(ladder, ledger, ladder_store, list_players, arena, seats.turns, now)
    return Runner(ledger, arena, seats, host=LadderHost(host or seats, planner), planner=planner), planner


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


def _remove_old_logs(data: Path, before: int) -> None:
    """Remove what programs have written in matches with lower numbers."""
    for path in errors_of(data, LADDER, 0, "").parent.glob("*-*.txt"):
        if int(path.name.partition("-")[0]) < before:
            path.unlink(missing_ok=True)
