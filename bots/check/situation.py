"""A situation: its name, and the function that brings the bot into it."""

from collections.abc import Callable
from typing import NamedTuple

from bots.check.bot_under_test import BotUnderTest


class Situation(NamedTuple):
    """``play`` raises `bots.check.report.Fault` where the bot does wrong, and `Skipped` where it cannot be tried."""

    title: str
    play: Callable[[BotUnderTest], None]
    tries: int = 1
    """How often it is tried, at most, until the clock lasts: a short one may be used up by a busy machine."""
