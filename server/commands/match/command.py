"""The command line of ``arena-bot match``; `bots.cli` finds it as an entry point of the distribution.

Exit statuses: 0 played to its end, with --sprt only if H1 was accepted; 1 could not be played; 2 wrong usage; 3 --sprt
accepted H0; 4 --sprt came to no decision in all games; 5 --strict and the first player lost a game by a fault; 130
Ctrl-C.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from cyclopts import Parameter

from engine.clock import TimeControl
from engine.commands import reports
from engine.commands.program import Rejected, usable_cores
from engine.commands.usage_errors import explain_fault, nearest
from engine.duel.statistics import MAX_ELO, Decision, Sprt
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game, variant_title
from engine.games.interface import BadParameters
from server.config.declared import Range
from server.config.settings import BUDGET, INCREMENT, MOVE_LIMIT
from server.contest.contest_file import MAX_OPENING_PLIES
from server.contest.definition import SEED, Sandbox
from server.contest.formats.openings import BadOpening
from server.storage.disk import SUFFIX

if TYPE_CHECKING:
    from server.commands.match.run import MatchEnd
    from server.commands.match.setup import MatchSetup

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
File = Annotated[str | None, Parameter(allow_leading_hyphen=True)]

PLAYED, FAILED, WRONG_USAGE, NOT_STRONGER, UNDECIDED, AT_FAULT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
"""Exit statuses."""

GAMES_USUALLY, GAMES_OF_TEST = 100, 10_000
"""Games of two players where nothing is said: without a test, and at most with one."""

MAX_PLAYERS = 50

START_SECONDS = 60
"""How long the first word of a program is waited for, as in contests."""

GAMES_OF_TWO = Range(2, 100_000, "games")
CONCURRENCY = Range(1, 1000, "games at a time")
PLIES = Range(0, MAX_OPENING_PLIES, "random moves")


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
    clocks) or one that calls play(), a command in quotes, or a built-in bot: random, alphabeta, alphabeta:3. With
    NAME=PLAYER it gets a name. Exit status: 0 played to its end, and with --sprt the first player is stronger; 1 could
    not be played; 2 wrong usage; 3 with --sprt it is not stronger; 4 with --sprt that is open; 5 with --strict it lost
    a game by a fault; 130 stopped by Ctrl-C.

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
        Two differences in Elo: end as soon as it is clear whether the first player is stronger than the second by less
        than the first or more than the second of them, as in --sprt 0 20.
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
        Folder that the first player is started in, and of which it sees all in its sandbox; again for the second one,
        and so on. So two versions whose files have the same names can meet.
    dask
        Address of a dask scheduler, as in tcp://10.0.0.1:8786, whose workers play the games.
    """
    try:
        _check_range("budget", BUDGET, budget)
        _check_range("increment", INCREMENT, increment)
        _check_range("seed", SEED, seed)
        _check_range("move-limit", MOVE_LIMIT, move_limit)
        if concurrency is not None:
            _check_range("concurrency", CONCURRENCY, concurrency)
        if plies is not None:
            _check_range("plies", PLIES, plies)
        variants = _variants(game, params)
        test = _test(sprt, len(players))
        count = _games(games, len(variants), test)
        at_once = concurrency or (0 if dask else usable_cores())
        _check_files({"--json": json, "--junit": junit}, results, records)
        setup = _setup(
            players, folder or (), game, variants, (budget, increment),
            plies=plies, seed=seed, games=count, concurrency=max(1, at_once),
            move_limit=move_limit, sandbox=sandbox, test=test,
        )  # fmt: skip
        end = _hold(setup, results, records, at_once, dask, to_stderr="-" in (json, junit))
    except Rejected as error:
        _fail(str(error), WRONG_USAGE)
    status = _status(setup, end, strict=strict)
    _write_reports(setup, end, status, json, junit, strict=strict)
    sys.exit(status)


def _setup(
    texts: Sequence[str],
    folders: Sequence[Path],
    game: str,
    variants: Sequence[str],
    time: tuple[int, int],
    *,
    plies: int | None,
    seed: int,
    games: int,
    concurrency: int,
    move_limit: int,
    sandbox: bool,
    test: Sprt | None,
) -> "MatchSetup":
    """Return the match with its players; raises `Rejected`."""
    from server.commands.match.players import BadPlayer, read_players
    from server.commands.match.setup import make_setup

    if not 2 <= len(texts) <= MAX_PLAYERS:
        what = "arena-bot match mybot.py alphabeta:1"
        raise Rejected(f"a match has 2 to {MAX_PLAYERS} players, not {len(texts)}, as in {what}")
    if len(folders) > len(texts):
        raise Rejected(f"--folder is given {len(folders)} times, for {len(texts)} players")
    for own in folders:
        if not own.is_dir():
            raise Rejected(f"--folder: there is no folder {own}")
    folder = Path.cwd()
    try:
        setup = make_setup(
            read_players(texts, folder, [own.absolute() for own in folders]),
            game, variants, TimeControl.of_milliseconds(*time),
            plies=plies, seed=seed, games=games, concurrency=concurrency,
            move_limit=move_limit, start_seconds=START_SECONDS,
            sandbox=Sandbox.SEALED if sandbox else Sandbox.NONE, test=test, folder=str(folder),
        )  # fmt: skip
        for openings in setup.openings.values():
            openings.position(0)
    except (BadPlayer, BadOpening) as error:
        raise Rejected(str(error)) from None
    return setup


