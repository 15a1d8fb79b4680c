"""Plays a contest: begins each due game when its players are present, and keeps its result.

Its planner decides which games are due. Everything that has to outlive the server is
in the store and in the records before anything follows from it. So a new runner finds the contest as the last one has
left it, however that ended.
"""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial

import trio

from engine.games.interface import Termination
from server.arena.arena import Arena
from server.contest.definition import Definition, InterruptedGames
from server.contest.fixtures import (
    QUALIFICATION,
    Fixture,
    GameResult,
    Kind,
    counted_games,
    is_cancelled,
    is_paused,
    withdrawn,
)
from server.contest.hosts.arena_host import ArenaHost, precompile_bots
from server.contest.hosts.contest_players import POLL_SECONDS, Attendance, ContestPlayers, Presence
from server.contest.hosts.dask_cluster import Cluster, ClusterHost
from server.contest.hosts.game_worker import cluster_obstacle
from server.contest.hosts.host import PROGRAMS, GameTask, Host, HostedGame, NotPlayed, PlayerMissing
from server.contest.plan import Plan, Present, games_to_start, plan
from server.contest.programs.sandbox import seal
from server.contest.runtime.adjudication import Adjudicator
from server.contest.runtime.ledger import Ledger, missing_resource
from server.contest.scoring import absence_result, find_disqualified, game_result, is_harmless
from server.match.match import Match
from server.ops.logs import log
from server.ops.supervisor import pause_seconds, supervise


class Planner:
    """Base class of planners."""

    def last_plan(self) -> Plan | None:
        """Return the last plan without games that have begun since, if no new plan is needed."""
        return None

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the plan; ``playing`` are the running games, and ``free`` the entrants that could begin one."""
        raise NotImplementedError

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Note that due games begin."""


STANDS_SECONDS = 1.0
"""Longest use of a plan: the organiser may have changed something."""


class ContestPlanner(Planner):
    """The planner of a contest whose plan follows from its definition and all of its results.

    To plan costs more the more games there were. In a round robin all games are known from the start. While no result
    can disqualify a player, those that have not begun are still due. So the last plan stands for a second at most.
    """

    def __init__(self, ledger: Ledger, contest_players: ContestPlayers) -> None:
        """Take the ledger, and the players; disqualified ones are disconnected."""
        self._ledger = ledger
        self._contest_players = contest_players
        self._plan: Plan | None = None
        """The last plan, if later results do not change it."""
        self._made = 0.0
        """When it was made, by trio's clock."""
        self._due: dict[Fixture, None] = {}
        """Its games that have not begun."""
        self._planned = 0
        """The number of results that are in it."""
        self._out: set[str] = set()
        """Entrants that are disqualified or withdrawn."""

    def last_plan(self) -> Plan | None:
        """Return the last plan without games that have begun since; None if it is outdated."""
        results = self._ledger.games[self._planned :]
        self._planned += len(results)
        if not all(map(is_harmless, results)):
            self._plan = None
        if self._plan is None or not self._due or trio.current_time() - self._made >= STANDS_SECONDS:
            return None
        return self._plan._replace(due=tuple(self._due))

    async def plan(self, playing: Collection[Fixture], free: Collection[str]) -> Plan:
        """Return the plan, made in a thread, since a long contest takes long."""
        now, definition, games = datetime.now(UTC), self._ledger.definition, tuple(self._ledger.games)
        free = tuple(name for name in free if not any(name in fixture.players for fixture in playing))
        seconds = {stage: (now - began).total_seconds() for stage, began in self._ledger.began.items()}
        present, self._planned = Present(frozenset(playing), free, seconds), len(games)
        found, outs = await trio.to_thread.run_sync(
            lambda: (plan(definition, games, present), find_disqualified(definition, games))
        )
        self._keep(found, definition)
        for name, out in outs.items():
            if name not in self._out:
                log.warning("entrant_disqualified", contest=definition.name, name=name, reason=out.reason)
            self._contest_players.disqualify(definition, name, out.reason)
        self._out = set(outs)
        for stage in found.stages:
            await self._ledger.stage_began(stage.number, now)
        return found

    def _keep(self, found: Plan, definition: Definition) -> None:
        """Keep a plan, unless later results may change the games that are due."""
        number = found.stages[-1].number
        format = None if number == QUALIFICATION else definition.stages[number].format
        changes = found.forfeited or (format is not None and (format.by_rounds or format.is_open))
        self._plan, self._made, self._due = None if changes else found, trio.current_time(), dict.fromkeys(found.due)

    def begun(self, fixtures: Collection[Fixture]) -> None:
        """Remove games that begin from the due ones."""
        for fixture in fixtures:
            self._due.pop(fixture, None)


