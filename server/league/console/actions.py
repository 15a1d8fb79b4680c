"""Actions of organisers on the running server: to annul matches, dismiss players, and announce something.

The commands of a terminal ask the server over a Unix socket in the data directory: a JSON line each way. Requests that
organisers send over the network are written into the audit log. Pages show announcements for some hours.
"""

import math
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import msgspec
import trio

from engine.commands.program import explain_fault
from engine.wire.messages import ProtocolError, Text
from server.arena.arena import Announcement, Arena
from server.league.accounts import Accounts, NotAllowed
from server.ops.logs import log
from server.ops.typed_json import decode
from server.storage.database import BadStore

SOCKET = "/proc/self/fd/{}/server.socket"
"""Path of the socket below a descriptor of the data directory: a path from the root may be too long for a socket."""

MAX_SENTENCE = 200
"""Characters of a sentence for players."""

WAIT_SECONDS = 30.0
"""Longest time for a question and its answer."""

BY = "the organiser's token"
"""The author of a change in the audit log: owners of the token have no names."""


class ConsoleQuestion(msgspec.Struct, frozen=True):
    """The question of a command."""

    kind: Literal["now", "address", "annul", "dismiss"]
    by: str
    """The author of the change, in the audit log."""
    subject: str = ""
    """The number of a match, or the name of a player."""
    sentence: str = ""


class ConsoleAnswer(msgspec.Struct, frozen=True):
    """The server's answer: a sentence, or the JSON of an overview."""

    is_refused: bool
    text: str


def one_line(sentence: str, least: int = 0, most: int = MAX_SENTENCE) -> str:
    """Return a sentence for players as one line of the protocol; raises `NotAllowed`."""
    sentence = " ".join(sentence.split())
    if not least <= len(sentence) <= most or not sentence.isprintable():
        raise NotAllowed(
            f"a sentence for players is one line of {least} to {most} characters; this has {len(sentence)}"
        )
    return sentence


def annul(arena: Arena, accounts: Accounts, match: int, sentence: str, by: str) -> None:
    """End a running match without a result, from a thread of the event loop.

    Raises `ProtocolError` and `NotAllowed`.
    """
    trio.from_thread.run_sync(arena.annul_running, match, one_line(sentence))
    accounts.note(by, f"annulled match {match}")


def dismiss(arena: Arena, accounts: Accounts, name: str, sentence: str, by: str) -> str:
    """Send a player away, from a thread of the event loop; return its name. Raises `ProtocolError` and `NotAllowed`."""
    dismissed = trio.from_thread.run_sync(arena.dismiss, name, one_line(sentence))
    accounts.note(by, f"sent {dismissed} away")
    return dismissed


