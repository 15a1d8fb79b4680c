"""The organiser's console, over HTTP."""

import csv
import io
import re
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from engine.wire import messages as m
from server.commands import contest as contest_command
from server.commands.administration import announce
from server.contest.contest_file import BadContest
from server.contest.store.store import FILE, Store
from server.league.accounts import ORGANISER, Accounts
from server.league.console.console_pages import TEMPLATES, read_new
from tests.server.contest.runtime.bots import read_definition
from tests.server.league.test_account_pages import FORM, Visitor, accounts, sign_in, site
from tests.server.league.test_grades import RULE, filled
from tests.server.league.test_submissions import SEALED
from tests.server.process import Client, wait_until
from tests.web.asking import Answer
from tests.web.site import Site, Table

__all__ = ["accounts", "site"]

pytestmark = pytest.mark.slow


def test_an_organiser_sees_who_is_here_and_what_is_played_and_nobody_else_does(site: Site, accounts: Accounts) -> None:
    teacher = sign_in(site, accounts, "teacher", ORGANISER)
    assert "Nothing is played." in teacher.get("/organise").text
    table = Table(site, "mnk", "params=3,3,3 budget=600000", ("kay", "lou"))
    text = teacher.get("/organise").text
    assert f'<a href="/match/{table.match}">Match {table.match}</a>' in text and "kay – lou" in text
    assert "2 logged in, 1 match running" in text and accounts.audit(1)[0].what in text
    table.close()
    assert sign_in(site, accounts, "author").get("/organise").status == 403


