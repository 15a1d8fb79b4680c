"""``arena-server ladder``: pauses the ladder and says how it stands, also while a server plays it."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import BY, fail
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.database import FILE
from server.league.ladder.definition import read_file
from server.league.ladder.rating import DAY
from server.league.ladder.store import LadderStore
from server.league.ladder_control import LadderControl
from server.storage.database import BadStore

ladder = cyclopts.App(name="ladder", help="Pause the ladder, and say how it stands.")

DATA = Path("arena-data")

Data = Annotated[Path, Parameter(help="The data directory of the server.")]


@ladder.command
def pause(*, data: Data = DATA) -> None:
    """Let no game of the ladder begin any more until it is resumed; those that are running are played to their ends."""
    with _accounts(data) as accounts:
        print(_capital(LadderControl(accounts, read_file).pause(BY)))


@ladder.command
def resume(*, data: Data = DATA) -> None:
    """Let games of the ladder begin again, with the ladder file as it is now."""
    with _accounts(data) as accounts:
        control = LadderControl(accounts, read_file)
        sentence = control.resume(BY)
        if control.state().fault:
            fail(sentence, exits.FAILED)
        print(_capital(sentence))


@ladder.command
def status(*, data: Data = DATA) -> None:
    """Print whether the ladder is paused, its file, and how many games it plays."""
    with _accounts(data) as accounts:
        control, store = LadderControl(accounts, read_file), LadderStore(accounts)
        state = control.state()
        print(f"paused since {state.paused}" if state.paused else "not paused")
        print(f"file: {state.file}")
        if state.fault:
            print(f"its file is wrong, and it goes on as before: {state.fault}")
        print(f"games: {len(store.begun())} being played, {store.number_since(time.time() - DAY)} in 24 hours")


def _capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}."


@contextmanager
def _accounts(data: Path) -> Iterator[Accounts]:
    if not (data / FILE).exists():
        fail(f"{data} has no ladder: there is no {FILE} in it; give the directory of the server with --data")
    try:
        with closing(Accounts(data)) as accounts:
            yield accounts
    except (NotAllowed, BadStore, OSError) as error:
        fail(explain_fault(error), exits.FAILED)
