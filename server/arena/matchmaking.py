"""Who waits for whom: pairing players by what they ask for. No I/O: a seek comes in, a pairing may come out."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, TypeVar

from engine.clock import MICROSECONDS, TimeControl
from engine.games.interface import BadParameters, Game
from engine.wire.codes import Code, ProtocolError
from engine.wire.words import NAME_PATTERN, parameters_of, word_of
from server.config.settings import Settings

Value = TypeVar("Value")

OPTIONS = ("params", "budget", "increment", "colour", "opponent")


class Seek(NamedTuple):
    """What a player asks for. None means: anything."""

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
    """A bot of the server's own; two of them are not paired."""
    key: str = ""
    """By which the session stands among the others; names need not be unique."""
    kind: str = ""
    """Another name, in lower case, by which it may be asked for: all built-in bots of a kind have the same one."""

    def answers_to(self, name: str) -> bool:
        """Tell whether the player is meant by a name, in lower case."""
        return name in (self.name.lower(), self.kind)


class Pairing(NamedTuple):
    """A match to be begun."""

    game: str
    parameters: str | None
    """None: the game's default."""
    budget: int | None
    """None: the server's default, as for the increment."""
    increment: int | None
    names: tuple[str, str]
    """Of the side that begins first."""
    keys: tuple[str, str] = ("", "")
    """Of their sessions, in the same order."""


WISHES = ("parameters", "budget", "increment", "side")
"""Of a seek, what it may leave open."""

_SOME_WISHES = tuple(product((False, True), repeat=len(WISHES)))


