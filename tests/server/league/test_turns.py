"""Whose version is tried next, on paper: authors in turn, one version of each at a time; and what pages say of it."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from itsdangerous import Signer
from starlette.applications import Starlette

from server.config.settings import Limits
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.comparisons import Comparisons
from server.league.pages.forms import COOKIE, Identities
from server.league.pages.version_pages import VersionPages
from server.league.submissions.pipeline import Outlook, Turns
from server.league.submissions.versions import State, Version, Versions
from server.web.http.errors import Refused
from server.web.http.guard import QUOTA, HttpRateLimiter
from tests.server.league.people import person
from tests.server.league.test_foreign_forms import refused
from tests.web.asking import Answer, ask

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


class Pages:
    """Pages of versions, which are tried by the test alone."""

    def __init__(self, data: Path, accounts: Accounts, versions: Versions) -> None:
        self.accounts, self.versions, self.turns = accounts, versions, Turns(at_once=2)
        self.owners = {name: person(accounts, name) for name in ("ann", "bob", "cat", "dan")}
        self.tokens = {name: accounts.make_token(owner, f"{name}-1") for name, owner in self.owners.items()}
        comparisons = Comparisons(data, accounts, versions)
        pages = VersionPages(Identities(accounts, ""), versions, self.turns, comparisons)
        self._app = Starlette(routes=pages.routes(), exception_handlers={Refused: refused})

    def send(self, name: str) -> Version:
        """Send a version of the bot of a person."""
        return self.versions.add(self.owners[name], f"{name}-1", "bot.py", b"print()")

    async def ask(self, version: Version, **headers: str) -> Answer:
        """Ask for the page of a version."""
        quota = HttpRateLimiter(Limits(), 5, lambda: 0).enter("127.0.0.1")
        path = f"/bots/{version.bot}/versions/{version.number}"

        async def inner(scope: Any, receive: Any, send: Any) -> None:
            await self._app({**scope, QUOTA: quota}, receive, send)

        return await ask(inner, "GET", path, headers=headers, state={QUOTA: quota})

    async def page(self, name: str, version: Version) -> Answer:
        """Ask for a page as a person who is signed in."""
        session = self.accounts.redeem(self.accounts.invite(name, AUTHOR, "test"), "", "")
        cookie = Signer(self.accounts.secret(), salt="cookie").sign(session).decode()
        return await self.ask(version, cookie=f"{COOKIE}={cookie}", accept="text/html")

    async def words(self, name: str, version: Version) -> str:
        """Return the page without tags, as the author of the version sees it."""
        return " ".join(re.sub("<[^>]*>", "", (await self.page(name, version)).body.decode()).split())

    async def told(self, name: str, version: Version) -> tuple[int | None, int | None]:
        """Return what programs are told: how many come before it, and minutes."""
        told = (await self.ask(version, authorization=f"Bearer {self.tokens[name]}")).json
        return told["ahead"], told["minutes"]


async def test_the_page_of_a_version_tells_its_place_and_how_long_that_takes(
    tmp_path: Path, accounts: Accounts, versions: Versions
) -> None:
    pages = Pages(tmp_path, accounts, versions)
    ann, bob, again, cat, dan = map(pages.send, ("ann", "bob", "ann", "cat", "dan"))
    for version in (ann, bob):
        pages.turns.begin(version)
        versions.go_on(version, "building")
    first = await pages.words("cat", cat)
    assert "It is the next one. " in first and "min if these take" not in first, "nobody knows yet"
    assert "1 version is tried before it." in await pages.words("dan", dan)
    assert "2 versions are tried before it." in await pages.words("ann", again)
    assert await pages.told("dan", dan) == (1, None)
    versions.refuse(ann, "it does not build")
    pages.turns.end(ann, 240.0)
    pages.turns.begin(cat)
    versions.go_on(cat, "building")
    assert await pages.told("cat", cat) == (None, None), "it is being tried"
    # two are being tried, half done, at the same time
    assert [await pages.told("dan", dan), await pages.told("ann", again)] == [(0, 2), (1, 4)]
    sentence = "It is the next one. That takes about 2 min if these take as long as the last ones."
    assert sentence in await pages.words("dan", dan)
    assert "1 version is tried before it. That takes about 4 min" in await pages.words("ann", again)
    assert (await pages.page("bob", again)).status == 404
