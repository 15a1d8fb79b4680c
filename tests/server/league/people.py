"""Authors with bots, and calls that accounts refuse."""

from collections.abc import Callable

import pytest

from server.league.accounts import AUTHOR, Accounts, NotAllowed, Person, Role


def person(accounts: Accounts, name: str, *bots: str, role: Role = AUTHOR) -> Person:
    """Invite a person who opens the link and makes tokens for some bots; return the person."""
    found = accounts.signed_in(accounts.redeem(accounts.invite(name, role, "test"), ""))
    assert found is not None
    for bot in bots:
        accounts.make_token(found, bot)
    return found


def refused(*calls: tuple[Callable[[], object], str]) -> None:
    """Check that each call is refused with this sentence."""
    for call, sentence in calls:
        with pytest.raises(NotAllowed) as caught:
            call()
        assert str(caught.value) == sentence
