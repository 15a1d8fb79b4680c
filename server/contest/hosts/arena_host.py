"""Hosts games in the arena of this process, with connected players and with programs that it starts, each on its core.

Players are leased: leaving the `AsyncExitStack` of a game gives them back, ends programs and frees cores.

The code of the distribution's own bots is compiled before a contest, since a bot's own compiled code is lost: a sandbox
keeps none, and without a sandbox the process that compiles beside a bot is ended with its game. So each game of such a
bot would begin with a compiler at work, for a quarter of a minute or more.
"""

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import trio

from engine.compiling.binding import is_installed
from engine.games.catalogue import GAMES
from engine.games.interface import Termination
from engine.wire.seat import Seat
from engine.wire.words import number_of, word_of
from server.arena.arena import Arena
from server.arena.lobby import PipedProgram
from server.arena.session import serve_stream
from server.config.builtin_bot import builtin_bot_command, builtin_bot_named
from server.contest.definition import Definition, Sandbox
from server.contest.fixtures import ENDED_AT_START, NO_ANSWER, NOT_STARTED, GameResult, Programs
from server.contest.hosts.contest_players import ContestPlayers, ProgramCredential
from server.contest.hosts.host import PROGRAMS, CoreQueue, GameTask, HostedGame, PlayerMissing
from server.contest.programs.program import MachineFault, NotStarted, Program, Surroundings, run
from server.contest.programs.sandbox.cores import CoreLease, Cores
from server.contest.programs.sandbox.seal import NotVisible, seal_of
from server.contest.scoring import game_result
from server.contest.store.folders import errors_of
from server.net.admission import AddressUsage, ConnectionQuota
from server.net.connection import Pipes, SocketWire, Wire, detached
from server.net.timing import microseconds
from server.ops import descendants
from server.ops.logs import log

SEARCHES = "alphabeta"
"""The bot of this distribution that needs compiled code."""

YIELDING = """
import os, runpy
try: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except (AttributeError, OSError): hasattr(os, "nice") and os.nice(19)
runpy.run_module("bots", run_name="__main__", alter_sys=True)
"""
"""Runs ``arena-bot``, and takes no time from games that are being played."""


def games_to_compile(definition: Definition) -> list[tuple[str, str]]:
    """Return the games and parameters for which the alpha-beta bot is started, each once.

    It gets ready for a game as it is usually played before it is told a match.
    """
    opponents = () if definition.qualification is None else definition.qualification.opponents
    searching = any(builtin_bot_named(name).kind == SEARCHES for name in opponents)
    if not searching and not any(_searches(entrant.command) for entrant in definition.entrants):
        return []
    usual = [(variant.game, "") for variant in definition.variants]
    return [*dict.fromkeys(usual + [(variant.game, variant.parameters) for variant in definition.variants])]


async def precompile_bots(definition: Definition) -> None:
    """Compile `games_to_compile` if that is not done yet, within some seconds; raises nothing.

    ``beside_games`` leaves the processors to games that may be played meanwhile, and takes as long as they do. Where it
    cannot be compiled here, the bots try themselves.
    """
    for game, parameters in games_to_compile(definition) if is_installed("numba") else ():
        command = [sys.executable, "-P", "-c", YIELDING, "warm", game, *([parameters] if parameters else [])]
        log.info("precompile_started", game=game, params=parameters)
        try:
            done = await trio.run_process(
                command, stdin=subprocess.DEVNULL, capture_stdout=True, capture_stderr=True, check=False
            )
        except Exception as error:
            log.warning("precompile_start_failed", error=repr(error))
            return
        if done.returncode:
            log.warning(
                "precompile_failed", game=game, params=parameters, said=done.stderr.decode(errors="replace").strip()
            )


def _searches(command: tuple[str, ...]) -> bool:
    """Tell whether a command starts that bot, as ``arena-bot alphabeta`` or ``python -m bots alphabeta``."""
    place = command.index(SEARCHES) if SEARCHES in command else 0
    return place > 0 and (Path(command[place - 1]).name == "arena-bot" or command[place - 2 : place] == ("-m", "bots"))


Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

MAX_CONNECTIONS = 4
"""Connections of a sandboxed program at a time: it needs one, and a lost one may not have ended yet."""

REFUSED_SECONDS = 5
"""Seconds that a program whose LOGIN was refused has to try again: most only wait from then on."""


