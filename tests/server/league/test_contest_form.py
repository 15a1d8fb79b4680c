"""A contest in fields: they say what a file says, and a file what they say."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.games.catalogue import GAMES
from server.config import tokens
from server.config.builtin_bot import BUILTIN_NAMES, builtin_bot_named
from server.contest import contest_file
from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Entrant
from server.contest.formats.openings import from_moves
from server.contest.programs.command import builtin_entrant_command
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER
from server.league.console.contest_form.choices import choices
from server.league.console.contest_form.faults import fault_of
from server.league.console.contest_form.fields import new_fields, numbered, with_defaults
from server.league.console.contest_form.filling import fill, kept_entrants
from server.league.console.contest_form.writing import write
from server.league.console.new_contest import read_new
from tests.server.contest import test_contest_file
from tests.server.league import test_new_contest
from tests.server.league.test_account_pages import Page, sign_in
from tests.web.site import Site, open_site

EXAMPLE = Path(__file__).parents[3] / "bots" / "examples" / "contest.toml"

WITHOUT_FILES = test_contest_file.WHOLE.replace('{ files = ["one.txt"] }', "{ plies = 3, number = 4, seed = 5 }")

DEADLINE = """
name = "Öffnung \\"eins\\""
time = { budget = 90_500, increment = 50 }
versions-until = 2026-11-27T18:00:00+01:00
entrants = [
    { name = "ann", version-of = "ann" },
    { name = "b", version-of = "bob" },
    { name = "carl" },
    { name = "alphabeta-2", command = COMMAND },
    { name = "own", command = ["./own"], folder = "own" },
]
games = [{ game = "gipf" }]

[[stages]]
format = "gauntlet"
challengers = ["ann", "own"]
cycles = 2
[[stages]]
format = "knockout"
advance = 4
third-place = true
time = { budget = 1_500 }

