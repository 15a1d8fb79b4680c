"""Growing pauses between attempts to reconnect."""

import time

PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each attempt to reconnect; the last value repeats."""


class ReconnectBackoff:
    """The pauses after one lost connection, up to a total time."""

    def __init__(self, seconds: float) -> None:
        """Start the total time now."""
        self._give_up_at = time.monotonic() + seconds
        self._attempts = 0

    def pause(self) -> bool:
        """Sleep until the next attempt; return False instead if the total time would be exceeded."""
        seconds = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        if time.monotonic() + seconds > self._give_up_at:
            return False
        self._attempts += 1
        time.sleep(seconds)
        return True
