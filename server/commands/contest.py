"""``arena-server contest``: holds a contest, and the organiser's commands for one that is open."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import cyclopts
from cyclopts import Parameter
from msgspec.structs import replace

from engine.wire.messages import PORT
from server.commands.options import (
    BY,
    DATA,
    Data,
    fail,
    faults_explained,
    opened_accounts,
    place,
    run_async,
    secret,
    show_verdict,
)
from server.config import process_settings, tokens as token_file
from server.config.declared import faults_named, read_text
from server.config.serve_options import PORTS
from server.config.settings import Settings
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import Intervention, Kind
from server.ops.logs import configure

contest = cyclopts.App(
    name="contest",
    help="Hold a contest, and withdraw, reinstate, replay, pause, resume, cancel or change a command while it runs; "
    "print its file, or export it.",
)

OfAll = Annotated[str, Parameter(help="The contest, where the directory has several that are not over.")]
Which = Annotated[str, Parameter(name="--contest", help="Its name, where the directory has several that are not over.")]


@contest.default
def hold(
    file: Path,
    *,
    data: Path = DATA,
    host: str = "127.0.0.1",
    port: int = PORT,
    tokens: Path | None = None,
    web: str | None = None,
    grace: float = 0.0,
    return_time: float = 30.0,
    dask: str = "",
    check: bool = False,
    verify: Annotated[bool, Parameter(negative=())] = False,
    verbose: bool = False,
) -> None:
    """Hold a contest from its first game to its final table; the same command goes on with one that was stopped.

    Where a server uses the data directory already, it plays the contest, and this command shows the progress.

    Parameters
    ----------
    file
        The contest file (docs/contests.md).
    data
        Directory for records, the database and reports; made where it is missing.
    host
        Address to listen on; 0.0.0.0 for every one.
    port
        Port to listen on; 0 lets the system choose one.
    tokens
        File of players' tokens, made by arena-server token, for entrants without a token in the contest file.
    web
        Address and port of pages for browsers, as in 127.0.0.1:8080; none when left out. The command serves them until
        Ctrl-C, also after the end of the contest.
    grace
        Seconds that running games get to end when the contest is stopped.
    return_time
        Seconds that a server waits, with stopped clocks, for players to return to matches after a crash.
    dask
        Address of a dask scheduler, as in tcp://10.0.0.1:8786, whose workers play the games; only for programs.
    check
        Print the number and the duration of the games, play a short game with each program, and report faults. The exit
        status is 1 if there are faults.
    verify
        Play no game: verify the contest of this file, or of this name, by its records, and report differences.
    verbose
        Log more.
    """
    configure(verbose=verbose, quiet=not verbose)
    if fault := PORTS.fault("port", port):
        fail(fault)
    if verify:
        _verify(file, data)
    text, definition = _read(file)
    from rich.console import Console

    from server.commands.run_contest import check as look, hold as run

    if check:
        sys.exit(run_async("cannot check the contest", look, definition, partial(print, flush=True)))
    settings = Settings(
        host=host,
        port=port,
        data=data,
        tokens=secret("tokens", tokens, token_file.read),
        web=None if web is None else place("web", web),
        grace=grace,
        return_seconds=return_time,
    )
    process_settings.prepare_server()
    sys.exit(run_async("cannot hold the contest", run, text, definition, settings, dask, Console()))


def _verify(file: Path, data: Path) -> NoReturn:
    """Hold a contest against its records, and end with exit status 1 where something differs."""
    from rich.console import Console

    from server.commands.run_contest import verify_with_progress

    name = _read(file)[1].name if file.is_file() else str(file)
    with faults_explained("cannot verify the contest", status=2):
        found = verify_with_progress(data, _number_of(data, name), Console(stderr=True))
    show_verdict(found)
    print(found.sentence)
    sys.exit(1 if found.differences else 0)


@contest.command
def withdraw(name: str, *, data: Data = DATA, contest: Which = "") -> None:
    """Withdraw an entrant: its running game ends, and its remaining games are forfeited.

    Parameters
    ----------
    name
        The entrant.
    """
    intervene(data, contest, Kind.WITHDRAW, name)


@contest.command
def reinstate(name: str, *, data: Data = DATA, contest: Which = "") -> None:
    """Let a disqualified or withdrawn entrant play again; its earlier faults no longer count.

    Its forfeited games are played, but for those of rounds on which later ones rest.

    Parameters
    ----------
    name
        The entrant.
    """
    intervene(data, contest, Kind.REINSTATE, name)


@contest.command
def replay(game: int, *, data: Data = DATA, contest: Which = "") -> None:
    """Annul the result of a game, and play it again; refused where a later round or stage rests on it.

    Parameters
    ----------
    game
        Number of the match, as in the report and in the name of its record.
    """
    intervene(data, contest, Kind.REPLAY, match=game)


@contest.command
def command(
    name: str,
    *words: Annotated[str, Parameter(allow_leading_hyphen=True)],
    data: Data = DATA,
    contest: Which = "",
) -> None:
    """Give the program of an entrant another command from its next game on, as in: command ann -- python3 ann2.py.

    Parameters
    ----------
    name
        The entrant.
    words
        The program and its arguments, behind --.
    """
    intervene(data, contest, Kind.COMMAND, name, command=words)


@contest.command
def pause(contest: OfAll = "", *, data: Data = DATA) -> None:
    """Start no game of a contest until it is resumed; running games are played to their ends."""
    intervene(data, contest, Kind.PAUSE)


@contest.command
def resume(contest: OfAll = "", *, data: Data = DATA) -> None:
    """Let games of a paused contest begin again."""
    intervene(data, contest, Kind.RESUME)


@contest.command
def cancel(contest: OfAll = "", *, data: Data = DATA) -> None:
    """End a contest before its last game, for good: running games are annulled, and the table stays as it is."""
    intervene(data, contest, Kind.CANCEL)


@contest.command(name="file")
def print_file(name: str, *, data: Data = DATA) -> None:
    """Print the file with which a contest was opened, tokens and commands included, as a start for another one.

    Paths in it are relative to the folder in which the file was.

    Parameters
    ----------
    name
        The contest, which may be over.
    """
    from server.league.console.console_pages import earlier_file

    with faults_explained():
        print(earlier_file(data, _number_of(data, name)), end="")


@contest.command
def export(name: str, file: Path, *, data: Data = DATA) -> None:
    """Write a contest that is over into one signed file, which arena-server verify checks anywhere.

    It has the definition, all results and records, and the report; no tokens, commands or folders of programs.

    Parameters
    ----------
    name
        The contest.
    file
        The file, as in autumn.zip, which is not there yet.
    """
    from server.contest.export import BadExport, export as pack, verify_export
    from server.contest.report.formatting import printable

    with faults_explained("cannot export the contest", BadExport):
        packed = pack(data, _number_of(data, name))
        with file.open("xb") as out:
            out.write(packed)
    made = verify_export(packed)
    print(f"{file}: {len(packed)} bytes, signed with the key {made.key}; {printable(made.verdict.sentence)}")


def intervene(
    data: Path,
    contest: str | int,
    kind: Kind,
    name: str = "",
    *,
    match: int | None = None,
    command: tuple[str, ...] = (),
) -> None:
    """Keep an intervention in the store, and say what follows from it."""
    from server.contest.runtime.organiser_commands import BadIntervention
    from server.contest.store.store import FILE
    from server.league.console.console_pages import change_contest

    try:
        with opened_accounts(data, "contests", FILE) as accounts:
            sentence, _ = change_contest(
                data, accounts, contest, Intervention(0, datetime.now(UTC), kind, name, match, command), BY
            )
    except BadIntervention as error:
        fail(str(error))
    except KeyError:
        fail("no ladder is played here; arena-server serve --ladder FILE plays one")
    print(f"{sentence}.")


def _number_of(data: Path, name: str) -> int:
    """Return the number of the contest of a name; ends the program where there is none."""
    from server.contest.runtime.organiser_commands import BadIntervention, find_contest
    from server.contest.store.store import FILE, Store

    with closing(Store(data / FILE, copy=True)) as store, faults_explained("", BadIntervention, status=2):
        return find_contest(store, name).id


def _read(file: Path) -> tuple[str, Definition]:
    """Read a contest file: its text and its definition. Raises `BadTable`."""
    with faults_named(file):
        text = read_text(file)
        found = contest_file.read(text, lambda name: read_text(file.parent / name))
        return text, replace(found, folder=str(file.parent.resolve()))
