"""Whose version is tried next, on paper: authors in turn, one version of each at a time; and what pages say of it."""

import json
import queue
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import hypercorn.trio
import pytest
import trio
from hypercorn.config import Config
from itsdangerous import Signer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from server.config.limits import Limits
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.comparisons import Comparisons
from server.league.pages.identity import COOKIE, Identities
from server.league.pages.version_pages import VersionPages
from server.league.submissions.pipeline import Outlook, Turns
from server.league.submissions.versions import State, Version, Versions
from server.web.http.client_quota import HttpRateLimiter
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from tests.server.league.test_account_pages import Visitor

DATE = datetime(2026, 11, 23, tzinfo=UTC)

ANN, BOB, CAT = 1, 2, 3


def version(number: int, owner: int, state: State = "waiting") -> Version:
    return Version(number, f"bot-{owner}", number, DATE, "bot.py", "", state, "", (), owner)


def test_the_second_upload_of_an_author_waits_behind_the_first_ones_of_others() -> None:
    turns = Turns()
    sent = [version(1, ANN), version(2, ANN), version(3, ANN), version(4, BOB), version(5, CAT), version(6, BOB)]
    assert [one.id for one in turns.order(sent)] == [1, 4, 5, 2, 6, 3]
    turns.begin(sent[0])
    turns.end(sent[0], 60)
    assert [one.id for one in turns.order(sent[1:])] == [4, 5, 2, 6, 3], "also when the first one is over"
    new = [*sent[1:], version(7, 9)]
    assert [one.id for one in turns.order(new)][:3] == [4, 5, 7]


def test_who_sends_all_the_time_lets_nobody_wait_for_ever() -> None:
    turns, left, served = Turns(), [version(1, ANN), version(2, BOB)], []
    for number in range(3, 9):
        found = turns.next(left)
        assert found is not None
        turns.begin(found)
        turns.end(found, 1)
        served.append(found.owner)
        left = [one for one in left if one != found] + [version(number, ANN)]
    assert served == [ANN, BOB, ANN, ANN, ANN, ANN]


def test_one_version_of_an_author_is_tried_at_a_time_so_that_they_play_in_order() -> None:
    turns = Turns(at_once=2)
    ann, again, bob = version(1, ANN), version(2, ANN), version(3, BOB)
    sent = [ann, again, bob]
    assert turns.next(sent) == ann
    turns.begin(ann)
    assert turns.next([ann, again]) is None, "there is room, but it has to wait"
    assert turns.next(sent) == bob
    turns.begin(bob)
    assert turns.next([*sent, version(4, CAT)]) is None, "there is no room"
    turns.end(ann, 60)
    assert turns.next([again, bob]) == again


def test_what_an_earlier_server_has_begun_comes_first() -> None:
    assert [one.id for one in Turns().order([version(1, ANN), version(2, BOB, "checking")])] == [2, 1]


def test_who_waits_is_told_how_many_come_before_and_how_long_that_takes() -> None:
    turns = Turns(at_once=2)
    tried = [version(1, ANN), version(2, BOB)]
    waiting = [version(3, CAT), version(4, 4)]
    for one in tried:
        turns.begin(one)
    sent = [*tried, *waiting]
    assert [turns.outlook(sent, one) for one in waiting] == [Outlook(0, None), Outlook(1, None)]
    assert turns.outlook(sent, tried[0]) is None
    before = version(9, 9)
    for seconds in (60, 120):
        turns.begin(before)
        turns.end(before, seconds)
    turns.begin(before)
    turns.end(before, None)  # the machine lacked something: that tells nothing
    assert [turns.outlook(sent, one) for one in waiting] == [Outlook(0, 45), Outlook(1, 90)]


