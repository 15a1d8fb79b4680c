"""The text of a record: its head, and a line for each event. `protocol.md` 12.3 describes the format."""

from typing import NamedTuple

from engine.clock import Stall, TimeControl
from engine.games.catalogue import title_of
from engine.games.interface import Position

VERSION = 1


class Header(NamedTuple):
    """What is fixed when a match begins."""

    match: int
    position: Position
    players: tuple[str, str]
    """Names, that of the side that begins first."""
    control: TimeControl
    move_limit: int
    """The match is drawn after so many moves, both sides' counted."""
    server: str
    started: str
    """Date and time in UTC, as 2026-11-20T20:15:00.000Z."""
    lag_allowance: int = 0
    """Most microseconds of a turn that a player is not charged for the way through the network."""

    def who(self, side: int) -> str:
        """Return a player with its side, as in sentences: ``alice (white)``."""
        return f"{self.players[side]} ({self.position.game.sides[side]})"

    @property
    def title(self) -> str:
        """The match in a line: what was played, who against whom, and when."""
        variant = title_of(self.position)
        return f"{variant}: {self.who(0)} against {self.who(1)}, {self.started}"

    def text(self) -> str:
        """Return the head of the record, down to the first position."""
        game = self.position.game
        lines = [
            f"arena-record {VERSION}",
            f"match {self.match}",
            f"game {game.name}",
            f"parameters {self.position.parameters}",
            f"{game.sides[0]} {self.players[0]}",
            f"{game.sides[1]} {self.players[1]}",
            f"budget {milliseconds(self.control.budget)}",
            f"increment {milliseconds(self.control.increment)}",
            *([f"lag-allowance {milliseconds(self.lag_allowance)}"] if self.lag_allowance else []),
            f"move-limit {self.move_limit}",
            f"server {self.server}",
            f"started {self.started}",
            "position",
            *(f"| {line}" for line in self.position.text().splitlines()),
        ]
        return "\n".join(lines) + "\n"


def milliseconds(microseconds: int) -> str:
    """Write a time of the record: milliseconds with three decimals."""
    return f"{microseconds / 1000:.3f}"  # exact up to 140 years: a float tells 2**52 microseconds apart


def ready_line(side: str, stamp: int, left: int) -> str:
    """Return the line of a READY."""
    return f"ready {side} {milliseconds(stamp)} {milliseconds(left)}\n"


def move_line(ply: int, side: str, sent: int, received: int, left: int, move: str) -> str:
    """Return the line of a legal move."""
    return f"move {ply} {side} {sent / 1000:.3f} {received / 1000:.3f} {left / 1000:.3f} {move}\n"  # `milliseconds`


def refused_line(side: str, sent: int, received: int, move: str) -> str:
    """Return the line of a move that was not legal, as it was typed."""
    return f"refused {side} {milliseconds(sent)} {milliseconds(received)} {move}\n"


def resigned_line(side: str, stamp: int) -> str:
    """Return the line of a RESIGN."""
    return f"resigned {side} {milliseconds(stamp)}\n"


def crashed_line(side: str, stamp: int, sentence: str) -> str:
    """Return the line of a CRASHED, with what it says."""
    return f"crashed {side} {milliseconds(stamp)} {sentence}".rstrip() + "\n"


def unanswered_line(side: str, sent: int) -> str:
    """Return the line of a TURN that was not answered before the match ended."""
    return f"unanswered {side} {milliseconds(sent)}\n"


def presence_line(word: str, side: str, stamp: int) -> str:
    """Return the line of a lost (``gone``) or resumed (``back``) connection."""
    return f"{word} {side} {milliseconds(stamp)}\n"


def stall_line(stall: Stall) -> str:
    """Return the line of a time in which the server stood still."""
    return f"stall {milliseconds(stall.begin)} {milliseconds(stall.until)}\n"


def lag_line(side: str, allowance: int) -> str:
    """Return the line from which on so much of each turn of a side is not charged."""
    return f"lag {side} {milliseconds(allowance)}\n"


def restarted_line(stamp: int) -> str:
    """Return the line of a server that has died and started again: no clock runs, both connections are lost."""
    return f"restarted {milliseconds(stamp)}\n"


def runs_line(side: str, stamp: int) -> str:
    """Return the line from whose stamp on, after a restart while initialising, a side's clock runs again."""
    return f"runs {side} {milliseconds(stamp)}\n"


def result_line(result: str, reason: str, stamp: int, left: tuple[int, int], sentence: str) -> str:
    """Return the last line of a record."""
    times = f"{milliseconds(stamp)} {milliseconds(left[0])} {milliseconds(left[1])}"
    return f"result {result} {reason} {times} {sentence}".rstrip() + "\n"


def players_of(text: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the sides of a record, each with its player; raises ValueError where it has no head."""
    (first, name), (second, other) = (line.split(" ") for line in text.split("\n", 6)[4:6])
    return (first, name), (second, other)
