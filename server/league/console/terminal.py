"""What commands ask of the running server: a line in the database of the league, until the server has answered it.

Whoever may write in the data directory may ask; no token is needed, and no port.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec
import structlog
import trio

from engine.commands.usage_errors import explain_fault
from engine.wire.codes import ProtocolError
from server.arena.arena import Arena
from server.arena.organiser_requests import annul_match, dismiss_player
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed
from server.storage.database import BadStore

if TYPE_CHECKING:
    from server.contest.runtime.service import ContestService
    from server.league.console.overview import OverviewReader
    from server.league.ladder.service import LadderService
    from server.league.submissions.versions import Versions

log = structlog.get_logger()

LOOK_SECONDS = 0.25
"""How often the server looks for what is asked."""

WAIT_SECONDS = 30.0
"""Longest wait of a command for its answer. What is older is not carried out: nobody waits for it any more."""

MAX_SENTENCE = 200
"""Characters of a sentence that players are told."""

Kind: TypeAlias = Literal["now", "annul", "dismiss"]


def one_line(sentence: str) -> str:
    """Return what players are told as the one line of the protocol that it has to be; raises `NotAllowed`."""
    sentence = " ".join(sentence.split())
    if len(sentence) > MAX_SENTENCE or not sentence.isprintable():
        raise NotAllowed(f"what players are told is one line of at most {MAX_SENTENCE} characters")
    return sentence


class TerminalRequest(NamedTuple):
    """Something that a command asks for."""

    number: int
    kind: Kind
    subject: str
    """The number of a match, or the name of a player; empty for ``now``."""
    sentence: str
    """What players are told with it, perhaps nothing."""
    who: str
    """Who asks, in the audit log."""


class Answer(NamedTuple):
    """What the server says to it."""

    is_refused: bool
    text: str
    """A sentence; for ``now`` the JSON of an `server.league.console.overview.Overview`."""


class TerminalRequests:
    """The requests of a data directory. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(self, accounts: Accounts, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Take the accounts, whose database it shares."""
        self._accounts = accounts
        self._now = now

    # for commands

    def ask(self, kind: Kind, subject: str, sentence: str, by: str) -> int:
        """Ask for something, and return the number under which the answer is going to stand. Raises `NotAllowed`."""
        sentence = one_line(sentence)
        with self._accounts.change() as database:
            database.execute("DELETE FROM terminal_requests WHERE asked < ?", (self._oldest(),))
            added = database.execute(
                "INSERT INTO terminal_requests (asked, kind, subject, sentence, who) VALUES (?, ?, ?, ?, ?)",
                (self._now().isoformat(), kind, subject, sentence, by),
            )
            return int(added.lastrowid or 0)

    def answer_to(self, number: int) -> Answer | None:
        """Return the answer to a request; None as long as there is none."""
        rows = self._accounts.rows(
            "SELECT is_refused, answer FROM terminal_requests WHERE id = ? AND answer IS NOT NULL", number
        )
        return Answer(bool(rows[0][0]), rows[0][1]) if rows else None

    def withdraw(self, number: int) -> None:
        """Ask for it no more, whether it is answered or not."""
        with self._accounts.change() as database:
            database.execute("DELETE FROM terminal_requests WHERE id = ?", (number,))

    # for the server

    def waiting(self) -> list[TerminalRequest]:
        """Return what is not answered yet, and not too old, the oldest first."""
        rows = self._accounts.rows(
            """SELECT id, kind, subject, sentence, who FROM terminal_requests
            WHERE answer IS NULL AND asked >= ? ORDER BY id""",
            self._oldest(),
        )
        return [TerminalRequest(*row) for row in rows]

    def answer(self, request: TerminalRequest, answer: Answer, done: str) -> None:
        """Answer a request; what was ``done`` goes into the audit log, where it is not empty."""
        with self._accounts.change() as database:
            database.execute(
                "UPDATE terminal_requests SET is_refused = ?, answer = ? WHERE id = ?",
                (answer.is_refused, answer.text, request.number),
            )
            if done:
                self._accounts.log(database, request.who, done)

    def _oldest(self) -> str:
        return (self._now() - timedelta(seconds=WAIT_SECONDS)).isoformat()


class TerminalService:
    """Answers the requests."""

    def __init__(
        self,
        requests: TerminalRequests,
        arena: Arena,
        service: "ContestService",
        versions: "Versions",
        ladder: "LadderService | None",
    ) -> None:
        """Take the requests, the arena, its contests, versions of bots, and the ladder, if any."""
        self._requests = requests
        self._arena = arena
        self._of_overview = service, versions, ladder
        self._reader: OverviewReader | None = None
        self._unwritten: dict[int, tuple[Answer, str]] = {}
        """Answers to requests that were carried out; these are not carried out again."""

    async def run(self) -> None:
        """Answer what is asked, until cancelled."""
        while True:
            try:
                await self.answer_waiting()
            except BadStore as error:
                log.error("terminal_requests_failed", error=str(error))
            await trio.sleep(LOOK_SECONDS)

    async def answer_waiting(self) -> None:
        """Answer what is asked now. Raises `BadStore` where an answer cannot be written; then it is written later."""
        waiting = self._requests.waiting()
        self._unwritten = {one.number: self._unwritten[one.number] for one in waiting if one.number in self._unwritten}
        for request in waiting:
            if request.number not in self._unwritten:
                self._unwritten[request.number] = await self._carry_out(request)
            await self._arena.run_in_thread(self._requests.answer, request, *self._unwritten[request.number])

    async def _carry_out(self, request: TerminalRequest) -> tuple[Answer, str]:
        """Do what is asked; return the answer, and what stands in the audit log, empty for nothing."""
        try:
            match request.kind:
                case "now":
                    return Answer(False, await self._overview()), ""
                case "annul":
                    number = int(request.subject)
                    if number not in self._arena.matches:
                        return Answer(True, await self._arena.run_in_thread(self._not_running, number)), ""
                    annul_match(self._arena, number, request.sentence)
                    return Answer(False, f"match {number} was annulled"), f"annulled match {number}"
                case "dismiss":
                    name = dismiss_player(self._arena, request.subject, request.sentence)
                    return Answer(False, f"{name} was sent away"), f"sent {name} away"
        except (ProtocolError, BadStore, OSError) as error:
            return Answer(True, explain_fault(error)), ""

    def _not_running(self, number: int) -> str:
        if self._arena.find_match(number) is None and self._arena.record_store.read(number) is None:
            return f"there is no match {number}; arena-server now lists those that are running"
        return f"match {number} is over; arena-server contest replay annuls a result of a contest"

    async def _overview(self) -> str:
        if self._reader is None:
            self._reader = await self._arena.run_in_thread(_reader, self._arena, *self._of_overview)
        return msgspec.json.encode(await self._reader.read()).decode()


def _reader(
    arena: Arena, service: "ContestService", versions: "Versions", ladder: "LadderService | None"
) -> "OverviewReader":
    from server.league.console.overview import OverviewReader  # with it come the views, which take a while to load

    return OverviewReader(arena, service, versions, ladder)
