"""Forms of other sites change nothing, and guesses of links, codes and tokens are refused after a hundred."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from server import serve as server
from server.config.settings import Limits, Settings
from server.league.accounts import AUTHOR, ORGANISER, Accounts
from server.league.contests import Comparisons
from server.league.grading.grade_book import GradeBook
from server.league.ladder.definition import read
from server.league.ladder.service import LadderService
from server.league.pages.account_pages import AccountPages
from server.league.pages.bot_pages import VersionPages
from server.league.pages.forms import Identities
from server.league.submissions.pipeline import Pipeline
from server.league.submissions.versions import Versions
from server.web import app
from server.web.http.request import GUESS_COST, QUOTA, REQUESTS, HttpRateLimiter, Refused
from server.web.http.static_files import VersionedFiles
from tests.server.league.ladder.test_service import FILE
from tests.server.league.people import person
from tests.server.league.test_account_pages import FORM, Visitor
from tests.web.asking import Answer, ask
from tests.web.site import Site

READS = "it tells what it is sent to who has sent it"
JSON = f"{READS}, and takes application/json, which no form can be"
WITHOUT_SESSION = {
    "/join": "a code or link, which nobody else was sent",
    "/join/{link}": "a link, which nobody else was sent",
    "/api/matches/{number:number}/log": "the token of a player of the match",
    **dict.fromkeys(("/api/record", "/api/review", "/api/signature"), READS),
    **{f"/api/{page}/{kind}": JSON for page, kinds in app.QUESTIONS.items() for kind in kinds},
}
"""Routes that anybody may ask, and what keeps them from harm even by a browser that tells no origin."""

LIVE = re.compile(r"/live/.*")
"""Routes that take a connection, and answer no POST."""

FOREIGN = (
    {"origin": "http://example.org"},
    {"origin": "null"},
    {"origin": "https://127.0.0.1"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
)
"""Headers of browsers for requests by another site's page."""

OWN = ({"origin": "http://127.0.0.1:80", "sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"})
"""Headers of browsers for requests by the server's own pages, and by their reader."""


class Serving(NamedTuple):
    """A server with an organiser who is signed in."""

    app: ASGIApp
    paths: set[str]
    """Paths of all routes that take a POST."""
    state: dict[str, Any]
    cookie: str
    token: str
    """Token of the organiser's own forms."""
    data: Path
    fields: dict[str, str]
    """Fields of all forms, so that each form would change something."""

    async def post(self, path: str, token: str, **headers: str) -> Answer:
        """Send a form to a route, signed in."""
        kind, body = FORM, urlencode({**self.fields, "form": token}).encode()
        if path.endswith("/versions"):
            kind, body = "multipart/form-data; boundary=x", _with_file(token)
        sent = {"host": "127.0.0.1:80", "content-type": kind, "cookie": self.cookie, "accept": "*/*", **headers}
        return await ask(self.app, "POST", self._filled(path), body, headers=sent, state=self.state)

    def stored(self) -> list[str]:
        """Return all that the server has in databases, and the files it has of versions."""
        kept = sorted(str(path) for path in (self.data / "versions").rglob("*"))
        for file in sorted(self.data.glob("*.sqlite3")):
            with closing(sqlite3.connect(file)) as database:
                kept += database.iterdump()
        return kept

    def _filled(self, path: str) -> str:
        known = {**self.fields, "number": "1", "change": "pause"}
        return re.sub(r"{(\w+)(:\w+)?}", lambda found: known[found[1]], path)


