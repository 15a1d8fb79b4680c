"""Accounts: who may come in, by what, and for how long."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from server.config import tokens
from server.league.accounts import (
    AUTHOR,
    INVITED,
    MAX_BOTS,
    MAX_BROWSERS,
    ORGANISER,
    SIGNED_IN,
    SPECTATOR,
    Accounts,
    NotAllowed,
)
from server.league.database import FILE
from tests.clocks import SetClock
from tests.server.league.people import person, refused

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> SetClock[datetime]:
    return SetClock(NOW)


@pytest.fixture
def accounts(tmp_path: Path, clock: SetClock[datetime]) -> Iterator[Accounts]:
    with closing(Accounts(tmp_path, clock)) as accounts:
        yield accounts


def test_a_link_signs_in_once(accounts: Accounts) -> None:
    link = accounts.invite("Ann", AUTHOR, "test")
    invitation = accounts.invitation(link)
    assert invitation.person is not None and invitation.person.name == "Ann"
    session = accounts.redeem(link, "")
    ann = accounts.signed_in(session)
    assert ann is not None and (ann.name, ann.role) == ("Ann", "author")
    refused(
        (
            lambda: accounts.redeem(link, ""),
            snapshot("this invitation is not known here, has been used already, or is too old; ask for a new one"),
        )
    )
    assert accounts.signed_in("made up") is None


def test_of_many_who_open_a_code_at_once_so_many_come_in_as_it_says(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as first, closing(Accounts(tmp_path)) as second:  # as in two processes
        code = first.invite_many(AUTHOR, 5, "test")

        def redeem(number: int) -> None:
            with suppress(NotAllowed):
                (first if number % 2 else second).redeem(code, f"p{number}")

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(redeem, range(16)))
        assert len(first.people()) == 5


def test_a_new_link_makes_the_one_before_good_for_nothing(accounts: Accounts) -> None:
    before = accounts.invite("ann", AUTHOR, "test")
    link = accounts.invite("ANN", SPECTATOR, "test")
    refused(
        (
            lambda: accounts.invitation(before),
            snapshot("this invitation is not known here, has been used already, or is too old; ask for a new one"),
        )
    )
    ann = accounts.invitation(link).person
    assert ann is not None and (ann.name, ann.role) == ("ann", AUTHOR), "an account keeps its name and role"


def test_invitations_and_sessions_end(accounts: Accounts, clock: SetClock[datetime]) -> None:
    link = accounts.invite("ann", AUTHOR, "test")
    session = accounts.redeem(accounts.invite("bob", AUTHOR, "test"), "")
    clock.now = NOW + INVITED - timedelta(seconds=1)
    assert accounts.invitation(link)
    clock.now = NOW + INVITED
    refused(
        (
            lambda: accounts.invitation(link),
            snapshot("this invitation is not known here, has been used already, or is too old; ask for a new one"),
        )
    )
    clock.now = NOW + SIGNED_IN - timedelta(seconds=1)
    assert accounts.signed_in(session)
    clock.now = NOW + SIGNED_IN
    assert accounts.signed_in(session) is None


def test_a_code_lets_so_many_choose_their_names(accounts: Accounts) -> None:
    code = accounts.invite_many(SPECTATOR, 2, "test")
    assert len(code) == 16 and code.isalnum()
    ann = accounts.signed_in(accounts.redeem(code, "ann"))
    assert ann is not None and ann.role == SPECTATOR
    refused(
        (
            lambda: accounts.redeem(code, "ANN"),
            snapshot("the name ANN is taken; choose another one, or ask for a link to it"),
        ),
        (
            lambda: accounts.redeem(code, ""),
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not ''"),
        ),
        (
            lambda: accounts.redeem(code, "two words"),
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'two words'"),
        ),
    )
    accounts.redeem(code, "bob")
    refused(
        (
            lambda: accounts.redeem(code, "carla"),
            snapshot("this invitation is not known here, has been used already, or is too old; ask for a new one"),
        )
    )
    assert [one.name for one in accounts.people()] == ["ann", "bob"]
    refused(
        (lambda: accounts.invite_many(ORGANISER, 2, "test"), snapshot("organisers are invited by name, one by one")),
        (lambda: accounts.invite_many(AUTHOR, 0, "test"), snapshot("a code is for 1 to 10000 people, and not 0")),
        (
            lambda: accounts.invite_many(AUTHOR, 10_001, "test"),
            snapshot("a code is for 1 to 10000 people, and not 10001"),
        ),
    )


def test_tokens_of_bots_are_made_and_revoked(accounts: Accounts) -> None:
    ann, bob = person(accounts, "ann"), person(accounts, "bob")
    assert accounts.token_hash("ann") == "", "the name of a person is nobody else's"
    assert accounts.token_hash("nobody") is None
    token = accounts.make_token(ann, "ann")
    assert tokens.fits(accounts.token_hash("ANN") or "", token)
    accounts.make_token(ann, "deep-ann")
    refused(
        (lambda: accounts.make_token(ann, "bob"), snapshot("the name bob is taken; choose another one")),
        (
            lambda: accounts.make_token(ann, "x" * 33),
            snapshot(
                "a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
            ),
        ),
        (
            lambda: accounts.make_token(ann, ""),
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not ''"),
        ),
        (lambda: accounts.make_token(bob, "DEEP-ANN"), snapshot("the name DEEP-ANN is taken; choose another one")),
        (
            lambda: accounts.invite("deep-ann", AUTHOR, "test"),
            snapshot("the name deep-ann is taken; choose another one, or ask for a link to it"),
        ),
    )
    again = accounts.make_token(ann, "ann")
    known = accounts.token_hash("ann") or ""
    assert tokens.fits(known, again) and not tokens.fits(known, token)
    accounts.revoke_token(ann, "ann")
    assert accounts.token_hash("ann") == ""
    assert [(bot.name, bot.has_token) for bot in accounts.bots(ann)] == [("ann", False), ("deep-ann", True)]
    refused(
        (lambda: accounts.revoke_token(bob, "ann"), snapshot("bob has no bot 'ann'; make it on the page /me first"))
    )


def test_bots_and_browsers_are_bounded(accounts: Accounts) -> None:
    ann = person(accounts, "ann", *(f"bot{number}" for number in range(MAX_BOTS)))
    spectator = person(accounts, "eve", role=SPECTATOR)
    refused(
        (lambda: accounts.make_token(ann, "more"), snapshot("a person has 20 bots at most")),
        (
            lambda: accounts.make_token(spectator, "eve"),
            snapshot("spectators have no bots; ask the organiser to make you an author"),
        ),
    )
    accounts.make_token(ann, "bot0")
    sessions = [accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "") for _ in range(MAX_BROWSERS + 2)]
    assert [accounts.signed_in(one) is not None for one in sessions] == [False] * 2 + [True] * MAX_BROWSERS


def test_who_is_signed_out_has_to_come_again(accounts: Accounts) -> None:
    ann = person(accounts, "ann")
    sessions = [accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "") for _ in range(3)]
    accounts.sign_out(ann, sessions[0])
    assert [accounts.signed_in(session) is not None for session in sessions] == [False, True, True]
    bob = person(accounts, "bob")
    own = accounts.redeem(accounts.invite("bob", AUTHOR, "test"), "")
    accounts.sign_out(bob, sessions[1])
    assert accounts.signed_in(sessions[1]) is not None, "nobody signs out somebody else"
    accounts.sign_out(ann)
    assert not any(map(accounts.signed_in, sessions)) and accounts.signed_in(own) is not None


def test_a_closed_account_lets_nobody_in(accounts: Accounts) -> None:
    ann = person(accounts, "ann")
    session = accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "")
    token = accounts.make_token(ann, "ann")
    link = accounts.invite("ann", AUTHOR, "test")
    accounts.close_account("ann", "test")
    assert accounts.signed_in(session) is None and accounts.token_hash("ann") == ""
    refused(
        (lambda: accounts.redeem(link, ""), snapshot("the account of ann is closed")),
        (lambda: accounts.invite("ann", AUTHOR, "test"), snapshot("the account of ann is closed; open it again first")),
        (lambda: accounts.named_by_proxy("ann"), snapshot("the account of ann is closed")),
    )
    accounts.open_account("ann", "test")
    assert tokens.fits(accounts.token_hash("ann") or "", token)
    assert accounts.signed_in(session) is None


def test_there_is_always_an_organiser_left(accounts: Accounts) -> None:
    person(accounts, "teacher", role=ORGANISER)
    person(accounts, "ann")
    refused(
        (
            lambda: accounts.set_role("teacher", AUTHOR, "test"),
            snapshot("teacher is the only organiser; make somebody else one first"),
        ),
        (
            lambda: accounts.close_account("teacher", "test"),
            snapshot("teacher is the only organiser; make somebody else one first"),
        ),
        (lambda: accounts.set_role("nobody", AUTHOR, "test"), snapshot("there is no account of 'nobody'")),
    )
    accounts.set_role("ann", ORGANISER, "test")
    accounts.set_role("teacher", AUTHOR, "test")


def test_a_proxy_makes_authors(accounts: Accounts) -> None:
    ann = accounts.named_by_proxy("ann")
    assert (ann.role, accounts.named_by_proxy("ANN")) == (AUTHOR, ann)
    refused(
        (
            lambda: accounts.named_by_proxy("ann@example.org"),
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'ann@example.org'"),
        )
    )


def test_the_database_holds_nothing_that_opens_anything(accounts: Accounts, tmp_path: Path) -> None:
    ann = person(accounts, "ann")
    link = accounts.invite("ann", AUTHOR, "test")
    code = accounts.invite_many(AUTHOR, 3, "test")
    session = accounts.redeem(accounts.invite("bob", AUTHOR, "test"), "")
    token = accounts.make_token(ann, "ann")
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        dump = "\n".join(database.iterdump())
    assert "ann" in dump
    assert not [secret for secret in (link, code, session, token) if secret in dump]


def test_everything_is_there_again_and_every_change_is_told(
    accounts: Accounts, tmp_path: Path, clock: SetClock[datetime]
) -> None:
    person(accounts, "ann")
    accounts.set_role("ann", ORGANISER, "bob")
    secret = accounts.secret()
    with closing(Accounts(tmp_path, clock)) as again:
        assert again.secret() == secret and [one.role for one in again.people()] == [ORGANISER]
        log = again.audit(10)
    assert {entry.date for entry in log} == {NOW}
    assert [(entry.who, entry.what) for entry in log] == snapshot(
        [("bob", "made ann organiser"), ("ann", "opened an invitation"), ("test", "invited ann as author")]
    )


class _Slow:
    """A value that SQLite gets only when the test lets it."""

    def __init__(self) -> None:
        self.asked, self.given = threading.Event(), threading.Event()

    def __conform__(self, _protocol: object) -> int:
        self.asked.set()
        assert self.given.wait(60), "the test has not gone on"
        return 7


def test_no_reader_waits_for_another_one(accounts: Accounts) -> None:
    """A page of the ladder reads for seconds, and the event loop looks up the token of a bot meanwhile."""
    slow = _Slow()
    with ThreadPoolExecutor(2) as threads:
        long = threads.submit(accounts.rows, "SELECT ?", slow)
        try:
            assert slow.asked.wait(60)
            assert threads.submit(accounts.token_hash, "nobody").result(60) is None
        finally:
            slow.given.set()
        assert long.result(60) == [(7,)]
