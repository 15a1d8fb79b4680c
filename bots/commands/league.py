"""Commands for a bot in a league, which answers in JSON: ``arena-bot submit``, ``versions`` and ``compare``."""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cyclopts import Parameter

from bots.client.errors import ArenaError
from bots.client.run import DEFAULT_HOST
from bots.commands.options import Count, Flag, fail
from engine.commands.program import answer, explain_fault
from engine.games.catalogue import USUAL_GAME
from engine.wire.seat import seat_fields
from engine.wire.words import number_of

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
class Entry:
    """Which bot of which league a command is about.

    Parameters
    ----------
    name
        The name of the bot, as on the page /me of the league.
    server
        The address of the league's pages, as https://arena.example.org or 127.0.0.1:8080; port 8080 of the machine in
        ARENA_HOST, or of this one, when left out.
    token
        The token of the bot, made on the page /me; the variable ARENA_TOKEN when left out.
    """

    name: str
    server: str = ""
    token: str | None = None


class League:
    """A league, as a bot's author uses it from the command line."""

    def __init__(self, entry: Entry) -> None:
        """Take which bot it is, and where; ends the command where there is no token."""
        self._token = entry.token or os.environ.get(TOKEN, "")
        if not self._token:
            fail(f"a league is asked with the token of a bot, which the page /me makes: --token, or {TOKEN}", 2)
        host = seat_fields(os.environ).get("host", DEFAULT_HOST)
        self.url = _url(entry.server) if entry.server else f"http://{f'[{host}]' if ':' in host else host}:{WEB_PORT}"
        self._bot = f"{self.url}/bots/{quote(entry.name)}"

    def ask(self, path: str, data: bytes | None = None) -> dict[str, Any]:
        """Return the answer to a request below the page of the bot, a POST where it has data. Raises `ArenaError`."""
        content = fetch(f"{self._bot}/{path}", MAX_ANSWER_BYTES, data, self._token)
        try:
            reply: dict[str, Any] = json.loads(content)
        except ValueError:
            raise ArenaError(f"{self.url} is no league: it does not answer in JSON") from None
        return reply


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
    entry: Entry,
    detach: Flag = False,
) -> None:
    """Send a version of a bot to a league, and show how it is built and tried.

    It shows failures and the summary of the conformance test; the page of the version has the whole log.
    The exit status is 0 where it has passed and plays from now on, 1 where it was refused or could not be sent.

    Parameters
    ----------
    path
        The bot's folder, of which what git ignores is left out, also by the lists of the repository that it is in, or
        its only file, or a zip archive.
    detach
        Send it, and do not wait for what becomes of it.
    """
    league = League(entry)
    try:
        file, data = _packed(path)
    except OSError as error:
        fail(f"{error.filename or path}: {error.strerror}", 1)
    league.ask("versions")  # whoever may not send learns it here: in the middle of a large file nobody would read it
    reply = league.ask(f"versions?file={quote(file)}", data)
    print(f"version {reply['version']} of {reply['bot']}: {len(data)} bytes sent; {league.url}{reply['page']}")
    print(f"SHA-256 {reply['sha256']}", flush=True)
    log, state = "", ""
    while not detach:
        log, state = _show(reply, log, state)
        if not reply["is_under_way"]:
            sys.exit(0 if reply["state"] == "active" else 1)
        time.sleep(LOOK_SECONDS)
        reply = league.ask(f"versions/{reply['version']}")


def _show(reply: dict[str, Any], log: str, state: str) -> tuple[str, str]:
    """Print what is new since last time, but no situation that the bot has passed; return the log and the state."""
    from bots.check.run import WORDS

    found = reply["log"] if not reply["is_under_way"] else reply["log"][: reply["log"].rfind("\n") + 1]  # whole lines
    passed = tuple(f"{WORDS[outcome]:<4}  " for outcome in ("passed", "skipped"))
    if found.startswith(log):
        lines = found[len(log) :].splitlines(keepends=True)
        sys.stdout.write("".join(line for line in lines if not line.startswith(passed)))
    said = reply["state"]
    if said != state:
        print(f"-- {said}{': ' if reply['sentence'] else ''}{reply['sentence']}")
    sys.stdout.flush()
    return found, said


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
    entry: Entry,
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
    entry: Entry,
    game: str = USUAL_GAME,
    params: str = "",
    games: Count = 20,
    detach: Flag = False,
) -> None:
    """Let two versions of a bot play against each other on the server, and say which is the stronger one.

    Parameters
    ----------
    first
        Number of a version that has passed, whose score is told.
    second
        Number of another one.
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
