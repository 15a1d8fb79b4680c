"""Times, variants and awaited opponents as text."""

from engine.games.catalogue import variant_title
from engine.match.clock import span
from engine.wire import messages as m
from engine.wire.messages import MICROSECONDS
from engine.wire.words import ANY, LADDER, parameters_of


def clock(ms: int) -> str:
    """Format a clock: minutes and seconds, and tenths in the last minute."""
    if ms < 60_000:
        return f"{ms // 1000}.{ms % 1000 // 100} s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def time_control(budget_ms: int, increment_ms: int) -> str:
    """Format a time control: budget and increment."""
    added = f" + {span(increment_ms * MICROSECONDS)} a move" if increment_ms else ""
    return f"{span(budget_ms * MICROSECONDS)}{added}"


def variant(match: m.Match | m.Watching) -> str:
    """Format a variant for people, as pages do: ``GIPF 4 4 15 15``."""
    return variant_title(f"{match.game} {parameters_of(match.parameters)}")


def waiting_for(seek: m.Seek) -> str:
    """Describe the opponent that a bot waits for, from its SEEK."""
    if seek.game == ANY:
        return "waiting for the contest"
    if seek.game == LADDER:
        return "waiting for a game of the ladder"
    options = dict(option.split("=", 1) for option in seek.options.split())
    who = options.pop("opponent", "")
    if who:
        return waiting_for_named(who, "")
    conditions = " ".join(f"{key}={value}" for key, value in options.items())
    return f"waiting for somebody who seeks {seek.game} {conditions}".rstrip()


def waiting_for_named(name: str, presence: str) -> str:
    """Describe the named opponent that a bot waits for, and its presence by the word of the protocol."""
    where = {
        "absent": "is not here",
        "here": "is here, but seeks no match",
        "seeking": "seeks a match, but not one that fits what this bot seeks",
        "playing": "plays a match",
    }.get(presence)
    return f"waiting for {name}, who {where}" if where else f"waiting for {name}"
