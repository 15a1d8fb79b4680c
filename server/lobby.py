"""Who waits for whom: pairing players by what they ask for. Pure: a seek comes in, a pairing may come out."""

import re
from typing import NamedTuple, TypeVar

from engine.clock import MICROSECONDS, TimeControl
from engine.game import BadParameters, Game
from engine.wire.codes import Code, ProtocolError
from engine.wire.words import NAME_PATTERN, parameters_of, word_of
from server.settings import Settings

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
    house: bool = False
    """A bot of the server's own; two of them are not paired."""
    key: str = ""
    """By which the session stands among the others; names need not be unique."""
    kind: str = ""
    """Another name, in lower case, by which it may be asked for: all house bots of a kind have the same one."""

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


class Lobby(NamedTuple):
    """Those who wait, in the order in which they came."""

    seeks: tuple[Seek, ...] = ()
    pairings: int = 0
    """How many there have been; its parity decides who begins where nobody asked."""


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


def add(lobby: Lobby, seek: Seek) -> tuple[Lobby, Pairing | None]:
    """Let a player wait, or pair it with the one who has waited longest among those that fit."""
    for other in lobby.seeks:
        if fits(seek, other):
            seeks = tuple(waiting for waiting in lobby.seeks if waiting is not other)
            return Lobby(seeks, lobby.pairings + 1), _pair(other, seek, lobby.pairings)
    return lobby._replace(seeks=(*lobby.seeks, seek)), None


def remove(lobby: Lobby, key: str) -> Lobby:
    """Let the player wait no more whose session has this key."""
    return lobby._replace(seeks=tuple(seek for seek in lobby.seeks if seek.key != key))


def fits(one: Seek, other: Seek) -> bool:
    """Tell whether two seeks can be paired."""
    if one.game != other.game or (one.house and other.house):
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
