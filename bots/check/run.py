"""Runs all situations, one after the other, and reports their results: lines for people, JSON, JUnit's XML."""

import math
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bots.check import connecting, playing
from bots.check.bot_under_test import HOST, BotUnderTest, Situation
from bots.check.peer import Absent, Fault, Left, OutOfTime, Skipped
from bots.client.errors import ArenaError
from engine.commands import reports
from engine.commands.reports import Case, Outcome, Suite

MIN_LACKED_SECONDS = 0.2
"""From this time without a core on, a clock of a second says nothing about the bot."""

SITUATIONS: tuple[Situation, ...] = (
    *connecting.CONNECTING,
    *playing.PLAYING,
    *playing.ENDING,
    *connecting.RECONNECTING,
)


NOT_THERE = "the bot is not there"


@dataclass(frozen=True)
class SituationResult:
    """What became of a situation: with the fault of a bot that failed, or the reason why it was not tried."""

    title: str
    outcome: Outcome
    seconds: float
    fault: Fault | None = None
    reason: str = ""


WORDS: dict[Outcome, str] = {"passed": "ok", "failed": "FAIL", "skipped": "skip"}
"""The words of outcomes in lines for people."""


class Report:
    """Lines for people, and the results that they tell of."""

    def __init__(self, write: Callable[[str], None], *, goes_on: bool = False) -> None:
        """Start without results; a test that ``goes_on`` has had some before."""
        self._write = write
        self._goes_on = goes_on
        self._count: Counter[str] = Counter()
        self.results: list[SituationResult] = []

    @property
    def passed(self) -> bool:
        """Tell whether something was seen to be right, and nothing to be wrong."""
        return self._count["FAIL"] == 0 and (self._count["ok"] > 0 or self._goes_on)

    def add(self, result: SituationResult) -> None:
        """Report what became of a situation."""
        self.results.append(result)
        word = WORDS[result.outcome]
        self._count[word] += 1
        self._write(f"{word:<4}  {result.title}" + (f": {result.reason}" if result.reason else ""))
        for line in result.fault.lines() if result.fault else ():
            self._write(f"      {line}")

    def not_there(self, titles: Sequence[str]) -> None:
        """Report that the bot is not there for what was still to be tried; none of that has passed."""
        self.results += [SituationResult(title, "failed", 0, reason=NOT_THERE) for title in titles]
        self._write(f"nothing more can be tried: {NOT_THERE}")

    def summary(self) -> None:
        """Write the counts."""
        counts = {word: self._count[word] for word in WORDS.values()}
        self._write(", ".join(f"{count} {word}" for word, count in counts.items() if count or word != "skip"))


class Build(NamedTuple):
    """How a bot was built before it was tested: by which command, and with which exit status."""

    command: str
    status: int


def as_json(bot: str, results: Sequence[SituationResult], build: Build | None = None) -> str:
    """Return all that is known of each situation, how many passed, failed and were skipped, and how it was built."""
    counts = Counter(result.outcome for result in results)
    return reports.as_json(
        {
            "report": "check",
            "bot": bot,
            **({"build": build._asdict()} if build else {}),
            "passed": counts["passed"],
            "failed": counts["failed"],
            "skipped": counts["skipped"],
            "situations": [_plain(result) for result in results],
        }
    )


def as_junit(bot: str, results: Sequence[SituationResult]) -> str:
    """Return a test for each situation, in one suite."""
    cases = [
        Case(
            result.title,
            result.outcome,
            result.fault.did if result.fault else result.reason,
            "\n".join(result.fault.lines()) if result.fault else "",
            result.seconds,
        )
        for result in results
    ]
    return reports.junit([Suite(f"arena-bot check {bot}", cases)])


def _plain(result: SituationResult) -> dict[str, object]:
    """Return a result as plain data: what does not apply to it is left out."""
    why = {"reason": result.reason}
    if fault := result.fault:
        why = {"did": fault.did, "right": fault.right, "section": fault.section, "position": fault.position}
    plain = {"title": result.title, "outcome": result.outcome, "seconds": round(result.seconds, 3)}
    return plain | {name: text for name, text in why.items() if text}


def chosen(words: str, after: str = "") -> list[Situation]:
    """Return the situations whose title has these words in it, those alone that come ``after`` the one of that title.

    Where none has that title, a log was misread, and nothing of it counts. Raises `ArenaError` where no title has the
    words.
    """
    found = [situation for situation in SITUATIONS if words.lower() in situation.title.lower()]
    if not found:
        raise ArenaError(f"no situation has {words!r} in its title")
    titles = [situation.title for situation in SITUATIONS]
    left = SITUATIONS[titles.index(after) + 1 :] if after in titles else SITUATIONS
    return [situation for situation in found if situation in left]


def check(
    command: Sequence[str],
    *,
    port: int,
    game: str | None,
    situations: Sequence[Situation],
    write: Callable[[str], None],
    note: Callable[[str], None],
    goes_on: bool = False,
) -> Report:
    """Test a bot in situations, write results line by line, and return them all.

    With a command the bot is started, again and again; without one it has to connect to the port by itself. Raises
    `ArenaError` where the port is taken or the command cannot be started. A test that ``goes_on`` was begun before: it
    passes without anything being seen to be right.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ArenaError(f"cannot listen at {HOST} port {port}: {error.strerror or error}") from error
    report = Report(write, goes_on=goes_on)
    bot = BotUnderTest(listener, command, game, note)
    try:
        for number, situation in enumerate(situations, 1):
            if not _try(situation, bot, report, note):
                report.not_there([one.title for one in situations[number:]])
                break
    finally:
        bot.close()
    report.summary()
    return report


def _try(situation: Situation, bot: BotUnderTest, report: Report, note: Callable[[str], None]) -> bool:
    """Try a situation, report what became of it, and return whether the bot is there for another one."""
    began = time.monotonic()
    outcome: Outcome = "failed"
    fault, reason = None, ""
    try:
        _play(situation, bot, note)
        outcome = "passed"
    except Skipped as why:
        outcome, reason = "skipped", str(why)
    except Fault as found:
        fault = found
    except Left:
        did = "closed the connection in the middle of a match"
        fault = Fault(did, "to stay; who gives up says RESIGN", "1.8")
    report.add(SituationResult(situation.title, outcome, time.monotonic() - began, fault, reason))
    if outcome == "failed" and not isinstance(fault, Absent):
        bot.drop()
    return not isinstance(fault, Absent)


def _play(situation: Situation, bot: BotUnderTest, note: Callable[[str], None]) -> None:
    """Bring a bot into a situation, again where its clock did not last and it may be tried again.

    Raises `Skipped` where the bot had to wait for a core in all of these tries.
    """
    lacked = math.inf
    for number in range(1, situation.tries + 1):
        before = bot.seconds_without_core()
        try:
            situation.play(bot)
        except OutOfTime as fault:
            lacked = min(lacked, bot.seconds_without_core() - before)
            bot.drop()
            if number < situation.tries:
                note(f"{situation.title}: the bot {fault.did}; tried again, {number + 1} of {situation.tries}")
            elif situation.tries > 1 and lacked >= MIN_LACKED_SECONDS:
                raise Skipped(f"the bot {fault.did}, and waited {lacked:.1f} s for a core of this machine") from fault
            else:
                raise
        else:
            return
