"""How often and for how long to try to come back after a lost connection."""

import time

PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each attempt to come back; the last one repeats."""


class ReconnectBackoff:
    """The growing pauses after one loss, for so many seconds together."""

    def __init__(self, seconds: float) -> None:
        """Begin to be patient now."""
        self._give_up_at = time.monotonic() + seconds
        self._attempts = 0

    def pause(self) -> bool:
        """Sleep until the next attempt, and return whether it is to be made."""
        seconds = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        if time.monotonic() + seconds > self._give_up_at:
            return False
        self._attempts += 1
        time.sleep(seconds)
        return True
