"""Answers the commands that ask the running server, over a Unix socket in the data directory: a JSON line each way.

Requests of organisers over the network are written into the audit log here, too.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
import structlog
import trio

from engine.commands.program import explain_fault
from engine.wire.codes import ProtocolError
from server.arena.arena import Arena
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.league.console.announcements import HOURS, Announcements
from server.ops.typed_json import decode
from server.storage.database import BadStore

log = structlog.get_logger()

SOCKET = "/proc/self/fd/{}/server.socket"
"""Path of the socket below a descriptor of the data directory: a path from the root may be too long for a socket."""

MAX_SENTENCE = 200
"""Characters of a sentence that players are told."""

WAIT_SECONDS = 30.0
"""Longest time for a question and its answer."""

BY = "the organiser's token"
"""Who did it, in the audit log: none of those who have the token has a name."""

MAX_WAITING = 1000
"""Requests that wait to be written; what is beyond that stands in the server's log alone."""


class Question(msgspec.Struct, frozen=True):
    """What a command asks."""

    kind: Literal["now", "annul", "dismiss", "announce"]
    by: str
    """Who asks, in the audit log."""
    subject: str = ""
    """The number of a match, the name of a player, or the number of an announcement that ends."""
    sentence: str = ""
    hours: float = HOURS


class Answer(msgspec.Struct, frozen=True):
    """What the server answers: a sentence, or the JSON of an `Overview`."""

    is_refused: bool
    text: str


def one_line(sentence: str) -> str:
    """Return what players are told as the one line of the protocol that it has to be; raises `NotAllowed`."""
    sentence = " ".join(sentence.split())
    if len(sentence) > MAX_SENTENCE or not sentence.isprintable():
        raise NotAllowed(f"what players are told is one line of at most {MAX_SENTENCE} characters")
    return sentence


async def answer_commands(
    arena: Arena,
    accounts: Accounts,
    overview: Callable[[], Awaitable[bytes]],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer commands until cancelled. ``overview`` returns the JSON for ``now``. Raises OSError."""

    async def answer(stream: trio.SocketStream) -> None:
        with trio.move_on_after(WAIT_SECONDS), suppress(trio.BrokenResourceError):  # the command was stopped
            async with stream:
                try:
                    question = decode(await stream.receive_some(1 << 16), type=Question)
                    text, done = await _carry_out(arena, Announcements(accounts), overview, question)
                    if done:
                        await arena.run_in_thread(accounts.note, question.by, done)
                    found = Answer(False, text)
                except (ProtocolError, NotAllowed, BadStore, OSError, ValueError) as error:
                    found = Answer(True, explain_fault(error))
                except Exception as error:  # which is to end no server
                    log.error("command_failed", exc_info=error)
                    found = Answer(True, f"the server failed: {error!r}")
                await stream.send_all(msgspec.json.encode(found))

    async with _listening(arena.settings.data) as listener:
        task_status.started()
        await trio.serve_listeners(answer, [listener])


@asynccontextmanager
async def _listening(data: Path) -> AsyncIterator[trio.SocketListener]:
    """Open the socket for this user alone; a server that was killed has left its own."""
    folder = os.open(data, os.O_RDONLY)
    try:
        with trio.socket.socket(trio.socket.AF_UNIX) as socket:
            path = SOCKET.format(folder)
            Path(path).unlink(missing_ok=True)
            await socket.bind(path)
            os.chmod(path, 0o600)  # nobody can connect before it listens
            socket.listen()
            yield trio.SocketListener(socket)
    finally:
        os.close(folder)


async def _carry_out(
    arena: Arena, announcements: Announcements, overview: Callable[[], Awaitable[bytes]], asked: Question
) -> tuple[str, str]:
    """Do what is asked; return the answer, and the line of the audit log, empty for none."""
    sentence = one_line(asked.sentence) if asked.kind in ("annul", "dismiss") else asked.sentence
    match asked.kind:
        case "now":
            return (await overview()).decode(), ""
        case "annul":
            number = int(asked.subject)
            if number not in arena.matches:
                raise NotAllowed(await arena.run_in_thread(_not_running, arena, number))
            arena.annul_running(number, sentence)
            return f"Match {asked.subject} was annulled.", f"annulled match {asked.subject}"
        case "dismiss":
            name = arena.dismiss(asked.subject, sentence)
            return f"{name} was sent away.", f"sent {name} away"
        case "announce":
            if asked.subject:
                await arena.run_in_thread(announcements.end, int(asked.subject), asked.by)
            if sentence:
                await arena.run_in_thread(announcements.add, sentence, asked.hours, asked.by)
            shown = [] if asked.subject or sentence else announcements.current()
            lines = [f"{one.number}  until {one.ends:%Y-%m-%d %H:%M} UTC, {one.who}: {one.text}" for one in shown]
            return "\n".join(lines), ""


def _not_running(arena: Arena, number: int) -> str:
    if arena.find_match(number) is None and arena.record_store.read(number) is None:
        return f"there is no match {number}; arena-server now lists those that are running"
    return f"match {number} is over; arena-server contest replay annuls a result of a contest"


async def keep_audit(accounts: Accounts, arena: Arena) -> None:
    """Write what is done in an arena into the audit log, until cancelled."""
    send, receive = trio.open_memory_channel[str](MAX_WAITING)

    def done(what: str) -> None:
        try:
            send.send_nowait(what)
        except trio.WouldBlock:
            log.error("audit_failed", what=what, error="too many requests at a time")

    arena.organiser_done = done
    async for what in receive:
        try:
            await trio.to_thread.run_sync(partial(accounts.note, BY, what))
        except Exception as error:  # the next line may be written
            log.error("audit_failed", what=what, error=str(error))