class Matchmaking:
    """Those who wait, in the order in which they came. However many they are, it takes the same time to find one.

    Whoever waits stands in an index under each choice of its wishes. So a newcomer finds those whose wishes fit under
    the wishes that it has itself: each as its own, or left open. Those who are meant by a name are found by that.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self.pairings = 0
        """How many there have been; its parity decides who begins where nobody asked."""
        self._seeks: dict[int, Seek] = {}
        self._by_key: dict[str, int] = {}
        self._index: dict[tuple[Any, ...], dict[int, Seek]] = {}
        self._came = 0

    def __iter__(self) -> Iterator[Seek]:
        """Return those who wait, in the order in which they came."""
        return iter(self._seeks.values())

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._seeks)

    def __contains__(self, key: str) -> bool:
        """Tell whether the player waits whose session has this key."""
        return key in self._by_key

    def seek_of(self, key: str) -> Seek | None:
        """Return what the player asks for whose session has this key; None where it does not wait."""
        number = self._by_key.get(key)
        return None if number is None else self._seeks[number]

    def add(self, seek: Seek) -> Pairing | None:
        """Let a player wait, or pair it with the one who has waited longest among those that fit."""
        places = self._by_name(seek) if seek.opponent is not None else self._by_wishes(seek)
        found = min((number for place in places if (number := self._first(seek, place)) is not None), default=None)
        if found is None:
            self._came += 1
            self._seeks[self._came] = seek
            self._by_key[seek.key] = self._came
            for place in _places(seek):
                self._index.setdefault(place, {})[self._came] = seek
            return None
        other = self._seeks[found]
        self.remove(other.key)
        self.pairings += 1
        return _pair(other, seek, self.pairings - 1)

    def remove(self, key: str) -> None:
        """Let the player wait no more whose session has this key, if it does."""
        number = self._by_key.pop(key, None)
        if number is None:
            return
        for place in _places(self._seeks.pop(number)):
            self._index[place].pop(number)
            if not self._index[place]:
                del self._index[place]

    def _first(self, seek: Seek, place: tuple[Any, ...]) -> int | None:
        """Return who has waited longest at a place of those that fit: the first, unless it is of the same name."""
        return next((number for number, other in self._index.get(place, {}).items() if fits(seek, other)), None)

    def _by_name(self, seek: Seek) -> list[tuple[Any, ...]]:
        """Return where those stand who answer to the name that a seek has for its opponent."""
        assert seek.opponent is not None
        return [(seek.game, seek.opponent.lower())]

    def _by_wishes(self, seek: Seek) -> list[tuple[Any, ...]]:
        """Return where all those stand who fit a seek that names no opponent."""
        own = (seek.parameters, seek.budget, seek.increment, None if seek.side is None else 1 - seek.side)
        asked = tuple(wish is not None for wish in own)
        wishes = list(product(*((None, wish) for wish in own if wish is not None)))
        return [
            (seek.game, is_builtin, wanted, asked, values)
            for is_builtin in ((False,) if seek.is_builtin else (False, True))
            for wanted in dict.fromkeys(("", seek.name.lower(), seek.kind))
            for values in wishes
        ]


def _places(seek: Seek) -> list[tuple[Any, ...]]:
    """Return where somebody stands who waits."""
    wishes = [getattr(seek, wish) for wish in WISHES]
    wanted = (seek.opponent or "").lower()
    found: list[tuple[Any, ...]] = [(seek.game, name) for name in {seek.name.lower(), seek.kind} if name]
    for asked in _SOME_WISHES:
        values = tuple(wish for wish, counts in zip(wishes, asked, strict=True) if counts)
        found.append((seek.game, seek.is_builtin, wanted, asked, values))
    return found


def read_seek(name: str, game: Game, options: str, settings: Settings) -> Seek:
    """Read the options of SEEK; raises `ProtocolError` for the first that is wrong."""
    given: dict[str, str] = {}
    for option in options.split():
        key, equals, value = option.partition("=")
        if not equals or key not in OPTIONS:
            sentence = f"{option!r} is no option of SEEK; these are {', '.join(f'{key}=…' for key in OPTIONS)}"
            raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
        if key in given:
            raise ProtocolError(Code.BAD_ARGUMENTS, f"{key} is given twice")
        given[key] = value
    seek = Seek(name, game.name)
    if "params" in given:
        try:
            seek = seek._replace(parameters=game.parameters(parameters_of(given["params"])))
        except BadParameters as error:
            usual = word_of(game.default_parameters)
            written = f"; in one word, with commas: params={usual}" if usual else ""
            raise ProtocolError(Code.BAD_PARAMETERS, f"{error}{written}") from None
    if "budget" in given:
        budget = _milliseconds("budget", given["budget"], settings.least_budget, settings.most_budget)
        seek = seek._replace(budget=budget)
    if "increment" in given:
        seek = seek._replace(increment=_milliseconds("increment", given["increment"], 0, settings.most_budget))
    if "colour" in given:
        if given["colour"] not in game.sides:
            sentence = f"colour is {' or '.join(game.sides)}, not {given['colour']!r}"
            raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
        seek = seek._replace(side=game.sides.index(given["colour"]))
    if "opponent" in given:
        opponent = given["opponent"]
        if not re.fullmatch(NAME_PATTERN, opponent) or opponent.lower() == name.lower():
            raise ProtocolError(Code.BAD_ARGUMENTS, f"opponent is the name of another player, not {opponent!r}")
        seek = seek._replace(opponent=opponent)
    return seek


def describe(seek: Seek, game: Game) -> str:
    """Return a seek's options as SEEK takes them."""
    times = {"budget": seek.budget, "increment": seek.increment}
    given = {
        "params": None if seek.parameters is None else word_of(seek.parameters),
        **{key: None if time is None else str(time // MICROSECONDS) for key, time in times.items()},
        "colour": None if seek.side is None else game.sides[seek.side],
        "opponent": seek.opponent,
    }
    return " ".join(f"{key}={value}" for key, value in given.items() if value is not None)


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
    """Return the time control of a pairing, with the server's default where nobody asked for one."""
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


def _milliseconds(name: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", text) or not least <= int(text) * MICROSECONDS <= most:
        sentence = f"{name} is {least // MICROSECONDS} to {most // MICROSECONDS} milliseconds, not {text!r}"
        raise ProtocolError(Code.BAD_TIME, sentence)
    return int(text) * MICROSECONDS
