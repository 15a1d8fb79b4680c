"""Runs all situations, one after the other."""

import math
import socket
import time
from collections.abc import Callable, Sequence

from bots.check import connecting, playing
from bots.check.bot_under_test import HOST, BotUnderTest, Situation
from bots.check.peer import Left
from bots.check.report import Absent, Fault, OutOfTime, Report, SituationResult, Skipped
from bots.client.errors import ArenaError
from engine.commands.reports import Outcome

MIN_LACKED_SECONDS = 0.2
"""From this time without a core on, a clock of a second says nothing about the bot."""

SITUATIONS: tuple[Situation, ...] = (
    *connecting.CONNECTING,
    *playing.PLAYING,
    *playing.ENDING,
    *connecting.RECONNECTING,
)


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
