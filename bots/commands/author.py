"""Commands for the author of a bot, without a match on a server.

``arena-bot new``, ``check``, ``replay``, ``review``, ``play`` and ``warm`` need no server. ``submit``, ``versions`` and
``compare`` ask the pages of a league, which answer in JSON.
"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Annotated, Any, Literal, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cyclopts import Parameter
from cyclopts.validators import Number

from bots.client.errors import ArenaError, printable
from bots.client.run import DEFAULT_HOST, end_in_order_when_terminated
from bots.commands.options import (
    ABOVE_0,
    POSITIVE,
    Count,
    Flag,
    Port,
    Words,
    check_variant,
    fail,
    interruptible_at_once,
)
from bots.terminal.terminal_game import MAX_SECONDS, USUAL_SECONDS, play_in_terminal
from engine.commands import reports
from engine.commands.inputs import (
    MAX_BYTES,
    VARIANT,
    File,
    GameName,
    Params,
    bytes_of,
    place_of,
    say_compiling,
    say_interpreted,
)
from engine.commands.program import Rejected, answer, explain_fault, reason, say, split_command, whole_command
from engine.compiling.binding import can_compile
from engine.games.catalogue import GAMES, USUAL_GAME, start_of
from engine.games.interface import Position
from engine.levels import FIRST_OPPONENT
from engine.match.record import BadRecord, decoded
from engine.match.verification import Summary, verify
from engine.wire.seat import seat_fields
from engine.wire.words import NAME_PATTERN, NAME_RULE, number_of


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
    if language == "python" and name in (*PACKAGES, *sys.stdlib_module_names):
        fail(f"NAME is {name!r}: Python would import {name}.py in place of the module {name}; choose {name}_bot", 2)
    check_variant(game, "", "--game")
    made = new_bot(name, language, game)
    try:
        write_folder(Path(name), made)
    except OSError as error:
        fail(f"{name} cannot be made: {reason(error)}", 1)
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
    """Test a bot in every situation of the protocol, and report its faults.

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
        Test only situations with these words in their titles; all when left out.
    build
        Command that builds the bot first. If it fails, nothing is tested, and the results as JSON say so.
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
    from engine.commands.positions import compile_for
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
    """Ask a bot again for its moves in a match, and show where its moves differ from the record.

    In each turn the bot gets the match as after a lost connection: all moves so far, and the clocks of that time.
    A bot that does not return is interrupted when its clock is used up, and the replay ends.
    Times are in seconds. The exit status is 0 if all answers are legal, in time, and the moves of the record, where it
    has a move; 1 if not; 2 if nothing could be replayed.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    bot
        A Python file that calls play or has a function choose; with arguments behind it, in quotes.
    ply
        Only the turn in which this move was made, or was to be made.
    side
        Side to replay, as in white. The default is the side of the player with the name of the bot.
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
    sys.exit(0 if {answer.outcome for answer in answers} <= {texts.Agreement.SAME, texts.Agreement.NEW} else 1)


def review(
    record: Record,
    /,
    *,
    nodes: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    data: Path = DATA,
    json: File = None,
) -> None:
    """Analyse each move of a match: the best move, the loss, and proven results.

    Scores are for the side that moves, a piece of GIPF being worth 100; `win 3` is a proven win within 3 plies, `draw`
    a proven draw, and `?` what was not searched. The loss is how much less the move is worth than the best one. A
    mistake gives away a tenth of a point or more, a blunder a fifth; a score of 150 is worth 73 points in 100 games. A
    missed win had a proven one.

    Parameters
    ----------
    record
        File of the record, number of a match in the data directory, URL of a match's page, or - for standard input.
    nodes
        Nodes of the search for each position. If they prove nothing, the solver gets a tenth of them. The default is
        100000, or 1000 if the search is not compiled.
    data
        Data directory of a server.
    json
        File for the review as JSON; - is stdout, and the lines for people then go to stderr.
    """
    from bots.workbench import review as texts
    from engine.match.review import review as reviewed_moves

    summary = _record_of(record, data)
    nodes = nodes or (100_000 if can_compile() else 1_000)
    reports.check_files({"--json": json})
    write = say if json == "-" else answer
    for line in texts.heading(summary, nodes):
        write(line)
    moves = []
    start = summary.header.position
    _make_tablebase(start)
    say_interpreted()
    with interruptible_at_once():
        for move in reviewed_moves(summary, nodes, clock=time.perf_counter, compiling=lambda: say_compiling(start)):
            moves.append(move)
            write(texts.line(move, start.game.sides))
    for line in texts.closing(summary, moves):
        write(line)
    reports.write("--json", json, lambda: texts.as_json(summary, nodes, moves))


def _make_tablebase(position: Position) -> None:
    """Make the tablebase of a variant that is known as a whole by one, if it is to be made, and was not."""
    from engine.commands.positions import make_tablebase
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


ANSWER_SECONDS = 60.0

WEB_PORT = 8080
"""The usual port of a server's pages."""


