"""Runs ``arena-server contest``: checks a contest, opens it, serves it, and shows its progress."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import trio
from msgspec.structs import replace
from rich.console import Console
from rich.live import Live
from rich.progress import Progress
from rich.text import Text

from engine.games.catalogue import variant_title
from engine.wire.words import number_of
from server.arena.arena import Arena
from server.commands.options import BY
from server.config.builtin_bot import BUILTIN_BOTS
from server.config.settings import Settings
from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Qualification
from server.contest.fixtures import QUALIFICATION, GameResult, counted_games, games_over
from server.contest.hosts.arena_host import games_to_compile
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.dask_cluster import Cluster, connected_cluster
from server.contest.hosts.game_worker import private_arena
from server.contest.plan import plan
from server.contest.programs.program import quote_command
from server.contest.programs.sandbox.cores import Cores
from server.contest.programs.sandbox.seal import contest_obstacle
from server.contest.report import formatting, progress
from server.contest.report.structure import Verdict
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.organiser_commands import missing_program
from server.contest.runtime.runner import Runner
from server.contest.runtime.service import ContestSnapshot, take_snapshot, write_report
from server.contest.scoring import Cause, is_late, losses
from server.contest.store.folders import folder_of, last_lines
from server.contest.store.store import FILE, Store
from server.contest.store.verifier import verify
from server.league.accounts import Accounts
from server.league.console.actions import web_address
from server.league.contests import check_versions
from server.ops.program_version import program
from server.serve import serve
from server.storage.disk import DataDirectoryInUse, is_in_use

LOOK_SECONDS = 1.0
"""Shortest time between two looks at the progress."""

LOOK_SHARE = 4.0
"""Ratio of the pause to the duration of the last look, which grows with the number of games."""

LINE_SECONDS = 30.0
"""Time between two lines of progress if the output is no terminal."""

OVER, STOPPED = 0, 3
"""Exit statuses: the contest is over; it was stopped, and the same command goes on."""


async def hold(file: str, definition: Definition, settings: Settings, dask: str, console: Console) -> int:
    """Hold a contest to its end, or until it is stopped, and return an exit status.

    ``file`` is the text of the contest file, and ``dask`` the address of the scheduler of a cluster that plays the
    games, empty for none.
    Raises OSError and `server.storage.database.BadStore`.
    """
    async with connected_cluster(dask, definition) as cluster:
        if cluster is None and (why := await trio.to_thread.run_sync(contest_obstacle, definition)):
            raise OSError(why)  # before it is opened: its file has to be changed, perhaps
        data = settings.data
        data.mkdir(parents=True, exist_ok=True)
        with closing(await trio.to_thread.run_sync(Store, data / FILE)) as store:
            contest = await trio.to_thread.run_sync(_open, store, file, definition, data, cluster is None)
            follower = _Follower(store, contest, console, data)
            found = await follower.look()
            is_finished, follower.before = False, found.moment.closed
            if follower.before is None or settings.web is not None:
                found, is_finished = await _serve_contest(definition, settings, cluster, follower)
            if found.moment.closed is None:
                console.print(
                    f"Stopped: {games_over(game.termination for game in counted_games(found.games))}. "
                    "The same command goes on with the contest."
                )
                return STOPPED
            if not is_finished:
                await follower.finish(found)
            return OVER


def _open(store: Store, file: str, definition: Definition, data: Path, has_programs: bool) -> int:
    """Return the number of the contest, which is opened, and noted in the audit log, if there is none of its name.

    ``has_programs`` tells that this machine starts the programs: a new contest is refused if one is missing.
    """
    is_new = all(row.name != definition.name for row in store.contests())
    for entrant in definition.entrants if is_new and has_programs else ():
        if entrant.command and (missing := missing_program(definition, entrant)):
            raise BadContest(f"the program of {entrant.name} is missing: {missing}")
    with closing(Accounts(data)) as accounts:
        if is_new:
            check_versions(accounts, definition, datetime.now(UTC))
        contest = store.open_contest(file, definition, datetime.now(UTC))
        if is_new:
            accounts.note(BY, f"opened the contest {definition.name}")
    return contest


def verify_with_progress(data: Path, contest: int, console: Console) -> Verdict:
    """Verify a contest against its records, with a bar in a terminal; raises as `verify` does."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("verifying", total=None)
        return verify(data, contest, lambda done, count: bar.update(task, completed=done, total=count))


