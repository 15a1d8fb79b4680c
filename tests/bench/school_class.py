"""A class sends versions while others play: ``python -m tests.bench class --minutes 10``.

Authors send versions as in the hour before a deadline, browsers look at their pages all the time, their bots play on
the ladder, and matches go on beside it. What moves take is measured without the class, the ladder paused, and beside
it in turn, in one run on one server, so that a busy machine spoils no comparison. Of each round's versions all have to
end as they should, and in the end each game of the ladder has to be counted, as its record says.
"""

import http.client
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from engine import record
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, NotAllowed
from server.league.ladder.definition import FixedLevel, read_file
from server.league.ladder.rating import LadderPlayer
from server.league.ladder.store import LadderStore
from server.league.ladder_control import LadderControl
from server.league.submissions.versions import Version, Versions
from tests.server.league.ladder.counted import check_counted, check_nothing_left
from tests.server.process import START_SECONDS
from tests.web.site import Site, open_site

PACE = 5.0
"""Moves a second of a match, on average."""

LOOK_SECONDS = 3.0
"""How often a browser asks for its page again, as the page of a version does by itself."""

ROUND_SHARE = 3
"""The class is there for so many times the seconds for which it is away, in each round."""

EXAMPLE = Path(__file__).parents[2] / "bots" / "examples" / "python" / "bot.py"


ORGANISER = "the organiser"

PLAYER = r"p\d+[ab]"
"""Name of a player of `tests.bench.load`, whose matches go on beside the class."""

LEVEL = 2
"""Of the built-in bot on the ladder."""

LADDER = f"""
time = {{ budget = 3_000, increment = 20 }}
games = [{{ game = "mnk", params = "5 5 4", openings = {{ plies = 2, number = 100 }} }}]
levels = [{{ level = {LEVEL} }}]
"""


class Upload(NamedTuple):
    """A file that is sent."""

    name: str
    data: bytes
    end: str
    """The state in which its version ends."""


UPLOADS = (
    Upload("bot.py", EXAMPLE.read_bytes(), "active"),
    Upload("bot.c", b"int main( { return 0; }", "refused"),
    Upload("notes.txt", b"I have no bot", "refused"),
    Upload("bot.zip", b"this is no archive", "refused"),
)


class Class(NamedTuple):
    """How large a class is, and what else goes on."""

    authors: int = 40
    an_hour: float = 200.0
    """Versions that are sent."""
    browsers: int = 20
    matches: int = 20
    uploads: tuple[Upload, ...] = UPLOADS
    """What is sent in turn."""


class Round(NamedTuple):
    """What was measured without the class, and beside it."""

    without: tuple[float, ...]
    """Milliseconds from a move to the opponent's TURN: p50, p99, p99.9."""
    beside: tuple[float, ...]
    pages: tuple[float, ...]
    """Milliseconds of each page that a browser was shown meanwhile, in order."""
    sent: int
    """Versions."""
    seconds: float
    """From the first of them until all had ended."""
    games: int
    """Of the ladder that had been counted by then, since the beginning."""


class Author(NamedTuple):
    """Somebody of the class, with a bot of the same name."""

    name: str
    token: str


def run(minutes: float = 10.0, size: Class = Class()) -> None:  # noqa: B008 - it is a tuple
    """Measure for some minutes, and print a line a round."""
    sizes = f"{size.authors} authors, {size.an_hour:g} versions an hour, {size.browsers} browsers"
    print(f"{sizes}, {size.matches} matches; milliseconds, without the class and beside it")
    print(f"{'':10}" + f" {'p50':>7} {'p99':>7} {'p99.9':>7}" * 2 + "   pages: p50, p99")
    rounds = []
    for found in measure(minutes * 60, size, seconds=30.0):
        rounds.append(found)
        figures = "".join(f" {value:7.2f}" for value in (*found.without, *found.beside))
        pages = f"{share(found.pages, 0.5):.1f}, {share(found.pages, 0.99):.1f} of {len(found.pages)}"
        sent = f"{found.sent} versions, tried in {found.seconds:.0f} s; {found.games} games of the ladder"
        print(f"round {len(rounds):<4}{figures}   {pages}; {sent}", flush=True)
    ratio = statistics.median(found.beside[1] / found.without[1] for found in rounds)
    print(f"the p99 beside the class is {ratio:.2f} times that without, in the median of {len(rounds)} rounds")


def measure(minimum: float, size: Class, seconds: float) -> Iterator[Round]:
    """Yield rounds until the time is over: some seconds without the class, then three times as many beside it."""
    with tempfile.TemporaryDirectory() as folder:
        ladder = Path(folder) / "ladder.toml"
        ladder.write_text(LADDER, encoding="utf-8")
        with (
            open_site(Path(folder) / "data", "--ladder", str(ladder)) as site,
            closing(Accounts(site.data)) as accounts,
        ):
            yield from _rounds(site, accounts, minimum, size, seconds)
        _check_ladder(site.data)