[bounds]
memory = 512
cpu-seconds = 90
""".replace("COMMAND", str([*builtin_entrant_command(builtin_bot_named("alphabeta-2"))]))


def no_file(name: str) -> str:
    raise FileNotFoundError(2, "No such file or directory", name)


def read(text: str) -> Definition:
    return contest_file.read(text, no_file)


@pytest.mark.parametrize(
    "file",
    [EXAMPLE.read_text(encoding="utf-8"), test_contest_file.LEAST, WITHOUT_FILES, DEADLINE, test_new_contest.FILE],
    ids=["example", "least", "whole", "deadline", "program"],
)
def test_a_file_fills_fields_that_mean_the_same_also_as_the_form_shows_them(file: str) -> None:
    fields, meant = fill(file, no_file), read(file)
    assert fields is not None
    assert all(fields.values())
    for shown in (fields, with_defaults(fields)):
        assert read(write(shown, kept_entrants(meant))) == meant


@pytest.mark.parametrize(
    "file",
    [
        test_contest_file.LEAST.replace('params = "3 3 3"', 'params = "3 3 3", openings = { files = ["one.txt"] }'),
        test_contest_file.LEAST.replace('name = "least"', 'name = "least"\nvisible = ["lib"]'),
        test_contest_file.LEAST.replace('params = "3 3 3"', 'params = "3 3"'),
        "no = TOML = at all",
    ],
    ids=["positions", "visible", "wrong", "no TOML"],
)
def test_what_fields_cannot_say_is_told_apart(file: str) -> None:
    position = from_moves(GAMES["mnk"], "3 3 3", ["a1"])
    assert fill(file, lambda _name: position) is None


def test_a_new_contest_has_a_version_of_each_bot_and_lacks_but_a_name() -> None:
    fields = new_fields(["ann-2", "bob-1"])
    with pytest.raises(BadContest, match=r"^name is missing"):
        read(write(fields, {}))
    found = read_new(write({"name": "Autumn", **fields}, {}), None)
    assert found.entrants == (Entrant("ann-2", version_of="ann-2"), Entrant("bob-1", version_of="bob-1"))


def test_bots_of_the_server_may_begin_from_a_page() -> None:
    fields = {"name": "Levels", **new_fields([]), **{f"builtin.{name}": "on" for name in BUILTIN_NAMES}}
    found = read_new(write(fields, {}), None)
    assert [one.name for one in found.entrants] == [*BUILTIN_NAMES]
    assert all(one.command[0] == "arena-bot" for one in found.entrants)
    with pytest.raises(BadContest, match="has a command"):
        read_new(write(fields, {}).replace('"--games", "1"', '"--games", "1", "--book", "/etc/passwd"', 1), None)


def test_who_can_be_chosen_stands_once_and_whoever_was_chosen_stays() -> None:
    earlier = [Entrant("ann", version_of="ann"), Entrant("Random", ("./random",)), Entrant("fay")]
    found = choices(earlier, ["ann", "bob"], ["bob", "carl"], {"bot.gone": "on", "player.left": "on"})
    assert [one.field for one in found.copied] == ["bot.ann", "kept.Random", "player.fay"]
    assert [one.field for one in found.bots] == ["bot.bob", "bot.gone"]
    assert [one.field for one in found.builtin] == [f"builtin.{name}" for name in BUILTIN_NAMES[1:]]
    assert [one.field for one in found.players] == ["player.carl", "player.left"]


def test_games_and_stages_without_a_choice_are_left_out_and_the_rest_is_numbered() -> None:
    fields = {"games.1.params": "3 3 3", "games.2.game": "mnk", "games.2.params": "4 4 3", "stages.10.format": "swiss"}
    assert numbered(fields) == {"games.1.game": "mnk", "games.1.params": "4 4 3", "stages.1.format": "swiss"}


RIGHT = {"name": "Autumn", **new_fields(["ann", "bob", "carl"]), "games.1.game": "mnk", "games.1.params": "4 4 3"}


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "x" * 81}, "name"),
        ({"name": ""}, "name"),
        ({"time.budget": "a minute"}, "time.budget"),
        ({"time.budget": ""}, "time.budget"),
        ({"time.increment": "-1"}, "time.increment"),
        ({"versions-until": "Friday"}, "versions-until"),
        ({"versions-until": "2026-02-30T10:00"}, "versions-until"),
        ({"players": "dora Dora"}, "entrants"),
        ({"players": "..."}, "entrants"),
        ({"bot.ann": "", "bot.bob": ""}, "entrants"),
        ({"games.1.game": "chess"}, "games.1.game"),
        ({"games.1.params": "4"}, "games.1.params"),
        ({"games.1.openings.plies": "many"}, "games.1.openings.plies"),
        ({"games.1.openings": "moves", "games.1.openings.moves": "a1\nz9"}, "games.1.openings.moves"),
        ({"stages.1.format": "swiss"}, "stages.1.rounds"),
        ({"stages.1.format": "swiss", "stages.1.rounds": "9"}, "stages.1.rounds"),
        ({"stages.1.format": "ladder"}, "stages.1.format"),
        ({"stages.1.format": "ladder", "stages.1.hours": "soon"}, "stages.1.hours"),
        ({"stages.1.format": "gauntlet", "stages.1.challengers": "dora"}, "stages.1.challengers"),
        ({"stages.1.format": "knockout", "stages.1.tie-break-time.budget": "x"}, "stages.1.tie-break-time.budget"),
        ({"stages.1.pairs": "0.5"}, "stages.1.pairs"),
        ({"stages.2.format": "swiss", "stages.2.rounds": "1", "stages.2.advance": "7"}, "stages.2.advance"),
        ({"stages.1.time.budget": "0"}, "stages.1.time.budget"),
        ({"seeding": "strength"}, "seeding"),
        ({"seed": "x"}, "seed"),
        ({"patience": "-5"}, "patience"),
        ({"bounds.memory": "1"}, "bounds.memory"),
        ({"qualification": "on"}, "qualification.opponents"),
        ({"qualification": "on", "qualification.opponents": "deepblue"}, "qualification.opponents"),
        ({"adjudication": "on", "adjudication.seconds": "0"}, "adjudication.seconds"),
        ({"games.1.game": ""}, ""),
    ],
)
def test_what_is_wrong_is_told_of_its_field(typed: Mapping[str, str], field: str) -> None:
    fields = numbered({name: value for name, value in {**RIGHT, **typed}.items() if value})
    assert read(write(RIGHT, {})).name == "Autumn"
    with pytest.raises(BadContest) as caught:
        read(write(fields, {}))
    fault = fault_of(str(caught.value), fields)
    assert fault.field == field and fault.sentence
    if field.endswith("budget"):
        assert "seconds" in fault.sentence and "000" not in fault.sentence


class Sent(HTMLParser):
    """What a browser sends of the form of a page when nothing was typed."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._open = self._select = ""
        self.feed(page.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "input" and name and (given.get("type") != "checkbox" or "checked" in given):
            self.fields[name] = value
        if tag == "textarea":
            self._open, self.fields[name] = name, ""
        if tag == "select":
            self._select = name
        if tag == "option" and ("selected" in given or self._select not in self.fields):
            self.fields[self._select] = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.fields[self._open] += data.removeprefix("\n")


def written(page: Page) -> str:
    """Return the contest file that a page shows."""
    found = re.search(r"<pre[^>]*>(.*?)</pre>", page.text, re.DOTALL)
    assert found is not None
    return unescape(found[1])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("contest-form")
    organiser = folder / "organiser.txt"
    organiser.write_text(tokens.hashed("secret"))
    with open_site(folder / "data", "--organiser", str(organiser)) as site:
        yield site


def test_a_contest_is_written_in_fields_begun_and_copied(site: Site) -> None:
    with closing(Accounts(site.data)) as accounts:
        head = sign_in(site, accounts, "head", ORGANISER)
        author = sign_in(site, accounts, "author")
    page = head.get("/organise/new")

    def post(**fields: str) -> Page:
        return head.post("/organise/new", **{**Sent(page).fields, **fields})

    assert author.get("/organise/new").status == 403
    assert post(form="another", do="check").status == 403
    page = post(do="add-game", players="dora emil")
    assert page.status == 200 and "Game 2" in page.text
    page = post(do="add-stage", **{"games.1.game": "mnk", "games.1.params": "3 3 3", "games.1.openings": ""})
    assert "Stage 2" in page.text
    page = post(do="check", **{"games.2.game": "", "stages.2.format": "", "builtin.random": "on", "time.budget": "x<y"})
    assert page.status == 400 and 'value="x&lt;y"' in page.text and "name is missing" in page.text
    page = post(do="check", name="Winter & more")
    assert page.status == 400 and "not &#39;x&lt;y&#39;.</p>" in page.text and "Game 2" not in page.text
    page = post(do="check", **{"time.budget": "30,5"})
    assert page.status == 200 and "It can begin: 3 entrants." in page.text
    meant = read_new(written(page), None)
    assert [one.name for one in meant.entrants] == ["random", "dora", "emil"]
    assert meant.stages[0].control.budget == 30_500_000 and len(meant.variants) == len(meant.stages) == 1
    text = post(do="text")
    assert Sent(text).fields["text"].rstrip() == written(page).rstrip()
    begun = post(do="begin")
    assert begun.status == 303
    number = begun.headers["location"].rpartition("/")[2]
    with closing(Store(site.data / FILE)) as store:
        assert store.definition(int(number)) == meant
    page = head.get(f"/organise/new?from={number}")
    assert read(written(page)) == meant and Sent(page).fields["from"] == number
    page = post(do="check")
    assert page.status == 400 and "as an earlier contest is called" in page.text


def test_a_copy_of_what_fields_cannot_say_is_shown_as_text(site: Site) -> None:
    file = test_contest_file.LEAST.replace('"least"', '"Text"\nvisible = ["lib"]')
    with closing(Accounts(site.data)) as accounts, closing(Store(site.data / FILE)) as store:
        deputy = sign_in(site, accounts, "deputy", ORGANISER)
        number = store.open_contest(file, read(file), datetime.now(UTC))
    page = deputy.get(f"/organise/new?from={number}")
    assert "says more than the fields" in page.text and Sent(page).fields["text"].strip() == file.strip()