async def _serve_contest(
    definition: Definition,
    settings: Settings,
    cluster: Cluster | None,
    follower: "_Follower",
) -> tuple[ContestSnapshot, bool]:
    """Serve until the contest is over or the server is stopped; return the last snapshot, and whether it was finished.

    A server with pages finishes the contest when it is over, and serves its pages until it is stopped. If another
    server uses the data directory, that server finishes the contest, and this function only waits for its end.
    """
    async with trio.open_nursery() as nursery:
        stopped = trio.Event()

        async def run(*, task_status: trio.TaskStatus[Arena]) -> None:
            await serve(settings, cluster, task_status=task_status)
            stopped.set()

        try:
            arena = await nursery.start(run)
        except DataDirectoryInUse:
            if cluster is not None:
                raise
            follower.say(f"the server that uses {settings.data} plays the contest; Ctrl-C ends only this display")
            found = await follower.follow(None, trio.Event())
            follower.say(progress.progress_line(*found))
            return found, found.moment.closed is not None
        follower.say(f"listening on {settings.host}, port {arena.ports[0]}; Ctrl-C stops in order")
        if games_to_compile(definition):
            follower.say("the search of alphabeta is compiled before its first match: a minute or two, once")
        if cluster is not None:
            workers, games = number_of(cluster.workers, "worker"), number_of(cluster.games, "game")
            follower.say(f"the cluster at {cluster.address} has {workers}, and room for {games} at a time")
        found = await follower.follow(arena, stopped)
        stays = settings.web is not None and found.moment.closed is not None and not stopped.is_set()
        if stays:
            await follower.finish(found)
            follower.say(f"{found.definition.name} is over; its pages stay at {web_address(arena)} until Ctrl-C")
            await stopped.wait()
        arena.closing.set()
    return found, stays


class _Follower:
    """Shows the progress of a contest from its database."""

    def __init__(self, store: Store, contest: int, console: Console, data: Path) -> None:
        self.before: datetime | None = None
        """The end of the contest, if it was over before this command."""
        self._data = data
        self._store = store
        self._contest = contest
        self._console = console
        self._said = float("-inf")

    def say(self, sentence: str) -> None:
        self._console.print(sentence, highlight=False, markup=False, soft_wrap=True)

    async def look(self, arena: Arena | None = None) -> ContestSnapshot:
        """Return a snapshot of the contest."""
        present = None if arena is None else ContestPlayers.of(arena).present.get(self._contest)
        return await trio.to_thread.run_sync(take_snapshot, self._store, self._contest, datetime.now(UTC), present)

    async def finish(self, found: ContestSnapshot) -> None:
        """Verify a contest that is over, if nothing has done so, and show its report."""
        if await trio.to_thread.run_sync(self._store.verification, self._contest) is None:
            # the server may have been stopped before its last report
            await trio.to_thread.run_sync(write_report, self._data, self._contest, found)
            verdict = await trio.to_thread.run_sync(verify_with_progress, self._data, self._contest, self._console)
            await trio.to_thread.run_sync(self._store.save_verification, self._contest, datetime.now(UTC), verdict)
            found = await self.look()
            if verdict.differences:
                self.say(f"{verdict.sentence}; arena-server contest --verify names them")
        made = await trio.to_thread.run_sync(write_report, self._data, self._contest, found)
        for line in progress.table_lines(made):
            self.say(line)
        self._console.print(f"The whole report: {folder_of(self._data, self._contest) / 'index.html'}", soft_wrap=True)
        if self.before is not None:
            self.say(
                f"This contest was over on {formatting.date(self.before)}; nothing was played. "
                "To play again, give it another name in its file, or a new --data."
            )

    async def follow(self, arena: Arena | None, stopped: trio.Event) -> ContestSnapshot:
        """Show progress until the contest is over or the server is stopped; return the last snapshot."""
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while True:
                began = trio.current_time()
                found = await self.look(arena)
                if found.moment.closed is not None or stopped.is_set() or (arena is None and not is_in_use(self._data)):
                    return found
                if self._console.is_terminal:
                    live.update(Text(progress.progress_line(*found)), refresh=True)
                elif trio.current_time() - self._said >= LINE_SECONDS:
                    self._said = trio.current_time()
                    self.say(progress.progress_line(*found))
                with trio.move_on_after(max(LOOK_SECONDS, LOOK_SHARE * (trio.current_time() - began))):
                    await stopped.wait()