def _rounds(site: Site, accounts: Accounts, minimum: float, size: Class, seconds: float) -> Iterator[Round]:
    versions = Versions(site.data, accounts)
    control, store = LadderControl(accounts, read_file), LadderStore(accounts)
    authors = _authors(accounts, size.authors)
    end = time.monotonic() + minimum
    numbers = count()
    for turn in count():
        _pause(control)
        while store.begun():
            time.sleep(0.1)
        without = _moves(site, size, seconds, 2 * turn)
        control.resume(ORGANISER)
        began = time.monotonic()
        with (
            _browsers(site, authors, size.browsers) as pages,
            _sending(site, authors, numbers, size) as sent,
        ):
            beside = _moves(site, size, ROUND_SHARE * seconds, 2 * turn + 1)
        while versions.under_way():
            time.sleep(0.1)
        _check(versions, sent)
        games = sum(1 for _ in store.each_game())
        yield Round(without, beside, tuple(sorted(pages)), len(sent), time.monotonic() - began, games)
        if time.monotonic() >= end:
            return


def _pause(control: LadderControl) -> None:
    """Pause the ladder, which a server that has just started begins to play in a moment."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            control.pause(ORGANISER)
            return
        except NotAllowed:
            if time.monotonic() >= end:
                raise
        time.sleep(0.1)


def share(ordered: tuple[float, ...], part: float) -> float:
    """Return a quantile of figures in order."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def _authors(accounts: Accounts, number: int) -> list[Author]:
    found = []
    for name in (f"author-{place}" for place in range(1, number + 1)):
        accounts.redeem(accounts.invite(name, AUTHOR, ORGANISER), "", "")
        person = accounts.person(name)
        assert person is not None
        found.append(Author(name, accounts.make_token(person, name)))
    return found


def _moves(site: Site, size: Class, seconds: float, turn: int) -> tuple[float, ...]:
    """Play for some seconds; return what moves took: p50, p99, p99.9 in milliseconds.

    Players of each turn have other names: those before have left in the middle of their matches.
    """
    figures = (site.port, size.matches, seconds, PACE, 0, 0, 0, 0, turn * size.matches)
    words = [sys.executable, "-P", "-m", "tests.bench.load", *map(str, figures)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return tuple(float(word) for word in done.stdout.split()[1:])


def _ask(site: Site, method: str, path: str, token: str, body: bytes | None = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", site.web_port, timeout=60)
    with closing(connection):
        connection.request(method, path, body, {"authorization": f"Bearer {token}", "accept": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        assert response.status == 200, (path, response.status, answer[:200])
        return answer


class Sent(NamedTuple):
    """A version that was sent, and how it has to end."""

    bot: str
    number: int
    end: str


@contextmanager
def _sending(site: Site, authors: list[Author], numbers: Iterator[int], size: Class) -> Iterator[list[Sent]]:
    """Let one author after the other send a version, each some seconds after the other."""
    sent: list[Sent] = []
    over = threading.Event()

    def send() -> None:
        while not over.is_set():
            number = next(numbers)
            turn, place = divmod(number, len(authors))
            author, (file, data, end) = authors[place], size.uploads[(place + turn) % len(size.uploads)]
            answer = json.loads(_ask(site, "POST", f"/bots/{author.name}/versions?file={file}", author.token, data))
            sent.append(Sent(author.name, answer["version"], end))
            over.wait(3600 / size.an_hour)

    with _threads([send], over):
        yield sent


@contextmanager
def _browsers(site: Site, authors: list[Author], number: int) -> Iterator[list[float]]:
    """Let browsers look at pages of bots and at the lobby in turn; give the milliseconds that each took."""
    took: list[float] = []
    over = threading.Event()

    def look(place: int) -> None:
        over.wait(LOOK_SECONDS * place / number)
        author = authors[place % len(authors)]
        for turn in count():
            path = ("/", "/api/matches", f"/bots/{author.name}/versions")[turn % 3]
            began = time.perf_counter()
            _ask(site, "GET", path, author.token)
            took.append(1000 * (time.perf_counter() - began))
            if over.wait(LOOK_SECONDS):
                return

    with _threads([partial(look, place) for place in range(number)], over):
        yield took


@contextmanager
def _threads(functions: list[Callable[[], None]], over: threading.Event) -> Iterator[None]:
    """Run functions in threads until the context is left; what one of them raises is raised then."""
    faults: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
    if faults:
        raise faults[0]


def _check(versions: Versions, sent: list[Sent]) -> None:
    """Make sure that all versions have ended as they should."""
    for one in sent:
        version = versions.version(one.bot, one.number)
        assert version is not None
        assert _has_ended(version, one.end), version


def _has_ended(version: Version, end: str) -> bool:
    return version.state == end or (end == "active" and version.state == "retired")


def _check_ladder(data: Path) -> None:
    """Make sure that each game of the ladder is counted once, as its record says, and rated."""
    fixed = FixedLevel(LEVEL)
    games = check_counted(data, [], {fixed.name: LadderPlayer(fixed.name, "", fixed.anchor)})
    headers = [record.verify(path.read_text(encoding="utf-8")).header for path in (data / "records").rglob("*.txt")]
    beside = frozenset(header.match for header in headers if re.fullmatch(PLAYER, header.players[0]))
    check_nothing_left(data, games, beside)
