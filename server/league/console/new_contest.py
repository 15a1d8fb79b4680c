"""A contest that is to begin from a page: read and checked as a file, and held against what may begin from a page.

Whoever begins a contest from a page has no account on the machine. So it starts no program, and reads no file, but
the server's own bots, and those of the earlier contest that it is a copy of, which was begun from the command line.
"""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from server.config.builtin_bot import BUILTIN_NAMES, builtin_bot_named
from server.contest import contest_file
from server.contest.contest_file import BadContest
from server.contest.definition import Definition, Sandbox
from server.contest.programs.command import builtin_entrant_command
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.report.progress import DryRun
from server.contest.runtime.snapshot import dry_run, measured_shares
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.submissions.entering import check_versions

BUILTIN_COMMANDS = frozenset(builtin_entrant_command(builtin_bot_named(name)) for name in BUILTIN_NAMES)
"""Commands of the server's own bots, which any contest may start."""


class Earlier(NamedTuple):
    """The contest that another one is a copy of."""

    text: str
    """Its file."""
    definition: Definition


class Checked(NamedTuple):
    """A contest that can begin."""

    definition: Definition
    dry_run: DryRun


def earlier_contest(data: Path, number: int) -> Earlier:
    """Return a contest to be copied; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        return Earlier(*store.opened_with(number))


def check_new(data: Path, accounts: Accounts, text: str, earlier: Earlier | None) -> Checked:
    """Read and check a contest that is to begin from a page; raises `BadContest` and `BadStore`. For a thread."""
    definition = read_new(text, earlier)
    check_versions(accounts, definition, datetime.now(UTC))
    obstacle = contest_obstacle(definition)
    if obstacle:
        raise BadContest(obstacle)
    with closing(Store(data / FILE)) as store:
        if any(row.name == definition.name for row in store.contests()):
            raise BadContest(f"name is {definition.name!r}, as an earlier contest is called: choose another one")
        return Checked(definition, dry_run(definition, measured_shares(store, definition), datetime.now(UTC)))


def open_contest(data: Path, accounts: Accounts, text: str, definition: Definition, by: str) -> int:
    """Open a contest, which the server takes up within a second, and return its number; raises `BadStore`."""
    with closing(Store(data / FILE)) as store:
        number = store.open_contest(text, definition, datetime.now(UTC))
    accounts.note(by, f"opened the contest {definition.name}")
    return number


def read_new(text: str, earlier: Earlier | None) -> Definition:
    """Read a contest file that may begin from a page; raises `BadContest`."""
    found = contest_file.read(text, load_of(earlier))
    known = set() if earlier is None else {(one.command, one.folder) for one in earlier.definition.entrants}
    for entrant in found.entrants:
        is_builtin = entrant.command in BUILTIN_COMMANDS and not entrant.folder
        if entrant.command and not is_builtin and (entrant.command, entrant.folder) not in known:
            raise BadContest(
                f"{entrant.name} has a command that the contest which is copied does not have: on this page no other "
                "program can be started; leave it out, or begin the contest by arena-server contest FILE"
            )
    before = None if earlier is None else earlier.definition
    if found.sandbox is not Sandbox.SEALED and (before is None or before.sandbox is not found.sandbox):
        raise BadContest("sandbox is sealed in a contest that begins on this page; leave the key out")
    if not set(found.visible) <= set(() if before is None else before.visible):
        raise BadContest("visible names folders that the contest which is copied does not name; leave the key out")
    return found if before is None else replace(found, folder=before.folder)


def load_of(earlier: Earlier | None) -> Callable[[str], str]:
    """Return what fetches files of positions: those that the file of the earlier contest names, and no others."""

    def load(name: str) -> str:
        if earlier is None or f'"{name}"' not in earlier.text:
            raise OSError("a contest that begins on a page reads no files but those of the contest that is copied")
        return (Path(earlier.definition.folder) / name).read_text(encoding="utf-8-sig")

    return load
