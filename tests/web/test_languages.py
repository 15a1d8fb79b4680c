"""Pages in two languages, of one catalogue of texts."""

import ast
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import engine
from engine.games.outcome import Termination
from engine.record import time_account, verify
from server.contest.definition import RoundRobin, Swiss
from server.contest.fixtures import UNPLAYED
from server.contest.report.page import fragments
from server.league.pages.comparison_pages import WORDS as COMPARISON_STATES
from server.league.pages.rendering import PARTS
from server.league.pages.version_pages import WORDS as VERSION_STATES
from server.web.assets import documents
from server.web.assets.static_files import load
from server.web.assets.texts.catalogue import HOLE, modules, texts
from server.web.assets.texts.choice import language_of
from server.web.assets.texts.headings import in_language
from server.web.assets.texts.markup import texts_of, translated
from server.web.assets.texts.templates import texts_of_template, translated_template
from tests.engine.records import Table as Record
from tests.server.contest.report.samples import sample_report
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.site import Site, Table, knockout
from tests.web.test_app import ask

SCRIPTS = re.compile(r"(?!texts/).*\.js")
"""Scripts of which every text is in the catalogue; those of ``texts/`` are the catalogue."""

FURTHER = re.compile(r"(analysis|atlas|people)/|contests/(night|tiles)\.js")
"""Those of pages that load further texts; what changes by a result is told below tiles of a projector alone."""

SHOWN = re.compile(r"^[^#{]*[^\W\d_]{2,}[,;:]? [^\W\d_]|^[A-Z][a-z]+[a-z .…]*$")
"""Several words, or one with a capital letter: a text that somebody sees."""

NOT_SHOWN = {
    *(
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "Enter",
        "Escape",
        "Home",
        "End",
        "Tab",
        "AbortError",
        "Content",
    ),
    *("(prefers-reduced-motion: reduce)", "(prefers-color-scheme: dark)", "tick middle", "cursor hover"),
    *("button, a, label", "input, textarea, select, [contenteditable]", "input, textarea, select", "board game-"),
    *("aim side", "bar-of of- side", "offer row", "label near", "label wide", "cell blocked", "piece side of-"),
    *(
        "chip of- side",
        "the page has no ",
        "translate(px, px)",
        "translate(px, px) scale()",
        "translate(px, px) scale(1)",
        "translate( )",
    ),
}
"""Names of keys, errors, media, elements and classes, and what only who wrote a page sees."""

KIND = re.compile(r"(?<=\{[0-9]):[a-z]+(?=\})")


