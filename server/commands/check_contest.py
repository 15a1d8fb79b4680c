"""``arena-server contest FILE --check``: tests every program of a contest in a short game.

The programs are started as in the contest, in an arena of their own over a directory that is gone afterwards. Nothing
is opened, and nothing is kept.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import trio
from msgspec.structs import replace

from engine.games.catalogue import variant_title
from engine.games.outcome import Termination
from engine.wire.words import number_of
from server.arena.arena import Arena
from server.arena.matchmaking import Seek
from server.arena.roles import Player
from server.config.builtin_bot import BUILTIN_BOTS
from server.contest.definition import Definition, Entrant
from server.contest.fixtures import Fixture
from server.contest.hosts.arena_host import ArenaHost, GameSeating
from server.contest.hosts.contest_players import ContestPlayers, ProgramCredential
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


class Found(NamedTuple):
    """The result of a short game with a program."""

    ok: bool
    sentence: str
    wrote: str = ""
    """The last lines of the program on stderr; empty if nothing is wrong."""


class _TimedPlayers(ContestPlayers):
    """Contest players that measure the time until the first request of each program."""

    def __init__(self) -> None:
        super().__init__()
        self.first_word: dict[str, float] = {}
        """Seconds from the start of a program to its first request, by name."""
        self._started: dict[str, tuple[ProgramCredential, float]] = {}

    def issue(self, name: str) -> ProgramCredential:
        ticket = super().issue(name)
        self._started[name] = (ticket, trio.current_time())
        return ticket

    def offers(self, player: Player, seek: Seek | None, *, rated: bool = False) -> bool:
        taken = super().offers(player, seek, rated=rated)
        for name, (ticket, since) in self._started.items():
            if ticket.here.is_set() and ticket.player is player:
                self.first_word.setdefault(name, trio.current_time() - since)
        return taken


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
        if entrant.connects:
            say(f"{entrant.name:{width}}  connects by itself: not checked")
            continue
        if entrant.version_of:
            say(f"{entrant.name:{width}}  a version of {entrant.version_of}, which is chosen later: not checked")
            continue
        found = await _check(definition, entrant, number)
        failed += not found.ok
        say(f"{entrant.name:{width}}  {'ok' if found.ok else 'NOT OK'}: {formatting.printable(found.sentence)}")
        for line in found.wrote.splitlines():
            say(f"{'':{width}}    | {formatting.printable(line)}")
    checked = sum(bool(entrant.command) for entrant in definition.entrants)
    if failed:
        say(f"{failed} of {number_of(checked, 'program')} cannot play as they are")
    else:
        say(f"all {number_of(checked, 'program')} have played" if checked else "there is no program to be checked")
    return min(failed, 1)


async def _check(definition: Definition, entrant: Entrant, number: int) -> Found:
    """Play a game in each variant with a program, until one fails."""
    rules = definition.qualification
    kinds = rules.opponents if rules is not None else BUILTIN_BOTS[::-1]
    opponents = [kind for kind in kinds if definition.entrant(kind) is None]
    opponents = opponents or [kind for kind in kinds if kind != entrant.name]
    opponent = opponents[number % len(opponents)] if rules is not None else opponents[0]
    # it sees what it will see in the contest, and so the others belong to it; but the opponent is a built-in bot
    others = tuple(other for other in definition.entrants if other.name != opponent)
    short = replace(definition, entrants=others, move_limit=PLIES, interventions=())
    moves, seconds = 0, []
    for variant in range(len(definition.variants)):
        fixture = Fixture(0, 1, variant, 0, 0, (entrant.name, opponent))
        with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
            async with private_arena(Path(folder), program()) as (arena, _, seats):
                contest_players = arena.contest_players = _TimedPlayers()
                found, played = await _play(short, fixture, arena, seats)
                if not found.ok:
                    name = variant_title(definition.variants[variant].name)
                    where = f"in {name}: " if len(definition.variants) > 1 else ""
                    lines = last_lines(Path(folder), CONTEST, 1, entrant.name).splitlines()[-MAX_LINES:]
                    called = (
                        f"; called as {quote_command(entrant.command)} in {Path(definition.folder) / entrant.folder}"
                    )
                    return Found(False, f"{where}{found.sentence}{called}", "\n".join(lines))
                moves += played
                seconds.append(contest_players.first_word.get(entrant.name, 0.0))
    games = number_of(len(seconds), "game")
    return Found(True, f"first word after {max(seconds):.1f} s, {number_of(moves, 'move')} in {games}")


async def _play(definition: Definition, fixture: Fixture, arena: Arena, seats: GameSeating) -> tuple[Found, int]:
    """Play a short game; return the result of the side that moves first, and its number of moves."""
    name = fixture.players[0]
    try:
        async with ArenaHost(arena, seats).play(GameTask(CONTEST, definition, fixture, 1)) as hosted:
            assert hosted is not None
            game, match = await hosted.result(), hosted.match
    except PlayerMissing as error:
        return Found(False, str(error)), 0
    moves = sum(moved.side == match.state.sides[0] for moved in match.state.shown)
    if game.termination == Termination.SERVER_FAULT:
        return Found(False, f"the game could not be played: {game.detail}"), moves
    for loss in losses(definition, game):
        if loss.name == name and (is_late(loss.cause) or loss.cause in PROBLEMS):
            sentence = f"{loss.cause.replace('_', ' ')} after {number_of(moves, 'move')}: {loss.sentence}"
            return Found(False, sentence), moves
    return Found(True, ""), moves
