"""Faults of a bot, and the lines that report them."""

from collections import Counter
from collections.abc import Callable

TITLES = {
    "1.8": "Common mistakes",
    "2": "Lines",
    "2.1": "Bytes",
    "2.4": "What clients must ignore",
    "2.5": "Versions",
    "3": "States",
    "4": "Requests",
    "5": "Messages from the server",
    "6": "Errors",
    "7": "Pairing",
    "8": "Matches",
    "9": "Clocks",
    "10": "Results",
    "11": "Reconnecting",
    "14": "Limits",
}
"""The sections of protocol.md that faults refer to."""


class Fault(Exception):
    """The bot has done what protocol.md does not allow, or has not done what it asks for."""

    def __init__(self, did: str, right: str, section: str, *, position: str = "") -> None:
        """Take what the bot did, what would have been right, and the section of protocol.md."""
        super().__init__(did)
        self.did = did
        self.right = right
        self.section = section
        self.position = position


class Absent(Fault):
    """The bot did not connect."""


class Skipped(Exception):
    """A situation that cannot be brought about with this bot; the sentence says why."""


class Report:
    """Lines for people, and a count of them."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """Start without results."""
        self._write = write
        self._count: Counter[str] = Counter()

    @property
    def failed(self) -> bool:
        """Tell whether anything was wrong, or nothing was seen to be right."""
        return self._count["FAIL"] > 0 or self._count["ok"] == 0

    def ok(self, title: str) -> None:
        """Report a passed situation."""
        self._line("ok", title)

    def skip(self, title: str, why: Skipped) -> None:
        """Report a situation that could not be tested."""
        self._line("skip", f"{title}: {why}")

    def fail(self, title: str, fault: Fault) -> None:
        """Report a fault."""
        self._line("FAIL", title)
        self._write(f"      the bot: {fault.did}")
        if fault.position:
            self._write("      in the position:")
            for line in fault.position.splitlines():
                self._write(f"        {line}")
        self._write(f"      right would be: {fault.right}")
        self._write(f"      says protocol.md, section {fault.section} ({TITLES[fault.section]})")

    def summary(self) -> None:
        """Write the counts."""
        words = ("ok", "FAIL", "skip")
        self._write(", ".join(f"{self._count[word]} {word}" for word in words if self._count[word] or word != "skip"))

    def _line(self, word: str, text: str) -> None:
        self._count[word] += 1
        self._write(f"{word:<4}  {text}")