class Serving(NamedTuple):
    """Pages of versions on a port of this machine, and what tells whose turn it is."""

    web_port: int
    accounts: Accounts
    versions: Versions
    turns: Turns

    def send(self, name: str) -> Version:
        """Send a version of somebody's bot."""
        person = self.accounts.person(name)
        assert person is not None
        return self.versions.add(person, f"{name}-1", "bot.py", b"print()")

    def page_of(self, browser: Visitor, version: Version) -> str:
        """Return what the page of a version says, without tags, and as its author sees it."""
        page = browser.get(f"/bots/{version.bot}/versions/{version.number}")
        assert page.status == 200 and "every 3s" in page.text
        return " ".join(re.sub("<[^>]*>", "", page.text).split())

    def told(self, version: Version, token: str) -> tuple[int | None, int | None]:
        """Return what programs are told: how many come before it, and minutes."""
        asking = Visitor(self, authorization=f"Bearer {token}")  # type: ignore[arg-type]
        told = json.loads(asking.get(f"/bots/{version.bot}/versions/{version.number}").text)
        return told["ahead"], told["minutes"]


@pytest.fixture
def serving(tmp_path: Path, accounts: Accounts, versions: Versions) -> Iterator[Serving]:
    """Serve the pages over HTTP, from a thread; no version is tried but by the test."""
    turns = Turns(at_once=2)
    identities = Identities(accounts, "")

    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return PlainTextResponse(str(error), error.status)

    comparisons = Comparisons(tmp_path, accounts, versions)
    routes = VersionPages(identities, versions, turns, comparisons).routes()
    inner = Starlette(routes=routes, exception_handlers={Refused: refused})
    quota = HttpRateLimiter(Limits(), 5, lambda: 0).enter("127.0.0.1")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope.setdefault("state", {})[QUOTA] = quota
        await inner(scope, receive, send)

    begun: queue.Queue[tuple[int, trio.lowlevel.TrioToken, trio.CancelScope]] = queue.Queue()

    async def run() -> None:
        config = Config()
        config.bind = ["127.0.0.1:0"]
        async with trio.open_nursery() as nursery:
            (url,) = await nursery.start(partial(hypercorn.trio.serve, app, config))
            begun.put((int(url.rpartition(":")[2]), trio.lowlevel.current_trio_token(), nursery.cancel_scope))

    thread = threading.Thread(target=trio.run, args=(run,))
    thread.start()
    port, token, scope = begun.get()
    try:
        yield Serving(port, accounts, versions, turns)
    finally:
        token.run_sync_soon(scope.cancel)
        thread.join()


def test_the_page_of_a_version_tells_its_place_and_how_long_that_takes(serving: Serving) -> None:
    browsers, tokens = {}, {}
    for name in ("ann", "bob", "cat", "dan"):
        session = serving.accounts.redeem(serving.accounts.invite(name, AUTHOR, "test"), "", "")
        person = serving.accounts.person(name)
        assert person is not None
        tokens[name] = serving.accounts.make_token(person, f"{name}-1")
        browsers[name] = Visitor(serving)  # type: ignore[arg-type]
        cookie = Signer(serving.accounts.secret(), salt="cookie").sign(session).decode()
        browsers[name].cookie = f"{COOKIE}={cookie}"
    ann, bob, again, cat, dan = (serving.send(name) for name in ("ann", "bob", "ann", "cat", "dan"))
    for version in (ann, bob):
        serving.turns.begin(version)
        serving.versions.go_on(version, "building")
    assert "It is the next one. " in serving.page_of(browsers["cat"], cat)
    assert "min if these take" not in serving.page_of(browsers["cat"], cat), "nobody knows yet"
    assert "1 version is tried before it." in serving.page_of(browsers["dan"], dan)
    assert "2 versions are tried before it." in serving.page_of(browsers["ann"], again)
    assert serving.told(dan, tokens["dan"]) == (1, None)
    serving.versions.refuse(ann, "it does not build")
    serving.turns.end(ann, 240.0)
    serving.turns.begin(cat)
    serving.versions.go_on(cat, "building")
    assert serving.told(cat, tokens["cat"]) == (None, None), "it is being tried"
    # two are being tried, half done, at the same time
    assert serving.told(dan, tokens["dan"]) == (0, 2) and serving.told(again, tokens["ann"]) == (1, 4)
    page = serving.page_of(browsers["dan"], dan)
    assert "It is the next one. That takes about 2 min if these take as long as the last ones." in page
    page = serving.page_of(browsers["ann"], again)
    assert "1 version is tried before it. That takes about 4 min" in page
    assert browsers["bob"].get(f"/bots/{again.bot}/versions/{again.number}").status == 404
