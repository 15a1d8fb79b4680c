"""Faults of a bot, and the results of all situations: lines for people, JSON, JUnit's XML."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.commands import reports
from engine.commands.reports import Case, Outcome, Suite

NOT_THERE = "the bot is not there"

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
    "8.1": "Notes",
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

    def lines(self) -> Iterator[str]:
        """Yield the lines that tell a person what was wrong, what is right and where that stands."""
        yield f"the bot: {self.did}"
        if self.position:
            yield "in the position:"
            for line in self.position.splitlines():
                yield f"  {line}"
        yield f"right would be: {self.right}"
        yield f"says protocol.md, section {self.section} ({TITLES[self.section]})"


class OutOfTime(Fault):
    """The bot has used up its clock."""


class Absent(Fault):
    """The bot did not connect."""


class Skipped(Exception):
    """A situation that cannot be brought about with this bot; the sentence says why."""


@dataclass(frozen=True)
class SituationResult:
    """What became of a situation: with the fault of a bot that failed, or the reason why it was not tried."""

    title: str
    outcome: Outcome
    seconds: float
    fault: Fault | None = None
    reason: str = ""


WORDS: dict[Outcome, str] = {"passed": "ok", "failed": "FAIL", "skipped": "skip"}
"""The words of outcomes in lines for people."""


class Report:
    """Lines for people, and the results that they tell of."""

    def __init__(self, write: Callable[[str], None], *, goes_on: bool = False) -> None:
        """Start without results; a test that ``goes_on`` has had some before."""
        self._write = write
        self._goes_on = goes_on
        self._count: Counter[str] = Counter()
        self.results: list[SituationResult] = []

    @property
    def passed(self) -> bool:
        """Tell whether something was seen to be right, and nothing to be wrong."""
        return self._count["FAIL"] == 0 and (self._count["ok"] > 0 or self._goes_on)

    def add(self, result: SituationResult) -> None:
        """Report what became of a situation."""
        self.results.append(result)
        word = WORDS[result.outcome]
        self._count[word] += 1
        self._write(f"{word:<4}  {result.title}" + (f": {result.reason}" if result.reason else ""))
        for line in result.fault.lines() if result.fault else ():
            self._write(f"      {line}")

    def not_there(self, titles: Sequence[str]) -> None:
        """Report that the bot is not there for what was still to be tried; none of that has passed."""
        self.results += [SituationResult(title, "failed", 0, reason=NOT_THERE) for title in titles]
        self._write(f"nothing more can be tried: {NOT_THERE}")

    def summary(self) -> None:
        """Write the counts."""
        counts = {word: self._count[word] for word in WORDS.values()}
        self._write(", ".join(f"{count} {word}" for word, count in counts.items() if count or word != "skip"))


class Build(NamedTuple):
    """How a bot was built before it was tested: by which command, and with which exit status."""

    command: str
    status: int


def as_json(bot: str, results: Sequence[SituationResult], build: Build | None = None) -> str:
    """Return all that is known of each situation, how many passed, failed and were skipped, and how it was built."""
    counts = Counter(result.outcome for result in results)
    return reports.as_json(
        {
            "report": "check",
            "bot": bot,
            **({"build": build._asdict()} if build else {}),
            "passed": counts["passed"],
            "failed": counts["failed"],
            "skipped": counts["skipped"],
            "situations": [_plain(result) for result in results],
        }
    )


def as_junit(bot: str, results: Sequence[SituationResult]) -> str:
    """Return a test for each situation, in one suite."""
    cases = [
        Case(
            result.title,
            result.outcome,
            result.fault.did if result.fault else result.reason,
            "\n".join(result.fault.lines()) if result.fault else "",
            result.seconds,
        )
        for result in results
    ]
    return reports.junit([Suite(f"arena-bot check {bot}", cases)])


def _plain(result: SituationResult) -> dict[str, object]:
    """Return a result as plain data: what does not apply to it is left out."""
    plain: dict[str, object] = {"title": result.title, "outcome": result.outcome, "seconds": round(result.seconds, 3)}
    if result.fault is not None:
        fault = result.fault
        plain |= {"did": fault.did, "right": fault.right, "section": fault.section}
        if fault.position:
            plain["position"] = fault.position
    elif result.reason:
        plain["reason"] = result.reason
    return plain
