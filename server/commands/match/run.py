"""Plays a match as a contest in a private arena: its ledger, its live table, records, and Ctrl-C.

The file of results is the ledger of the contest. A match continues from it after Ctrl-C, a crash or a kill.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from engine.commands.game_file import differences, opened_alone
from engine.commands.program import Rejected, explain_fault
from engine.games.interface import ANNULLED, Termination
from engine.system import can_lock
from engine.wire.words import LOST_ON_TIME, number_of
from server.arena.arena import Arena
from server.commands.match.results import MatchProgress, MatchTally, played_game, table, title
from server.commands.match.setup import MatchSetup, Setting
from server.commands.options import FAILED, leaves
from server.config.process_settings import stop_signals
from server.contest.fixtures import SET_ASIDE, Fixture, GameResult, Intervention, Kind, counted_games
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.dask_cluster import connected_cluster
from server.contest.hosts.game_worker import private_arena
from server.contest.programs.program import end_left_programs
from server.contest.programs.sandbox.seal import contest_obstacle
from server.contest.report.formatting import printable
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Runner
from server.contest.scoring import losses
from server.contest.store.folders import errors_of, last_lines
from server.contest.store.store import Store
from server.ops.program_version import program
from server.ops.typed_json import decode
from server.storage.database import BadStore
from server.storage.disk import LOCK, SUFFIX, DataFolders, is_in_use, lock_data_directory

PREFIX = "arena-match-"
"""Begins the names of the temporary folders of matches, which are locked as data directories are."""

GIVE_UP_SECONDS = 60.0
"""Longest pause for a fault of the machine before the match ends."""

LOOK_SECONDS = 0.5
"""How often to look for pauses, and for programs that have ended."""

DRAW_SECONDS = 0.25
"""Time between two drawings of the table in a terminal."""

DRAW_SHARE = 20.0
"""Ratio of that time to the duration of the last drawing, which grows with the number of games."""

LINE_SECONDS = 10.0
"""Time between two lines of progress where the output is no terminal."""


class CannotPlay(NamedTuple):
    """Why a match cannot be played."""

    sentence: str
    wrote: str = ""
    """The last lines that the program to blame wrote on stderr."""
    name: str = ""
    """The player to blame."""

    @property
    def text(self) -> str:
        """Return the sentence with the lines of the program behind it."""
        return "\n".join((self.sentence, *(f"  | {printable(line)}" for line in self.wrote.splitlines())))


async def hold(
    setup: MatchSetup, results: Path | None, records: Path | None, dask: str, console: Console
) -> tuple[MatchProgress, bool]:
    """Play what is left of a match, show its table, and return how far it has come, and whether a signal has ended it.

    ``results`` is the file of its ledger, ``records`` the folder of the records of its games; None: they are not kept.
    ``dask`` is the address of a cluster that plays the games; empty for this machine. Raises
    `engine.commands.program.Rejected`.
    """
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder,
        lock_data_directory(Path(folder)),
        _opened_ledger(results or Path(folder) / "results.sqlite3", setup) as (store, contest),
        trio.open_signal_receiver(*stop_signals()) as signals,
    ):
        await _remove_left()
        match = _Match(setup, store, contest, Path(folder), records, console)
        interrupted = False
        if match.fault is None and not match.progress.is_complete:
            async with trio.open_nursery() as nursery:

                async def stop_by_signal() -> None:
                    nonlocal interrupted
                    await anext(signals)
                    interrupted = True
                    nursery.cancel_scope.cancel()

                nursery.start_soon(stop_by_signal)
                try:
                    await match.run(dask)
                except* OSError as group:
                    match.give_up(CannotPlay(f"the match cannot go on: {explain_fault(next(leaves(group)))}"))
                nursery.cancel_scope.cancel()
        if match.fault is not None:
            raise Rejected(match.fault.text, FAILED)
        return match.progress, interrupted


async def _remove_left() -> None:
    """End the programs of matches that were killed, and delete their folders."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if can_lock() else ():
        if (folder / LOCK).exists() and not is_in_use(folder):
            await end_left_programs(folder)
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _opened_ledger(path: Path, setup: MatchSetup) -> Iterator[tuple[Store, int]]:
    """Open the ledger of a match, and its contest; raises `engine.commands.program.Rejected` for another match."""
    place, text = f"--results {path}", msgspec.json.encode(setup.setting).decode()
    with opened_alone(path, place, "match"), ExitStack() as stack:
        try:
            store = stack.enter_context(closing(Store(path)))
            for earlier in store.contests():
                before = decode(store.opened_with(earlier.id)[0], type=Setting)
                if differ := differences(before, setup.setting):
                    raise Rejected(
                        f"{place}: this file holds another match (different: {differ}); name another file, "
                        "or ask for the same"
                    )
            contest = store.open_contest(text, setup.definition, datetime.now(UTC))
        except (BadStore, msgspec.DecodeError) as error:
            raise Rejected(f"{place}: this is no file of a match: {error}") from None
        for number in store.begun(contest):
            store.forget(contest, number)
        store.redefine(contest, setup.definition)
        yield store, contest


