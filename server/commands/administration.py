"""Commands of the people who run a server: a league, the running server, backups and signed exports."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import cyclopts
import msgspec
from cyclopts import Parameter

from engine.commands.program import explain_fault
from engine.games.catalogue import variant_title
from engine.statistics.online import DAY
from engine.wire.words import number_of
from server.commands.contest import intervene
from server.commands.options import BY, DATA, FAILED, Data, fail, faults_explained, opened_accounts, show_verdict
from server.config.settings import WEB
from server.contest.fixtures import Kind, is_paused
from server.contest.report.formatting import date, printable
from server.contest.store.store import FILE, LADDER, Store
from server.league.accounts import AUDITED, AUTHOR, Role
from server.league.console.actions import HOURS, SOCKET, WAIT_SECONDS, Announcements, ConsoleAnswer, ConsoleQuestion
from server.league.ladder.store import LadderStore
from server.ops.typed_json import decode

people = cyclopts.App(name="people", help="Invite people to a server, and give them roles.")

Url = Annotated[
    str, Parameter(help="The address at which people open the pages; by default the one that the server serves.")
]
Name = Annotated[str, Parameter(help="Whose account.")]
AsRole = Annotated[Role, Parameter(help="The role of the person.")]


@people.command
def invite(*names: str, role: AsRole = AUTHOR, data: Data = DATA, url: Url = "") -> None:
    """Print a link for each of these people, which signs them in once; somebody who has an account gets a new link."""
    if not names:
        fail("say whom to invite, as in: arena-server people invite ann bob")
    with opened_accounts(data, "accounts", new=True) as accounts:
        join = _join(url, data)
        for name in names:
            print(f"{name}  {join}/{accounts.invite(name, role, BY)}")


@people.command
def code(most: int, *, role: AsRole = AUTHOR, data: Data = DATA, url: Url = "") -> None:
    """Print a code for this number of new accounts, whose owners choose their names. It is valid for 30 days."""
    with opened_accounts(data, "accounts", new=True) as accounts:
        print(f"{_join(url, data)}/{accounts.invite_many(role, most, BY)}")


def _join(url: str, data: Path) -> str:
    """Return the address of the page for joining, below ``url`` or, without it, below the address of the server.

    If no server runs, the usual address is a guess, and a line on stderr says so.
    """
    with suppress(OSError, *NO_SERVER):
        url = url or _exchange(data, ConsoleQuestion("address", BY)).text
    if not url:
        url = f"http://{WEB}"
        hint = "give the address of the pages with --url if it is another one"
        print(f"arena-server: no pages are served, so the link has the usual address {url}; {hint}", file=sys.stderr)
    return f"{url.rstrip('/')}/join"


@people.command(name="list")
def show(*, data: Data = DATA) -> None:
    """Print everybody who has an account: name, role, the day it was made, and bots."""
    with opened_accounts(data, "accounts") as accounts:
        for one in accounts.people():
            bots = " ".join(bot.name for bot in accounts.bots(one))
            print(f"{one.name}  {one.role}{'' if one.is_open else ', closed'}  {date(one.made)}  {bots}".rstrip())


@people.command
def role(name: Name, new: AsRole, *, data: Data = DATA) -> None:
    """Give somebody another role."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.set_role(name, new, BY)


