"""Runs all situations, one after the other, and reports their results: lines for people, JSON, JUnit's XML."""

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bots.check.bot_under_test import HOST, Absent, BotUnderTest, Disconnected, Fault, LostOnTime, Situation, Skipped
from bots.check.situations import SITUATIONS
from bots.client.errors import ArenaError
from engine.commands import reports

NOT_THERE = "the bot is not there"


@dataclass(frozen=True)
class SituationResult:
    """The result of a situation: the fault of a bot that failed, or the reason why it was not tried."""

    title: str
    outcome: reports.Outcome
    seconds: float
    fault: Fault | None = None
    reason: str = ""


WORDS: dict[reports.Outcome, str] = {"passed": "ok", "failed": "FAIL", "skipped": "skip"}
"""The words of outcomes in lines for people."""


def has_passed(results: Sequence[SituationResult]) -> bool:
    """Tell whether a situation was passed, and none was failed."""
    outcomes = {result.outcome for result in results}
    return "passed" in outcomes and "failed" not in outcomes


def as_json(bot: str, results: Sequence[SituationResult], build: Mapping[str, object] | None = None) -> str:
    """Return all that is known of each situation, how many passed, failed and were skipped, and the ``build``."""
    counts = Counter(result.outcome for result in results)
    return reports.as_json(
        {
            "report": "check",
            "bot": bot,
            **({"build": build} if build else {}),
            "passed": counts["passed"],
            "failed": counts["failed"],
            "skipped": counts["skipped"],
            "situations": [_plain(result) for result in results],
        }
    )


def as_junit(bot: str, results: Sequence[SituationResult]) -> str:
    """Return a test for each situation, in one suite."""
    cases = [
        reports.Case(
            result.title,
            result.outcome,
            result.fault.did if result.fault else result.reason,
            "\n".join(result.fault.lines()) if result.fault else "",
            result.seconds,
        )
        for result in results
    ]
    return reports.junit([reports.Suite(f"arena-bot check {bot}", cases)])


def _plain(result: SituationResult) -> dict[str, object]:
    """Return a result as plain data: what does not apply to it is left out."""
    why = {"reason": result.reason}
    if fault := result.fault:
        why = {"did": fault.did, "right": fault.right, "section": fault.section, "position": fault.position}
    plain = {"title": result.title, "outcome": result.outcome, "seconds": round(result.seconds, 3)}
    return plain | {name: text for name, text in why.items() if text}


def chosen(words: str) -> list[Situation]:
    """Return the situations that have these words in their titles; raises `ArenaError` where none has."""
    found = [situation for situation in SITUATIONS if words.lower() in situation.title.lower()]
    if not found:
        raise ArenaError(f"no situation has {words!r} in its title")
    return found


def check(
    command: Sequence[str],
    *,
    port: int,
    game: str | None,
    situations: Sequence[Situation],
    write: Callable[[str], None],
    note: Callable[[str], None],
) -> list[SituationResult]:
    """Test a bot in situations, write results line by line, and return them all.

    With a command the bot is started, again and again; without one it has to connect to the port by itself. Raises
    `ArenaError` where the port is taken or the command cannot be started.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ArenaError(f"cannot listen at {HOST} port {port}: {error.strerror or error}") from error
    bot = BotUnderTest(listener, command, game, note)
    results: list[SituationResult] = []
    try:
        for situation in situations:
            results.append(_try(situation, bot, note))
            for line in _lines(results[-1]):
                write(line)
            if isinstance(results[-1].fault, Absent):
                write(f"nothing more can be tried: {NOT_THERE}")
                left = situations[len(results) :]
                results += [SituationResult(one.title, "failed", 0, reason=NOT_THERE) for one in left]
                break
    finally:
        bot.close()
    count = Counter(result.outcome for result in results if result.reason != NOT_THERE)
    write(", ".join(f"{count[outcome]} {word}" for outcome, word in WORDS.items() if count[outcome] or word != "skip"))
    return results


def _lines(result: SituationResult) -> Iterator[str]:
    yield f"{WORDS[result.outcome]:<4}  {result.title}" + (f": {result.reason}" if result.reason else "")
    for line in result.fault.lines() if result.fault else ():
        yield f"      {line}"


def _try(situation: Situation, bot: BotUnderTest, note: Callable[[str], None]) -> SituationResult:
    """Bring a bot into a situation, again where its clock did not last and there are tries left."""
    began = time.monotonic()
    outcome: reports.Outcome = "failed"
    fault: Fault | None = None
    reason = ""
    for number in range(1, situation.tries + 1):
        try:
            situation.play(bot)
            outcome, fault = "passed", None
        except Skipped as why:
            outcome, reason = "skipped", str(why)
        except LostOnTime as found:
            fault = found
            bot.drop()
            if number < situation.tries:
                note(f"{situation.title}: the bot {fault.did}; tried again, {number + 1} of {situation.tries}")
                continue
        except Fault as found:
            fault = found
        except Disconnected:
            fault = Fault("closed the connection in the middle of a match", "to stay, or to give up by RESIGN", "1.8")
        break
    if outcome == "failed" and not isinstance(fault, Absent):
        bot.drop()
    return SituationResult(situation.title, outcome, time.monotonic() - began, fault, reason)