@asynccontextmanager
async def serving(data: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Serving]:
    apps: list[Any] = []
    compose = app.application

    def composed(*parts: Any) -> ASGIApp:
        apps.append(compose(*parts))
        return apps[0]

    monkeypatch.setattr(app, "application", composed)

    async def wait(*_: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(Pipeline, "run", wait)  # nothing changes but by what is asked
    monkeypatch.setattr(LadderService, "run", wait)
    ladder = read(FILE, data, str)
    async with trio.open_nursery() as nursery:
        arena = await nursery.start(server.serve, Settings(port=0, data=data, web=("127.0.0.1", 0)), None, ladder)
        with closing(Accounts(data)) as accounts:
            visitor = Visitor(Site.__new__(Site))
            visitor.site.web_port = arena.web_ports[0]
            link = accounts.invite("head", ORGANISER, "test")
            await trio.to_thread.run_sync(visitor.post, f"/join/{link}")
            mine = await trio.to_thread.run_sync(visitor.get, "/people")
            head = accounts.person("head")
            assert head is not None
            accounts.make_token(head, "bot")
            Versions(data, accounts).add(head, "bot", "bot.py", b"print()")
            fields = {"name": "kim", "names": "kim", "role": AUTHOR, "uses": "2", "sure": "yes", "text": "x"}
            fields |= {"hours": "1", "match": "1", "browser": "1", "code": "x", "link": "x", "bot": "bot"}
        state = {QUOTA: HttpRateLimiter(Limits(), 5, lambda: 0).enter("127.0.0.1")}
        routes: list[BaseRoute] = apps[0]._app.routes
        mounted = [route.app for route in routes if not isinstance(route, Route) and isinstance(route, Mount)]
        assert list(map(type, mounted)) == [VersionedFiles], "nothing is mounted but files, which answer no POST"
        http = [route for route in routes if isinstance(route, Route)]
        paths = {route.path for route in http if route.methods is None or "POST" in route.methods}
        yield Serving(apps[0], paths, state, visitor.cookie, mine.form, data, fields)
        nursery.cancel_scope.cancel()


def _with_file(token: str) -> bytes:
    """Return a form with a file."""
    parts = (
        f'name="form"\r\n\r\n{token}',
        'name="file"; filename="bot.py"\r\n\r\nprint()',
    )
    return "".join(f"--x\r\ncontent-disposition: form-data; {part}\r\n" for part in parts).encode() + b"--x--\r\n"


@pytest.mark.slow
async def test_a_form_needs_a_session_its_signature_and_a_page_of_this_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as here:
        assert WITHOUT_SESSION.keys() < here.paths
        before, nobody = here.stored(), here._replace(cookie="")
        for path in here.paths:
            for foreign in FOREIGN:
                answer = await here.post(path, here.token, **foreign)
                sentence = "another site's page may not ask this server to work"
                assert (answer.status, answer.json) == (403, {"error": sentence}), (path, foreign)
            status = (await nobody.post(path, here.token)).status
            if LIVE.fullmatch(path):
                assert status == (await here.post(path, "")).status == 405
            elif WITHOUT_SESSION.get(path) == JSON:
                assert status == 415, path
            elif path in WITHOUT_SESSION:
                known = {"/join/{link}": 404} | dict.fromkeys(("/api/record", "/api/review", "/api/signature"), 422)
                assert status == known.get(path, 400), path
            else:
                assert status == 401, path
                for token in ("", here.token[:-1]):
                    answer = await here.post(path, token)
                    assert (answer.status, b"not from this page" in answer.body) == (403, True), (path, token, answer)
        assert here.stored() == before
        for own in OWN:
            assert (await here.post("/people/invite", here.token, **own)).status == 200, own
        assert here.stored() != before


AT_ONCE = 100

PAUSE = round(GUESS_COST / REQUESTS * 1_000_000)
"""Microseconds after which an address that has guessed too much may guess once more."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "wrong"), [("code", 400), pytest.param("token", 403, marks=pytest.mark.thorough)])
async def test_an_address_that_guesses_is_refused_until_its_time_has_come(
    tmp_path: Path, accounts: Accounts, versions: Versions, autojump_clock: object, kind: str, wrong: int
) -> None:
    identities = Identities(accounts, "")
    book = GradeBook(tmp_path, accounts, versions)
    code, token = accounts.invite_many(AUTHOR, 2, "test"), accounts.make_token(person(accounts, "ann"), "bot")
    comparisons = Comparisons(tmp_path, accounts, versions)
    pages = (
        AccountPages(accounts, identities, book, tmp_path),
        VersionPages(accounts, identities, versions, comparisons, lambda *_: {}),
    )
    app = Starlette(routes=[route for one in pages for route in one.routes()], exception_handlers={Refused: refused})
    now = 0
    rate_limiter = HttpRateLimiter(Limits(), 5, lambda: now)
    guessing, other = rate_limiter.enter("192.0.2.1"), rate_limiter.enter("192.0.2.2")

    async def try_it(secret: str, quota: object = guessing) -> int:
        async def inner(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, QUOTA: quota}, receive, send)

        state = {QUOTA: quota}
        if kind == "code":
            body = urlencode({"code": secret}).encode()
            return (await ask(inner, "POST", "/join", body, headers={"content-type": FORM}, state=state)).status
        headers = {"authorization": f"Bearer {secret}"}
        return (await ask(inner, "GET", "/bots/bot/versions", headers=headers, state=state)).status

    assert [await try_it(f"x{number}") for number in range(AT_ONCE + 1)] == [*[wrong] * AT_ONCE, 429]
    assert await try_it(code if kind == "code" else token) == 200, "it is no guess"
    assert await try_it("x", other) == wrong
    now += PAUSE - 1
    assert await try_it("x") == 429
    now += 1
    assert [await try_it("x") for _ in range(2)] == [wrong, 429]


async def refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse({"error": str(error)}, error.status)
