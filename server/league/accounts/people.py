"""People, their bots and browsers as plain data, and what is refused."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

AUTHOR: Literal["author"] = "author"
ORGANISER: Literal["organiser"] = "organiser"
SPECTATOR: Literal["spectator"] = "spectator"

Role = Literal["author", "organiser", "spectator"]
"""Roles of people. Their rights are `RIGHTS`."""


class Right(StrEnum):
    """A permission, as pages and commands ask for it."""

    BOTS = "bots"
    """Have bots."""
    CONSOLE = "console"
    """See the console. Only the invitation of a named person gives a role with this right."""
    ORGANISE = "organise"
    """Change contests, accounts, grades and everybody's bots."""


RIGHTS: dict[Role, frozenset[Right]] = {
    AUTHOR: frozenset({Right.BOTS}),
    ORGANISER: frozenset(Right),
    SPECTATOR: frozenset(),
}

ROLES: tuple[Role, ...] = tuple(RIGHTS)

OPEN_ROLES: tuple[Role, ...] = tuple(role for role, rights in RIGHTS.items() if Right.CONSOLE not in rights)
"""Roles that a code for many people may give."""

INVITED = timedelta(days=30)
"""How long an invitation is good for."""

SIGNED_IN = timedelta(days=180)
"""How long a browser stays signed in: a term."""

MAX_BOTS = 20
"""Bots of a person."""

MAX_USES = 10_000
"""People who may come by one code."""

MAX_BROWSERS = 20
"""Browsers of a person; the oldest one is signed out for one more."""


class NotAllowed(Exception):
    """What was asked for cannot be; ``str(error)`` is one sentence that says why, and what would be right."""


class Person(NamedTuple):
    """Somebody with an account."""

    id: int
    name: str
    role: Role
    made: datetime
    is_open: bool
    """False: the account was closed, and lets nobody in."""

    def may(self, right: Right) -> bool:
        """Tell whether the person has a right."""
        return right in RIGHTS[self.role]


class Bot(NamedTuple):
    """A name that a person's program plays under."""

    name: str
    has_token: bool
    """False: its token was revoked, so that it cannot log in."""


class SignedIn(NamedTuple):
    """A browser in which a person is signed in."""

    id: int
    began: datetime
    agent: str
    """What the browser calls itself, shortened."""


class Invitation(NamedTuple):
    """An invitation that can still be opened."""

    person: Person | None
    """Whose it is; None: whoever opens it chooses a name."""
    role: Role


class Entry(NamedTuple):
    """A line of the audit log."""

    date: datetime
    who: str
    what: str
