"""The spectator: follows a running match live in a terminal, or line by line where the output is none."""

import time
from contextlib import suppress

from rich.console import Console
from rich.live import Live

from bots.client.connection import Address, Connection, address, reconnect_pauses
from bots.client.errors import ArenaError, ConnectionLost, Refused, ServerFault, Unreachable
from bots.terminal.painting import plain_console, print_lines
from bots.terminal.watched_match import WatchedMatch, clock, newest, note_text, render_match
from engine.games.catalogue import GAMES
from engine.games.interface import GameError
from engine.wire import messages as m
from engine.wire.codes import Code

LOOK_SECONDS = 0.2
"""How often to look whether a match has begun."""

FRAME_SECONDS = 0.1
"""How often the clocks are drawn: they show tenths."""

MIN_RECONNECT_SECONDS = 10.0
"""How long to try to come back after a lost connection."""


def watch(
    match: int | None,
    *,
    host: str,
    port: int,
    tls: bool = False,
    tls_ca: str = "",
    wait: bool = False,
    follow: bool = False,
    record: bool = False,
    console: Console | None = None,
) -> None:
    """Watch a match, the newest one when none is named.

    ``wait``: where none is running, wait for one. ``follow``: go on with the next one after it, until interrupted.
    ``record``: fetch and print the record in the end. Raises `bots.client.errors.ArenaError`.
    """
    console = console or plain_console()
    above, number = 0, match
    where = address(host, port, tls=tls, tls_ca=tls_ca)
    connection = Connection(*where)
    try:
        while True:
            try:
                if number is None:
                    number = _find(connection, wait or follow, above, console)
                watched_match = _begin(connection, number)
                (_live if console.is_terminal else _line_by_line)(connection, watched_match, console)
                if record:
                    _print_record(connection, number, console)
                if not follow:
                    return
                match, above, number = None, number, None
            except ConnectionLost as lost:
                print_lines(console, f"{lost}; trying to come back")
                connection.close()
                connection = _reconnect(lost, where)
            except Refused as refused:
                if match is not None or refused.code != Code.UNKNOWN_MATCH:
                    raise
                number = None  # it has ended since it was listed
            except GameError as error:
                raise ServerFault(f"the match cannot be followed: {error}") from error
    finally:
        connection.close()


def _reconnect(lost: ConnectionLost, where: Address) -> Connection:
    for _ in reconnect_pauses(MIN_RECONNECT_SECONDS):
        with suppress(Unreachable):
            return Connection(*where)
    raise Unreachable(f"{lost}; the server could not be reached again")


def _find(connection: Connection, wait: bool, above: int, console: Console) -> int:
    """Return the newest match that is running, or else, after waiting, one that has begun and ended meanwhile."""
    is_waiting = False
    while True:
        connection.send(m.List())
        listed = connection.answer(m.Matches)
        number = newest(listed, above, running=True) or (newest(listed, above) if is_waiting else None)
        if number is not None:
            return number
        if not wait:
            raise ArenaError("no match is running; --wait waits for one")
        if not is_waiting:
            print_lines(console, "waiting for a match to begin")
            is_waiting, above = True, max(above, newest(listed) or 0)
        time.sleep(LOOK_SECONDS)


def _begin(connection: Connection, number: int) -> WatchedMatch:
    connection.send(m.Watch(number))
    watching = connection.answer(m.Watching)
    connection.send(m.Ping())
    if watching.game not in GAMES:
        raise ServerFault(f"the match cannot be followed: the game {watching.game!r} is unknown here")
    return WatchedMatch.begin(watching, time.monotonic())


def _live(connection: Connection, watched_match: WatchedMatch, console: Console) -> None:
    """Draw the match again and again, with clocks that run."""
    with Live(console=console, auto_refresh=False, redirect_stderr=False, redirect_stdout=False) as live:
        while True:
            live.update(render_match(watched_match, time.monotonic(), console.height), refresh=True)
            if watched_match.result is not None:
                return
            frame = time.monotonic() + FRAME_SECONDS
            while watched_match.result is None and (left := frame - time.monotonic()) > 0:
                watched_match = watched_match.after(connection.receive(left), time.monotonic())


def _line_by_line(connection: Connection, watched_match: WatchedMatch, console: Console) -> None:
    """Print a line for everything that happens."""
    sides = watched_match.game.sides
    players = ", ".join(f"{side}: {name}" for side, name in zip(sides, watched_match.players, strict=True))
    print_lines(console, f"{watched_match.title}, {players}")
    while True:
        message = connection.receive()
        watched_match = watched_match.after(message, time.monotonic())
        if isinstance(message, m.Start):
            print_lines(console, "play begins")
        elif isinstance(message, m.Moved):
            left = ", ".join(f"{side} {clock(ms)}" for side, ms in zip(sides, watched_match.left, strict=True))
            print_lines(console, f"{message.ply:4} {message.side} {message.move}  ({left})")
        elif isinstance(message, m.Noted):
            print_lines(console, f"{message.ply:4} {message.side} noted: {note_text(message)}")
        elif watched_match.result is not None:
            print_lines(console, *filter(None, (watched_match.history.position.summary(), watched_match.ending())))
            return


def _print_record(connection: Connection, number: int, console: Console) -> None:
    """Print the record of a match that has just ended; the server may not keep it."""
    connection.send(m.AskRecord(number))
    try:
        print_lines(console, *connection.answer(m.Record).lines)
    except Refused as refused:
        print_lines(console, str(refused))
