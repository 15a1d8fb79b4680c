"""Pages and forms of accounts and versions, over HTTP, and what lets a bot in."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from engine.wire import messages as m
from engine.wire.messages import Code
from server.config import tokens
from server.config.settings import Limits
from server.league.accounts import AUTHOR, ORGANISER, Accounts, Role
from server.league.pages.forms import Identities
from server.web.http.request import QUOTA, HttpRateLimiter
from tests.server.conftest import Run
from tests.server.league.test_submissions import SEALED, packed
from tests.server.process import Client, wait_until
from tests.waiting import BUILD_SECONDS
from tests.web.asking import Answer, fetch
from tests.web.site import Site, open_site

pytestmark = pytest.mark.slow

FORM = "application/x-www-form-urlencoded"


class Visitor:
    """A browser without scripts, with its cookie."""

    def __init__(self, site: Site, **headers: str) -> None:
        self.site = site
        self.cookie = ""
        self.headers = {"accept": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        sent = {**self.headers, **({"cookie": self.cookie} if self.cookie else {}), **headers}
        answer = fetch(self.site.web_port, method, path, body, sent)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, **fields: str) -> Answer:
        """Send a form, and read the page to which a refusal leads."""
        found = self.ask("POST", path, urlencode(fields), **{"content-type": FORM})
        place = found.headers.get("location", "")
        return self.get(place) if "?refused=" in place else found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Open a site where a proxy may name who asks, and ``secret`` is the token of the organiser."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "organiser.txt").write_text(tokens.hashed("secret"))
    options = ("--organiser", str(folder / "organiser.txt"), "--user-header", "X-Remote-User")
    with open_site(folder / "data", *options) as site:
        yield site


@pytest.fixture
def accounts(site: Site) -> Iterator[Accounts]:
    with closing(Accounts(site.data)) as accounts:  # as the command line does, beside the server
        yield accounts


def sign_in(site: Site, accounts: Accounts, name: str, role: Role = AUTHOR) -> Visitor:
    visitor = Visitor(site)
    assert visitor.post(f"/join/{accounts.invite(name, role, 'test')}").status == 303
    return visitor


def logs_in(site: Site, name: str, token: str = "") -> bool:
    """Tell whether a bot is let in."""
    bot = Client(site.port)
    try:
        bot.say(m.Login(name, token))
        answer = bot.hear(m.Welcome, m.Error)
        assert isinstance(answer, m.Welcome) or answer.code == Code.BAD_TOKEN
        return isinstance(answer, m.Welcome)
    finally:
        bot.close()


def test_to_look_at_a_link_does_not_open_it(site: Site, accounts: Accounts) -> None:
    link = accounts.invite("ann", AUTHOR, "test")
    visitor = Visitor(site)
    for _ in range(2):
        page = visitor.get(f"/join/{link}")
        assert page.status == 200 and not visitor.cookie
    page = visitor.post(f"/join/{link}")
    assert (page.status, page.headers["location"]) == (303, "/me")
    cookie = page.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie
    mine = visitor.get("/me")
    assert mine.status == 200 and mine.headers["cache-control"] == "no-store" and "author since" in mine.text
    assert "form-action 'self'" in mine.headers["content-security-policy"]
    assert mine.headers["content-encoding"] == "identity"
    assert Visitor(site).post(f"/join/{link}").status == 404


def test_nobody_is_let_in_by_a_cookie_that_was_made_up(site: Site) -> None:
    visitor = Visitor(site)
    for cookie in ("", "arena-session=ann", "arena-session=ann.c2lnbmF0dXJl", "arena-session="):
        visitor.cookie = cookie
        assert visitor.get("/me").status == 401


def test_an_encrypted_connection_gets_a_cookie_for_such_alone(site: Site, accounts: Accounts) -> None:
    visitor = Visitor(site, x_forwarded_proto="https")
    page = visitor.post(f"/join/{accounts.invite('eve', AUTHOR, 'test')}")
    assert "secure" in page.headers["set-cookie"].lower()


def test_a_bot_logs_in_by_the_token_of_its_authors_page(site: Site, accounts: Accounts) -> None:
    visitor = sign_in(site, accounts, "hal")
    form = visitor.get("/me").form
    token = visitor.post("/me/token", bot="hal-9000", form=form).secret
    assert not logs_in(site, "hal-9000") and not logs_in(site, "hal", token)
    assert logs_in(site, "HAL-9000", token)
    assert logs_in(site, "somebody-else"), "whose name is nobody's, on a server without a file of tokens"
    assert visitor.post("/me/revoke", bot="hal-9000", form=form).status == 303
    assert not logs_in(site, "hal-9000", token)
    assert visitor.post("/me/revoke", bot="alphabeta", form=form).status == 400


def test_an_organiser_invites_and_others_may_not(site: Site, accounts: Accounts) -> None:
    author = sign_in(site, accounts, "jan")
    assert author.get("/people").status == 403
    assert author.post("/people/invite", names="eve", role="organiser", form=author.get("/me").form).status == 403
    teacher = sign_in(site, accounts, "teacher", ORGANISER)
    form = teacher.get("/people").form
    page = teacher.post("/people/invite", names="kim\nleo <b>", role="author", form=form)
    assert page.status == 400 and "&lt;b&gt;" in page.text
    page = teacher.post("/people/invite", names="kim leo", role="author", form=form)
    links = re.findall("<code>(/join/[^<]+)</code>", page.text)
    assert len(links) == 2 and Visitor(site).post(links[1]).status == 303
    code = teacher.post("/people/code", uses="2", role="spectator", form=form).secret.removeprefix("/join/")
    guest = Visitor(site)
    page = guest.post("/join", code=f" {code[:4].upper()}-{code[4:]} ")
    assert page.status == 200
    assert guest.post(f"/join/{code}", name="mia").status == 303
    assert teacher.post("/people/role", name="mia", role="author", form=form).status == 303
    assert "author since" in guest.get("/me").text
    assert teacher.post("/people/close", name="mia", form=form).status == 303
    assert guest.get("/me").status == 401
    for uses, role in (("many", "author"), ("0", "author"), ("2", "king")):
        assert teacher.post("/people/code", uses=uses, role=role, form=form).status == 400


def test_a_proxy_of_a_trusted_network_names_who_asks(site: Site) -> None:
    visitor = Visitor(site, x_remote_user="nia")
    page = visitor.get("/me")
    assert page.status == 200 and "author since" in page.text and "Sign out here" not in page.text
    assert visitor.post("/me/token", bot="nia", form=page.form).secret
    assert Visitor(site, x_remote_user="nia@example.org").get("/me").status == 403


def test_nobody_but_a_proxy_of_a_trusted_network_is_believed_who_has_signed_in(tmp_path: Path) -> None:
    rate_limiter = HttpRateLimiter(Limits(trusted=(ip_network("192.0.2.0/24"),)), 5, lambda: 0)
    with closing(Accounts(tmp_path)) as accounts:
        for host, name in (("127.0.0.1", None), ("192.0.2.1", "ann")):
            scope = {
                "type": "http",
                "headers": [(b"x-remote-user", b"ann")],
                "state": {QUOTA: rate_limiter.enter(host)},
            }
            found = Identities(accounts, "X-Remote-User").find(Request(scope))
            assert (found and found.person.name) == name


BOUNDARY = "----frontier"


def send(visitor: Visitor, bot: str, form: str, name: str, data: bytes) -> Answer:
    """Send a file as a browser does."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="form"\r\n\r\n{form}\r\n--{BOUNDARY}\r\n'
    head += f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/zip\r\n\r\n'
    body = head + data.decode("latin-1") + f"\r\n--{BOUNDARY}--\r\n"
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return visitor.ask("POST", f"/bots/{bot}/versions", body, **{"content-type": kind})


