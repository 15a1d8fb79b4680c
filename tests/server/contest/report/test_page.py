import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from server.contest.definition import Entrant, Format
from server.contest.fixtures import GameResult
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Swiss
from server.contest.plan import plan
from server.contest.report import files, formatting
from server.contest.report.contents import make_report
from server.contest.report.files import TABS, RoundCell, page, rounds, swiss_rounds, tab_values
from server.contest.report.progress import Moment
from server.contest.report.structure import ScheduledGame
from server.contest.report.templating import render
from tests.server.contest.played import contest
from tests.server.contest.report.samples import FORMATS, OPENED, sample_report

VOID = {"meta", "link", "br", "hr", "img", "col", "input"}

TAGS = frozenset(
    """
    html head meta title style body div header p h1 h2 h3 dl dt dd nav ul li a main section table caption
    thead tbody tr th td abbr b span details summary footer ol svg line rect
    """.split()  # noqa: SIM905
)
"""All that a page is made of; scripts are not among it."""

ATTRIBUTES = frozenset(
    """
    lang charset http-equiv content name id class href scope title tabindex role aria-label aria-labelledby
    colspan open data-key data-label aria-hidden viewbox preserveaspectratio x1 x2 y1 y2 x width height
    """.split()  # noqa: SIM905
)
"""None of them runs a script or fetches anything."""


