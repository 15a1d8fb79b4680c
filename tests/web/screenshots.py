"""Pictures of all pages, for people to look at: ``python -m tests.web.screenshots FOLDER``.

Each page is loaded in every size and in both colours, and written as a whole to ``FOLDER/390x844-light/lobby.png`` and
so on. ``--only WORD ...`` takes the pages with one of these words in their names, ``--size 390x844 ...`` and
``--theme dark`` some of the windows. Pages that failed are printed, a line each; the picture shows the page at that
moment.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

from playwright.sync_api import Browser, Error, Page, expect

from engine.games.catalogue import GAMES
from engine.solve import tablebase
from server.contest.formats.meetings import Gauntlet, Ladder, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.report import files
from server.contest.report.contents import make_report
from server.league.accounts import AUTHOR, ORGANISER, Accounts
from tests.engine.records import Table as Recorded, records
from tests.engine.test_record import played as gipf_record
from tests.server.contest.played import CONTROL
from tests.server.contest.report.samples import Sample, sample
from tests.server.league.test_account_pages import sign_in
from tests.web.chromium import broken_words, fits, open_browser, open_page, point
from tests.web.league import LADDER, OWNERS, PAGES, WIDE, fill
from tests.web.people import test_games_page as games_page
from tests.web.people.records import record, write
from tests.web.site import Site, Table, random_moves
from tests.web.test_after_the_game import LOST
from tests.web.test_analysis_page import TREE

SIZES, THEMES = ("390x844", "844x390", "1440x900", "1920x1080"), ("light", "dark")

PHONE_WIDTH = 900
"""Narrower windows are windows of a phone, which is touched."""

BUDGET = "budget=18000000"
"""Time of running matches: no clock runs out while pictures are taken."""

BOARD = "#board svg.board"

BOARDS = {
    "gipf": ("gipf", "4 4 15 15", 24, ("ann", "bob")),
    "arrows": ("arrows", "8 8", 8, ("cleo", "dan")),
    "morris": ("morris", "", 25, ("eve", "fay")),
    "mnk": ("mnk", "15 15 5", 40, ("gil", "hal")),
    "gipf-12": ("gipf", "12 3 30 30", 50, ("ida", "jon")),
    "mnk-19": ("mnk", "19 19 5", 60, ("Friedrich-Wilhelm-von-Hohenzolle", "W" * 32)),
}
"""Matches: game, variant, how many random moves were made, and by whom."""

PAIRS = (("a1", "a2"), ("a6", "a7"), ("a8", "a9"))
"""Entrants of contests who play morris, which makes their matches games of each contest that runs."""

OVER = {name: 9001 + place for place, name in enumerate((*BOARDS, "reviewed", "notes", "on-time"))}
"""Numbers of matches that are over; contests and lists of games have small numbers."""

CUP = Knockout(tie_breaks=1, control=CONTROL)

HELD: dict[str, tuple[Callable[..., Sample], int]] = {
    "round-robin": (partial(sample, 8, RoundRobin()), 70),
    "swiss": (partial(sample, 12, Swiss(5)), 60),
    "knockout": (partial(sample, 8, CUP, qualified=False), 18),
    "gauntlet": (partial(sample, 8, Gauntlet(("a1", "a2"))), 50),
    "ladder": (partial(sample, 8, Ladder(60)), 50),
    "stages": (partial(sample, 8, Swiss(3), CUP, advance=4), 65),
    "round-robin-of-2": (partial(sample, 2, RoundRobin(2), qualified=False), 3),
    "swiss-of-64": (partial(sample, 64, Swiss(6), variants=1, qualified=False), 200),
    "knockout-of-64": (partial(sample, 64, CUP, variants=1, qualified=False), 80),
}
"""Contests, and after how many games they are shown running; those with a qualification disqualify an entrant in it."""

CONTESTS = {f"{name}-{state}": (name, state) for name in HELD for state in ("over", "running")}
"""Contests when they are over and while they run, in the order of their numbers."""

CONTESTS_WITH_TABS, TABS_SHOWN = ("round-robin-over", "swiss-running"), ("games", "statistics", "losses")

SETTLED = """() => document.fonts.status === "loaded"
    && [...document.images].every((image) => image.complete || image.loading === "lazy")
    && document.getAnimations().every((one) => one.playState !== "running" || one.effect.getTiming().iterations > 9)"""
"""Whether fonts and pictures are there, and nothing moves that comes to an end."""

Act: TypeAlias = Callable[[Page], object]


class Place(NamedTuple):
    """A server that pages are asked of."""

    site: Site
    values: Mapping[str, object] = {}
    """Values of the names that stand in braces in paths of its pages."""
    cookies: Mapping[str, str] = {}
    """Cookies of the people who are signed in there."""


class Shot(NamedTuple):
    """A page, and what it is to show."""

    name: str
    path: str
    seen: str = "main h1"
    """A selector of what has to be visible."""
    place: str = "full"
    act: Act | None = None
    """The action of a reader on the visible page."""
    who: str = ""
    refused: int = 0
    """A status with which the server refuses something on the way."""


def open_empty(stack: ExitStack, folder: Path) -> Place:
    """Start a server on which nothing has happened."""
    return Place(stack.enter_context(Site(folder)))


def open_full(stack: ExitStack, folder: Path) -> Place:
    """Start a server with contests, and with matches that are over and others that are running."""
    for number, (name, state) in enumerate(CONTESTS.values(), 1):
        hold, stop = HELD[name]
        report = make_report(*(hold() if state == "over" else hold(stop=stop)))
        files.write_report_files(report, folder / "contests" / str(number))
    games_page.fill(folder)
    moves = {name: random_moves(game, parameters, plies) for name, (game, parameters, plies, _) in BOARDS.items()}
    texts = {
        name: record(17, moves=moves[name], game=game, parameters=parameters)
        for name, (game, parameters, _, _) in BOARDS.items()
    }
    late = Recorded(increment=100).ready(40, 30).play("1", span=900).drop(1).play("1", span=20).flag()
    texts |= {"reviewed": record(17, moves=LOST), "notes": records()["notes"], "on-time": late}
    for name, text in texts.items():
        write(folder, OVER[name], text.replace("match 17\n", f"match {OVER[name]}\n"))
    site = stack.enter_context(Site(folder))
    running = {}
    for name, (game, parameters, _, names) in BOARDS.items():
        params = f"params={parameters.replace(' ', ',')} " if parameters else ""
        table = Table(site, game, f"{params}{BUDGET}", names)
        stack.callback(table.close)
        for move in moves[name]:
            table.move(move)
        running[name] = table.match
    for names in PAIRS:
        stack.callback(Table(site, "morris", BUDGET, names).close)
    while not site.ask("/api/games").json["index"]["complete"]:
        time.sleep(0.1)
    return Place(site, running)


def open_league(stack: ExitStack, folder: Path) -> Place:
    """Start a server with accounts, a ladder and bots, under the longest names."""
    (folder / "ladder.toml").write_text(LADDER, encoding="utf-8")
    fill(folder)
    with closing(Accounts(folder)) as accounts:
        site = stack.enter_context(Site(folder, "--ladder", str(folder / "ladder.toml")))
        organiser, author = sign_in(site, accounts, "teacher", ORGANISER), sign_in(site, accounts, WIDE)
        cookies = {"organiser": organiser.cookie, "author": author.cookie}
        return Place(site, {"link": accounts.invite("ann", AUTHOR, "test")}, cookies)


PLACES = {"empty": open_empty, "full": open_full, "league": open_league}


def load(page: Page, text: str) -> None:
    page.set_input_files("#file", {"name": "record.txt", "mimeType": "text/plain", "buffer": text.encode()})


def review(page: Page) -> None:
    page.locator("#evaluate").click()
    expect(page.locator("#reviewed")).not_to_be_empty()
    page.locator("#mistakes button").first.click()


def let_think(page: Page) -> None:
    page.locator("#think").click()
    expect(page.locator("#lines li")).to_have_count(3)


def set_up(page: Page) -> None:
    """Set up a position by mouse."""
    page.locator("#arrange").click()
    expect(page.locator("#arrange-standing")).not_to_be_empty()
    point(page, "b2")


def boards() -> Iterator[Shot]:
    """Yield pages with a board."""
    for name, (game, parameters, plies, _) in BOARDS.items():
        yield Shot(f"match-{name}-running", f"/match/{{{name}}}", "#moves li")
        yield Shot(f"match-{name}-over", f"/match/{OVER[name]}", "#moves li")
        moves = ",".join(random_moves(game, parameters, plies))
        params = parameters or GAMES[game].default_parameters
        link = urlencode({"game": game, "params": params, "players": "person,person", "moves": moves})
        yield Shot(f"play-{name}", f"/play#{link}", BOARD)
    yield Shot("match-over-notes", f"/match/{OVER['notes']}", "#noted li")
    yield Shot("match-over-on-time", f"/match/{OVER['on-time']}", "#spent li")
    yield Shot("match-over-reviewed", f"/match/{OVER['reviewed']}", BOARD, act=review)
    yield Shot("match-over-in-a-contest", "/match/7", "#contest")
    whole = gipf_record(end="resign", stop_after=20)
    wrong = whole.replace("move 3 ", "move 4 ", 1)
    yield Shot("replay", "/replay", "#drop")
    yield Shot("replay-record", "/replay", "#drop", act=lambda page: load(page, whole))
    yield Shot("replay-refused", "/replay", "#drop", act=lambda page: load(page, wrong), refused=422)
    yield Shot("play", "/play", BOARD)
    yield Shot("play-engine", "/play#game=gipf&params=3+3+9+9&players=bot:1,person", "#moves li")
    moves, pushes = "/analysis#game=mnk&params=3+3+3&tree=b2,a1,b3,c3", "/analysis#game=gipf&params=3+3+9+9&tree=a4-b4"
    yield Shot("analysis", "/analysis", BOARD)
    yield Shot("analysis-tree", f"/analysis#{TREE}", BOARD)
    yield Shot("analysis-lines", moves, BOARD, act=let_think)
    yield Shot("analysis-set-up", f"{pushes}&at=1", BOARD, act=set_up)


def lists() -> Iterator[Shot]:
    """Yield the lobby, contests, games and players."""
    yield Shot("lobby", "/", "#results table")
    yield Shot("lobby-empty", "/", "#results .empty", "empty")
    yield Shot("learn", "/learn", ".steps svg")
    yield Shot("learn-morris", "/learn#morris", "#morris h2")
    yield Shot("contests", "/contests", ".one")
    yield Shot("contests-empty", "/contests", "main .empty", "empty")
    for number, name in enumerate(CONTESTS, 1):
        yield Shot(f"contest-{name}", f"/contest/{number}", "#parts section")
        yield Shot(f"contest-{name}-live", f"/contest/{number}/live", "#progress")
        for tab in TABS_SHOWN if name in CONTESTS_WITH_TABS else ():
            yield Shot(f"contest-{name}-{tab}", f"/contest/{number}?tab={tab}", "#parts")
    yield Shot("contest-waiting-live", "/contest/1/live", "#head", "league")
    yield Shot("contest-games", "/contest/1/games?first=a1&second=a2", "table.games")
    yield Shot("games", "/games", "#games tr")
    yield Shot("games-empty", "/games", "#none", "empty")
    yield Shot("player", "/player/gus", "#profile")


def league() -> Iterator[Shot]:
    """Yield pages of accounts and of the ladder."""
    yield Shot("ladder-empty", "/ladder", place="empty")
    yield Shot("join", "/join", place="league")
    yield Shot("join-link", "/join/{link}", place="league")
    yield Shot("version", f"/bots/{WIDE}-1/versions/1", place="league", who="author")
    more = {"organiser": "/me", "new-contest": "/organise/new"}
    for name, path in {**PAGES, **more}.items():
        yield Shot(f"league-{name}", path, place="league", who="author" if name in OWNERS else "organiser")


def errors() -> Iterator[Shot]:
    """Yield the pages of refusals."""
    paths = {"page": "/nothing", "match": "/match/99999", "contest": "/contest/99", "live": "/contest/77/live"}
    for name, path in paths.items():
        yield Shot(f"error-{name}", path, refused=404)
    yield Shot("error-games", "/games?result=won", refused=400)
    yield Shot("error-play", "/play#game=gipf&params=1+2+3+4", "#fault:not(:empty)", refused=400)
    yield Shot("error-stranger", "/me", place="league", refused=401)


def all_shots() -> list[Shot]:
    """Return all pages."""
    return [*boards(), *lists(), *league(), *errors()]


@contextmanager
def open_shot(browser: Browser, shot: Shot, place: Place, *, phone: bool, dark: bool) -> Iterator[Page]:
    """Open an empty page for the reader of a shot, who is signed in where the shot says so."""
    with open_page(browser, phone=phone, dark=dark, still=True, refused=shot.refused) as page:
        let_in(page, shot, place)
        yield page


def let_in(page: Page, shot: Shot, place: Place) -> None:
    """Sign in the reader of a shot, or nobody."""
    page.context.clear_cookies()
    if shot.who:
        name, _, value = place.cookies[shot.who].partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": place.site.url}])


def show(page: Page, shot: Shot, place: Place) -> None:
    """Load the page of a shot."""
    page.goto(place.site.url + shot.path.format(**place.values))
    expect(page.locator(shot.seen).first).to_be_visible()


def take(browser: Browser, shot: Shot, place: Place, size: str, dark: bool, picture: Path) -> None:
    """Write the picture of a page."""
    width, height = map(int, size.split("x"))
    with open_shot(browser, shot, place, phone=width < PHONE_WIDTH, dark=dark) as page:
        page.set_viewport_size({"width": width, "height": height})
        try:
            show(page, shot, place)
            if shot.act is not None:
                shot.act(page)
            page.wait_for_function(SETTLED)
            page.wait_for_timeout(200)  # names of boards are fitted a frame after these have their size
            assert fits(page), "it is wider than the window"
            assert not (words := broken_words(page)), words
        finally:
            page.screenshot(path=picture, full_page=True, animations="disabled")


def main() -> None:
    """Take all pictures that are asked for; exit with 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.web.screenshots", description="Take pictures of all pages.")
    parser.add_argument("folder", type=Path, help="where they are written")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="WORD", help="pages with one of these in their names"
    )
    parser.add_argument("--size", nargs="+", default=SIZES, metavar="390x844", help=f"by default {', '.join(SIZES)}")
    parser.add_argument("--theme", nargs="+", default=THEMES, choices=THEMES, help="by default both")
    asked = parser.parse_args()
    shots = [shot for shot in all_shots() if any(word in shot.name for word in asked.only)]
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing compiles beside the browser
    os.environ.pop(tablebase.DIRECTORY_VARIABLE, None)
    failed = 0
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        os.environ["XDG_CACHE_HOME"] = str(home)
        places = {}
        for name in {shot.place for shot in shots}:
            (home / name).mkdir()
            places[name] = PLACES[name](stack, home / name)
        browser = stack.enter_context(open_browser())
        for size in asked.size:
            for theme in asked.theme:
                for shot in shots:
                    picture = asked.folder / f"{size}-{theme}" / f"{shot.name}.png"
                    try:
                        take(browser, shot, places[shot.place], size, theme == "dark", picture)
                    except (AssertionError, Error) as error:
                        failed += 1
                        print(f"{picture}: {' '.join(str(error).split())[:300]}", flush=True)
    print(f"{len(shots)} pages; {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
