"""Times and variants as people read them."""

from engine.wire import messages as m
from engine.wire.words import parameters_of


def clock(ms: int) -> str:
    """Write a clock: minutes and seconds, and tenths of the last minute."""
    if ms < 60_000:
        return f"{ms // 1000}.{ms % 1000 // 100} s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def time_control(budget_ms: int, increment_ms: int) -> str:
    """Write what a side has for a whole game, and what a move adds."""
    return f"{budget_ms / 1000:g} s" + (f" + {increment_ms / 1000:g} s a move" if increment_ms else "")


def variant(match: m.Match | m.Watching) -> str:
    """Write what is played: the game, and its parameters where it has any."""
    return f"{match.game} {parameters_of(match.parameters)}".rstrip()