def ended(visitor: Visitor, path: str) -> Answer:
    """Look at a version until it is not under way any more, as the page does by itself."""
    wait_until(lambda: "every 3s" not in visitor.get(path).text, 0.2, BUILD_SECONDS)
    return visitor.get(path)


@SEALED
def test_a_version_is_sent_by_a_form_and_its_author_reads_why_it_was_refused(site: Site, accounts: Accounts) -> None:
    amy = sign_in(site, accounts, "amy")
    amy.post("/me/token", bot="amy-1", form=amy.get("/me").form)
    form = amy.get("/bots/amy-1").form
    page = send(amy, "amy-1", form, "bot.zip", packed({"bot.c": "int main( { <b>"}))
    assert (page.status, page.headers["location"]) == (303, "/bots/amy-1/versions/1")
    page = ended(amy, "/bots/amy-1/versions/1")
    assert "&lt;b&gt;" in page.text and "error" in page.text, "with what the compiler has said"
    assert "was refused" in amy.get("/bots/amy-1").text
    assert amy.post("/bots/amy-1/versions/1/play", form=form).status == 400
    page = amy.post("/bots/amy-1/versions/1/delete", form=form)
    assert (page.status, page.headers["location"]) == (303, "/bots/amy-1")
    assert "was deleted: the build" in amy.get("/bots/amy-1").text
    assert not (site.data / "submissions" / "amy-1" / "1").exists()
    assert amy.ask("POST", "/bots/amy-1/versions", "x", **{"content-type": "multipart/form-data"}).status == 400
    assert send(amy, "nobody", form, "bot.zip", b"x").status == 404
    other, teacher = sign_in(site, accounts, "bob"), sign_in(site, accounts, "rector", ORGANISER)
    for path in ("/bots/amy-1", "/bots/amy-1/versions/1"):
        assert (other.get(path).status, teacher.get(path).status, Visitor(site).get(path).status) == (404, 200, 401)
    assert amy.get("/bots/amy-1/versions/2").status == 404


@SEALED
def test_the_command_line_sends_a_folder_and_shows_what_becomes_of_it(
    site: Site, accounts: Accounts, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    carla = sign_in(site, accounts, "carla")
    token = carla.post("/me/token", bot="carla", form=carla.get("/me").form).secret
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "notes.txt").write_text("I have no bot")
    (folder / "ignored.bin").write_bytes(os.urandom(1000))
    (folder / ".gitignore").write_text("*.bin\n")
    monkeypatch.setenv("ARENA_TOKEN", token)
    words = ("--name", "carla", "--server", site.url)
    done = run("submit", str(folder), *words, room="bots")
    assert done.status == 1 and "-- refused: " in " ".join(done.out)
    sent = site.data / "submissions" / "carla" / "1" / "build"
    assert sorted(path.name for path in sent.iterdir()) == [".gitignore", "notes.txt"]
    done = run("versions", *words, "--delete", "1", room="bots")
    assert done.status == 0 and "bot.zip  deleted: " in " ".join(done.out), done
    assert not sent.parent.exists()
    told = Visitor(site, accept="application/json", authorization=f"Bearer {token}").get("/bots/carla/versions/1")
    assert json.loads(told.text)["state"] == "deleted"
    assert Visitor(site, authorization=f"Bearer {token}").get("/bots/amy-1/versions/1").status == 403
