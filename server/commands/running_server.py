"""``arena-server now``, ``annul`` and ``dismiss``: commands that ask the running server."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from engine.commands.program import explain_fault
from engine.games.catalogue import variant_title
from engine.wire.words import number_of
from server.commands.options import BY, DATA, FAILED, Data, fail
from server.contest.report.formatting import printable
from server.league.console.terminal import SOCKET, WAIT_SECONDS, Answer, Question
from server.ops.typed_json import decode

Sentence = Annotated[str, Parameter(help="One line that the players are told with it.")]


def now(*, data: Data = DATA, json: bool = False) -> None:
    """Print what goes on at the running server: contests, the ladder, matches, who is here, and the machine.

    Parameters
    ----------
    json
        Print it as one object of JSON.
    """
    text = _ask(data, Question("now", BY))
    print(text if json else "\n".join(printable(line) for line in _lines(decode(text, type=dict[str, Any]))))


def annul(match: Annotated[int, Parameter(help="Its number.")], sentence: Sentence = "", *, data: Data = DATA) -> None:
    """End a running match without a result; a contest plays the game again."""
    print(_ask(data, Question("annul", BY, str(match), sentence)))


def dismiss(
    name: Annotated[str, Parameter(help="The player's.")], sentence: Sentence = "", *, data: Data = DATA
) -> None:
    """Send a player away, who may come back at once; in a match its clock runs on."""
    print(_ask(data, Question("dismiss", BY, name, sentence)))


def _ask(data: Path, question: Question) -> str:
    """Return the answer of the server that uses a data directory. Ends the program where there is none, or refuses."""
    try:
        with ExitStack() as stack:
            folder = os.open(data, os.O_RDONLY)
            stack.callback(os.close, folder)
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(WAIT_SECONDS)
            connection.connect(SOCKET.format(folder))
            connection.sendall(msgspec.json.encode(question) + b"\n")
            with connection.makefile("rb") as lines:
                answer = decode(lines.readline(), type=Answer)
    except TimeoutError:
        fail(f"the server that uses {data} has not answered within {WAIT_SECONDS:g} seconds", FAILED)
    except (FileNotFoundError, NotADirectoryError, ConnectionError, msgspec.DecodeError):
        fail(f"no server uses {data} now; give the data directory of the one that is running with --data", FAILED)
    except OSError as error:
        fail(explain_fault(error), FAILED)
    if answer.is_refused:
        fail(answer.text, FAILED)
    return answer.text


def _lines(now: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say what goes on, from the JSON of an `Overview`."""
    for one in now["contests"]:
        progress = one["progress"] or {"done": 0, "known": 0, "running": 0}
        state = "over" if one["closed"] else "paused" if one["is_paused"] else "open"
        yield f"contest {one['contest']}, {one['name']}: {state}, {progress['done']} of {progress['known']} games"
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
    free = f"{machine['free_bytes'] >> 30} GB free on the disk"
    yield f"{machine['processors']} processors, load {machine['load']:.1f}, {free}"
    if machine["cluster_workers"]:
        yield f"cluster: {machine['cluster_workers']} workers, {machine['cluster_games']} games at a time"
    yield from (f"version {one['number']} of {one['bot']}: {one['state']}" for one in now["uploads"])