def web_address(arena: Arena) -> str:
    """Return the address of the pages for browsers on this machine; empty without pages."""
    if arena.settings.web is None or not arena.web_ports:
        return ""
    host = arena.settings.web[0]
    host = "127.0.0.1" if host in ("", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{host}:{arena.web_ports[0]}"


async def answer_commands(
    arena: Arena,
    accounts: Accounts,
    overview: Callable[[], dict[str, Any]],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer commands until cancelled. ``overview`` returns the values for ``now``, in a thread. Raises OSError."""

    def carried_out(line: bytes) -> ConsoleAnswer:
        try:
            asked = decode(line, type=ConsoleQuestion)
            match asked.kind:
                case "now":
                    return ConsoleAnswer(False, msgspec.json.encode(overview()).decode())
                case "address":
                    return ConsoleAnswer(False, web_address(arena))
                case "annul":
                    annul(arena, accounts, int(asked.subject), asked.sentence, asked.by)
                    return ConsoleAnswer(False, f"Match {asked.subject} was annulled.")
                case "dismiss":
                    name = dismiss(arena, accounts, asked.subject, asked.sentence, asked.by)
                    return ConsoleAnswer(False, f"{name} was disconnected.")
        except (ProtocolError, NotAllowed, BadStore, OSError, ValueError) as error:
            return ConsoleAnswer(True, explain_fault(error))
        except Exception as error:  # no command may end the server
            log.error("command_failed", exc_info=error)
            return ConsoleAnswer(True, f"the server failed: {error!r}")

    async def answer(stream: trio.SocketStream) -> None:
        # the command was stopped, or the machine has no thread left
        with trio.move_on_after(WAIT_SECONDS), suppress(trio.BrokenResourceError, RuntimeError):
            async with stream:
                found = await trio.to_thread.run_sync(carried_out, await stream.receive_some(1 << 16))
                await stream.send_all(msgspec.json.encode(found))

    async with _listening(arena.settings.data) as listener:
        task_status.started()
        await trio.serve_listeners(answer, [listener])


@asynccontextmanager
async def _listening(data: Path) -> AsyncIterator[trio.SocketListener]:
    """Open the socket for this user alone, in place of a killed server's."""
    folder = os.open(data, os.O_RDONLY)
    try:
        with trio.socket.socket(trio.socket.AF_UNIX) as socket:
            path = Path(SOCKET.format(folder))
            path.unlink(missing_ok=True)
            await socket.bind(str(path))
            path.chmod(0o600)  # nobody can connect before it listens
            socket.listen()
            yield trio.SocketListener(socket)
    finally:
        os.close(folder)


async def keep_audit(accounts: Accounts, arena: Arena) -> None:
    """Write the requests of organisers in an arena into the audit log, until cancelled."""
    send, receive = trio.open_memory_channel[str](math.inf)
    arena.organiser_done = send.send_nowait
    async for what in receive:
        await trio.to_thread.run_sync(accounts.note, BY, what)


MAX_CHARACTERS = 300
"""Characters of an announcement, which is one line of the protocol."""

HOURS = 24.0
"""Hours that an announcement is shown, unless its author gives another number."""

MAX_HOURS = 1000.0

ANNOUNCE_SECONDS = 1.0
"""Seconds between two looks for new announcements."""


class Announcements:
    """The announcements of a data directory. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(self, accounts: Accounts, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Take the accounts, whose database it shares."""
        self._accounts = accounts
        self._now = now

    def current(self) -> list[Announcement]:
        """Return the announcements that are shown now, the oldest first."""
        query = "SELECT id, who, text, made, ends FROM announcements WHERE ends > ? ORDER BY id"
        return [
            Announcement(number, who, text, datetime.fromisoformat(made), datetime.fromisoformat(ends))
            for number, who, text, made, ends in self._accounts.rows(query, self._now().isoformat())
        ]

    def add(self, text: str, hours: float, by: str) -> None:
        """Announce something for some hours. Raises `NotAllowed`."""
        text = one_line(text, 1, MAX_CHARACTERS)
        if not 0 < hours <= MAX_HOURS:
            raise NotAllowed(f"an announcement is shown for up to {MAX_HOURS:g} hours, and not for {hours:g}")
        made = self._now()
        with self._accounts.change(by, f"announced: {text}") as database:
            database.execute(
                "INSERT INTO announcements (made, who, text, ends) VALUES (?, ?, ?, ?)",
                (made.isoformat(), by, text, (made + timedelta(hours=hours)).isoformat()),
            )

    def end(self, number: int, by: str) -> None:
        """Show an announcement no longer. Raises `NotAllowed`."""
        if all(one.number != number for one in self.current()):
            raise NotAllowed(f"there is no announcement {number} that is shown")
        with self._accounts.change(by, f"ended announcement {number}") as database:
            database.execute("UPDATE announcements SET ends = ? WHERE id = ?", (self._now().isoformat(), number))


async def keep_announced(announcements: Announcements, arena: Arena) -> None:
    """Let pages show the announcements, and send each new one to everybody who is connected, until cancelled."""
    last = max((one.number for one in announcements.current()), default=0)  # of the time before the server began
    while True:
        arena.announcements = tuple(announcements.current())
        for one in arena.announcements:
            if one.number > last:
                last = one.number
                log.info("announcement_made", who=one.who, text=repr(one.text))
                await arena.announce(Text(one.text))
        await trio.sleep(ANNOUNCE_SECONDS)