class ArenaGame(HostedGame):
    """A game of the arena: its players, and its match from `begin` on."""

    recorded = True

    def __init__(self, arena: Arena, host: "ArenaHost", task: GameTask) -> None:
        """Begin without players; `ArenaHost.play` brings them."""
        self.task, self._arena, self._host = task, arena, host
        self.started: dict[str, ProgramCredential] = {}
        self.cores: list[CoreLease] = []
        """The cores of the programs."""
        self.connecting: list[str] = []
        """Entrants that connect by themselves, and are leased."""

    @property
    def programs(self) -> Programs:
        """Resource usage of the programs by side; complete when the lease has ended."""
        first, second = (self.started.get(name) for name in self.task.fixture.players)
        return (first.program.usage if first else None, second.program.usage if second else None)

    def begin(self) -> None:
        """Begin the match at once; raises `PlayerMissing`, or OSError if its record cannot be created.

        If it does not begin, its players go on waiting.
        """
        contest_players = ContestPlayers.of(self._arena)
        players = contest_players.waiting(self.connecting)
        if absent := [name for name in self.connecting if name not in players]:
            raise PlayerMissing(f"{' and '.join(absent)} left while the game was set up", ())
        names, definition = self.task.fixture.players, self.task.definition
        players |= {name: one.player for name, one in self.started.items() if one.player is not None}
        if gone := {
            name: one.missing(f"left before the game began: {one.program.report()}", ENDED_AT_START)
            for name, one in self.started.items()
            if name not in players or not self._arena.is_idle(players[name])
        }:
            raise combine_faults(gone, names)
        variant = definition.variants[self.task.fixture.variant]
        self.match = self._arena.begin_match(
            self.task.number,
            GAMES[variant.game].read(definition.position(self.task.fixture)),
            [players[name] for name in names],
            definition.control(self.task.fixture),
            definition.move_limit,
            live_notes=definition.live_notes,
        )
        for side, name in enumerate(names):
            if name in self.started and (refusal := self.started[name].program.refusal):
                self.match.refuse(side, refusal)
        contest_players.take(self.connecting)
        self._over = contest_players.end_of(self.match.number, keep=self.task.kept)

    @property
    def lacked(self) -> str:
        """The missing resource of the machine because of which the match was annulled; empty if there was none."""
        return self.match.fault_cause

    async def result(self) -> GameResult:
        """Return the result as soon as the match is over."""
        if self.match.state.outcome is None:
            await self._over.wait()
        return game_result(self.task.fixture, self.match.state)

    def leave_cores(self) -> bool:
        """Let another game use the cores of this one, which is over, while its programs are being ended.

        Tell whether it can be: sandboxes are made meanwhile, and each program begins when its core is free.
        """
        sealed = self.task.definition.sandbox is not Sandbox.NONE and not self._host.turns.alone
        leaves = sealed and len(self.cores) == PROGRAMS and all(lease.core is not None for lease in self.cores)
        self._host.cores.announce(self.cores if leaves else ())
        return leaves

    def cut_off(self) -> GameResult | None:
        """Annul a match that is not over, and return it; None if it is over, or the arena has it no more."""
        if self.match.state.outcome is not None or self._arena.matches.get(self.match.number) is not self.match:
            return None
        sentence = "the server could not go on with the game, which is played again"
        self._arena.annul(self.match, Termination.SERVER_FAULT, sentence)
        return game_result(self.task.fixture, self.match.state)


def combine_faults(failures: Mapping[str, PlayerMissing], players: tuple[str, str]) -> PlayerMissing:
    """Return why a game cannot begin, from the faults of its players; if both are to blame, it names both.

    Where the server is to blame for one of them, nobody else is: the game is played another time. ``players`` are in
    the order of the game's sides.
    """
    found = [failures[name] for name in players if name in failures]
    names = tuple(name for failure in found for name in failure.names)
    ways = dict.fromkeys(failure.termination for failure in found)
    together = PlayerMissing("; ".join(map(str, found)), names, termination="+".join(ways))
    return next((failure for failure in found if failure.fault), together)


