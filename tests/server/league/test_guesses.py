"""Who guesses links, codes or tokens is refused after a hundred wrong ones, and who has a right one never is."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server.config.settings import Limits
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.comparisons import Comparisons
from server.league.grading.grade_book import GradeBook, League
from server.league.pages.account_pages import AccountPages
from server.league.pages.forms import Identities
from server.league.pages.version_pages import VersionPages
from server.league.submissions.pipeline import Turns
from server.league.submissions.versions import Versions
from server.web.http.errors import Refused
from server.web.http.guard import GUESS_COST, QUOTA, REQUESTS, TOO_MANY, HttpRateLimiter
from tests.server.league.people import person
from tests.server.league.test_account_pages import FORM
from tests.web.asking import Answer, ask

AT_ONCE = 100

PAUSE = round(GUESS_COST / REQUESTS * 1_000_000)
"""Microseconds after which an address that has guessed too much may guess once more."""


@pytest.mark.parametrize(("kind", "wrong"), [("link", 404), ("code", 400), ("token", 403)])
async def test_an_address_that_guesses_is_refused_until_its_time_has_come(
    tmp_path: Path, accounts: Accounts, versions: Versions, kind: str, wrong: int
) -> None:
    identities = Identities(accounts, "")
    book = GradeBook(League(tmp_path, accounts, versions))
    known = {
        "link": accounts.invite("bob", AUTHOR, "test"),
        "code": accounts.invite_many(AUTHOR, 2, "test"),
        "token": accounts.make_token(person(accounts, "ann"), "bot"),
    }
    comparisons = Comparisons(tmp_path, accounts, versions)
    pages = AccountPages(accounts, identities, book), VersionPages(identities, versions, Turns(), comparisons)
    app = Starlette(routes=[route for one in pages for route in one.routes()], exception_handlers={Refused: refused})
    now = 0
    rate_limiter = HttpRateLimiter(Limits(), 5, lambda: now)
    guessing, other = rate_limiter.enter("192.0.2.1"), rate_limiter.enter("192.0.2.2")

    async def try_it(secret: str, quota: object = guessing) -> Answer:
        async def inner(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, QUOTA: quota}, receive, send)

        state = {QUOTA: quota}
        if kind == "link":
            return await ask(inner, "GET", f"/join/{secret}", state=state)
        if kind == "code":
            body = urlencode({"code": secret}).encode()
            return await ask(inner, "POST", "/join", body, headers={"content-type": FORM}, state=state)
        headers = {"authorization": f"Bearer {secret}"}
        return await ask(inner, "GET", "/bots/bot/versions", headers=headers, state=state)

    tried = [(await try_it(f"x{number}")).status for number in range(AT_ONCE + 1)]
    assert tried == [*[wrong] * AT_ONCE, 429]
    assert (await try_it("x")).json == {"error": TOO_MANY[1]}
    assert (await try_it(known[kind])).status == 200, "it is no guess"
    assert (await try_it("x", other)).status == wrong
    now += PAUSE - 1
    assert (await try_it("x")).status == 429
    now += 1
    assert [(await try_it("x")).status for _ in range(2)] == [wrong, 429]


async def refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse({"error": str(error)}, error.status)
