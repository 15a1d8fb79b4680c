"""The command line of ``arena-bot match``; `bots.cli` finds it as an entry point of the distribution.

Exit statuses: 0 played to its end, with --sprt only if H1 was accepted; 1 could not be played; 2 wrong usage; 3 --sprt
accepted H0; 4 --sprt came to no decision in all games; 5 --strict and the first player lost a game by a fault; 130
Ctrl-C.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from engine.commands import reports
from engine.commands.inputs import say_interpreted
from engine.commands.program import Rejected, explain_fault
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import BadParameters
from engine.match.clock import TimeControl
from engine.statistics.elo import MAX_ELO, Decision, Sprt
from engine.system import usable_cores
from server.config.declared import Range
from server.config.settings import BUDGET, INCREMENT, MOVE_LIMIT
from server.contest.contest_file import MAX_OPENING_PLIES
from server.contest.definition import SEED, Sandbox
from server.contest.openings import BadOpening
from server.storage.disk import SUFFIX

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
File = Annotated[str | None, Parameter(allow_leading_hyphen=True)]

PLAYED, NOT_STRONGER, UNDECIDED, AT_FAULT, INTERRUPTED = 0, 3, 4, 5, 130
"""Exit statuses."""

GAMES_USUALLY, GAMES_OF_TEST = 100, 10_000
"""Games of two players where nothing is said: without a test, and at most with one."""

MAX_PLAYERS = 50

START_SECONDS = 60
"""How long the first word of a program is waited for, as in contests."""


def match(
    *players: str,
    game: str = USUAL_GAME,
    params: Annotated[list[str] | None, Parameter(negative=())] = None,
    games: int | None = None,
    budget: int = 10_000,
    increment: int = 100,
    sprt: Annotated[tuple[float, float] | None, Parameter(negative=())] = None,
    concurrency: int | None = None,
    seed: int = 1,
    plies: int | None = None,
    move_limit: int = 1000,
    results: Path | None = None,
    records: Path | None = None,
    json: File = None,
    junit: File = None,
    strict: Flag = False,
    sandbox: Flag = False,
    folder: Annotated[list[Path] | None, Parameter(negative=())] = None,
    dask: str = "",
) -> None:
    """Play two or more players of this machine against each other, and say who is stronger, and how sure that is.

    Each opening is played twice with colours swapped. A player is a Python file with a function choose(position,
    clocks) or one that calls play(), a command in quotes, or a built-in bot: random, alphabeta, alphabeta:3. The path
    of a file may have blanks. With NAME=PLAYER it gets a name. Exit status: 0 played to its end, and with --sprt the
    first player is stronger; 1 could not be played; 2 wrong usage; 3 with --sprt it is not stronger; 4 with --sprt the
    test is undecided; 5 with --strict it lost a game by a fault; 130 stopped by Ctrl-C.

    Parameters
    ----------
    players
        Two or more: a file, a command in quotes, or a built-in bot. More than two play a round robin.
    game
        The game.
    params
        Its variant, as in 4,4,15,15; again for each further one, which are played in turn.
    games
        Games that every two players play, 100 when left out, and at most 10000 with --sprt.
    budget
        Milliseconds that a side has for the whole game.
    increment
        Milliseconds that a move adds.
    sprt
        Two differences in Elo of a sequential test, as in --sprt 0 20. The match ends when the test decides whether the
        first player is stronger by less than the first difference, or by more than the second one.
    concurrency
        Games at a time; one a core when left out.
    seed
        Of the random moves of the openings.
    plies
        Random moves of an opening; what suits the game when left out, 0 for none.
    move_limit
        A game is a draw after so many moves of both sides.
    results
        File to keep the results in. The same command goes on where the file ends.
    records
        Folder for the record of each game, and for what the players wrote on stderr.
    json
        File for the results as JSON; - is stdout, and the table then goes to stderr.
    junit
        File for the results as JUnit's XML, for CI systems.
    strict
        Fail, too, where the first player loses a game by a crash, an illegal move or on time.
    sandbox
        Run the players in sandboxes, as contests do.
    folder
        Working directory of the first player, which is visible in its sandbox; again for the second player, and so on.
        Use it for two versions whose files have the same names.
    dask
        Address of a dask scheduler, as in tcp://10.0.0.1:8786, whose workers play the games.
    """
    # loading these takes a while, and arena-bot --help loads this module
    import trio
    from rich.console import Console

    from server.commands.match.results import as_json, as_junit, fault_lines, table
    from server.commands.match.run import hold
    from server.commands.match.setup import make_setup, read_players
    from server.config import process_settings
    from server.contest.hosts.arena_host import games_to_compile
    from server.ops.logs import configure

    for option, allowed, value in (
        ("budget", BUDGET, budget), ("increment", INCREMENT, increment), ("seed", SEED, seed),
        ("move-limit", MOVE_LIMIT, move_limit), ("concurrency", Range(1, 1000), concurrency),
        ("plies", Range(0, MAX_OPENING_PLIES), plies), ("games", Range(2, 100_000), games),
    ):  # fmt: skip
        if value is not None and (fault := allowed.fault(option, value)):
            raise Rejected(fault)
    if not 2 <= len(players) <= MAX_PLAYERS:
        what = "arena-bot match mybot.py alphabeta:1"
        raise Rejected(f"a match has 2 to {MAX_PLAYERS} players, not {len(players)}, as in {what}")
    variants = _variants(game, params)
    test = _test(sprt, len(players))
    _check_files({"--json": json, "--junit": junit}, results, records)
    setup = make_setup(
        read_players(players, Path.cwd(), folder or ()),
        game, variants, TimeControl.of_milliseconds(budget, increment),
        plies=plies, seed=seed, games=_games(games, len(variants), test),
        concurrency=concurrency or (0 if dask else len(usable_cores())),
        move_limit=move_limit, start_seconds=START_SECONDS,
        sandbox=Sandbox.SEALED if sandbox else Sandbox.NONE, test=test, folder=str(Path.cwd()),
    )  # fmt: skip
    try:
        for variant in setup.definition.variants:
            variant.position(0)
    except BadOpening as error:
        raise Rejected(str(error)) from None
    if games_to_compile(setup.definition):
        say_interpreted()
    configure(quiet=True)
    process_settings.prepare_server()
    console = Console(stderr="-" in (json, junit))
    progress, is_interrupted = trio.run(hold, setup, results, records, dask, console)
    tally = progress.tally
    for line in (*table(progress, test), *fault_lines(tally.rows())):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if is_interrupted:
        again = "the same command goes on" if results else "with --results FILE the same command would go on"
        print(f"stopped by Ctrl-C; {again}", file=sys.stderr)
        status = INTERRUPTED
    elif test is not None and tally.pairs.decision is not Decision.H1:
        status = NOT_STRONGER if tally.pairs.decision is Decision.H0 else UNDECIDED
    else:
        status = AT_FAULT if strict and tally.rows()[0].faults else PLAYED
    reports.write("--json", json, lambda: as_json(setup, progress, status))
    reports.write("--junit", junit, lambda: as_junit(setup, progress, strict=strict))
    sys.exit(status)


def _variants(game: str, params: Sequence[str] | None) -> tuple[str, ...]:
    """Return the parameters of the variants, in canonical text; raises `Rejected`."""
    if game not in GAMES:
        raise Rejected(f"--game: {unknown_game(game)}")
    rules = GAMES[game]
    try:
        found = [rules.parameters(text.replace(",", " ")) for text in params or [rules.default_parameters]]
    except BadParameters as error:
        raise Rejected(f"--params: {error}") from None
    return tuple(found)


def _test(sprt: tuple[float, float] | None, players: int) -> Sprt | None:
    """Return the sequential test; raises `Rejected`."""
    if sprt is None:
        return None
    if players != 2:
        raise Rejected(f"--sprt compares two players, and there are {players}")
    if not -MAX_ELO <= sprt[0] < sprt[1] <= MAX_ELO:
        sentence = f"two differences in Elo, the smaller one first, within {MAX_ELO:.0f}, as in --sprt 0 20"
        raise Rejected(f"--sprt is {sprt[0]:g} {sprt[1]:g}; it has to be {sentence}")
    return Sprt(*sprt)


def _games(asked: int | None, variants: int, test: Sprt | None) -> int:
    """Return how many games two players have, a multiple of a meeting's; raises `Rejected`."""
    meeting = 2 * variants
    if asked is None:
        return -(-(GAMES_USUALLY if test is None else GAMES_OF_TEST) // meeting) * meeting
    if asked % meeting:
        which = "" if variants == 1 else f" in each of {variants} variants"
        low = asked - asked % meeting
        right = f"{low} or {low + meeting}" if low else f"{meeting}"
        raise Rejected(f"--games is {asked}, but games come in pairs{which}: {right} would be right")
    return asked


def _check_files(reports_: dict[str, str | None], results: Path | None, records: Path | None) -> None:
    """Refuse files that cannot be written, before the work of hours; raises `Rejected`."""
    reports.check_files({**reports_, "--results": None if results is None else str(results)})
    if records is None:
        return
    try:
        records.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Rejected(f"--records: {explain_fault(error)}") from None
    resumes = results is not None and results.is_file() and results.stat().st_size > 0
    if not resumes and any(path.stem.isdecimal() for path in records.glob(f"*{SUFFIX}")):
        raise Rejected(f"--records: the folder {records} has the records of another match; name an empty one")