MAX_LEFT = 8
"""Games whose results may be on their way to the disk while others begin: a disk that does not answer ends that."""


class Runner:
    """The runner of a contest, from its present state to its end."""

    def __init__(
        self,
        ledger: Ledger,
        arena: Arena,
        seats: ArenaHost,
        cluster: Cluster | None = None,
        host: Host | None = None,
        planner: Planner | None = None,
    ) -> None:
        """Take the ledger of a contest, and perhaps a cluster for its games; nothing happens before `run`.

        ``host`` plays the games in place of the arena, ``planner`` decides which are due in place of their format.
        """
        self.contest = ledger.contest
        self._ledger = ledger
        ledger.pause_changed = self._publish
        self._cluster = None if cluster_obstacle(self.definition) else cluster
        self._arena = arena
        self._seats = seats
        self._host: Host = host or (seats if self._cluster is None else ClusterHost(arena, self._cluster))
        self._connecting = frozenset(entrant.name for entrant in self.definition.entrants if entrant.connects)
        self._attendance = Attendance(ContestPlayers.of(arena), self._connecting)
        self.playing: dict[Fixture, int | None] = {}
        """Games by match, from the start of their programs until their results are kept."""
        self._left_cores: set[Fixture] = set()
        """Played games whose cores are left to other games."""
        self._planner = planner or ContestPlanner(ledger, ContestPlayers.of(arena))
        self._tries: Counter[Fixture] = Counter()
        """How often games could not be played through a lack of the machine's."""
        self._changed = trio.Event()

    @property
    def definition(self) -> Definition:
        """The contest, with the organiser's interventions."""
        return self._ledger.definition

    async def run(self) -> None:
        """Play the contest to its end; this may be cancelled at any time, and another runner continues."""
        contest_players, turns = ContestPlayers.of(self._arena), self._seats.turns
        contest_players.open(self.contest, self.definition, self.wake)
        turns.enter(self.contest, self.wake)
        self._arena.offer_seekers(self._connecting)
        try:
            async with trio.open_nursery() as nursery:
                await self._ledger.end_pauses()
                await self._recover(nursery)
                if self._cluster is None:
                    if turns.cores < PROGRAMS and len(self._connecting) < len(self.definition.entrants):
                        log.warning("contest_cores_shared", contest=self.definition.name, cores=turns.cores)
                    await self._wait_until_sealable()
                    await precompile_bots(self.definition)
                if (rules := self.definition.adjudication) is not None:
                    nursery.start_soon(supervise, "adjudication", Adjudicator(rules).run, self._matches)
                await self._play_all(nursery)
                nursery.cancel_scope.cancel()
        finally:
            self._seats.leave(self.contest)
            contest_players.leave(self.contest)
        contest_players.over(self.definition, self._arena.sessions)
        log.info("contest_ended", contest=self.definition.name, games=len(counted_games(self._ledger.games)))

    def wake(self) -> None:
        """Let the runner look again for games that can begin."""
        self._changed.set()

    def _publish(self) -> None:
        """Publish the running games, missing entrants and the pause."""
        ContestPlayers.of(self._arena).present[self.contest] = Presence(
            frozenset(self.playing),
            self._attendance.absent,
            self._ledger.paused,
            len(self.definition.interventions),
        )

    async def _recover(self, nursery: trio.Nursery) -> None:
        """Recover the games that were running when the last server ended."""
        for number, fixture in self._ledger.left.items():
            match = self._arena.matches.get(number)
            if match is not None and self._comes_back(fixture):
                self.playing[fixture] = number
                nursery.start_soon(self._await_return, fixture, match)
                continue
            past = await self._arena.read_past_match(number) if match is None else None
            if past is not None:  # it was over before this server began
                await self._ledger.keep(game_result(fixture, past))
                continue
            await self._ledger.count_failure(fixture)
            if match is None:
                log.warning("contest_game_setup_lost", contest=self.definition.name, match=number)
                await self._ledger.forget(number)
            else:
                sentence = "the server died during the game, which is played again"
                self._arena.annul(match, Termination.SERVER_STOP, sentence)
                await self._ledger.keep(game_result(fixture, match.state))

    def _comes_back(self, fixture: Fixture) -> bool:
        """Tell whether a game goes on after a restart of the server, since its players can come back to it."""
        return self._connecting.issuperset(fixture.players) and self.definition.interrupted is InterruptedGames.RESUME

    async def _await_return(self, fixture: Fixture, match: Match) -> None:
        """Continue a game if both players come back in time; else annul it, and play it again."""
        self._seats.turns.take(self.contest, 0)
        try:
            over = ContestPlayers.of(self._arena).end_of(match.number, keep=True)
            with trio.move_on_after(max(0.0, self._arena.settings.return_seconds - 0.1)):
                await over.wait()
            if match.state.outcome is None and (match.waits_for(0) or match.waits_for(1)):
                sentence = "not both players came back after the server was started again; the game is played again"
                self._arena.annul(match, Termination.SERVER_STOP, sentence)
            if match.state.outcome is None:
                await over.wait()
            await self._ledger.keep(game_result(fixture, match.state))
        finally:
            self.playing.pop(fixture)
            self._seats.turns.give_back(self.contest, 0)
            self.wake()

    async def _play_all(self, nursery: trio.Nursery) -> None:
        """Begin games until the contest is over."""
        while True:
            self._changed = trio.Event()
            try:
                found = await self._planned()
            except Exception as error:
                log.error("schedule_failed", contest=self.definition.name, exc_info=error)
                await self._ledger.pause("the schedule cannot be made", missing_resource(error) or repr(error))
                continue
            for game in found.forfeited:
                await self._ledger.keep(game)
            if found.over and (found.stages[-1].schedule.final or not self.playing) and await self._ledger.close():
                return
            if not self._arena.stopping:
                self._begin(nursery, self._present(found.due))
                self._publish()
                if not self.playing and not self._is_paused and await self._give_up(found.due):
                    continue
            with trio.move_on_after(POLL_SECONDS):
                await self._changed.wait()

    async def _read_interventions(self) -> None:
        """Read the organiser's new interventions from the store, where another process may have put them."""
        for done in await self._ledger.read_interventions():
            what = done.describe(self.definition.name if self.definition.is_endless else "the contest")
            log.warning("organiser_intervened", contest=self.definition.name, what=what)
            if done.kind is Kind.REINSTATE:
                self._attendance.pardon(done.name)
            for match in self._matches():
                names = [name.lower() for name in match.header.players]
                if done.kind is Kind.CANCEL or (done.kind is Kind.WITHDRAW and done.name.lower() in names):
                    self._arena.annul(match, Termination.ORGANISER, f"{what} by the organiser")

    async def _wait_until_sealable(self) -> None:
        """Wait until the programs of the contest can be sealed, if they should be, or until it was cancelled."""
        while not is_cancelled(self.definition.interventions) and (
            why := await trio.to_thread.run_sync(seal.contest_obstacle, self.definition)
        ):
            await self._ledger.pause("no game can begin", why)
            await self._read_interventions()
            seal.sandbox_obstacle.cache_clear()

    @property
    def _is_paused(self) -> bool:
        """Tell whether the organiser lets no game begin, or it was not chosen yet which versions of bots play."""
        return is_paused(self.definition.interventions) or bool(self.definition.awaited_versions)

    async def _planned(self) -> Plan:
        """Return the plan, with the organiser's interventions."""
        if (plan := self._planner.last_plan()) is not None:
            return plan
        await self._read_interventions()
        return await self._planner.plan(list(self.playing), self._free())

    def _free(self) -> list[str]:
        """Return the entrants that can play now; programs always can."""
        entrants = self.definition.entrants
        here = set(ContestPlayers.of(self._arena).free(entrant.name for entrant in entrants))
        return [entrant.name for entrant in entrants if not entrant.connects or entrant.name in here]

    def _begin(self, nursery: trio.Nursery, due: Collection[Fixture]) -> None:
        """Begin games whose players are present, while there are free players and cores."""
        turns = self._seats.turns
        turns.waits(self.contest, False)
        paused = self._ledger.paused is not None  # by a fault of the server: one game at a time, until one is played
        if self._is_paused or (paused and self.playing) or turns.alone or len(self._left_cores) >= MAX_LEFT:
            return
        if paused:  # it may be one game alone that cannot be played
            due = sorted(due, key=lambda fixture: self._tries[fixture])
        failures = self._ledger.failures
        chosen = self._startable([fixture for fixture in due if fixture not in failures] if failures else due)
        if not chosen and not self.playing and turns.games == 0:
            chosen = self._startable([fixture for fixture in due if fixture in failures])[:1]
            turns.alone = bool(chosen)
        if paused:
            chosen = chosen[:1]
        turns.wants(self.contest, any(fixture not in chosen and self._programs(fixture) for fixture in due))
        self._planner.begun(chosen)
        for fixture in chosen:
            self.playing[fixture] = None
            turns.take(self.contest, self._programs(fixture))
            nursery.start_soon(self._play, fixture)

    def _startable(self, due: Collection[Fixture]) -> list[Fixture]:
        """Return the games that can begin; note if others wait for cores."""
        free, turns = self._free(), self._seats.turns
        if self._cluster is not None:
            return games_to_start(self.definition, due, self.playing, free, PROGRAMS * self._cluster.games)
        others, running = turns.others(self.contest), self.playing.keys() - self._left_cores
        chosen = games_to_start(self.definition, due, running, free, turns.cores, others)
        if others and len(chosen) < len(games_to_start(self.definition, due, running, free, turns.cores)):
            turns.waits(self.contest, True)
        return chosen

    def _programs(self, fixture: Fixture) -> int:
        """Return the number of programs of a game that need a core of this machine."""
        return 0 if self._cluster is not None else sum(name not in self._connecting for name in fixture.players)

    def _present(self, due: Collection[Fixture]) -> list[Fixture]:
        """Return the games whose players are present. Nobody is missing during a pause, or while nobody can connect."""
        counts = self._ledger.paused is None and not self._is_paused and not self._arena.accept_status.closed
        return self._attendance.poll(self.definition, due, self.playing, counts=counts)

    async def _give_up(self, due: Collection[Fixture]) -> bool:
        """Let entrants lose games that have been missing too long; tell whether there are any."""
        lost = self._attendance.given_up(self.definition, due)
        known = len(self.definition.interventions)
        for game in lost:
            log.warning("contest_game_forfeited", contest=self.definition.name, players=game.fixture.players)
            await self._ledger.keep(game._replace(interventions=known))
        return bool(lost)

    async def _play(self, fixture: Fixture) -> None:
        """Play one game, and keep its result. Contains all faults."""
        try:
            await self._play_and_keep(fixture)
        except* Exception as group:
            await self._failed(fixture, group)
        finally:
            self.playing.pop(fixture, None)
            self._leave_cores(fixture)
            self._left_cores.discard(fixture)
            self.wake()

    def _leave_cores(self, fixture: Fixture) -> None:
        """Let other games use the cores of a game. Does nothing the second time."""
        if fixture not in self._left_cores:
            self._left_cores.add(fixture)
            self._seats.turns.alone = False
            self._seats.turns.give_back(self.contest, self._programs(fixture))

    async def _failed(self, fixture: Fixture, error: BaseException) -> None:
        """Handle a fault of the server in a game: it is played again, or set aside after too many faults."""
        if lack := missing_resource(error):
            self._tries[fixture] += 1
            await self._ledger.pause("a game cannot be played", lack, players=fixture.players)
            return
        log.error("contest_game_failed", contest=self.definition.name, players=fixture.players, exc_info=error)
        await self._ledger.count_failure(fixture)
        await trio.sleep(pause_seconds(self._ledger.failures[fixture]))

    async def _play_and_keep(self, fixture: Fixture) -> None:
        """Let the host play a game, and keep its result."""
        number = self.playing[fixture] = self._arena.record_store.numbers.next()
        known, began = len(self.definition.interventions), trio.current_time()
        if not await self._ledger.begin(fixture, number):
            return  # the organiser has just changed something
        if self.definition.variants[fixture.variant].drawn is not None:
            await trio.to_thread.run_sync(self.definition.position, fixture)  # drawing it may take milliseconds
        kept, wanted = self._comes_back(fixture), partial(self._wanted, fixture)
        task = GameTask(self.contest, self.definition, fixture, number, kept, wanted)
        game: HostedGame | None = None
        trouble: Exception | None = None
        try:
            async with trio.open_nursery() as keeping:
                try:
                    async with self._host.play(task) as game:
                        if game is not None:
                            over = await self._result(game)
                            if game.leave_cores():  # and its programs end in the next one's time
                                self._leave_cores(fixture)
                            over = over._replace(seconds=trio.current_time() - began)
                            keeping.start_soon(self._keep_played, over, game)  # while the programs end
                    if self._connecting.isdisjoint(fixture.players):
                        self._leave_cores(fixture)
                except Exception as error:  # which is to cancel no result on its way
                    trouble = error
        finally:
            if game is None or not game.recorded:
                await self._ledger.forget(number)
            elif any(game.programs):
                await self._ledger.save_programs(number, game.programs)
        if isinstance(trouble, PlayerMissing) and not trouble.fault:
            if trouble.names:  # else a player went away before the game began
                lost = absence_result(fixture, trouble.names, str(trouble), trouble.termination)
                await self._ledger.keep(lost._replace(interventions=known, programs=trouble.programs))
        elif isinstance(trouble, PlayerMissing | NotPlayed):
            self._tries[fixture] += 1
            what = "a program cannot be started" if isinstance(trouble, PlayerMissing) else "a game cannot be played"
            await self._ledger.pause(what, str(trouble), players=fixture.players)
        elif trouble is not None:
            raise trouble

    def _wanted(self, fixture: Fixture) -> bool:
        """Tell whether a game that is set up is to be played, with no player withdrawn meanwhile."""
        done = self.definition.interventions
        return not is_cancelled(done) and not withdrawn(done).intersection(fixture.players)

    async def _result(self, game: HostedGame) -> GameResult:
        """Return the result of a game; if this is cancelled before, the game is annulled."""
        try:
            return await game.result()
        finally:
            if (cut_off := game.cut_off()) is not None:
                await self._ledger.keep_cut_off(cut_off)

    async def _keep_played(self, over: GameResult, game: HostedGame) -> None:
        """Keep the result of a game; pause the contest if a fault of the server ended it."""
        kept = await self._ledger.keep(over)
        if kept.termination != Termination.SERVER_FAULT:
            await self._ledger.resume()
        elif over.termination != Termination.SERVER_FAULT:
            await self._ledger.pause("a game was annulled", kept.detail, match=over.match)
        elif game.lacked:
            await self._ledger.pause("a game was annulled", game.lacked, match=over.match)
        else:
            await self._failed(over.fixture, RuntimeError(over.detail))

    def _matches(self) -> list[Match]:
        """Return the matches of this contest that are running."""
        return [match for number, match in self._arena.matches.items() if number in self.playing.values()]
