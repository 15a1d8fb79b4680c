"""Times as people read them."""


def clock(ms: int) -> str:
    """Write a clock: minutes and seconds, and tenths of the last minute."""
    if ms < 60_000:
        return f"{ms // 1000}.{ms % 1000 // 100} s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def time_control(budget_ms: int, increment_ms: int) -> str:
    """Write what a side has for a whole game, and what a move adds."""
    return f"{budget_ms / 1000:g} s" + (f" + {increment_ms / 1000:g} s a move" if increment_ms else "")
