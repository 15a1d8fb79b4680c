"""Brings both players of a game to the table: entrants that connect by themselves, and programs, each on its core."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import trio

from server.contest.definition import Definition
from server.contest.fixtures import Fixture
from server.gate import Visit
from server.hall import Hall, Player
from server.organise import descendants
from server.organise.cores import Cores
from server.organise.desk import Ticket
from server.organise.folders import errors_of
from server.organise.invocation import Seat, house_bot
from server.organise.programs import MachineFault, NotStarted, Place, Program, run
from server.session import Arrivals, serve_stream

Result = TypeVar("Result")

START_SECONDS = 60.0
"""What a program gets from its start to its SEEK: a bot in a slow language, on a machine that is busy."""


class NotThere(Exception):
    """A game cannot begin. ``str(error)`` says why."""

    def __init__(self, sentence: str, names: tuple[str, ...], *, fault: bool = False) -> None:
        """Keep who is to blame: entrants, nobody, or, with ``fault``, the server itself."""
        super().__init__(sentence)
        self.names = names
        self.fault = fault


class Seats:
    """What all contests of a server share: the hall, the machine's cores, the thread that writes into the store."""

    def __init__(self, hall: Hall, watch: Arrivals) -> None:
        """Take the hall, and what stamps the lines of programs that talk on their pipes."""
        self._hall = hall
        self._watch = watch
        self._home = descendants.home_of(hall.settings.data)
        self._cores: dict[int, Cores] = {}
        self._one_at_a_time = trio.CapacityLimiter(1)

    async def stored(self, work: Callable[[], Result]) -> Result:
        """Do something with the store, beside the loop, since the disk may be slow; one after the other."""
        return await trio.to_thread.run_sync(work, limiter=self._one_at_a_time)

    def cores(self, contest: int, definition: Definition) -> Cores:
        """Return the cores that the programs of a contest have."""
        if contest not in self._cores:
            self._cores[contest] = Cores(definition.cores)
        return self._cores[contest]

    async def seated(
        self, stack: AsyncExitStack, contest: int, definition: Definition, fixture: Fixture, number: int
    ) -> list[Player]:
        """Return the sessions of both players as soon as they wait for the game; raises `NotThere`.

        Programs are ended, and their sessions closed, when the stack is left. ``number`` is that of the match.
        """
        nursery = await stack.enter_async_context(trio.open_nursery())
        stack.callback(nursery.cancel_scope.cancel)
        coming: dict[str, tuple[Ticket, Program]] = {}
        cores = self.cores(contest, definition)
        for name in fixture.players:
            entrant = definition.entrant(name)
            if entrant is not None and entrant.connects:
                continue
            ticket = self._hall.desk.issue(name)
            stack.callback(self._hall.desk.withdraw, ticket)
            core = cores.take()
            stack.callback(cores.give_back, core)
            command = house_bot(name) if entrant is None else entrant.command
            program = await self._start(nursery, definition, fixture, ticket, command, core, (contest, number))
            coming[name] = (ticket, program)
        for name, (ticket, program) in coming.items():
            await self._arrives(definition, name, ticket, program)
        for side, name in enumerate(fixture.players):
            if name in coming:
                nursery.start_soon(self._watch_over, number, side, *coming[name])
        return [self._player(name, coming) for name in fixture.players]

    async def _watch_over(self, number: int, side: int, ticket: Ticket, program: Program) -> None:
        """End a game when a program of it has ended, and so has all that spoke for it: nobody would come back."""
        await ticket.gone.wait()
        await program.ended.wait()
        self._hall.crashed(number, side, program.report())

    async def _start(
        self,
        nursery: trio.Nursery,
        definition: Definition,
        fixture: Fixture,
        ticket: Ticket,
        command: tuple[str, ...],
        core: int | None,
        game: tuple[int, int],
    ) -> Program:
        settings = self._hall.settings
        errors = errors_of(settings.data, *game, ticket.name)
        variant = definition.variants[fixture.variant]
        seat = Seat(*self._hall.own_address, ticket.name, variant.game, ticket.token)
        place = Place(Path(definition.folder or settings.data), self._home, errors, core)
        try:
            program = await nursery.start(run, command, seat, place)
        except MachineFault as error:
            raise NotThere(f"{ticket.name} did not come to the game: {error}", (), fault=True) from error
        except NotStarted as error:
            raise self._not_there(definition, ticket.name, str(error)) from error
        assert isinstance(program, Program)
        if program.stream is not None:
            visit = Visit(f"program {ticket.name}", None, settings.limits, lambda: 0)
            nursery.start_soon(serve_stream, program.stream, self._hall, self._watch, visit)
        return program

    async def _arrives(self, definition: Definition, name: str, ticket: Ticket, program: Program) -> None:
        """Wait until a program seeks; raises `NotThere` where it ends before, or takes too long."""
        with trio.move_on_after(START_SECONDS):
            async with trio.open_nursery() as nursery:

                async def wait(event: trio.Event) -> None:
                    await event.wait()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(wait, ticket.here)
                nursery.start_soon(wait, program.ended)
        if not ticket.here.is_set():
            late = "" if program.ended.is_set() else f", and had not said SEEK after {START_SECONDS:g} seconds"
            raise self._not_there(definition, name, f"{program.report()}{late}")

    def _not_there(self, definition: Definition, name: str, why: str) -> NotThere:
        house = definition.entrant(name) is None
        return NotThere(f"{name} did not come to the game: {why}", () if house else (name,), fault=house)

    def _player(self, name: str, coming: dict[str, tuple[Ticket, Program]]) -> Player:
        if name in coming:
            player = coming[name][0].player
            assert player is not None
            return player
        if not self._hall.desk.free([name]):
            raise NotThere(f"{name} has gone away", ())
        return self._hall.desk.take(name)
