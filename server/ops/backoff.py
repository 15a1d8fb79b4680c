"""How long to wait before something is tried again that fails again and again."""


def pause_seconds(failures: int, first: float, most: float) -> float:
    """Return the pause after so many failures in a row: ``first`` seconds after one, twice as many with each further.

    ``most`` bounds it. May be asked for ever: a night of failures is a thousand of them.
    """
    return min(most, first * 2.0 ** min(failures - 1, 100))
