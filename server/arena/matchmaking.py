"""The matchmaking queue: pairs players by game, parameters, time control, side and opponent. No I/O."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, TypeVar

from engine.games.interface import Game
from engine.match.clock import TimeControl
from engine.wire.fields import SeekOptions, read_options, write_options
from server.config.settings import Settings

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
    """A match to start."""

    game: str
    parameters: str | None
    """None for the game's default."""
    budget: int | None
    """None for the server's default, as for the increment."""
    increment: int | None
    names: tuple[str, str]
    """Names; the side that moves first comes first."""
    keys: tuple[str, str] = ("", "")
    """Session keys, in the same order."""


CONDITIONS = ("parameters", "budget", "increment", "side")
"""Fields of a seek that may be left open."""

_CONDITION_SUBSETS = tuple(product((False, True), repeat=len(CONDITIONS)))


class Matchmaking:
    """Queue of seeks, first come, first served, with lookup in constant time.

    An index has each seek under every subset of its conditions. A new seek is looked up with its own conditions, each
    either equal or left open. A seek with a named opponent is looked up by that name.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.pairings = 0
        """Number of pairings so far; its parity decides who moves first if neither player asked for a side."""
        self._seeks: dict[int, Seek] = {}
        self._by_key: dict[str, int] = {}
        self._index: dict[tuple[Any, ...], dict[int, Seek]] = {}
        self._last_number = 0

    def __iter__(self) -> Iterator[Seek]:
        """Iterate over the seeks in order of arrival."""
        return iter(self._seeks.values())

    def __len__(self) -> int:
        """Return the number of seeks."""
        return len(self._seeks)

    def __contains__(self, key: str) -> bool:
        """Tell whether the session with this key has a seek."""
        return key in self._by_key

    def seek_of(self, key: str) -> Seek | None:
        """Return the seek of a session key, or None."""
        number = self._by_key.get(key)
        return None if number is None else self._seeks[number]

    def add(self, seek: Seek) -> Pairing | None:
        """Add a seek, or pair it with the oldest seek that fits."""
        index_keys = self._keys_by_name(seek) if seek.opponent is not None else self._keys_by_conditions(seek)
        found = min(
            (number for index_key in index_keys if (number := self._first(seek, index_key)) is not None), default=None
        )
        if found is None:
            self._last_number += 1
            self._seeks[self._last_number] = seek
            self._by_key[seek.key] = self._last_number
            for index_key in _index_keys(seek):
                self._index.setdefault(index_key, {})[self._last_number] = seek
            return None
        other = self._seeks[found]
        self.remove(other.key)
        self.pairings += 1
        return _pair(other, seek, self.pairings - 1)

    def remove(self, key: str) -> None:
        """Remove the seek of a session key, if there is one."""
        number = self._by_key.pop(key, None)
        if number is None:
            return
        for index_key in _index_keys(self._seeks.pop(number)):
            self._index[index_key].pop(number)
            if not self._index[index_key]:
                del self._index[index_key]

    def _first(self, seek: Seek, index_key: tuple[Any, ...]) -> int | None:
        """Return the number of the oldest seek that fits under an index key."""
        return next((number for number, other in self._index.get(index_key, {}).items() if fits(seek, other)), None)

    def _keys_by_name(self, seek: Seek) -> list[tuple[Any, ...]]:
        """Return the index keys of seeks that the opponent's name of a seek can mean."""
        assert seek.opponent is not None
        return [(seek.game, seek.opponent.lower())]

    def _keys_by_conditions(self, seek: Seek) -> list[tuple[Any, ...]]:
        """Return the index keys of all seeks that fit a seek without a named opponent."""
        own = (seek.parameters, seek.budget, seek.increment, None if seek.side is None else 1 - seek.side)
        asked = tuple(condition is not None for condition in own)
        conditions = list(product(*((None, condition) for condition in own if condition is not None)))
        return [
            (seek.game, is_builtin, wanted, asked, values)
            for is_builtin in ((False,) if seek.is_builtin else (False, True))
            for wanted in dict.fromkeys(("", seek.name.lower(), seek.kind))
            for values in conditions
        ]


def _index_keys(seek: Seek) -> list[tuple[Any, ...]]:
    """Return the index keys of a seek."""
    conditions = [getattr(seek, condition) for condition in CONDITIONS]
    wanted = (seek.opponent or "").lower()
    found: list[tuple[Any, ...]] = [(seek.game, name) for name in {seek.name.lower(), seek.kind} if name]
    for asked in _CONDITION_SUBSETS:
        values = tuple(condition for condition, counts in zip(conditions, asked, strict=True) if counts)
        found.append((seek.game, seek.is_builtin, wanted, asked, values))
    return found


def read_seek(name: str, game: Game, text: str, settings: Settings) -> Seek:
    """Parse the options of SEEK; raises `ProtocolError` for the first invalid one."""
    bounds = {"least_budget": settings.least_budget, "most_budget": settings.most_budget}
    return Seek(name, game.name, *read_options(game, text, name=name, **bounds))


def describe(seek: Seek, game: Game) -> str:
    """Format the options of a seek as in SEEK."""
    options = SeekOptions(seek.parameters, seek.budget, seek.increment, seek.side, seek.opponent)
    return write_options(game, options)


def fits(one: Seek, other: Seek) -> bool:
    """Tell whether two seeks can be paired."""
    if one.game != other.game or (one.is_builtin and other.is_builtin):
        return False
    for mine, theirs in ((one.parameters, other.parameters), (one.budget, other.budget)):
        if None not in (mine, theirs) and mine != theirs:
            return False
    if None not in (one.increment, other.increment) and one.increment != other.increment:
        return False
    if one.side is not None and one.side == other.side:
        return False
    if one.opponent is not None and not other.answers_to(one.opponent.lower()):
        return False
    if other.opponent is not None and not one.answers_to(other.opponent.lower()):
        return False
    return one.name.lower() != other.name.lower()


def control(pairing: Pairing, default: TimeControl) -> TimeControl:
    """Return the time control of a pairing; the server's default if neither player asked for one."""
    if pairing.budget is None and pairing.increment is None:
        return default
    budget = default.budget if pairing.budget is None else pairing.budget
    return TimeControl(budget, pairing.increment or 0)


def _pair(waiting: Seek, seek: Seek, pairings: int) -> Pairing:
    begins = pairings % 2 == 0
    if waiting.side is not None:
        begins = waiting.side == 0
    elif seek.side is not None:
        begins = seek.side == 1
    first, second = (waiting, seek) if begins else (seek, waiting)
    return Pairing(
        waiting.game,
        _either(waiting.parameters, seek.parameters),
        _either(waiting.budget, seek.budget),
        _either(waiting.increment, seek.increment),
        (first.name, second.name),
        (first.key, second.key),
    )


def _either(one: Value | None, other: Value | None) -> Value | None:
    return other if one is None else one
