"""Runs all situations, one after the other."""

import socket
from collections.abc import Callable, Sequence

from bots.check.bot_under_test import HOST, BotUnderTest
from bots.check.cases import connecting, ending, error_cases, playing, reconnect_cases, timing
from bots.check.peer import Left
from bots.check.report import Absent, Fault, Report, Skipped
from bots.check.situation import Situation
from bots.client.errors import ArenaError

SITUATIONS: tuple[Situation, ...] = (
    *connecting.SITUATIONS,
    *playing.SITUATIONS,
    *timing.SITUATIONS,
    *ending.SITUATIONS,
    *error_cases.SITUATIONS,
    *reconnect_cases.SITUATIONS,
)


def chosen(words: str) -> list[Situation]:
    """Return the situations whose title has these words in it; raises `ArenaError` where there is none."""
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
) -> bool:
    """Test a bot in situations, report results line by line, and return whether all were passed.

    With a command the bot is started, again and again; without one it has to connect to the port by itself. Raises
    `ArenaError` where the port is taken or the command cannot be started.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ArenaError(f"cannot listen at {HOST} port {port}: {error.strerror or error}") from error
    report = Report(write)
    bot = BotUnderTest(listener, command, game, note)
    try:
        for situation in situations:
            try:
                _try(situation, bot, report)
            except Absent as absent:
                report.fail(situation.title, absent)
                write("nothing more can be tried: the bot is not there")
                break
    finally:
        bot.close()
    report.summary()
    return not report.failed


def _try(situation: Situation, bot: BotUnderTest, report: Report) -> None:
    try:
        situation.play(bot)
    except Skipped as why:
        report.skip(situation.title, why)
    except Absent:
        raise
    except Fault as fault:
        report.fail(situation.title, fault)
        bot.drop()
    except Left:
        did = "closed the connection in the middle of a match"
        report.fail(situation.title, Fault(did, "to stay; who gives up says RESIGN", "1.8"))
        bot.drop()
    else:
        report.ok(situation.title)