class _Match:
    """A match while its games are played."""

    def __init__(
        self, setup: MatchSetup, store: Store, contest: int, data: Path, records: Path | None, console: Console
    ) -> None:
        self._setup = setup
        self._store = store
        self._contest = contest
        self._data = data
        self._records = records
        self._console = console
        self._numbers = {fixture: number for number, fixture in enumerate(setup.fixtures, 1)}
        self._started: set[str] = set()
        """Players who have played a game."""
        self._absences: Counter[str] = Counter()
        """Games since the beginning that players did not come to."""
        self._playing: Mapping[Fixture, int | None] = {}
        """Games that are being played, with their matches."""
        self._ending: dict[int, GameResult] = {}
        """Games that are over by match, whose programs may still write on stderr."""
        self.progress = MatchProgress(MatchTally(setup.names, setup.test), len(setup.fixtures))
        self.fault: CannotPlay | None = None
        self._stop = trio.CancelScope()
        self._say(title(setup))
        for game in counted_games(store.games(contest)):
            self._add(game)
        if count := self.progress.tally.count:
            self._say(f"going on after {number_of(count, 'game')}")

    async def run(self, dask: str) -> None:
        """Play all games that are not over, until the test ends the match or `fault` says why there are no more."""
        if not dask and (why := await trio.to_thread.run_sync(contest_obstacle, self._setup.definition)):
            self.give_up(CannotPlay(why))
            return
        async with (
            private_arena(self._data, program(), self._store.last_match()) as (arena, _, seats),
            connected_cluster(dask, self._setup.definition) as cluster,
            trio.open_nursery() as nursery,
        ):
            runner = Runner(
                Ledger(self._contest, self._store, arena.record_store, seats, self._keep), arena, seats, cluster
            )
            self._playing = runner.playing
            nursery.start_soon(self._show)
            nursery.start_soon(self._watch, arena)
            try:
                with self._stop:
                    await runner.run()
            finally:
                self._playing = {}
                self._keep_logs()
            nursery.cancel_scope.cancel()
        if self.fault is not None and (name := self.fault.name):
            # the games that the player has lost without a start do not count when the match goes on
            self._store.intervene(
                self._contest, lambda number: Intervention(number, datetime.now(UTC), Kind.REINSTATE, name, stage=0)
            )

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    async def _show(self) -> None:
        """Show the table in a terminal, and elsewhere a line now and then."""
        if self._console.is_terminal:
            with Live(console=self._console, auto_refresh=False, transient=True) as live:
                while True:
                    began = trio.current_time()
                    live.update(Text("\n".join(table(self.progress, self._setup.test))), refresh=True)
                    await trio.sleep(max(DRAW_SECONDS, DRAW_SHARE * (trio.current_time() - began)))
        while True:
            await trio.sleep(LINE_SECONDS)
            self._say(self.progress.line)

    async def _watch(self, arena: Arena) -> None:
        """Keep the logs of programs that have ended, and end the match after a long pause."""
        reason, since = "", 0.0
        while True:
            await trio.sleep(LOOK_SECONDS)
            self._keep_logs()
            presence = ContestPlayers.of(arena).present.get(self._contest)
            pause = None if presence is None else presence.paused
            if pause is None:
                reason = ""
            elif not reason:
                reason, since = pause.reason, trio.current_time()
                self._say(f"the match waits: {reason}")
            elif trio.current_time() - since > GIVE_UP_SECONDS:
                self.give_up(CannotPlay(reason))

    def give_up(self, fault: CannotPlay) -> None:
        """End the match."""
        self.fault = self.fault or fault
        self._stop.cancel()

    def _add(self, game: GameResult) -> None:
        """Count a game; one that was set aside ends the match, also when it is to go on."""
        if (number := self._numbers.get(game.fixture)) is None:
            return
        if game.termination == SET_ASIDE:
            self.give_up(CannotPlay(f"game {number} cannot be played: {game.detail}"))
            return
        self.progress.tally.add(played_game(self._setup.definition, number, game))
        self._started.update(game.fixture.players if game.played else ())

    def _keep(self, game: GameResult) -> None:
        """Count a game that the ledger has, and keep its record."""
        if (match := self._playing.get(game.fixture) or game.match) is not None:
            self._ending[match] = game
        if game.termination in ANNULLED:
            return
        self._add(game)
        if game.match is not None:
            self._move(DataFolders(self._data).record(game.match), f"{self._numbers[game.fixture]}{SUFFIX}")
        for loss in () if game.played else losses(self._setup.definition, game):
            self._absences[loss.name] += 1
            # the games of a player that run at a time fail together where its program cannot be started
            running = sum(loss.name in fixture.players for fixture in self._playing if fixture != game.fixture)
            if loss.name not in self._started and self._absences[loss.name] > running:
                wrote = "" if match is None else last_lines(self._data, self._contest, match, loss.name)
                self.give_up(CannotPlay(game.detail, wrote, loss.name))

    def _keep_logs(self) -> None:
        """Move what programs wrote on stderr, in games whose programs have ended, to the folder of records.

        The sentence of a loss on time gets the place where the bot stood.
        """
        for match, game in list(self._ending.items()):
            if game.fixture in self._playing:
                continue
            del self._ending[match]
            for name in game.fixture.players:
                log = errors_of(self._data, self._contest, match, name)
                words = last_lines(self._data, self._contest, match, name)
                if game.termination == Termination.TIME and LOST_ON_TIME in words:
                    place = words.rpartition(LOST_ON_TIME)[2].partition("\n")[0]
                    self.progress.tally.explain(self._numbers[game.fixture], place)
                if game.termination in ANNULLED:
                    log.unlink(missing_ok=True)
                else:
                    self._move(log, f"{self._numbers[game.fixture]}-{name}.log")

    def _move(self, path: Path, name: str) -> None:
        """Move a file to the folder of records, or delete it where records are not kept."""
        if not path.exists():
            return
        if self._records is not None:
            new = self._records / f"{name}.new"
            new.write_bytes(path.read_bytes())
            new.replace(self._records / name)
        path.unlink()