class SameOrigin(HTTPRedirectHandler):
    """Follows a redirect only within an origin, since a token may go along."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request that follows; raises `ArenaError` for another origin."""
        if urlsplit(req.full_url)[:2] != urlsplit(newurl)[:2]:
            raise ArenaError(f"{req.full_url} redirects to {newurl}; if that is right, name it")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetch(url: str, most: int, data: bytes | None = None, token: str = "") -> bytes:
    """Return the answer to a request, a POST where it has data. Raises `ArenaError` with the server's own sentence."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json"} if token else {}
    try:
        with build_opener(SameOrigin).open(Request(url, data, headers), timeout=ANSWER_SECONDS) as reply:
            content = bytes(reply.read(most + 1))
    except HTTPError as error:
        try:
            sentence = json.loads(error.read(most))["error"]
        except (ValueError, KeyError, TypeError, OSError):  # another server than ours
            sentence = f"the server answers {error}"
        raise ArenaError(f"{url}: {sentence}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ArenaError(f"{url}: {explain_fault(reason) if isinstance(reason, Exception) else reason}") from None
    if len(content) > most:
        raise ArenaError(f"{url}: more than {most} bytes")
    return content


MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Largest answer: it holds the logs of a version."""

TOKEN = "ARENA_TOKEN"
"""The variable in which the token may stand, so that no list of processes shows it."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LeagueBot:
    """Which bot of which league a command is about.

    Parameters
    ----------
    name
        The name of the bot, as on the page /me of the league.
    server
        The address of the league's pages, as https://arena.example.org or 127.0.0.1:8080. The default is port 8080 of
        ARENA_HOST, or of this machine.
    token
        The token of the bot, made on the page /me; the variable ARENA_TOKEN when left out.
    """

    name: str
    server: str = ""
    token: str | None = None


class Reply(dict[str, Any]):
    """An object in an answer of a league."""

    def __missing__(self, name: str) -> NoReturn:
        """Raise `ArenaError`: another server has answered."""
        raise ArenaError(f"this is no league: its answer has no field {name}")


def _reply(fields: list[tuple[str, Any]]) -> Reply:
    """Return an object of an answer, its texts without the characters that control a terminal."""
    return Reply(
        (name, "\n".join(map(printable, value.split("\n"))) if isinstance(value, str) else value)
        for name, value in fields
    )


class League:
    """A league, as a bot's author uses it from the command line."""

    def __init__(self, entry: LeagueBot) -> None:
        """Take which bot it is, and where; ends the command where there is no token."""
        self._token = entry.token or os.environ.get(TOKEN, "")
        if not self._token:
            fail(f"a league is asked with the token of a bot, which the page /me makes: --token, or {TOKEN}", 2)
        host = seat_fields(os.environ).get("host", DEFAULT_HOST)
        self.url = _url(entry.server) if entry.server else f"http://{f'[{host}]' if ':' in host else host}:{WEB_PORT}"
        self._bot = f"{self.url}/bots/{quote(entry.name)}"

    def ask(self, path: str, data: bytes | None = None) -> Reply:
        """Return the answer to a request below the page of the bot, a POST where it has data. Raises `ArenaError`."""
        content = fetch(f"{self._bot}/{path}", MAX_ANSWER_BYTES, data, self._token)
        with suppress(ValueError, RecursionError):
            if isinstance(reply := json.loads(content, object_pairs_hook=_reply), Reply):
                return reply
        raise ArenaError(f"{self.url} is no league: it does not answer with an object of JSON")


def _url(server: str) -> str:
    """Return the address of pages; HTTP where it names no scheme, and then the usual port where it names none."""
    url = server.rstrip("/")
    if "://" in url:
        return url
    found = urlsplit(f"http://{url}")
    return found.geturl() if found.port else found._replace(netloc=f"{found.netloc}:{WEB_PORT}").geturl()


LOOK_SECONDS = 1.0
"""Time between two questions how far a version, or a comparison, has come."""


def submit(
    path: Path,
    *,
    entry: LeagueBot,
    detach: Flag = False,
) -> None:
    """Send a version of a bot to a league, and show its build and its tests.

    It shows a line for each step, and the log of a step that has failed. The page of the version has the whole log.
    The exit status is 0 where it has passed and plays from now on, 1 where it was refused or could not be sent.

    Parameters
    ----------
    path
        The bot: a folder, a single file, or a zip archive. Files of the folder that git ignores are not sent.
    detach
        Send the version, and do not wait for its build and its tests.
    """
    league = League(entry)
    try:
        file, data = _packed(path)
    except OSError as error:
        fail(f"{error.filename or path}: {reason(error)}", 1)
    league.ask("versions")  # whoever may not send learns it here: in the middle of a large file nobody would read it
    reply = league.ask(f"versions?file={quote(file)}", data)
    print(f"version {reply['version']} of {reply['bot']}: {len(data)} bytes sent; {league.url}{reply['page']}")
    print(f"SHA-256 {reply['sha256']}", flush=True)
    state = ""
    while not detach:
        if reply["state"] != state:
            state = reply["state"]
            if state == "refused" and (step := _last_step(reply["log"]).rstrip("\n")):
                print(step)
            print(f"-- {state}{': ' if reply['sentence'] else ''}{reply['sentence']}", flush=True)
        if not reply["is_under_way"]:
            sys.exit(0 if state == "active" else 1)
        time.sleep(LOOK_SECONDS)
        reply = league.ask(f"versions/{reply['version']}")