def literals(script: str) -> Iterator[str]:
    """Yield the strings of a script."""
    code = re.sub(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", "", script, flags=re.DOTALL)
    code = re.sub(r"^import .*?;$|^\} from .*?;$", "", code, flags=re.MULTILINE)
    yield from (found[1] for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', code))
    for found in re.finditer(r"`([^`]*)`", code):
        yield re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", "", found[1])  # a template without its values


def test_a_language_has_every_text_of_the_pages_and_no_other() -> None:
    german = texts("de")
    folder = files("server.web.assets") / "pages"
    seen: dict[str, set[str]] = {}
    for page in documents.DOCUMENTS.values():
        seen[page.body] = {*texts_of((folder / f"{page.body}.html").read_text(encoding="utf-8")), page.title}
    for name, shown in seen.items():
        assert shown - german.pages[name].keys() - german.pages["all"].keys() == set(), name
    for name, table in german.pages.items():
        if name != "all":
            assert table.keys() - seen[name] == set(), name
    frame = {*documents.LINKS.values(), *documents.SKIP.values(), "Pages", "Dark colours", "No page"}
    frame |= {*texts_of(documents.NO_PAGE), *texts_of(documents.REFUSED)} - {"SENTENCE"}
    assert frame <= german.pages["all"].keys()


def test_scripts_show_no_text_that_the_catalogue_lacks() -> None:
    usual = json.loads(modules("de")["de"].removeprefix(b"export default ").rstrip(b";\n"))["texts"]
    scripts = {path: file.data.decode() for path, file in load().items() if SCRIPTS.fullmatch(path)}
    assert len(scripts) > 20
    lacking = {
        (path, text)
        for path, script in scripts.items()
        for text in literals(script)
        if SHOWN.search(text)
        and text not in NOT_SHOWN
        and text not in (texts("de").scripts if FURTHER.match(path) else usual)
    }
    assert not lacking


RULES = (
    *("engine/games/*.py", "engine/games/*/*.py", "server/web/*/*.py", "server/web/play/analysis/*.py"),
    *("server/league/accounts/*.py", "server/league/submissions/*.py", "server/league/pages/*.py"),
    *("server/league/console/*.py", "server/league/console/*/*.py", "server/league/comparisons/*.py"),
    "server/league/similarity.py",
)
ROOT = Path(engine.__file__).parents[1]
PAGES = [path for folder in ("pages", "console") for path in (ROOT / "server/league" / folder).glob("*.py")]
APART = ("evaluation.py", "kernel.py", "perft.py", "indexing.py")
"""Where sentences are made that pages show, and files there that make none."""

NOT_TOLD = re.compile(
    r"the push .* has more than|the arena is full|of .* there are no pictures|the scale is|no move leads to that"
    r"|(the browser|the peer) does not read|there is no move of yours|no move was |the pages are served by|requests "
    r"|bots connect |the proxy has named|what is live is told|url has to|an oEmbed answer|theme is |ply is |limit is "
    r"|scale is |the record |first has first in a line|an answer takes first|a bot thinks for first"
)
"""What programs alone can cause, or programmers; and what has values that are made of several, as 1 to 10."""


ENGLISH = re.compile(r"(?<!-)\b(the|is|are|has|have|been|with|of|and|or|but|not|on|at|for|by|it|its|this|there)\b")
"""Words by which a sentence is known whose form is another one's, so that a part of it stays English."""


def said(tree: ast.AST) -> Iterator[str]:
    """Yield what a program raises or keeps as a sentence, with "first" for each of its values."""
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            values = node.exc.args[-2:]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("sentence", "detail"):
            values = [node.value]
        for value in values:
            parts = value.values if isinstance(value, ast.JoinedStr) else [value]
            words = [part.value if isinstance(part, ast.Constant) else "first" for part in parts]
            if any(isinstance(word, str) and word.count(" ") > 1 for word in words):
                yield "".join(map(str, words))


def test_what_the_rules_and_pages_refuse_is_in_the_catalogue() -> None:
    german, found = texts("de", *PARTS), set()
    for path in (path for pattern in RULES for path in ROOT.glob(pattern) if path.name not in APART):
        found |= {(path.name, sentence) for sentence in said(ast.parse(path.read_text(encoding="utf-8")))}
    assert len(found) > 100
    told = {one: german.sentence(one[1]) for one in found if not NOT_TOLD.match(one[1])}
    assert not {one for one, words in told.items() if words == one[1] or ENGLISH.search(words)}


def test_what_the_server_makes_as_markup_is_in_the_catalogue() -> None:
    known, found = texts("de", "server").scripts.keys() | texts("de").pages["all"].keys(), set()
    for path in (path for room in ("views", "api", "live") for path in (ROOT / "server/web" / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("words", "words.word", "words.count"):
                found |= {(path.name, one.value) for one in node.args if isinstance(one, ast.Constant)}
    assert len(found) > 10
    assert not {one for one in found if one[1] not in known and one[1] != "all"}


def test_templates_show_no_text_that_the_catalogue_lacks() -> None:
    known, found = texts("de", "server").scripts, set()
    for path in (ROOT / "server/league/pages/templates").rglob("*.html"):
        source = path.read_text(encoding="utf-8")
        found |= {(path.name, text) for text in texts_of_template(source)}
        calls = re.findall(r"\b(?:t|count)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", source)
        found |= {(path.name, word) for call in calls for word in re.findall(r"'([^']+)'", call)}
        # a word within an expression is one that is given to t
        bare = [
            re.sub(r"\b(t|count)\((?:[^()]|\([^()]*\))*\)", "", code) for code in re.findall(r"\{\{.*?\}\}", source)
        ]
        assert not [code for code in bare if re.search(r"'[A-Za-z]+ [a-z]+|\belse '[a-z]{2,}'", code)]
    found |= {("a state", words) for words in (*VERSION_STATES.values(), *COMPARISON_STATES.values())}
    titles = re.findall(r'\bpage\(\s*"[^"]+",\s*"([^"]+)"', "".join(path.read_text("utf-8") for path in PAGES))
    found |= {("a title", title) for title in titles}
    assert len(found) > 200 and len(titles) > 5
    assert not {one for one in found if one[1] not in known}


def test_each_way_in_which_a_game_ends_has_a_word_on_the_pages_of_the_league() -> None:
    known = texts("de", "server").scripts
    ways = {way for ending in (*UNPLAYED, *Termination) for way in ending.split("+")}
    assert not {way for way in ways if way.replace("_", " ") not in known}


def test_expressions_stand_where_the_language_wants_them() -> None:
    source = (
        "<p title=\"Match {{ n }}\">{% if a > b %}\n  It is\n {{ t('x') }} of {{ b }}{% endif %}<code>It is</code></p>"
    )
    assert list(texts_of_template(source)) == ["Match {0}", "It is {0} of {1}"]
    told = translated_template(source, {"Match {0}": "Partie {0}", "It is {0} of {1}": "Von {1} ist {0}"}.__getitem__)
    assert told == (
        "<p title=\"Partie {{ n }}\">{% if a > b %}\n  Von {{ b }} ist {{ t('x') }}{% endif %}<code>It is</code></p>"
    )


def test_texts_and_their_translations_have_the_same_values() -> None:
    parts = [texts("de", *part) for part in ((), ("server",), ("reports",))]
    for table in (
        *parts[0].pages.values(),
        *(table for part in parts for table in (part.scripts, part.sentences)),
    ):
        for text, words in table.items():
            assert words.strip()
            assert not KIND.search(words)
            assert sorted(HOLE.findall(words)) == sorted(HOLE.findall(KIND.sub("", text))), text


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "fr,en;q=0.5,de;q=0.7", "de"),
        (None, "en-GB,de;q=0.9", "en"),
        (None, "de;q=0", "en"),
        (None, "x" * 10_000, "en"),
        ("de", "en", "de"),
        ("en", "de", "en"),
        ("klingon", "de", "de"),
    ],
)
def test_a_language_is_chosen_or_the_one_that_the_browser_likes_best(
    chosen: str | None, accepted: str, language: str
) -> None:
    assert language_of(chosen, accepted) == language


def test_sentences_are_known_by_their_form_and_names_stay_what_they_are() -> None:
    german = texts("de")
    assert german.sentence("white (black) resigned") == "white (Schwarz) hat aufgegeben"
    assert german.sentence("there is no match 17 here") == "es gibt hier keine Partie 17"
    assert german.sentence("something else") == "something else"
    flag = "bob (white) ran out of time: 0.500 ms beyond a budget of 9.000 ms; its opponent used 1.000 ms"
    assert german.sentence(flag) == (
        "bob (Weiß) hat die Zeit überschritten: 0,500 ms über 9,000 ms hinaus; der Gegner verbrauchte 1,000 ms"
    )
    spans = "ann (black) ran out of time while initialising: 1.5 s beyond a budget of 2.5 h"
    assert german.sentence(f"{spans}; {spans}") == "; ".join(
        ["ann (Schwarz) hat schon bei der Vorbereitung die Zeit überschritten: 1,5 s über 2,5 h hinaus"] * 2
    )
    reports = texts("de", "server", "reports")
    in_contests = {
        "about 1 day 2 hours, at most 20 days": "etwa 1 Tag 2 Stunden, höchstens 20 Tage",
        "ann had been missing for 1 second": "ann hatte 1 Sekunde gefehlt",
        "1 point in 1 game": "1 Punkt in 1 Partie",
        f"{spans}; 1 s used of 90 s allowed for 1 move": (
            f"{german.sentence(spans)}; 1 s verbraucht von 90 s für 1 Zug"
        ),
        "bob (white) ran out of time: 2 ms beyond a budget of 1 s; its connection had been lost for 19.5 s": (
            "bob (Weiß) hat die Zeit überschritten: 2 ms über 1 s hinaus; die Verbindung war seit 19,5 s verloren"
        ),
    }
    assert {sentence: reports.sentence(sentence) for sentence in in_contests} == in_contests
    text = Record(increment=100).ready(40, 30).play("1", span=900).drop(1).play("1", span=20).flag()
    said = (*time_account(verify(text)), verify(text).sentence)
    assert not [line for line in said if ENGLISH.search(german.sentence(line))]
    assert texts("en").sentence("white (black) resigned") == "white (black) resigned"


def test_markup_keeps_everything_but_its_texts() -> None:
    markup = '<p class="wide" title="Not this">\n  Two\n  words <b>bold</b> <code>Two words</code> 17</p>'
    shown = translated(markup, str.upper)
    assert shown == '<p class="wide" title="NOT THIS">\n  TWO WORDS <b>BOLD</b> <code>Two words</code> 17</p>'
    assert list(texts_of(markup)) == ["Not this", "Two words", "bold"]


def test_a_page_comes_in_the_language_of_the_browser_and_errors_too(site: Site) -> None:
    german = ask(site, "/contests", accept_language="de")
    assert '<html lang="de">' in german.body.decode() and "Wettbewerbe" in german.body.decode()
    assert {"accept-language", "cookie"} <= {*german.headers["vary"].replace(" ", "").split(",")}
    kept = ask(site, "/contests?language=en&page=2", accept_language="de")
    assert kept.status == 303 and kept.headers["location"] == "/contests?page=2"
    assert kept.headers["set-cookie"].startswith("language=en; Max-Age=31536000; Path=/; SameSite=lax")
    assert '<html lang="en">' in ask(site, "/contests", accept_language="de", cookie="language=en").body.decode()
    lost = ask(site, "/match/999", accept="text/html", accept_language="de")
    assert lost.status == 404 and "Es gibt hier keine Partie 999." in lost.body.decode()
    assert "Noch wurde kein Zug gemacht." in ask(site, "/replay", accept_language="de").body.decode()


SEEN = {"/": "bob", "/contests": "Partien", "/contest/2/live": "55 von 142 Partien", "/play": "am Zug"}
SEEN |= {
    "/contest/2": "Größte Wahrscheinlichkeit",
    "/contest/3": "Gewonnene Runden",
    "/analysis": "ist am Zug",
    "/explorer": "GIPF",
    "/games": "Partien",
}
"""What a page shows when the server has told it all."""


WHOLE = "cells => cells.every((cell) => cell.scrollWidth <= cell.clientWidth)"
"""Whether cells show all that they hold."""


def english(page: Page) -> set[str]:
    """Return the texts of the catalogue that a page shows in English."""
    german = texts("de")
    tables = [*german.pages.values(), german.scripts]
    shown = set(page.locator("body").inner_text().split("\n"))
    known = {words for table in tables for words in table.values()}
    return {text for table in tables for text in table if text in shown} - known


@pytest.mark.slow
def test_a_reader_chooses_a_language_that_stays(browser: Browser, site: Site) -> None:
    table = Table(site, "gipf", "params=3,3,5,5 budget=600000")
    with open_page(browser, phone=True) as page:
        page.goto(f"{site.url}/match/{table.match}#0")
        page.get_by_role("link", name="Deutsch").click()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert page.url == f"{site.url}/match/{table.match}#0"
        table.move("a1-b2")
        table.resign()
        expect(page.locator("#ending")).to_contain_text("bob gewinnt (Schwarz): Aufgabe")
        expect(page.locator("#ending")).to_contain_text("ann (Weiß) hat aufgegeben")
        check_accessibility(page)
        paths = (
            "/",
            "/contests",
            "/contest/2",
            "/contest/3",
            "/contest/2/live",
            "/play",
            "/analysis",
            "/games",
            "/explorer",
            "/atlas",
        )
        for path in (f"/match/{table.match}", *paths):
            page.goto(site.url + path)
            expect(page.locator("main")).to_contain_text(SEEN.get(path, ""))
            assert fits(page), path
            assert not english(page), path
            assert page.locator(".standings :is(td, th)").evaluate_all(WHOLE), path
        page.get_by_role("link", name="English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
    table.close()


def test_the_report_of_a_contest_is_in_german_and_its_names_are_as_they_were() -> None:
    german = texts("de", "reports")
    lacking = set()
    for report in (sample_report(8, RoundRobin()), sample_report(12, Swiss(5), stop=60), knockout()):
        parts = fragments(report, 1, 142)
        markup = parts.head + parts.contest + parts.more + parts.notes + "".join(one.html for one in parts.rounds)
        told = in_language(markup, german)
        lacking |= {*texts_of(told)} & {*texts_of(markup)}
        assert not [
            text for text in texts_of(told) if re.search(r"\b(the|games|entrants|from)\b", text) and text not in OURS
        ]
        assert re.sub("[^<>]*", "", told) == re.sub("[^<>]*", "", markup)
    assert {text for text in lacking if not DATA.fullmatch(text) and german(text) != text} == set()
    assert {text for text in lacking if not DATA.fullmatch(text)} <= german.scripts.keys()
    assert in_language(markup, texts("en")) == markup
    line = '<td class="words">resign: Runde (white) resigned</td><th>Round</th><td class="left">open</td>'
    shown = '<td class="words">Aufgabe: Runde (Weiß) hat aufgegeben</td><th>Round</th><td class="left">open</td>'
    assert in_language(line, german) == shown
    figures = '<td>0.5 s</td><td>1.5 %</td><td>v1.5</td><td data-label="S.-B.">57.25</td><td class="name">1.5</td>'
    shown = '<td>0,5 s</td><td>1,5 %</td><td>v1.5</td><td data-label="S.-B.">57,25</td><td class="name">1.5</td>'
    assert in_language(figures, german) == shown
    assert in_language("<p>As files: <a>games.csv</a></p>", german) == "<p>Als Dateien: <a>games.csv</a></p>"
    assert german(german.sentence("Qualification")) == "Qualifikation"


def test_what_seldom_happens_to_a_contest_is_said_in_german_too() -> None:
    german = texts("de", "reports")
    shown = {
        '<li><a href="#interventions">The organiser&#39;s interventions</a></li>': (
            '<li><a href="#interventions">Eingriffe des Veranstalters</a></li>'
        ),
        "<summary>Round 1: 32 meetings</summary>": "<summary>Runde 1: 32 Begegnungen</summary>",
        "<summary>Semi-finals: 2 meetings, 1 open</summary>": "<summary>Halbfinale: 2 Begegnungen, 1 offen</summary>",
        '<p class="state">Final result: ann and bob have won</p>': (
            '<p class="state">Endergebnis: ann und bob haben gewonnen</p>'
        ),
        '<td class="words">absent: ann and bob had been missing for 30 seconds</td>': (
            '<td class="words">nicht erschienen: ann und bob hatten 30 Sekunden gefehlt</td>'
        ),
        '<td class="words">absent: ann had been missing for 30 seconds</td>': (
            '<td class="words">nicht erschienen: ann hatte 30 Sekunden gefehlt</td>'
        ),
    }
    assert {line: in_language(line, german) for line in shown} == shown
    console = texts("de", "server", "reports")
    said = {
        "ann won (no reserve)": "ann gewann (kein Stein mehr zu spielen)",
        "no winner (absent)": "kein Sieger (nicht erschienen)",
        "the contest was cancelled": "der Wettbewerb wurde abgebrochen",
        "ann was withdrawn": "ann wurde herausgenommen",
        "Autumn: ann was withdrawn": "Autumn: ann wurde herausgenommen",
        "paused since 2026-11-23 10:00 UTC: by the organiser": (
            "unterbrochen seit 2026-11-23 10:00 UTC: durch den Veranstalter"
        ),
    }
    assert {sentence: console.sentence(sentence) for sentence in said} == said


OURS = {"games.csv"}
"""What holds such a word in German, too."""

DATA = re.compile(
    r"a[0-9]+( – a[0-9]+| [0-9½]+ : [0-9½]+ a[0-9]+)?|test|random|alphabeta.*|(GIPF|m,n,k)( [0-9 ]+)?"
    r"|[a-z]+\.(json|csv)|[0-9:. -]+ UTC|Q|[○●]?[½0-9 ·:]+|Sonneborn-Berger"
    r"|([-+−±]?[0-9.:,]+ (s|ms|min|h|Elo)( / |$))+"
)
"""Names, games, files, dates and figures, which are the same in all languages."""
