"""An author who finds out from the pages alone why a version is weaker than the one before, by following links.

The page of the ladder says how each version has fared by game and side, how it lost, and what time it took; from there
links lead to the last such match, and the search of all games, the player's page and a comparison on the server confirm
it. Nothing but what these pages show is looked at.
"""

import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode

from engine.games.catalogue import TITLES
from tests.bench.term.people import Author

ENOUGH = 8
"""So many games of a game on a side tell something."""

SURE = 2.0
"""So many standard errors apart are no chance."""

END_SECONDS = 1200.0
"""After which a comparison, or the index of games, has failed to come."""

LOOK_SECONDS = 1.0

COMPARED_GAMES = 10


class Line(NamedTuple):
    """A line of the table of a version: how it fared in a game on a side."""

    game: str
    side: str
    games: int
    score: float
    lost_by: dict[str, tuple[int, str]]
    """By way: how often, and the link to the last such match."""
    a_move: float
    """Seconds, on average."""
    longest: float
    share: float

    @property
    def error(self) -> float:
        """The standard error of the score, with a win and a loss more, since nobody is sure of 0 and 100 %."""
        score = (self.games * self.score + 1) / (self.games + 2)
        return math.sqrt(score * (1 - score) / (self.games + 2))


class Seen(NamedTuple):
    """What the page shows of a version."""

    elo: float
    deviation: float
    lines: tuple[Line, ...]
    opponents: tuple[str, ...]


class Reason(NamedTuple):
    """Why a version is weaker, as its author has found out."""

    author: str
    places: tuple[tuple[str, str], ...]
    """Games and sides in which it scores less for certain; the largest loss first."""
    cause: str
    """The way of losing that has grown most there."""
    sentence: str


def find_out(author: Author, better: int, worse: int) -> Reason:
    """Find out why a version is weaker than an earlier one, and confirm it on other pages; fails where these differ."""
    name = author.name
    assert f'href="/ladder/{name}"' in author.get(f"/bots/{name}").text, "the page of the bot leads to the ladder"
    end = time.monotonic() + END_SECONDS
    while True:
        versions = read_versions(author.get(f"/ladder/{name}").text)
        one, other = versions[better], versions[worse]
        if drops := sorted(_drops(one, other), key=lambda pair: pair[1].score - pair[0].score):
            break
        assert time.monotonic() < end, (name, one, other)
        time.sleep(LOOK_SECONDS)
    grown = _grown(drops)
    cause = max(grown, key=lambda way: grown[way])
    before, after = drops[0]
    times, link = next(line.lost_by[cause] for _, line in drops if cause in line.lost_by)
    lines = [line for _, line in drops if cause in line.lost_by]
    said = _confirm(author, cause, link, sum(line.lost_by[cause][0] for line in lines), lines[0].game)
    sentence = (
        f"{name}: version {worse} has {other.elo:.0f} ± {other.deviation:.0f} Elo after {one.elo:.0f} ± "
        f"{one.deviation:.0f} of version {better}; as {after.side} in {after.game} it scores {100 * after.score:.0f} % "
        f"of {after.games} games after {100 * before.score:.0f} % of {before.games}, loses by {cause} "
        f"({times} there), and takes {after.a_move:.2f} s a move after {before.a_move:.2f}, "
        f"{100 * after.share:.0f} % of its time at most; {said}; {_compared(author, worse, better, after.game)}"
    )
    return Reason(name, tuple((line.game, line.side) for _, line in drops), cause, sentence)


def has_played(author: Author, version: int, lines: int, games: int = ENOUGH) -> bool:
    """Tell whether the page shows so many games of a version in so many lines of game and side."""
    seen = read_versions(author.get(f"/ladder/{author.name}").text).get(version)
    return seen is not None and sum(line.games >= games for line in seen.lines) >= lines


def read_versions(page: str) -> dict[int, Seen]:
    """Return what the page of a bot on the ladder shows of each of its versions."""
    found = {}
    for part in re.split(r'<h2 class="later">', page)[1:]:
        number = re.match(r"(?:<a [^>]*>)?Version ([0-9]+)", part)
        rating = re.search(r"After its last game (-?[0-9]+) ± ([0-9]+) Elo", part)
        if number is not None and rating is not None:
            tables = Tables(part).found
            found[int(number[1])] = Seen(
                float(rating[1]),
                float(rating[2]),
                tuple(_line(row) for row in tables[0]),
                tuple(row[0].text for row in tables[1]),
            )
    return found


class Cell(NamedTuple):
    """What stands in a cell of a table, and the links in it by their words."""

    text: str
    links: dict[str, str]


