"""Plays a contest: what is due begins as soon as its players are there, and is kept when it is over.

What is due says `server.contest.plan`. Everything that has to outlive the server is in the store and in the records
before anything follows from it. So a runner that begins finds the contest where the last one, however it ended, has
left it.
"""

from collections.abc import Collection
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial

import structlog
import trio

from engine.catalogue import GAMES
from engine.outcome import ANNULLED, Termination
from server.contest.absence import absent, given_up
from server.contest.conduct import Disqualification, disqualified
from server.contest.definition import Definition, Interrupted
from server.contest.fixtures import Finished, Fixture
from server.contest.plan import Plan, Present, plan
from server.contest.result_of import finished
from server.contest.selection import startable
from server.hall import Hall
from server.match import Match
from server.organise.adjudication import Adjudicator
from server.organise.answers import hindrance, job_of
from server.organise.cluster import Cluster, NotPlayed
from server.organise.desk import Presence
from server.organise.folders import keep_written
from server.organise.job import PROGRAMS
from server.organise.seats import NotThere, Seats
from server.organise.store import Store

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""How often to look whether something has changed that nobody tells."""

MOST_PAUSE_SECONDS = 60.0
"""Longest pause before a game is begun again that could not be played through a fault of the server's own."""


class Runner:
    """One contest, from where it stands to its end."""

    def __init__(self, contest: int, store: Store, hall: Hall, seats: Seats, cluster: Cluster | None = None) -> None:
        """Take a contest of the store, and a cluster for its games; nothing happens before `run`."""
        self.contest = contest
        self.definition = store.definition(contest)
        self._cluster = None if hindrance(self.definition) else cluster
        self._store = store
        self._hall = hall
        self._seats = seats
        self._connecting = frozenset(entrant.name for entrant in self.definition.entrants if entrant.connects)
        self._games = store.games(contest)
        self._left = store.begun(contest)
        """The games that were running when the last server ended."""
        self._began = store.stages(contest)
        self._running: dict[Fixture, int | None] = {}
        self._missing_since: dict[str, float] = {}
        self._faults = 0
        self._changed = trio.Event()

    async def run(self) -> None:
        """Play to the end; may be cancelled at any time, and begun anew by another runner."""
        desk = self._hall.desk
        desk.open(self.contest, self.definition, self.wake)
        self._hall.gather()
        try:
            async with trio.open_nursery() as nursery:
                await self._recover(nursery)
                if self.definition.adjudication is not None:
                    adjudicator = Adjudicator(self.definition.adjudication)
                    nursery.start_soon(adjudicator.run, self._matches)
                await self._conduct(nursery)
                nursery.cancel_scope.cancel()
        finally:
            desk.leave(self.contest)
        desk.over(self.definition)
        await self._stored(partial(self._store.close_contest, self.contest, datetime.now(UTC)))
        log.info("contest over", contest=self.definition.name, games=len(self._games))

    def wake(self) -> None:
        """Look again what can be played: something has changed."""
        self._changed.set()

    async def _recover(self, nursery: trio.Nursery) -> None:
        """Deal with the games that were running when the last server ended."""
        for number, fixture in self._left.items():
            match = self._hall.matches.get(number)
            if match is None:
                game = self._past(fixture, number)
                if game is None:
                    await self._stored(partial(self._store.forget, self.contest, number))
                else:
                    await self._keep(game)
            elif self._comes_back(fixture):
                self._running[fixture] = number
                nursery.start_soon(self._await_return, fixture, match)
            else:
                sentence = "the server was stopped or died during the game, which is played again"
                self._hall.annul(match, Termination.SERVER_STOP, sentence)
                await self._keep(finished(fixture, match.state, match.gone))

    def _past(self, fixture: Fixture, number: int) -> Finished | None:
        """Return a game that was over before this server began; None where it never came to be."""
        past = self._hall.past(number)
        return None if past is None else finished(fixture, *past)

    def _comes_back(self, fixture: Fixture) -> bool:
        """Tell whether a game goes on when the server is started again: if its players can come back to it."""
        return self._connecting.issuperset(fixture.players) and self.definition.interrupted is Interrupted.RESUME

    async def _await_return(self, fixture: Fixture, match: Match) -> None:
        """Go on with a game if both players come back in time; else it is played again: the server was to blame."""
        over = self._follow(fixture, match.number)
        with trio.move_on_after(max(0.0, self._hall.settings.return_seconds - 0.1)):
            await over.wait()
        if match.state.outcome is None and (match.waits_for(0) or match.waits_for(1)):
            sentence = "not both players came back after the server was started again; the game is played again"
            self._hall.annul(match, Termination.SERVER_STOP, sentence)
        await self._ended(fixture, match, over)
        self._running.pop(fixture)
        self.wake()

    async def _conduct(self, nursery: trio.Nursery) -> None:
        """Begin what can begin, until all is over."""
        while True:
            self._changed = trio.Event()
            found = await self._planned()
            for game in found.forfeited:
                await self._keep(game)
            if found.over and not self._running:
                return
            if not self._hall.stopping:
                self._begin(nursery, self._look_for(found.due))
                running, missing = frozenset(self._running), tuple(sorted(self._missing_since))
                self._hall.desk.present[self.contest] = Presence(running, missing)
                if not self._running and await self._give_up(found.due):
                    continue
            with trio.move_on_after(LOOK_SECONDS):
                await self._changed.wait()

    async def _planned(self) -> Plan:
        """Find what is to be played; in a thread, since that of a long contest takes a while."""
        now = datetime.now(UTC)
        free = [name for name in self._free() if not any(name in fixture.players for fixture in self._running)]
        seconds = {stage: (now - began).total_seconds() for stage, began in self._began.items()}
        present = Present(frozenset(self._running), tuple(free), seconds)
        found, outs = await trio.to_thread.run_sync(_find, self.definition, tuple(self._games), present)
        for name, out in outs.items():
            self._hall.desk.disqualify(self.definition, name, out.reason)
        for stage in found.stages:
            if stage.number not in self._began:
                self._began[stage.number] = now
                await self._stored(partial(self._store.stage_began, self.contest, stage.number, now))
        return found

    def _free(self) -> list[str]:
        """Name the entrants that can play now: programs always can."""
        entrants = self.definition.entrants
        here = set(self._hall.desk.free(entrant.name for entrant in entrants))
        return [entrant.name for entrant in entrants if not entrant.connects or entrant.name in here]

    def _begin(self, nursery: trio.Nursery, due: Collection[Fixture]) -> None:
        """Begin games whose players are there, as far as they and the cores go round."""
        if self._faults and self._running:
            return  # what goes wrong is the server's own: one game at a time, until one is played
        if self._cluster is None:
            cores = self._seats.cores(self.contest, self.definition).count
        else:
            cores = PROGRAMS * self._cluster.games
        for fixture in startable(self.definition, due, self._running, self._free(), cores):
            self._running[fixture] = None
            nursery.start_soon(self._play, fixture)

    def _absent(self, fixture: Fixture) -> list[str]:
        """Name the players of a game that should connect, and do not wait for it."""
        desk, connecting = self._hall.desk, self._connecting
        return [
            name
            for name in fixture.players
            if name in connecting and not desk.connected(name, fixture, self.definition)
        ]

    def _look_for(self, due: Collection[Fixture]) -> list[Fixture]:
        """Return the games whose players are there; remember who is absent from the others, and since when."""
        playing = {name for fixture in self._running for name in fixture.players}
        here, missing = [], set[str]()
        for fixture in due:
            absent_from_it = self._absent(fixture)
            missing.update(absent_from_it)
            if not absent_from_it:
                here.append(fixture)
        now = trio.current_time()
        self._missing_since = {name: self._missing_since.get(name, now) for name in missing - playing}
        return here

    async def _give_up(self, due: Collection[Fixture]) -> bool:
        """Let games be lost by those who have been missing too long; tell whether there are any."""
        patience = self.definition.patience
        now = trio.current_time()
        out = {name for name, since in self._missing_since.items() if now - since >= patience}
        lost = given_up(due, out, patience)
        for game in lost:
            log.warning("game lost by absence", contest=self.definition.name, players=game.fixture.players)
            await self._keep(game)
        return bool(lost)

    async def _play(self, fixture: Fixture) -> None:
        """Play one game, and keep its result."""
        try:
            if self._cluster is not None:
                await self._give_away(fixture, self._cluster)
                return
            async with AsyncExitStack() as stack:
                number = self._hall.next_number()
                try:
                    players = await self._seats.seated(stack, self.contest, self.definition, fixture, number)
                except NotThere as error:
                    if error.fault:
                        await self._pause("a program cannot be started", fixture, error)
                    elif error.names:
                        await self._keep(absent(fixture, error.names, str(error)))
                    return
                await self._stored(partial(self._store.begin, self.contest, fixture, number))
                variant = self.definition.variants[fixture.variant]
                position = GAMES[variant.game].read(fixture.position(self.definition))
                control = fixture.control(self.definition)
                if self._hall.stopping or not all(map(self._hall.waits, players)):
                    await self._stored(partial(self._store.forget, self.contest, number))
                    return
                try:
                    match = self._hall.seat(number, position, players, control, self.definition.move_limit)
                except OSError as error:
                    await self._stored(partial(self._store.forget, self.contest, number))
                    await self._pause("no record can be begun", fixture, error)
                    return
                self._running[fixture] = number
                await self._ended(fixture, match, self._follow(fixture, number))
                outcome = match.state.outcome
                if outcome is not None and outcome.termination is Termination.SERVER_FAULT:
                    await self._pause("a game was annulled", fixture, None)
                else:
                    self._faults = 0
        finally:
            self._running.pop(fixture, None)
            self.wake()

    async def _give_away(self, fixture: Fixture, cluster: Cluster) -> None:
        """Let a cluster play one game, and keep its record and its result."""
        number = self._running[fixture] = self._hall.next_number()
        await self._stored(partial(self._store.begin, self.contest, fixture, number))
        forget = partial(self._store.forget, self.contest, number)
        try:
            played = await cluster.play(job_of(self.definition, fixture, number, self._hall.server))
            keep = partial(keep_written, self._hall.settings.data, self.contest, number, played.answer.wrote)
            await trio.to_thread.run_sync(keep)
            if played.state is not None:
                await trio.to_thread.run_sync(self._hall.take_in, number, played.answer.record)
        except (NotPlayed, OSError) as error:
            await self._stored(forget)
            await self._pause("a game could not be played", fixture, error)
            return
        if played.state is None:
            await self._stored(forget)
            await self._keep(absent(fixture, played.answer.names, played.answer.why))
            return
        with trio.CancelScope(shield=True):
            await self._keep(finished(fixture, played.state, played.gone))
        self._faults = 0

    def _follow(self, fixture: Fixture, number: int) -> trio.Event:
        """Return what is set when a match is over."""
        over = trio.Event()
        self._hall.desk.follow(number, lambda _: over.set(), keep=self._comes_back(fixture))
        return over

    async def _ended(self, fixture: Fixture, match: Match, over: trio.Event) -> None:
        """Wait for the end of a match, and keep its result."""
        if match.state.outcome is None:
            await over.wait()
        with trio.CancelScope(shield=True):
            await self._keep(finished(fixture, match.state, match.gone))

    async def _pause(self, what: str, fixture: Fixture, error: Exception | None) -> None:
        """Wait before a game is tried again, longer each time: it is the server that fails."""
        self._faults += 1
        log.error(what, contest=self.definition.name, players=fixture.players, error=str(error or ""))
        await trio.sleep(min(MOST_PAUSE_SECONDS, 2.0**self._faults / 2))

    async def _keep(self, game: Finished) -> None:
        """Keep a result: first in the store, then for the plan."""
        await self._stored(partial(self._store.finish, self.contest, game))
        self._games.append(game)
        if game.termination in ANNULLED:
            log.warning("game annulled", contest=self.definition.name, match=game.match, sentence=repr(game.detail))

    async def _stored(self, write: "partial[None]") -> None:
        """Write to the store, beside the loop: the disk may be slow."""
        await self._seats.stored(write)

    def _matches(self) -> list[Match]:
        """Return the matches of this contest that are running."""
        numbers = [number for number in self._running.values() if number is not None]
        return [match for number in numbers if (match := self._hall.matches.get(number)) is not None]


def _find(
    definition: Definition, games: tuple[Finished, ...], present: Present
) -> tuple[Plan, dict[str, Disqualification]]:
    """Return what is to be played, and who may play no more."""
    return plan(definition, games, present), disqualified(definition, games)
