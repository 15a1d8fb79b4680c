"""``arena-server contest FILE --check``: tests every program of a contest in a short game.

The check is the qualification of a contest of its own, with games of a few plies, over a directory that is gone
afterwards.
"""

import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import trio
from msgspec.structs import replace

from engine.games.catalogue import variant_title
from engine.wire.words import number_of
from server.config.builtin_bot import BUILTIN_BOTS
from server.contest.definition import Definition, Qualification
from server.contest.fixtures import QUALIFICATION, GameResult
from server.contest.hosts.game_worker import private_arena
from server.contest.plan import plan
from server.contest.programs.program import quote_command
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.programs.sandbox.cores import Cores
from server.contest.report import formatting
from server.contest.report.progress import forecast
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Runner
from server.contest.scoring import Cause, is_late, losses
from server.contest.store.folders import last_lines
from server.contest.store.store import FILE, Store
from server.ops.program_version import program

PLIES = 10
"""Moves of both sides after which a game that checks a program is over."""

MAX_LINES = 8
"""Lines of what a program wrote on stderr that are shown where something is wrong with it."""

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
    say(forecast(definition, Cores().count))
    width = max(len(entrant.name) for entrant in definition.entrants)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
        faults = await _play(short_contest(definition), Path(folder))
        for entrant in definition.entrants:
            if not entrant.command:
                later = f"a version of {entrant.version_of}, which is chosen later"
                say(f"{entrant.name:{width}}  {later if entrant.version_of else 'connects by itself'}: not checked")
            elif entrant.name not in faults:
                games = number_of(len(definition.variants), "variant")
                say(f"{entrant.name:{width}}  ok: it has played in {games}")
            else:
                failed += 1
                fault, lines = faults[entrant.name]
                say(f"{entrant.name:{width}}  NOT OK: {formatting.printable(fault)}")
                for line in lines:
                    say(f"{'':{width}}    | {formatting.printable(line)}")
    checked = sum(bool(entrant.command) for entrant in definition.entrants)
    if failed:
        say(f"{failed} of {number_of(checked, 'program')} cannot play as they are")
    else:
        say(f"all {number_of(checked, 'program')} have played" if checked else "there is no program to be checked")
    return min(failed, 1)


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


class _CheckLedger(Ledger):
    """A ledger that gives up at the first fault of the machine."""

    async def pause(self, what: str, reason: str, **words: object) -> None:
        """Raise OSError."""
        raise OSError(f"{what}: {reason}")


async def _play(definition: Definition, data: Path) -> dict[str, tuple[str, list[str]]]:
    """Play the short games; return the first fault of each program that has one, and what it wrote on stderr."""
    if not definition.entrants:
        return {}
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

                runner = Runner(_CheckLedger(contest, store, record_store, host, keep), arena, host)
                await runner.run()
    faults: dict[str, tuple[str, list[str]]] = {}
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
            lines = last_lines(data, contest, match or 0, loss.name).splitlines()[-MAX_LINES:]
            faults.setdefault(loss.name, (f"in {variant}: {after}{loss.sentence}; {called}", lines))
    return faults