def _last_step(log: str) -> str:
    """Return the log of the last step, without the situations that the bot has passed."""
    from bots.check.run import WORDS

    passed = tuple(f"{WORDS[outcome]:<4}  " for outcome in ("passed", "skipped"))
    return "".join(
        line for line in f"\n{log}".rpartition("\n== ")[2].splitlines(keepends=True)[1:] if not line.startswith(passed)
    )


def _packed(path: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of what is sent. Raises OSError."""
    if not path.is_dir():
        return path.name, path.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for file in _files(path):
            zipped.write(path / file, file)
    return f"{path.resolve().name or 'bot'}.zip", packed.getvalue()


def _files(folder: Path) -> list[str]:
    """Return the files of a folder that git would not ignore, and without git those that are not hidden."""
    try:
        listed = _listed(folder, "--cached") or _listed_alone(folder)
    except (FileNotFoundError, subprocess.CalledProcessError):
        found = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        return sorted(
            str(path) for path in found if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)
        )
    return sorted(name for name in listed if (folder / name).is_file() and not name.startswith(".git/"))


def _listed(folder: Path, *options: str, repository: tuple[str, ...] = ()) -> set[str]:
    """Return the files that a repository does not ignore, by default that of the folder; empty without one."""
    command = ("git", *repository, "ls-files", *options, "--others", "--exclude-standard", "-z")
    done = subprocess.run(command, cwd=folder, env=_environment(), check=bool(repository), capture_output=True)
    return {name for name in os.fsdecode(done.stdout).split("\0") if name}


def _listed_alone(folder: Path) -> set[str]:
    """Return what git would not ignore were the folder a repository: it is in none, or in one that ignores it whole."""
    with tempfile.TemporaryDirectory() as empty:
        subprocess.run(("git", "init", "--quiet", "--bare", empty), env=_environment(), check=True, capture_output=True)
        return _listed(folder, repository=("--git-dir", empty, "--work-tree", "."))


def _environment() -> dict[str, str]:
    """Return the environment without what git tells its hooks: which repository and index they are about."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def versions(
    *,
    entry: LeagueBot,
    play: Count = 0,
    rest: Count = 0,
    delete: Count = 0,
) -> None:
    """List the versions of a bot in a league; choose the one that plays, or delete the files of one that does not.

    Parameters
    ----------
    play
        Number of a version that has passed, and plays from now on.
    rest
        Number of the version that plays, and shall play no more.
    delete
        Number of a version whose files are deleted for ever; its results stay.
    """
    wanted = {"play": play, "rest": rest, "delete": delete}
    if sum(map(bool, wanted.values())) > 1:
        fail("--play, --rest and --delete exclude each other: one thing at a time", 2)
    league = League(entry)
    for change, number in wanted.items():
        if number:
            answer(_version_line(league.ask(f"versions/{number}/{change}", b"")))
            return
    reply = league.ask("versions")
    for version in reply["versions"]:
        answer(_version_line(version))
    kept, most = (reply[key] / 2**20 for key in ("kept_bytes", "most_bytes"))
    answer(f"all your versions: {kept:.1f} of {most:.0f} MB on the server")


def compare(
    first: int,
    second: int,
    *,
    entry: LeagueBot,
    game: str = USUAL_GAME,
    params: str = "",
    games: Count = 20,
    detach: Flag = False,
) -> None:
    """Play two versions of a bot against each other on the server, and report which is stronger.

    Parameters
    ----------
    first
        Number of the first version. The score is the score of this version.
    second
        Number of the second version.
    game
        The game.
    params
        Its variant, as in 4,4,15,15; the usual one when left out.
    games
        How many games they play: an even number.
    detach
        Ask for it, and do not wait for the result.
    """
    league = League(entry)
    fields = {"first": first, "second": second, "game": game, "params": params, "games": games}
    reply = league.ask("comparisons", urlencode(fields).encode())
    contest = reply["contest"]
    answer(f"{reply['name']}: {league.url}{reply['page']}")
    last = ""
    while not detach:
        line = f"-- {reply['done']} of {number_of(games, 'game')}: {reply['summary'] or 'no pair is over'}"
        if line != last:
            answer(line)
        if reply["is_over"]:
            sys.exit(0 if reply["done"] == games else 1)
        last = line
        time.sleep(LOOK_SECONDS)
        reply = next(one for one in league.ask("comparisons")["comparisons"] if one["contest"] == contest)


def _version_line(reply: dict[str, Any]) -> str:
    """Return a line about a version."""
    sentence = f": {reply['sentence']}" if reply["sentence"] else ""
    return (
        f"{reply['version']:4}  {reply['received'][:16].replace('T', ' ')}  {reply['file']}  {reply['state']}{sentence}"
    )