PLIES = 10
"""Moves of both sides after which a game that checks a program is over."""

PROBLEMS = frozenset({Cause.BAD_MOVE, Cause.RESIGN})
"""Causes of a loss that count as failures here, in addition to losses on time: no program resigns so early."""


async def check(definition: Definition, say: Callable[[str], None]) -> int:
    """Check all programs, and print a line for each entrant; return 1 if any cannot play, else 0.

    Raises OSError where this machine cannot play the games.
    """
    variants = ", ".join(variant_title(variant.name) for variant in definition.variants)
    openings = sum(len(variant.openings) for variant in definition.variants)
    entrants = number_of(len(definition.entrants), "entrant")
    say(f"{definition.name}: {entrants}; {variants}; {number_of(openings, 'opening')}: the file can be played")
    say(progress.forecast(definition, Cores().count))
    width = max(len(entrant.name) for entrant in definition.entrants)
    with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
        faults = await _play(short_contest(definition), Path(folder))
        for entrant in definition.entrants:
            if not entrant.command:
                later = f"a version of {entrant.version_of}, which is chosen later"
                say(f"{entrant.name:{width}}  {later if entrant.version_of else 'connects by itself'}: not checked")
            elif entrant.name not in faults:
                say(f"{entrant.name:{width}}  ok: it has played in {number_of(len(definition.variants), 'variant')}")
            else:
                fault, lines = faults[entrant.name]
                say(f"{entrant.name:{width}}  NOT OK: {formatting.printable(fault)}")
                for line in lines:
                    say(f"{'':{width}}    | {formatting.printable(line)}")
    checked = sum(bool(entrant.command) for entrant in definition.entrants)
    verdict = f"{number_of(checked, 'program')} checked, {len(faults) or 'none'} failed"
    say(verdict if checked else "there is no program to be checked")
    return min(len(faults), 1)


def short_contest(definition: Definition) -> Definition:
    """Return a contest of all programs, whose qualification is two short games of each of them in each variant."""
    rules = definition.qualification
    bots = BUILTIN_BOTS[::-1] if rules is None else rules.opponents
    opponent = next((name for name in bots if definition.entrant(name) is None), bots[0])
    control = definition.stages[0].control if rules is None else rules.control
    return replace(
        definition,
        entrants=tuple(entrant for entrant in definition.entrants if entrant.command),
        qualification=Qualification((opponent,), control, time_losses=1000, bad_moves=1000),
        move_limit=PLIES,
        adjudication=None,
        interventions=(),
    )


async def _play(definition: Definition, data: Path) -> dict[str, tuple[str, list[str]]]:
    """Play the short games; return the first fault of each program that has one, and what it wrote on stderr."""
    faults: dict[str, tuple[str, list[str]]] = {
        entrant.name: (missing, [])
        for entrant in definition.entrants
        if (missing := missing_program(definition, entrant))
    }
    definition = replace(definition, entrants=tuple(one for one in definition.entrants if one.name not in faults))
    if not definition.entrants:
        return faults
    if why := await trio.to_thread.run_sync(contest_obstacle, definition):
        raise OSError(why)
    games: dict[int | None, GameResult] = {}
    with closing(Store(data / FILE)) as store:
        contest = store.open_contest("", definition, datetime.now(UTC))
        async with private_arena(data, program()) as (arena, record_store, host):
            with trio.CancelScope() as scope:

                def keep(game: GameResult) -> None:
                    games[runner.playing.get(game.fixture) or game.match] = game
                    if plan(definition, games.values()).stages[-1].number != QUALIFICATION:
                        scope.cancel()

                runner = Runner(Ledger(contest, store, record_store, host, keep, gives_up=True), arena, host)
                await runner.run()
    for match, game in games.items():
        for loss in losses(definition, game):
            entrant = definition.entrant(loss.name)
            if entrant is None or not (is_late(loss.cause) or loss.cause in PROBLEMS):
                continue
            after = (
                f"{loss.cause.replace('_', ' ')} after {number_of(game.plies, 'ply', 'plies')}: " if game.played else ""
            )
            called = f"called as {quote_command(entrant.command)} in {Path(definition.folder) / entrant.folder}"
            variant = variant_title(definition.variants[game.fixture.variant].name)
            lines = last_lines(data, contest, match or 0, loss.name).splitlines()
            faults.setdefault(loss.name, (f"in {variant}: {after}{loss.sentence}; {called}", lines))
    return faults