@people.command
def close(name: Name, *, data: Data = DATA) -> None:
    """Close an account: its owner is signed out, and its bots can no longer log in."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.close_account(name, BY)


@people.command(name="open")
def reopen(name: Name, *, data: Data = DATA) -> None:
    """Open a closed account again; the person needs a new link."""
    with opened_accounts(data, "accounts") as accounts:
        accounts.open_account(name, BY)


ladder = cyclopts.App(name="ladder", help="Pause the ladder, and say how it stands.")


@ladder.command
def pause(*, data: Data = DATA) -> None:
    """Start no game of the ladder until it is resumed; running games are played to their ends."""
    intervene(data, LADDER, Kind.PAUSE)


@ladder.command
def resume(*, data: Data = DATA) -> None:
    """Let games of the ladder begin again."""
    intervene(data, LADDER, Kind.RESUME)


@ladder.command
def status(*, data: Data = DATA) -> None:
    """Print whether the ladder is paused, and how many games it plays."""
    with opened_accounts(data, "ladder", FILE) as accounts, closing(Store(data / FILE)) as store:
        print("paused" if is_paused(store.interventions(LADDER)) else "not paused")
        today = LadderStore(accounts, data).number_since(time.time() - DAY)
        print(f"games: {len(store.begun(LADDER))} being played, {today} in 24 hours")


def announce(
    text: Annotated[str, Parameter(help="One line; without it, print the announcements that are shown.")] = "",
    *,
    data: Data = DATA,
    hours: Annotated[float, Parameter(help="For how long it is shown.")] = HOURS,
    end: Annotated[int | None, Parameter(help="Number of an announcement that is shown no longer.")] = None,
) -> None:
    """Show an announcement on pages of the lobby and of contests, and to bots and spectators that do not play."""
    with opened_accounts(data, "announcements") as accounts:
        announcements = Announcements(accounts)
        if end is not None:
            announcements.end(end, BY)
        if text:
            announcements.add(text, hours, BY)
        if end is None and not text:
            for one in announcements.current():
                print(f"{one.number}  until {date(one.ends)}, {one.who}: {printable(one.text)}")


def audit(
    *,
    data: Data = DATA,
    last: Annotated[int, Parameter(help="How many of the last changes.")] = AUDITED,
) -> None:
    """Print the latest changes with author and time: contests, the ladder, matches, accounts, announcements."""
    with opened_accounts(data, "audit log") as accounts:
        for entry in reversed(accounts.audit(last)):
            print(f"{date(entry.date)}, {entry.who}: {printable(entry.what)}")


Sentence = Annotated[str, Parameter(help="One line that the players are told with it.")]


def now(*, data: Data = DATA, json: bool = False) -> None:
    """Print what goes on at the running server: contests, the ladder, matches, who is here, and the machine.

    Parameters
    ----------
    json
        Print it as one object of JSON.
    """
    text = _ask(data, ConsoleQuestion("now", BY))
    print(text if json else "\n".join(printable(line) for line in _lines(decode(text, type=dict[str, Any]))))


def annul(match: Annotated[int, Parameter(help="Its number.")], sentence: Sentence = "", *, data: Data = DATA) -> None:
    """End a running match without a result; a contest plays the game again."""
    print(_ask(data, ConsoleQuestion("annul", BY, str(match), sentence)))


def dismiss(
    name: Annotated[str, Parameter(help="The player's.")], sentence: Sentence = "", *, data: Data = DATA
) -> None:
    """Disconnect a player, who may log in again at once. In a match, the player's clock runs on."""
    print(_ask(data, ConsoleQuestion("dismiss", BY, name, sentence)))


NO_SERVER = (FileNotFoundError, NotADirectoryError, ConnectionError, msgspec.DecodeError)
"""Errors of a question where no server uses the data directory."""


def _exchange(data: Path, question: ConsoleQuestion) -> ConsoleAnswer:
    """Return the answer of the server that uses a data directory; raises OSError or one of `NO_SERVER`."""
    with ExitStack() as stack:
        folder = os.open(data, os.O_RDONLY)
        stack.callback(os.close, folder)
        connection = stack.enter_context(socket.socket(socket.AF_UNIX))
        connection.settimeout(WAIT_SECONDS)
        connection.connect(SOCKET.format(folder))
        connection.sendall(msgspec.json.encode(question) + b"\n")
        with connection.makefile("rb") as lines:
            return decode(lines.readline(), type=ConsoleAnswer)


def _ask(data: Path, question: ConsoleQuestion) -> str:
    """Return the answer of the server that uses a data directory. Ends the program where there is none, or refuses."""
    try:
        answer = _exchange(data, question)
    except TimeoutError:
        fail(f"the server that uses {data} has not answered within {WAIT_SECONDS:g} seconds", FAILED)
    except NO_SERVER:
        fail(f"no server uses {data} now; give the data directory of the one that is running with --data", FAILED)
    except OSError as error:
        fail(f"the server that uses {data} cannot be asked: {explain_fault(error)}", FAILED)
    if answer.is_refused:
        fail(answer.text, FAILED)
    return answer.text


