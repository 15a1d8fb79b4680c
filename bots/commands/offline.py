"""Commands that need no server: ``arena-bot new``, ``check``, ``replay``, ``review``, ``play`` and ``warm``."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from bots.client.errors import ArenaError
from bots.client.run import end_in_order_when_terminated
from bots.commands.league import fetch
from bots.commands.options import (
    ABOVE_0,
    POSITIVE,
    Flag,
    Port,
    Words,
    check_variant,
    fail,
    interruptible_at_once,
)
from bots.terminal.terminal_game import MAX_SECONDS, USUAL_SECONDS, play_in_terminal
from engine.commands import reports
from engine.commands.inputs import MAX_BYTES, VARIANT, File, GameName, Params, bytes_of, place_of
from engine.commands.program import Rejected, answer, explain_fault, say, split_command, whole_command
from engine.compiling.binding import can_compile
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.games.interface import Position
from engine.levels import FIRST_OPPONENT
from engine.match.record import BadRecord, decoded
from engine.match.verification import Summary, verify
from engine.wire.words import NAME_PATTERN, NAME_RULE


def new(
    name: str,
    /,
    *,
    language: Literal["python", "c", "cpp", "java", "javascript", "rust", "go"] = "python",
    game: str = USUAL_GAME,
) -> None:
    """Make a folder with a new bot: a program that plays legally, with its tests, matches and a workflow for CI.

    Parameters
    ----------
    name
        The bot's name, and that of its folder.
    language
        The language of its program.
    game
        Game that its tests and matches play; the bot plays all of them.
    """
    from bots.workbench.new_bot import PACKAGES, new_bot, write_folder

    if not re.fullmatch(NAME_PATTERN, name):
        fail(f"NAME is {name!r}; a bot's name is {NAME_RULE}", 2)
    if name in PACKAGES:
        fail(f"NAME is {name!r}: a file {name}.py would hide the package of that name; choose another name", 2)
    check_variant(game, "", "--game")
    made = new_bot(name, language, game)
    try:
        write_folder(Path(name), made)
    except FileExistsError:
        fail(f"{name} exists already, and is left as it is: choose another name, or remove it", 1)
    except OSError as error:
        fail(f"{name} cannot be made: {explain_fault(error)}", 1)
    answer(f"{name}: {', '.join(made)}")
    answer(f"next: cd {name}, and read README.md; make match plays its first match")


@end_in_order_when_terminated()
def check(
    *command: Words,
    listen: Port | None = None,
    game: str | None = None,
    only: str = "",
    build: Words = "",
    json: File = None,
    junit: File = None,
) -> None:
    """Try a bot in every situation of the protocol, and say what it does wrong.

    Parameters
    ----------
    command
        The bot and its arguments, behind --. {host}, {port}, {name} and {game} in them stand for where to connect, as
        whom, and what to seek; the bot finds the same in the variables ARENA_HOST, ARENA_PORT, ARENA_NAME, ARENA_GAME.
    listen
        Wait at this port for a bot that connects by itself, in place of starting one.
    game
        Game that the bot has to seek; any when left out.
    only
        Words of the titles of the situations to be tried; all when left out.
    build
        Command that builds the bot first; where it fails, nothing else is tried. The results as JSON tell.
    json
        File for the results as JSON; - is stdout, and the lines for people then go to stderr.
    junit
        File for the results as JUnit's XML, for CI systems.
    """
    from bots.check import run

    if bool(command) == (listen is not None):
        fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        check_variant(game, "", "--game")
    command = whole_command(command)
    files = {"--json": json, "--junit": junit}
    reports.check_files(files)
    situations = run.chosen(only)
    write = say if "-" in files.values() else answer
    built = {"command": build, "status": _build(build)} if build else None
    if built and built["status"]:
        reason = f"{build} ended with status {built['status']}"
        write(f"FAIL the build: {reason}")
        results = [run.SituationResult("the build", "failed", 0.0, reason=reason)]
    else:
        results = run.check(command, port=listen or 0, game=game, situations=situations, write=write, note=say)
    bot = shlex.join(command) or f"the bot at port {listen}"
    reports.write("--json", json, lambda: run.as_json(bot, results, built))
    reports.write("--junit", junit, lambda: run.as_junit(bot, results))
    sys.exit(0 if run.has_passed(results) else 1)


def _build(command: str) -> int:
    """Run a command, whose output goes to stderr, and return its exit status; ends ours where it is no command."""
    try:
        return subprocess.run(split_command(command), stdin=subprocess.DEVNULL, stdout=2, check=False).returncode
    except (OSError, ValueError) as error:
        fail(f"--build: {command!r} cannot be started: {explain_fault(error)}", 2)


def play(
    game: GameName = USUAL_GAME,
    /,
    *,
    params: Params = None,
    load: str | None = None,
    first: str = "person",
    second: str = f"level:{FIRST_OPPONENT}",
    time: Annotated[float, Parameter(validator=(*ABOVE_0, Number(lte=MAX_SECONDS)))] = USUAL_SECONDS,
) -> None:
    """Play in this terminal against a bot or a person, without a server. The command help lists the commands.

    Parameters
    ----------
    load
        File with a position or a saved game to begin with.
    first
        The player who begins: person, level:1 (newcomer) to level:10 (champion), bot, or bot:SECONDS.
    second
        The player of the other side; by default a beginner.
    time
        Seconds of bot and level:10 for a move.
    """
    check_variant(game, params or "", "--params")
    play_in_terminal(GAMES[game], params, load, (first, second), time)


def warm(game: GameName, params: Annotated[str, VARIANT] = "", /) -> None:
    """Compile what the alphabeta bot needs for a variant, and keep it."""
    from engine.commands.precompile import compile_for
    from engine.games.catalogue import start_of
    from engine.search.alphabeta import SEARCHING

    check_variant(game, params, "PARAMS")
    compile_for(start_of(game, params), SEARCHING)


Record = Annotated[str, Parameter(allow_leading_hyphen=True)]

DATA = Path("arena-data")
"""The data directory of a server that was told nothing else."""


def replay(
    record: Record,
    bot: str,
    /,
    *,
    ply: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    side: str | None = None,
    debugger: Flag = False,
    data: Path = DATA,
    json: File = None,
) -> None:
    """Bring a bot into each of its turns of a match, and show where it plays otherwise now.

    Each turn is told to the bot as after a lost connection: the match from its beginning, and the clocks of that time.
    A bot that does not return is interrupted when its clock is used up, and the replay ends.
    Times are in seconds. The exit status is 0 where it plays legally in time, and wherever the record has a move, plays
    that; 1 where not, and 2 where nothing could be replayed.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    bot
        A Python file that calls play or has a function choose; with arguments behind it, in quotes.
    ply
        Only the turn in which this move was made, or was to be made.
    side
        Whose turns to replay, as in white; without it those of the player who is called as the bot is.
    debugger
        Stop in Python's debugger, pdb, where the bot begins to choose, and where its clock is used up.
    data
        Data directory of a server.
    json
        File for the answers as JSON; - is stdout, and the lines for people then go to stderr.
    """
    from bots.workbench import replay as texts

    summary = _record_of(record, data)
    if debugger and record == "-":
        fail("--debugger reads standard input itself: name a file of the record", 2)
    reports.check_files({"--json": json})
    write = say if json == "-" else answer
    answers = []
    try:
        with texts.player(bot, summary.header, side, debugger=debugger) as playing:
            turns = texts.turns_of(summary, playing.side)
            chosen = [turn for turn in turns if ply in (None, turn.ply)]
            if not chosen:
                where = (
                    f"at {', '.join(str(turn.ply) for turn in turns)}" if turns else "nowhere: the match was not begun"
                )
                fail(f"{summary.header.who(playing.side)} was to move {where}", 2)
            write(summary.header.title)
            write(texts.TITLES)
            for turn in chosen:
                answers.append(playing.bot.answer(turn).compare(late_counts=not debugger))
                for line in texts.lines(answers[-1]):
                    write(line)
                if answers[-1].is_overdue:
                    write(f"the replay ends at ply {turn.ply}, with the clock of the match")
                    break
    except ArenaError as error:
        raise Rejected(str(error)) from None
    write(texts.closing(playing.name, summary, playing.side, answers))
    reports.write("--json", json, lambda: texts.as_json(playing.name, summary, playing.side, answers))
    sys.exit(0 if {answer.outcome for answer in answers} <= {texts.Outcome.SAME, texts.Outcome.NEW} else 1)


def review(
    record: Record,
    /,
    *,
    nodes: Annotated[int, Parameter(validator=POSITIVE)] = 100_000,
    data: Path = DATA,
    json: File = None,
) -> None:
    """Let the engine look at each move of a match: what was best, what was lost, and what is proven.

    Scores are for the side that moves, a piece of GIPF being worth 100; `win 3` is a proven win within 3 plies, `draw`
    a proven draw, and `?` what was not searched. The loss is how much less the move is worth than the best one. A
    blunder gives away a fifth of a point or more, 150 being 73 points of 100 games; a missed win had a proven one.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    nodes
        Positions that the search looks at for each position; the solver at a tenth of them where that proves nothing.
    data
        Data directory of a server.
    json
        File for the review as JSON; - is stdout, and the lines for people then go to stderr.
    """
    from time import perf_counter

    from bots.workbench import review as texts
    from engine.commands.inputs import say_compiling, say_interpreted
    from engine.match.review import review as reviewed_moves

    summary = _record_of(record, data)
    reports.check_files({"--json": json})
    write = say if json == "-" else answer
    for line in texts.heading(summary, nodes):
        write(line)
    moves = []
    start = summary.header.position
    _make_tablebase(start)
    say_interpreted()
    with interruptible_at_once():
        for move in reviewed_moves(summary, nodes, clock=perf_counter, compiling=lambda: say_compiling(start)):
            moves.append(move)
            write(texts.line(move, start.game.sides))
    for line in texts.closing(summary, moves):
        write(line)
    reports.write("--json", json, lambda: texts.as_json(summary, nodes, moves))


def _make_tablebase(position: Position) -> None:
    """Make the tablebase of a variant that is known as a whole by one, if it is to be made, and was not."""
    from engine.commands.precompile import make_tablebase
    from engine.solve.tablebase import are_made, tablebase_of

    book = tablebase_of(position)
    if can_compile() and are_made() and book is not None and book.is_whole and not book.is_made():
        make_tablebase(position)


PAGE = re.compile(r"(https?://[^/?#]+)/match/([0-9]+)/?(?:[?#].*)?")
"""The page of a match; its record stands elsewhere on the server."""


def _record_of(name: str, data: Path) -> Summary:
    """Read a record; raises `Rejected` where it cannot be read, or with the line that is not true.

    ``name`` is a file, - for standard input, the number of a match in the data directory, or the URL of a match's page
    or of its record.
    """
    place = name
    try:
        if name.startswith(("http://", "https://")):
            page = PAGE.fullmatch(name)
            content = fetch(f"{page[1]}/api/matches/{page[2]}/record" if page else name, MAX_BYTES)
        else:
            file = _numbered(name, data) if name.isdecimal() and not Path(name).exists() else name
            place = place_of(file)
            content = bytes_of(file)
        return verify(decoded(content))
    except BadRecord as error:
        raise Rejected(f"{place}: {error}") from None
    except ArenaError as error:
        raise Rejected(str(error)) from None


def _numbered(number: str, data: Path) -> str:
    """Return the file of a match in a data directory."""
    for folder in ("records", "running"):
        path = data / folder / f"{int(number)}.txt"
        if path.is_file():
            return str(path)
    raise Rejected(f"the data directory {data} has no match {number}; --data names another one")
