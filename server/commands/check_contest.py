"""``arena-server contest FILE --check``: tests every program of a contest in a short game.

The programs are started as in the contest, in an arena of their own over a directory that is gone afterwards. Nothing
is opened, and nothing is kept.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from engine.games.catalogue import variant_title
from engine.games.outcome import Termination
from engine.wire.words import number_of
from server.config.builtin_bot import BUILTIN_BOTS
from server.contest.definition import Definition, Entrant
from server.contest.fixtures import Fixture
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.game_worker import CONTEST, private_arena
from server.contest.hosts.host import GameTask, PlayerMissing
from server.contest.hosts.precompile import precompile_bots
from server.contest.programs.program import quote_command
from server.contest.programs.sandbox.cores import Cores
from server.contest.report import formatting
from server.contest.report.progress import forecast
from server.contest.scoring.disqualification import Cause, is_late, losses
from server.contest.store.folders import last_lines
from server.ops.program_version import program

PLIES = 10
"""Moves of both sides after which a game that checks a program is over."""

MAX_LINES = 8
"""Lines of what a program wrote on stderr that are shown where something is wrong with it."""

PROBLEMS = frozenset({Cause.BAD_MOVE, Cause.RESIGN})
"""Causes of a loss that count as failures here, in addition to losses on time: no program resigns so early."""


class CheckedGame(NamedTuple):
    """The result of a short game with a program."""

    fault: str
    """What the program did wrong; empty if it can play."""
    moves: int = 0
    first_word: float = 0.0
    """Seconds from the start of the program to its first request."""


async def check(definition: Definition, say: Callable[[str], None]) -> int:
    """Check all programs, and print a line for each entrant; return 1 if any cannot play, else 0."""
    variants = ", ".join(variant_title(variant.name) for variant in definition.variants)
    openings = sum(len(variant.openings) for variant in definition.variants)
    entrants = number_of(len(definition.entrants), "entrant")
    say(f"{definition.name}: {entrants}; {variants}; {number_of(openings, 'opening')}: the file can be played")
    say(forecast(definition, Cores().count))
    width = max(len(entrant.name) for entrant in definition.entrants)
    failed = 0
    await precompile_bots(definition, beside_games=False)
    for number, entrant in enumerate(definition.entrants):
        if entrant.connects or entrant.version_of:
            later = f"a version of {entrant.version_of}, which is chosen later"
            say(f"{entrant.name:{width}}  {later if entrant.version_of else 'connects by itself'}: not checked")
            continue
        is_good, sentence, wrote = await _check(definition, entrant, number)
        failed += not is_good
        say(f"{entrant.name:{width}}  {'ok' if is_good else 'NOT OK'}: {formatting.printable(sentence)}")
        for line in wrote:
            say(f"{'':{width}}    | {formatting.printable(line)}")
    checked = sum(bool(entrant.command) for entrant in definition.entrants)
    if failed:
        say(f"{failed} of {number_of(checked, 'program')} cannot play as they are")
    else:
        say(f"all {number_of(checked, 'program')} have played" if checked else "there is no program to be checked")
    return min(failed, 1)


async def _check(definition: Definition, entrant: Entrant, number: int) -> tuple[bool, str, list[str]]:
    """Play a game in each variant with a program, until one fails.

    Return whether the program can play, a sentence, and what it wrote on stderr if it cannot.
    """
    rules = definition.qualification
    kinds = rules.opponents if rules is not None else BUILTIN_BOTS[::-1]
    opponents = [kind for kind in kinds if definition.entrant(kind) is None]
    opponents = opponents or [kind for kind in kinds if kind != entrant.name]
    opponent = opponents[number % len(opponents)] if rules is not None else opponents[0]
    # it sees what it will see in the contest, and so the others belong to it; but the opponent is a built-in bot
    others = tuple(other for other in definition.entrants if other.name != opponent)
    short = replace(definition, entrants=others, move_limit=PLIES, interventions=())
    moves, seconds = 0, 0.0
    for variant, played in enumerate(definition.variants):
        fixture = Fixture(0, 1, variant, 0, 0, (entrant.name, opponent))
        with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
            found = await _play(short, fixture, Path(folder))
            if found.fault:
                where = f"in {variant_title(played.name)}: " if len(definition.variants) > 1 else ""
                called = f"called as {quote_command(entrant.command)} in {Path(definition.folder) / entrant.folder}"
                lines = last_lines(Path(folder), CONTEST, 1, entrant.name).splitlines()[-MAX_LINES:]
                return False, f"{where}{found.fault}; {called}", lines
        moves += found.moves
        seconds = max(seconds, found.first_word)
    games = number_of(len(definition.variants), "game")
    return True, f"first word after {seconds:.1f} s, {number_of(moves, 'move')} in {games}", []


async def _play(definition: Definition, fixture: Fixture, folder: Path) -> CheckedGame:
    """Play a short game in a data directory, in which nothing else is."""
    name = fixture.players[0]
    async with private_arena(folder, program()) as (arena, _, seats):
        try:
            async with ArenaHost(arena, seats).play(GameTask(CONTEST, definition, fixture, 1)) as hosted:
                assert hosted is not None
                game, match = await hosted.result(), hosted.match
        except PlayerMissing as error:
            return CheckedGame(str(error))
    moves = sum(moved.side == match.state.sides[0] for moved in match.state.shown)
    fault = ""
    if game.termination == Termination.SERVER_FAULT:
        fault = f"the game could not be played: {game.detail}"
    for loss in losses(definition, game):
        if loss.name == name and (is_late(loss.cause) or loss.cause in PROBLEMS):
            fault = f"{loss.cause.replace('_', ' ')} after {number_of(moves, 'move')}: {loss.sentence}"
    return CheckedGame(fault, moves, hosted.started[name].ticket.first_word)