def _lines(now: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say what goes on, from the JSON of an `Overview`."""
    for one in now["contests"]:
        progress = one["progress"] or {"done": 0, "known": 0, "running": 0}
        games = f"{progress['done']} of {number_of(progress['known'], 'game')}"
        yield f"contest {one['contest']}, {one['name']}: {one['status']}; {games}"
    if ladder := now["ladder"]:
        yield f"ladder: {'paused, ' if ladder['is_paused'] else ''}{ladder['running']} games running"
    for one in now["matches"]:
        title = variant_title(f"{one['game']} {one['parameters']}")
        yield f"match {one['match']}: {' – '.join(one['players'])}, {title}, {one['plies']} moves"
    for one in now["players"]:
        yield f"{one['name']} {one['doing']}" + (f" match {one['match']}" if one["match"] else "")
    playing, present = number_of(now["playing"], "match", "matches"), number_of(now["present"], "player")
    yield f"{playing} running, {present} logged in, {now['seeking']} of them waiting"
    yield f"{number_of(now['guests'], 'connection')} not logged in"
    machine = now["machine"]
    yield f"{machine['cores_taken']} of {machine['cores']} cores taken by programs of contests"
    free = machine["free_bytes"] >> 30
    yield f"{machine['processors']} processors, load {machine['load']:.1f}, {free} GB free on the disk"
    yield from (f"version {one['number']} of {one['bot']}: {one['state']}" for one in now["uploads"])


def backup(folder: Path, *, data: Path = DATA) -> None:
    """Save a data directory, also while a server uses it: contests, accounts, records, and matches that are running.

    Parameters
    ----------
    folder
        The backup, a folder that is not there yet. It has secrets, as the data directory has.
    data
        The data directory.
    """
    from server.storage.backup import BadBackup, back_up

    with faults_explained("cannot make the backup", BadBackup):
        files = back_up(data, folder, datetime.now(UTC), _matches, FILE)
    print(f"{folder}: {number_of(files, 'file')}")


def restore(folder: Path, *, data: Path = DATA) -> None:
    """Make a data directory from a backup. A server that uses it continues as after a crash at the time of the backup.

    Parameters
    ----------
    folder
        The backup, which stays as it is.
    data
        The data directory, which is not there yet or is empty.
    """
    from server.storage import backup as backups

    with faults_explained("cannot restore the backup", backups.BadBackup):
        files = backups.restore(folder, data)
    print(f"{data}: {number_of(files, 'file')}; arena-server doctor --data {data} checks it")


def _matches(path: Path) -> set[int]:
    with closing(Store(path, copy=True)) as store:
        return store.known_matches()


def verify(file: Path, *, key: str = "") -> None:
    """Recompute an exported contest: records, clocks, results, tables and ratings.

    It says what is not true.

    Exit status 1 where something differs, 2 where the file is no export, or its signature is not true.

    Parameters
    ----------
    file
        The file, made by arena-server contest export.
    key
        The public key with which it has to be signed, as the organiser has published it.
    """
    from server.contest.export import MAX_BYTES, BadExport, verify_export

    with faults_explained("cannot verify the export", BadExport, status=2):
        with file.open("rb") as packed:
            data = packed.read(MAX_BYTES + 1)
        found = verify_export(data)
    if key and key != found.key:
        fail(f"{file} is signed with the key {found.key}, and not with {key}: somebody else has made it", FAILED)
    show_verdict(found.verdict)
    for version in found.entered:
        print(printable(version))
    by = f"signed with the key {found.key}"
    print(f"{by}{'' if key else '; --key compares it with the one that the organiser has published'}")
    print(f"{printable(found.contest)}: {found.verdict.sentence}")
    sys.exit(1 if found.verdict.differences else 0)