class Reader(HTMLParser):
    """Reads a page strictly: every element is known, and closed in order."""

    tags = TAGS
    attributes = ATTRIBUTES

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.rows: list[list[int]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        assert tag in self.tags and set(given) <= self.attributes, f"{tag} {given}"
        self.elements.append((tag, given))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if tag == "table":
            self.rows.append([])
        if tag == "tr":
            self.rows[-1].append(0)
        if tag in ("td", "th"):
            self.rows[-1][-1] += int(given.get("colspan", "1"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


class FragmentReader(Reader):
    """Reads what a page of the server gets, which has a bar, and buttons that choose games."""

    tags = TAGS | {"button", "progress"}
    attributes = ATTRIBUTES | {"type", "value", "max", "data-first", "data-second"}


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("stop", [1, 10**6])
def test_a_page_is_sound_and_links_to_all_games_and_records(formats: tuple[Format, ...], stop: int) -> None:
    made = sample_report(7, *formats, stop=stop, advance=4)
    read = Reader(page(made))
    assert len(set(read.ids)) == len(read.ids)
    inside = {link[1:] for link in read.links if link.startswith("#")}
    assert inside <= set(read.ids), "no link leads nowhere"
    outside = {link for link in read.links if not link.startswith("#")}
    assert outside == {f"../../records/{game.match}.txt" for game in made.games if game.match is not None}
    assert {f"game-{game.number}" for game in made.games} <= set(read.ids)
    for rows in read.rows:
        assert len(set(rows)) == 1, "all rows are as wide as the head"
    text = " ".join(read.texts)
    for loss in made.losses:
        assert formatting.printable(loss.sentence) in text
    for one in made.disqualified:
        assert one.reason in text
    for stage in made.stages:
        crossed = [cell for row in stage.crosstable for cell in row if cell]
        assert all(f"game-{cell.games[0]}" in inside for cell in crossed)


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("stop", [1, 10**6])
def test_a_page_of_the_server_has_the_same_parts_and_links_to_matches_and_players(
    formats: tuple[Format, ...], stop: int
) -> None:
    made = sample_report(7, *formats, stop=stop, advance=4)
    tabs = [tab_values(made, 5, 99, tab) for tab in TABS]
    parts = [
        render("header.html", **tabs[0]),
        *(render("contest.html", **values) for values in tabs),
        *(render("round.html", contest=5, round=one) for one in rounds(made.games)),
    ]
    shown = FragmentReader("".join(parts))
    in_page = [id for id in Reader(page(made)).ids if not id.startswith(("game-", "games", "lost-board"))]
    assert shown.ids == in_page
    names = {*made.entrants, *(name for game in made.games for name in (game.first, game.second))}
    expected = {f"/match/{game.match}" for game in made.games if game.match is not None}
    expected |= {f"/player/{name}" for name in names} | {"/contest/5/live"}
    expected |= {"/contest/5?tab=games" for loss in made.losses if loss.cause == "board"}
    assert {link for link in shown.links if not link.startswith(("#", "/contest/5/games?"))} == expected
    assert sorted(game.number for one in rounds(made.games) for game in one.games) == [g.number for g in made.games]


def test_the_newest_round_comes_first_and_too_many_games_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sample_report(7, Swiss(3))
    assert [(one.title, one.id) for one in rounds(made.games[::-1])] == [
        ("Stage 1, round 3", "round-1-3"), ("Stage 1, round 2", "round-1-2"), ("Stage 1, round 1", "round-1-1"),
        ("Qualification", "round-0"),
    ]  # fmt: skip
    monkeypatch.setattr(files, "MAX_LISTED", 10)
    values = tab_values(made, 1, 1, "games")
    assert not values["rounds"]
    assert re.findall("[^<>]* 10[^<>]*", render("notes.html", **values)) == snapshot(
        ["The list of games is left out: there are more than 10. games.csv has them all."]
    )


def test_nothing_foreign_becomes_markup_or_controls_the_reader() -> None:
    definition = contest(3, RoundRobin())
    evil = "</td><script>alert(1)</script><img src=x onerror=y>\"'&\x1b\u202e"
    entrants = tuple(Entrant(f"{number}{evil}") for number in range(3))
    definition = replace(definition, name=evil, entrants=entrants)
    games = [GameResult(fixture, 1, 0, "bad_move", evil) for fixture in plan(definition, []).due]
    made = make_report(definition, games, plan(definition, games), Moment(OPENED, OPENED), '"><script>')
    values = tab_values(made, 1, 1, "standings")
    for template in ("header.html", "contest.html", "round.html", "notes.html"):
        FragmentReader(render(template, **values, round=rounds(made.games)[0]))
    text = page(made)
    read = Reader(text)
    assert "<script" not in text and "<img" not in text and "\x1b" not in text and "\u202e" not in text
    assert " ".join(read.texts).count(formatting.printable(evil)) > 10
    assert {link for link in read.links if not link.startswith("#")} == {'"><script>1.txt'}


def test_the_policy_allows_the_style_sheet_of_the_page_alone() -> None:
    text = page(sample_report(4, RoundRobin()))
    found = re.search("<style>(.*?)</style>", text, re.DOTALL)
    assert found is not None and text.count("<style>") == 1
    digest = b64encode(sha256(found[1].encode()).digest()).decode()
    metas = [given for tag, given in Reader(text).elements if tag == "meta"]
    (policy,) = [given["content"] for given in metas if given.get("http-equiv") == "Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "http" not in text.replace("http-equiv", "") and "url(" not in text and "@import" not in text


@pytest.mark.parametrize("stop", [45, 70, 10**6])
def test_the_points_of_all_rounds_are_those_of_the_table(stop: int) -> None:
    made = sample_report(9, Swiss(4), stop=stop)
    (stage,) = made.stages
    rows = swiss_rounds(stage, made)
    names = [line.name for line in stage.table]
    byes = {(bye.name, bye.round) for bye in stage.byes}
    for line, row in zip(stage.table, rows, strict=True):
        so_far = [cell.so_far for cell in row if cell is not None]
        assert so_far == sorted(so_far) and (so_far[-1] if so_far else 0) == line.points
        for number, cell in enumerate(row, 1):
            assert cell is None or cell.bye == ((line.name, number) in byes)
            if cell is not None and cell.opponent:
                back = rows[names.index(cell.opponent)][number - 1]
                assert back is not None and back.opponent == line.name
                assert {game.number for game in back.games} == {game.number for game in cell.games}
                assert cell.points == sum(game.points_of(line.name) for game in cell.games)
                began = [game.first == line.name for game in cell.games]
                assert began == sorted(began, reverse=True)


def test_a_round_that_is_paired_has_its_opponents_before_the_first_result() -> None:
    made = sample_report(8, Swiss(2))
    (stage,) = made.stages
    one, other = stage.table[0].name, stage.table[1].name
    coming = ScheduledGame(stage=1, round=3, variant="morris", opening=1, first=one, second=other, running=False)
    rows = swiss_rounds(stage, replace(made, schedule=(coming,)))
    assert rows[0][2] == RoundCell(other, (), 0.0, stage.table[0].points, False)
    assert rows[1][2] == RoundCell(one, (), 0.0, stage.table[1].points, False)
    assert [row[2] for row in rows[2:]] == [None] * (len(rows) - 2)
