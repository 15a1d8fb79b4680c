"""Situations of the clocks."""

from bots.check.bot_under_test import BotUnderTest
from bots.check.cases.playing import keep_playing
from bots.check.conformance_match import ConformanceMatch
from bots.check.situation import Situation

SHORT_MS = 1000
SHORT_PLIES = 30
TINY_MS = 500
INCREMENT_MS = 100

TRIES = 3
"""A bot that cannot keep its time fails each time; one whose time a busy machine has taken does not."""


def short_budget(bot: BotUnderTest) -> None:
    """A second for the whole match."""
    keep_playing(ConformanceMatch(bot, budget=SHORT_MS), SHORT_PLIES)


def increment(bot: BotUnderTest) -> None:
    """Half a second, and a tenth for each move."""
    table = ConformanceMatch(bot, budget=TINY_MS, increment=INCREMENT_MS)
    keep_playing(table, SHORT_PLIES)


SITUATIONS = (
    Situation("keeps its time with a second for the match", short_budget, TRIES),
    Situation("keeps its time with half a second, and a tenth more a move", increment, TRIES),
)