CONTEST = """
name = "Autumn"
time = { budget = 60_000 }
entrants = [{ name = "dora" }, { name = "emil" }, { name = "fay" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


def test_a_contest_is_paused_changed_and_cancelled_and_the_audit_log_says_who_did_it(
    site: Site, accounts: Accounts
) -> None:
    with closing(Store(site.data / FILE)) as store:
        number = store.open_contest(CONTEST, read_definition(CONTEST), datetime.now(UTC))
    head = sign_in(site, accounts, "head", ORGANISER)
    here = f"/organise/contest/{number}"
    form = head.get("/organise").form

    def post(change: str, **fields: str) -> Answer:
        found = head.post(f"{here}/{change}", form=form, **fields)
        if found.status == 303:
            assert found.headers["location"].startswith(f"{here}?done="), "the address is that of the contest again"
            found = head.get(found.headers["location"])
        return found

    assert post("pause").status == 200
    sent = urlencode({"form": form})
    place = head.ask("POST", f"{here}/pause", sent, **{"content-type": FORM}).headers["location"]
    assert place.startswith(f"{here}?refused=") and "is paused" not in head.get(place.replace("paused", "gone")).text
    assert head.get(place).status == 400
    contest_command.resume("Autumn", data=site.data)
    for change, fields in (("withdraw", {"name": "emil"}), ("reinstate", {"name": "emil"}), ("cancel", {})):
        assert post(change, **fields).status == 200
        assert ("Next games" in head.get(here).text) == (change != "cancel")
    page = head.get(here).text
    assert not any(f"{here}/{kind}" in page for kind in ("pause", "resume", "cancel", "withdraw", "reinstate"))
    assert head.get("/organise/contest/99").status == 404 and post("command", name="emil").status == 404
    assert [entry.who for entry in accounts.audit(5)] == ["head", "head", "head", "the command line", "head"]


def test_an_organiser_ends_a_match_and_sends_a_player_away(site: Site, accounts: Accounts) -> None:
    chief = sign_in(site, accounts, "chief", ORGANISER)
    table = Table(site, "mnk", "params=3,3,3 budget=600000", ("gus", "hal"))
    form = chief.get("/organise").form
    assert chief.post("/organise/annul", form=form, match=str(table.match), sentence="a\x07b").status == 400
    annulled = chief.post("/organise/annul", form=form, match=str(table.match), sentence="a\r\nBYE b")
    assert annulled.status == 303
    result = table.players[0].hear(m.Result)
    assert (result.reason, result.sentence.partition(": ")[2]) == ("organiser", "a BYE b")
    assert chief.post("/organise/dismiss", form=form, name="gus", sentence="not\nnow").status == 303
    bye = table.players[0].hear(m.Bye)
    assert (bye.reason, bye.sentence.partition(": ")[2]) == ("dismissed", "not now")
    assert [entry.what for entry in accounts.audit(2)] == ["sent gus away", f"annulled match {table.match}"]
    over_network = Client(site.port)
    over_network.say(m.Organise("secret"))
    over_network.say(m.Dismiss("hal"))
    over_network.hear(m.Dismissed)
    wait_until(lambda: accounts.audit(1)[0].what == "sent hal away")
    assert accounts.audit(1)[0].who == "the organiser's token"
    over_network.close()
    table.close()


def test_a_contest_is_checked_copied_and_begun_from_a_form(site: Site, accounts: Accounts) -> None:
    prefect = sign_in(site, accounts, "prefect", ORGANISER)
    page = prefect.get("/organise/new")

    def post(text: str, do: str = "check") -> Answer:
        return prefect.post("/organise/new", form=page.form, text=text, do=do)

    file = CONTEST.replace("Autumn", "Winter")
    assert post(file.replace("games = ", "games == ")).status == 400
    checked = post(file)
    assert checked.status == 200 and "3 entrants, 6 games" in checked.text
    begun = post(file, "begin")
    assert begun.status == 303 and "Winter" in prefect.get(begun.headers["location"]).text
    assert post(file, "begin").status == 400
    number = begun.headers["location"].rpartition("/")[2]
    assert "&#34;Winter&#34;" in prefect.get(f"/organise/new?from={number}").text
    assert prefect.get("/organise/new?from=99").status == 404


def test_what_is_announced_stands_on_pages_and_is_sent_to_who_does_not_play(
    site: Site, accounts: Accounts, capsys: pytest.CaptureFixture[str]
) -> None:
    herald = sign_in(site, accounts, "herald", ORGANISER)
    table, guest = Table(site, "mnk", "params=3,3,3 budget=600000", ("ida", "jon")), Client(site.port)
    guest.hear(m.Arena)
    form = herald.get("/organise").form
    for text, hours in (("Lunch", "x"), ("", "1")):
        assert herald.post("/organise/announce", form=form, text=text, hours=hours).status == 400
    assert herald.post("/organise/announce", form=form, text="Lunch <now>", hours="1").status == 303
    assert guest.hear(m.Announcement).sentence == "Lunch <now>"
    table.move("a1")  # players hear of nothing but their match
    assert all(not isinstance(message, m.Announcement) for player in table.players for message in player.heard)
    shown = Visitor(site).get("/contests").text
    assert re.search(
        '<p class="card notice">Lunch &lt;now&gt; <time class="quiet">[0-9-]+ [0-9:]+ UTC</time></p>', shown
    )
    announce(data=site.data)
    number, _, rest = capsys.readouterr().out.partition("  until ")
    assert rest.endswith("herald: Lunch <now>\n")
    announce("Final at 6", end=int(number), data=site.data)
    assert guest.hear(m.Announcement).sentence == "Final at 6"
    wait_until(lambda: "Final at 6" in (shown := herald.get("/").text) and "Lunch" not in shown)
    assert [entry.what for entry in accounts.audit(2)] == ["announced: Final at 6", f"ended announcement {number}"]
    guest.close()
    table.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "emil"', 'name = "emil", command = ["./emil"], folder = "emil"'),
        ('name = "Autumn"', 'name = "Autumn"\nsandbox = "none"'),
        ('name = "Autumn"', 'name = "Autumn"\nvisible = ["/etc"]'),
        ('params = "3 3 3"', 'params = "3 3 3", openings = { files = ["/etc/passwd"] }'),
    ],
)
def test_no_program_is_started_and_no_file_read_from_a_page(old: str, new: str) -> None:
    assert read_new(CONTEST).entrants
    with pytest.raises(BadContest):
        read_new(CONTEST.replace(old, new))


@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=[pytest.mark.thorough] * bool(at)) for at, (_, text) in enumerate(TEMPLATES)]
)
def test_a_contest_can_begin_by_each_template(text: str) -> None:
    assert read_new(text).stages


@SEALED
def test_organisers_grade_on_a_page_and_students_see_their_own_grades_when_these_are_published(
    site: Site, accounts: Accounts
) -> None:
    filled(site.data, accounts)
    rule = f'students = ["ann", "bob", "carl"]\n{RULE}'
    rector = sign_in(site, accounts, "rector", ORGANISER)
    ann, bob = (sign_in(site, accounts, name) for name in ("ann", "bob"))
    form = rector.get("/organise/grades").form
    assert rector.get("/organise/grades/grades.csv").status == 404
    wrong = rector.post("/organise/grades", form=form, rule=rule.replace("most = 10", "most = 'x'"), contest="0")
    assert wrong.status == 400 and "most = &#39;x&#39;" in wrong.text, "what was written stays in the form"
    assert rector.post("/organise/grades", form=form, rule=rule, contest="0").status == 303
    rows = list(csv.DictReader(io.StringIO(rector.get("/organise/grades/grades.csv").text)))
    assert [(row["student"], row["total"], row["most"]) for row in rows] == [
        ("ann", "90.0", "100.0"),
        ("bob", "0.0", "100.0"),
        ("carl", "0.0", "100.0"),
    ]
    for path in ("", "/grades.csv"):
        assert ann.get(f"/organise/grades{path}").status == 403
    assert "Grades" not in ann.get("/me").text, "nothing is published"
    assert rector.post("/organise/grades/publish", form=form, number="1").status == 303
    mine = ann.get("/me").text
    assert "<h2>Grades</h2>" in mine and "bob" not in mine and "ann" not in bob.get("/me").text
    assert ann.post("/organise/grades/withdraw", form=ann.get("/me").form).status == 403
    assert rector.post("/organise/grades/withdraw", form=form).status == 303
    assert "<h2>Grades</h2>" not in ann.get("/me").text
