"""``arena-server now``, ``annul`` and ``dismiss``: look at the running server, and act on what is played there."""

import time
from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from engine.commands.usage_errors import explain_fault
from server.commands import exits
from server.commands.options import BY, fail
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.console.terminal import WAIT_SECONDS, Answer, Kind, TerminalRequests
from server.storage.database import BadStore
from server.storage.disk import is_in_use

DATA = Path("arena-data")

LOOK_SECONDS = 0.05
"""How often to look whether there is an answer."""

Data = Annotated[Path, Parameter(help="The data directory of the server.")]
Sentence = Annotated[str, Parameter(help="One line that the players are told with it.")]


def now(*, data: Data = DATA, json: bool = False) -> None:
    """Print what goes on at the running server: contests, the ladder, matches, who is here, and the machine.

    It is what the page /organise shows.

    Parameters
    ----------
    json
        Print it as one object of JSON.
    """
    text = _ask(data, "now", "")
    if json:
        print(text)
        return
    from server.commands.console import OutputConsole
    from server.commands.upkeep.overview_text import render_overview
    from server.league.console.overview import Overview
    from server.ops.typed_json import decode

    console = OutputConsole(highlight=False, markup=False)
    for part in render_overview(decode(text, Overview)):
        console.print(part)


def annul(match: Annotated[int, Parameter(help="Its number.")], sentence: Sentence = "", *, data: Data = DATA) -> None:
    """End a running match without a result; a contest plays the game again."""
    _act(data, "annul", str(match), sentence)


def dismiss(
    name: Annotated[str, Parameter(help="The player's.")], sentence: Sentence = "", *, data: Data = DATA
) -> None:
    """Send a player away, who may come back at once; in a match its clock runs on."""
    _act(data, "dismiss", name, sentence)


def _act(data: Path, kind: Kind, subject: str, sentence: str) -> None:
    done = _ask(data, kind, subject, sentence)
    print(f"{done[:1].upper()}{done[1:]}." if kind == "annul" else f"{done}.")


def _ask(data: Path, kind: Kind, subject: str, sentence: str = "") -> str:
    """Return the answer of the server that uses a data directory. Ends the program where there is none, or refuses."""
    try:
        if not is_in_use(data):
            fail(_no_server(data), exits.FAILED)
        with closing(Accounts(data)) as accounts:
            requests = TerminalRequests(accounts)
            number = requests.ask(kind, subject, sentence, BY)
            try:
                answer = _wait(requests, number, data)
            finally:
                requests.withdraw(number)
    except (NotAllowed, BadStore, OSError) as error:
        fail(explain_fault(error), exits.FAILED)
    if answer.is_refused:
        fail(answer.text, exits.FAILED)
    return answer.text


def _wait(requests: TerminalRequests, number: int, data: Path) -> Answer:
    until = time.monotonic() + WAIT_SECONDS
    while (answer := requests.answer_to(number)) is None:
        if not is_in_use(data):
            fail(_no_server(data), exits.FAILED)
        if time.monotonic() > until:
            fail(f"the server that uses {data} has not answered within {WAIT_SECONDS:g} seconds", exits.FAILED)
        time.sleep(LOOK_SECONDS)
    return answer


def _no_server(data: Path) -> str:
    return f"no server uses {data} now; give the data directory of the one that is running with --data"