class Tables(HTMLParser):
    """The bodies of the tables of a page, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[list[list[Cell]]] = []
        self._link = ""
        self._text: list[str] | None = None
        self._links: dict[str, str] = {}
        self.feed(page)
        self.found = [[row for row in rows if row] for rows in self.found]  # heads have rows without such cells

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Begin a table, row, cell or link."""
        if tag == "tbody":
            self.found.append([])
        elif tag == "tr" and self.found:
            self.found[-1].append([])
        elif tag == "td":
            self._text, self._links = [], {}
        elif tag == "a":
            self._link = dict(attrs).get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        """End a cell or link."""
        if tag == "td" and self._text is not None:
            self.found[-1][-1].append(Cell(" ".join("".join(self._text).split()), self._links))
            self._text = None
        elif tag == "a":
            self._link = ""

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if self._text is not None:
            self._text.append(data)
            if self._link:
                self._links[data.strip()] = self._link


def _line(row: Sequence[Cell]) -> Line:
    game, side, games, score, _, lost_by, a_move, longest, share = row
    ways = {way: (int(number), lost_by.links.get(way, "")) for way, number in
            re.findall(r"(?:^|, )([^(,]+) \(([0-9]+)\)", lost_by.text)}  # fmt: skip
    return Line(
        game.text,
        side.text,
        int(games.text),
        _percent(score.text),
        ways,
        float(a_move.text or 0),
        float(longest.text or 0),
        _percent(share.text),
    )


def _percent(text: str) -> float:
    return float(text.removesuffix("%") or 0) / 100


def _drops(one: Seen, other: Seen) -> list[tuple[Line, Line]]:
    """Return the lines of two versions in which the other scores less than the one for certain."""
    before = {(line.game, line.side): line for line in one.lines}
    pairs = [(before[line.game, line.side], line) for line in other.lines if (line.game, line.side) in before]
    return [
        (old, new)
        for old, new in pairs
        if min(old.games, new.games) >= ENOUGH and old.score - new.score > SURE * math.hypot(old.error, new.error)
    ]


def _grown(drops: Sequence[tuple[Line, Line]]) -> dict[str, float]:
    """Return by way of losing how much more often games are lost so, in these lines together."""
    grown: dict[str, float] = {}
    for old, new in drops:
        for way in {*old.lost_by, *new.lost_by}:
            rate, earlier = (line.lost_by.get(way, (0, ""))[0] / line.games for line in (new, old))
            grown[way] = grown.get(way, 0.0) + rate - earlier
    return grown


def _confirm(author: Author, cause: str, link: str, times: int, game: str) -> str:
    """Look at the last such match, at the search of all games and at the player's page; say what they show."""
    assert author.get(link).status == 200, link
    match = int(link.rsplit("/", 1)[1])
    record = author.get(f"/api/matches/{match}/record").text
    (end,) = re.findall(r"^result .*$", record, re.MULTILINE)
    assert end.split()[2] == cause.replace(" ", "_"), (cause, end)
    asked = {"player": author.name, "result": "lost", "reason": cause.replace(" ", "_"), "game": _key(game)}
    listed = _asked(author, f"/api/games?{urlencode(asked)}")
    assert listed["found"] >= times or len(listed["games"]) >= times, (listed["found"], times)
    assert author.get(f"/games?{urlencode(asked)}").status == 200
    assert author.get(f"/player/{author.name}").status == 200
    profile = json.dumps(_asked(author, f"/api/player?{urlencode({'name': author.name})}"))
    assert cause.replace(" ", "_") in profile, profile
    return f"match {match} says: {end.split(' ', 6)[-1]!r}, and the search finds {listed['found']} such games"


def _key(game: str) -> str:
    """Return what forms call a game that pages name for people, with its parameters."""
    (found,) = (key for key, name in TITLES.items() if game.startswith(name))
    return found


def _asked(author: Author, path: str) -> Mapping[str, Any]:
    """Return what a page asks for, once the index has all games."""
    end = time.monotonic() + END_SECONDS
    while True:
        page = author.get(path)
        assert page.status == 200, (path, page.text)
        found: dict[str, Any] = json.loads(page.text)
        if found["index"]["complete"]:
            return found
        assert time.monotonic() < end, found["index"]
        time.sleep(LOOK_SECONDS)


def _compared(author: Author, worse: int, better: int, game: str) -> str:
    """Let both versions play each other in a game, and return what the page says of it."""
    parameters = re.sub(r"^\D*", "", game)
    asked = {"first": str(worse), "second": str(better), "game": _key(game), "params": parameters}
    answer = author.post(f"/bots/{author.name}/comparisons", **asked, games=str(COMPARED_GAMES), form=author.form)
    assert answer.status == 303, answer.text
    end = time.monotonic() + END_SECONDS
    while True:
        (last, *_) = json.loads(author.get(f"/bots/{author.name}/comparisons").text)["comparisons"]
        if last["is_over"]:
            return f"the comparison: {last['summary']}"
        assert time.monotonic() < end, last
        time.sleep(LOOK_SECONDS)
