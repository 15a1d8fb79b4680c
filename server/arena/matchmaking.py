"""The matchmaking queue: pairs players by game, parameters, time control, side and opponent. No I/O."""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from engine.games.interface import Game
from engine.match.clock import TimeControl
from engine.wire.fields import SeekOptions, read_options, write_options
from server.config.settings import MAX_BUDGET, MIN_BUDGET

Value = TypeVar("Value")


class Seek(NamedTuple):
    """The options of a SEEK. None accepts anything."""

    name: str
    game: str
    parameters: str | None = None
    budget: int | None = None
    """In microseconds."""
    increment: int | None = None
    """In microseconds."""
    side: int | None = None
    opponent: str | None = None
    is_builtin: bool = False
    """Whether it is a built-in bot; two of them are not paired."""
    key: str = ""
    """Key of the session; names need not be unique."""
    kind: str = ""
    """Kind of a built-in bot, in lower case: another name that `opponent` may give."""

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
        return _either(self.first.parameters, self.second.parameters)

    def control(self, default: TimeControl) -> TimeControl:
        """Return the time control; the server's default if neither player asked for one."""
        budget = _either(self.first.budget, self.second.budget)
        increment = _either(self.first.increment, self.second.increment)
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

    def __len__(self) -> int:
        """Return the number of seeks."""
        return len(self._seeks)

    def seek_of(self, key: str) -> Seek | None:
        """Return the seek of a session key, or None."""
        return self._seeks.get(key)

    def add(self, seek: Seek) -> Pairing | None:
        """Add a seek, or pair it with the oldest seek that fits."""
        other = next((other for other in self if fits(seek, other)), None)
        if other is None:
            self._seeks[seek.key] = seek
            return None
        self.remove(other.key)
        self.pairings += 1
        return _pair(other, seek, self.pairings - 1)

    def remove(self, key: str) -> None:
        """Remove the seek of a session key, if there is one."""
        self._seeks.pop(key, None)


def read_seek(name: str, game: Game, text: str) -> Seek:
    """Parse the options of SEEK; raises `ProtocolError` for the first invalid one."""
    options = read_options(game, text, name=name, least_budget=MIN_BUDGET, most_budget=MAX_BUDGET)
    return Seek(name, game.name, *options)


def describe(seek: Seek, game: Game) -> str:
    """Format the options of a seek as in SEEK."""
    options = SeekOptions(seek.parameters, seek.budget, seek.increment, seek.side, seek.opponent)
    return write_options(game, options)


def fits(one: Seek, other: Seek) -> bool:
    """Tell whether two seeks can be paired."""
    if one.game != other.game or (one.is_builtin and other.is_builtin):
        return False
    for mine, theirs in (
        (one.parameters, other.parameters),
        (one.budget, other.budget),
        (one.increment, other.increment),
    ):
        if mine != theirs and mine is not None and theirs is not None:
            return False
    if one.side is not None and one.side == other.side:
        return False
    if one.opponent is not None and not other.answers_to(one.opponent.lower()):
        return False
    if other.opponent is not None and not one.answers_to(other.opponent.lower()):
        return False
    return one.name.lower() != other.name.lower()


def _pair(waiting: Seek, seek: Seek, pairings: int) -> Pairing:
    begins = pairings % 2 == 0
    if waiting.side is not None:
        begins = waiting.side == 0
    elif seek.side is not None:
        begins = seek.side == 1
    return Pairing(waiting, seek) if begins else Pairing(seek, waiting)


def _either(one: Value | None, other: Value | None) -> Value | None:
    return other if one is None else one
