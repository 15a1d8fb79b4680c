"""The matchmaking queue: pairs players by game, parameters, time control, side and opponent. No I/O."""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from engine.match.clock import TimeControl
from engine.wire.fields import SeekOptions

Value = TypeVar("Value")


class Seek(NamedTuple):
    """A SEEK of a player."""

    name: str
    game: str
    options: SeekOptions = SeekOptions()
    key: str = ""
    """Key of the session; names need not be unique."""
    kind: str = ""
    """Kind of a built-in bot, in lower case: another name that an opponent may give. Two of them are not paired."""

    def answers_to(self, name: str) -> bool:
        """Tell whether a name, in lower case, means this player."""
        return name in (self.name.lower(), self.kind)


class Pairing(NamedTuple):
    """Two seeks that fit: the first player moves first."""

    first: Seek
    second: Seek

    @property
    def parameters(self) -> str | None:
        """Return the parameters of the board; None for the game's default."""
        return _either(self.first.options.parameters, self.second.options.parameters)

    def control(self, default: TimeControl) -> TimeControl:
        """Return the time control; the server's default if neither player asked for one."""
        budget = _either(self.first.options.budget, self.second.options.budget)
        increment = _either(self.first.options.increment, self.second.options.increment)
        if budget is None and increment is None:
            return default
        return TimeControl(default.budget if budget is None else budget, increment or 0)


class Matchmaking:
    """Queue of seeks, first come, first served. A new seek is compared with each: 4,096 take a few milliseconds."""

    def __init__(self) -> None:
        """Start empty."""
        self.pairings = 0
        """Number of pairings so far; its parity decides who moves first if neither player asked for a side."""
        self._seeks: dict[str, Seek] = {}

    def __iter__(self) -> Iterator[Seek]:
        """Iterate over the seeks in order of arrival."""
        return iter(self._seeks.values())

    def seek_of(self, key: str) -> Seek | None:
        """Return the seek of a session key, or None."""
        return self._seeks.get(key)

    def add(self, seek: Seek) -> Pairing | None:
        """Add a seek, or pair it with the oldest seek that fits."""
        if (other := next((other for other in self if fits(seek, other)), None)) is None:
            self._seeks[seek.key] = seek
            return None
        self.remove(other.key)
        begins = self.pairings % 2 == 0
        self.pairings += 1
        if other.options.side is not None:
            begins = other.options.side == 0
        elif seek.options.side is not None:
            begins = seek.options.side == 1
        return Pairing(other, seek) if begins else Pairing(seek, other)

    def remove(self, key: str) -> None:
        """Remove the seek of a session key, if there is one."""
        self._seeks.pop(key, None)


def fits(one: Seek, other: Seek) -> bool:
    """Tell whether two seeks can be paired."""
    if one.game != other.game or (one.kind and other.kind):
        return False
    mine, theirs = one.options, other.options
    for my, their in (
        (mine.parameters, theirs.parameters),
        (mine.budget, theirs.budget),
        (mine.increment, theirs.increment),
    ):
        if my != their and my is not None and their is not None:
            return False
    if mine.side is not None and mine.side == theirs.side:
        return False
    if (mine.opponent is not None and not other.answers_to(mine.opponent.lower())) or (
        theirs.opponent is not None and not one.answers_to(theirs.opponent.lower())
    ):
        return False
    return one.name.lower() != other.name.lower()


def _either(one: Value | None, other: Value | None) -> Value | None:
    return other if one is None else one