def _hold(
    setup: "MatchSetup", results: Path | None, records: Path | None, concurrency: int, dask: str, *, to_stderr: bool
) -> "MatchEnd":
    """Play the match, and print its table; ends the command where it cannot be played."""
    import trio
    from rich.console import Console

    from engine.commands.game_files import opened_to_append
    from server.commands.match import output
    from server.commands.match.games import CannotPlay
    from server.commands.match.run import FILE, MatchFiles, hold
    from server.config import process_settings
    from server.ops.logs import configure

    configure(quiet=True)
    console = Console(stderr=to_stderr)

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    say(output.title(setup))
    faults: list[Exception] = []
    with opened_to_append(results, f"--results {results}", FILE) as file:
        process_settings.prepare_server()
        try:
            end = trio.run(hold, setup, MatchFiles(file, records), concurrency, dask, console)
        except* BadOpening as group:
            raise Rejected(str(_leaves(group)[0])) from None
        except* (CannotPlay, OSError) as group:
            faults = _leaves(group)
    if faults:
        _fail(_sentence(faults[0]), FAILED)
    lines = [*output.table(end.progress, setup.test), *output.fault_lines(end.progress.tally.rows())]
    for line in lines:
        say(line)
    if end.interrupted:
        again = "the same command goes on" if results else "with --results FILE the same command would go on"
        print(f"stopped by Ctrl-C; {again}", file=sys.stderr)
    return end


def _sentence(fault: Exception) -> str:
    """Say why a match could not be played, with what the program to blame has written."""
    from server.contest.report.formatting import printable

    wrote = getattr(fault, "wrote", "")
    sentence = explain_fault(fault)
    return "\n".join([sentence, *(f"  | {printable(line)}" for line in wrote.splitlines())])


def _status(setup: "MatchSetup", end: "MatchEnd", *, strict: bool) -> int:
    """Return the exit status of a match."""
    tally = end.progress.tally
    if end.interrupted:
        return INTERRUPTED
    if setup.test is not None and tally.decision is not Decision.H1:
        return NOT_STRONGER if tally.decision is Decision.H0 else UNDECIDED
    return AT_FAULT if strict and tally.rows()[0].faults else PLAYED


def _write_reports(
    setup: "MatchSetup", end: "MatchEnd", status: int, json: str | None, junit: str | None, *, strict: bool
) -> None:
    from server.commands.match import output

    try:
        if json:
            reports.write(json, output.as_json(setup, end.progress, status))
        if junit:
            reports.write(junit, output.as_junit(setup, end.progress, strict=strict))
    except OSError as error:
        _fail(f"a report cannot be written: {explain_fault(error)}", FAILED)


def _variants(game: str, params: Sequence[str] | None) -> tuple[str, ...]:
    """Return the parameters of the variants, in canonical text; raises `Rejected`."""
    if game not in GAMES:
        raise Rejected(f"--game: {unknown_game(game)}{nearest(game, [*GAMES])}")
    rules = GAMES[game]
    try:
        found = [rules.parameters(text.replace(",", " ")) for text in params or [rules.default_parameters]]
    except BadParameters as error:
        raise Rejected(f"--params: {error}") from None
    for parameters in found:
        if rules.start(parameters).verdict() is not None:
            raise Rejected(f"--params: {variant_title(f'{game} {parameters}')} is over before it begins")
    if len(set(found)) < len(found):
        raise Rejected("--params names a variant twice")
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
    from server.commands.match.setup import games_in_meeting

    meeting = games_in_meeting(variants)
    if asked is None:
        return -(-(GAMES_USUALLY if test is None else GAMES_OF_TEST) // meeting) * meeting
    _check_range("games", GAMES_OF_TWO, asked)
    if asked % meeting:
        which = "" if variants == 1 else f" in each of {variants} variants"
        low = asked - asked % meeting
        right = f"{low} or {low + meeting}" if low else f"{meeting}"
        raise Rejected(f"--games is {asked}, but games come in pairs{which}: {right} would be right")
    return asked


def _check_range(option: str, allowed: Range, value: int) -> None:
    if fault := allowed.fault(option, value):
        raise Rejected(fault)


def _check_files(reports_: dict[str, str | None], results: Path | None, records: Path | None) -> None:
    """Refuse files that cannot be written, before the work of hours; raises `Rejected`."""
    if fault := reports.not_writable_of(reports_):
        raise Rejected(fault)
    if results is not None and (fault := reports.not_writable(str(results))):
        raise Rejected(f"--results: {fault}")
    if records is not None:
        try:
            records.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Rejected(f"--records: {explain_fault(error)}") from None
        if not os.access(records, os.W_OK | os.X_OK):
            raise Rejected(f"--records: the folder {records} may not be written")
        resumes = results is not None and results.is_file() and results.stat().st_size > 0
        if not resumes and any(path.stem.isdecimal() for path in records.glob(f"*{SUFFIX}")):
            raise Rejected(f"--records: the folder {records} has the records of another match; name an empty one")


def _leaves(error: BaseException) -> list[Exception]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    assert isinstance(error, Exception)
    return [error]


def _fail(sentence: str, status: int) -> NoReturn:
    print(f"arena-bot: {sentence}", file=sys.stderr)
    sys.exit(status)