class ArenaHost:
    """The host that plays games in an arena, where they may be watched.

    All contests of a server share it: its cores, and the thread that writes to the store.
    """

    def __init__(self, arena: Arena, cores: Cores | None = None) -> None:
        """Take a running arena, and the cores of programs, if not all of this machine."""
        self._arena = arena
        self._home = descendants.home_of(arena.settings.data)
        self.cores = cores or Cores()
        self._one_at_a_time = trio.CapacityLimiter(1)
        self.turns = CoreQueue(self.cores.count)

    def leave(self, contest: int) -> None:
        """Remove a contest; after the last one the server uses all cores again."""
        self.turns.leave(contest)
        if self.turns.idle:
            self.cores.rest()

    async def stored(self, work: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Use the store in a thread, since the disk may be slow; one call after the other."""
        return await trio.to_thread.run_sync(work, *arguments, limiter=self._one_at_a_time)

    @asynccontextmanager
    async def play(self, task: GameTask) -> AsyncIterator[ArenaGame | None]:
        """Begin a match as soon as its players wait, and lease them until the context is left; as `Host.play`."""
        game, missing = ArenaGame(self._arena, self, task), None
        async with AsyncExitStack() as stack:
            try:
                await self._seat(stack, game)
                begins = not self._arena.stopping and task.wanted()
                if begins:
                    game.begin()
            except PlayerMissing as error:
                missing = error
            else:
                yield game if begins else None
        if missing is not None:
            missing.programs = game.programs
            raise missing

    async def _seat(self, stack: AsyncExitStack, game: ArenaGame) -> None:
        """Bring both players, until they wait for the game; raises `PlayerMissing`.

        Leaving the stack gives all of them back.
        """
        task = game.task
        definition, fixture, contest_players = task.definition, task.fixture, ContestPlayers.of(self._arena)
        variant = definition.variants[fixture.variant]
        await self._arena.prepare_board(variant.game, variant.parameters)
        entrants = {name: definition.entrant(name) for name in fixture.players}
        connecting = game.connecting = [name for name, entrant in entrants.items() if entrant and entrant.connects]
        if set(contest_players.free(connecting)) != set(connecting):
            raise PlayerMissing("a player has gone away", ())
        stack.enter_context(contest_players.lease(connecting))
        cores: dict[str, CoreLease] = {}
        for name in fixture.players:
            if name not in connecting:
                cores[name] = CoreLease(None) if definition.cores > self.cores.count else self.cores.take()
                stack.callback(self.cores.give_back, cores[name])  # when what runs in the nursery has ended
        game.cores = list(cores.values())
        nursery = await stack.enter_async_context(trio.open_nursery())
        stack.callback(nursery.cancel_scope.cancel)
        failures: dict[str, PlayerMissing] = {}
        async with trio.open_nursery() as starting:
            for name, core in cores.items():
                entrant = entrants[name]
                ticket = contest_players.issue(name, is_builtin=entrant is None)
                stack.callback(contest_players.withdraw, ticket)
                command = builtin_bot_command(builtin_bot_named(name)) if entrant is None else entrant.command

                async def bring(
                    ticket: ProgramCredential = ticket, core: CoreLease = core, command: tuple[str, ...] = command
                ) -> None:
                    try:
                        ticket.program = await self._start(nursery, task, ticket, command, core)
                        ticket.connects = ticket.program.stream is None
                        game.started[ticket.name] = ticket
                        await self._await_seek(ticket, definition.start_seconds)
                    except MachineFault as error:
                        ticket.failed = True
                        failures[ticket.name] = ticket.missing(f"did not come to the game: {error}", NOT_STARTED)
                        starting.cancel_scope.cancel()
                    except (NotStarted, NotVisible) as error:
                        failures[ticket.name] = ticket.missing(f"did not come to the game: {error}", NOT_STARTED)
                    except PlayerMissing as error:
                        failures[ticket.name] = error

                starting.start_soon(bring)
        if failures:
            raise combine_faults(failures, fixture.players)
        for side, name in enumerate(fixture.players):
            if name in game.started:
                nursery.start_soon(self._watch_over, task.number, side, game.started[name])
            elif task.away_seconds:
                nursery.start_soon(self._end_when_away, task, side)

    async def _end_when_away(self, task: GameTask, side: int) -> None:
        """Let a player lose a game as soon as it has had no connection for too long.

        Seconds are counted one by one: one in which the server stood still counts once.
        """
        seconds = 0
        while seconds < task.away_seconds:
            await trio.sleep(1)
            match = self._arena.matches.get(task.number)
            seconds = seconds + 1 if match is not None and match.players[side] is None else 0
        self._arena.end_crashed(task.number, side, f"it had no connection for {task.away_seconds} seconds")

    async def _watch_over(self, number: int, side: int, one: ProgramCredential) -> None:
        """End a game when a program has ended with all its connections, since nobody would resume it."""
        await one.gone.wait()
        await one.program.ended.wait()
        match, report = self._arena.matches.get(number), one.program.report()
        if match is not None and one.is_builtin:
            sentence = f"the server's own bot failed, and the game is played again: {report}"
            self._arena.annul(match, Termination.SERVER_FAULT, sentence)
        else:
            self._arena.end_crashed(number, side, report, one.program.termination)

    async def _start(
        self,
        nursery: trio.Nursery,
        task: GameTask,
        ticket: ProgramCredential,
        command: tuple[str, ...],
        core: CoreLease,
    ) -> Program:
        """Start a program with its credential; raises `NotStarted` and `NotVisible`."""
        settings, definition, fixture = self._arena.settings, task.definition, task.fixture
        errors = errors_of(settings.data, task.contest, task.number, ticket.name)
        variant = definition.variants[fixture.variant]
        address, params = self._arena.own_address, word_of(variant.parameters)
        seat = Seat(*address, ticket.name, variant.game, ticket.token, params, "1")
        limits = seal_of(definition, fixture, ticket.name, settings.data, pinned=core.core is not None)
        entrant = definition.entrant(ticket.name)
        folder = Path(definition.folder or settings.data) / ("" if entrant is None else entrant.folder)
        ply = partial(self._arena.awaited_ply, task.number)
        place = Surroundings(folder, self._home, errors, core.core, core.ready, limits, ply)
        program: Program = await nursery.start(run, command, seat, place)
        if program.stream is not None:
            piped = PipedProgram(seat, partial(program.stream.has_read, lambda: ticket.player is None), program.wrote)
            nursery.start_soon(self._serve, ticket, program.stream, piped)
        if program.listener is not None:
            ways = trio.Semaphore(MAX_CONNECTIONS)
            nursery.start_soon(trio.serve_listeners, partial(self._accept, ticket, ways), [program.listener])
        return program

    async def _serve(self, ticket: ProgramCredential, stream: Wire, piped: PipedProgram | None = None) -> None:
        """Serve the connection of a program, which can only log in as itself."""
        limits = self._arena.settings.limits
        visit = ConnectionQuota(f"program {ticket.name}", AddressUsage(limits, trusted=True), limits, microseconds)
        visit.seat_token = ticket.token
        await serve_stream(stream, self._arena, visit, piped)
        if isinstance(stream, Pipes):  # a program that connects by itself may print what it likes
            await stream.discard()

    async def _accept(self, ticket: ProgramCredential, ways: trio.Semaphore, stream: trio.SocketStream) -> None:
        """Accept connections of a program, a few at the same time."""
        try:
            ways.acquire_nowait()
        except trio.WouldBlock:
            await trio.aclose_forcefully(stream)
            return
        try:
            await self._serve(ticket, SocketWire(detached(stream)))
        finally:
            ways.release()

    async def _await_seek(self, one: ProgramCredential, limit: int) -> None:
        """Wait until a program sends SEEK; raises `PlayerMissing` if it ends before, or after ``limit`` seconds.

        After a refused LOGIN it has `REFUSED_SECONDS`. Seconds are counted one by one: one in which the server stood
        still, or could accept no connection, counts once, or not.
        """
        program = one.program
        seconds = refused = 0
        async with trio.open_nursery() as nursery:

            async def give_up_when_ended() -> None:
                await program.ended.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(give_up_when_ended)
            while not one.here.is_set() and seconds <= limit and refused <= REFUSED_SECONDS:
                with trio.move_on_after(1):
                    await one.here.wait()
                # in the last second, what came while the server stood still is read before anybody is late
                seconds += seconds == limit or not self._arena.accept_status.closed
                refused += program.refusal.startswith("LOGIN")
            nursery.cancel_scope.cancel()
        if one.here.is_set():
            return
        late = (
            ""
            if program.ended.is_set()
            else f", and had {program.missed} after {number_of(min(seconds, limit), 'second')}"
        )
        one.failed = one.failed or bool(program.fault)
        what = f"did not come to the game: {program.fault or program.report() + late}"
        raise one.missing(what, NO_ANSWER if late else ENDED_AT_START)
