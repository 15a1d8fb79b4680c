"""The ``key=value`` fields of NOTE and of SEEK, both ways.

``NOTE ply=17 score=35 depth=7 nodes=120345 pv=a5-b5_b:_e5_h2,c5-c4 text=in the book``: any of the fields may be
missing. In ``pv`` moves are separated by commas, and a space within a move is written as an underscore. ``text`` takes
the rest of the line; so does a first word without an equals sign.

``SEEK gipf params=4,4,15,15 budget=1000 increment=10 colour=white opponent=bob``: any of the options may be missing.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.games.interface import BadParameters, Game
from engine.wire.messages import MICROSECONDS, Code, ProtocolError
from engine.wire.words import NAME_PATTERN, parameters_of, word_of

SEEK_KEYS = ("params", "budget", "increment", "colour", "opponent")


class Note(NamedTuple):
    """A player's evaluation of its game. A field that is None or empty was not said."""

    ply: int | None = None
    """The move that it is about, one of the player's own, counted from 1 as in MOVED."""
    score: float | None = None
    """How good the position is for the player, in hundredths of a piece, to three decimals."""
    depth: int | None = None
    """Plies that were searched."""
    nodes: int | None = None
    """Positions that were searched."""
    pv: tuple[str, ...] = ()
    """The principal variation: the moves that the player expects, its own first."""
    text: str = ""

    @property
    def said(self) -> dict[str, Any]:
        """The fields that were said, by their names."""
        return {key: value for key, value in self._asdict().items() if value not in (None, (), "")}

    def __str__(self) -> str:
        """Write the note for people, without its ply: ``score +0.35; depth 7; pv a3-b3, c5-c4: in the book``."""
        parts = [
            "" if self.score is None else f"score {pieces(self.score)}",
            "" if self.depth is None else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes:,} node{'s' if self.nodes != 1 else ''}",
            f"pv {', '.join(self.pv)}" if self.pv else "",
        ]
        return ": ".join(filter(None, ("; ".join(filter(None, parts)), self.text)))


def read_note(content: str) -> Note:
    """Read what stands behind NOTE; raises `ProtocolError` for the first word that is wrong."""
    given: dict[str, str] = {}
    rest = content.strip()
    while rest:
        word, _, after = rest.partition(" ")
        key, equals, value = word.partition("=")
        if not equals:
            key, value, after = "text", rest, ""
        elif key == "text":
            value, after = rest.partition("=")[2].strip(), ""
        elif key not in NOTE_KEYS:
            known = ", ".join(f"{key}=…" for key in NOTE_KEYS)
            raise _wrong(
                f"{word!r} is no field of NOTE; these are {known}, and the last one takes the rest of the line"
            )
        if key in given:
            raise _wrong(f"{key} is given twice")
        given[key] = value
        rest = after.lstrip()
    note = Note(**{key: NOTE_KEYS[key](key, value) for key, value in given.items()})
    if not note._replace(ply=None).said:
        raise _wrong("a note says something: score=, depth=, nodes=, pv= or text=")
    return note


def write_note(note: Note) -> str:
    """Return a note as it stands behind NOTE, in canonical form; `read_note` reads it back."""
    values = (
        note.ply,
        None if note.score is None else write_score(note.score),
        note.depth,
        note.nodes,
        ",".join(move.replace(" ", "_") for move in note.pv) or None,
        note.text or None,
    )
    return " ".join(f"{key}={value}" for key, value in zip(NOTE_KEYS, values, strict=True) if value is not None)


def pieces(score: float) -> str:
    """Write an evaluation for people: pieces with their sign, from hundredths of a piece."""
    written = f"{score / 100:+.2f}"
    return "0.00" if written[1:] == "0.00" else written


def write_score(score: float) -> str:
    """Return a score with the decimals that it needs, three at most."""
    written = f"{score:.3f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def _whole(key: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,12}", value):
        raise _wrong(f"{key} is a whole number of 1 to 12 digits, not {value!r}")
    return int(value)


def _score(key: str, value: str) -> float:
    if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,3})?", value):
        raise _wrong(f"{key} is a number as in 35, -35 or 0.125, not {value!r}")
    return float(value) + 0.0  # no score is -0.0


def _moves(key: str, value: str) -> tuple[str, ...]:
    moves = tuple(word.replace("_", " ").strip() for word in value.split(","))
    if not all(moves):
        raise _wrong(f"{key} is moves with commas between them, as in a3-b3,c5-c4, not {value!r}")
    return moves


NOTE_KEYS: dict[str, Callable[[str, str], Any]] = {
    "ply": _whole,
    "score": _score,
    "depth": _whole,
    "nodes": _whole,
    "pv": _moves,
    "text": lambda _, value: value,
}
"""The fields of NOTE in their order, and the functions that read their values."""


def _wrong(sentence: str) -> ProtocolError:
    return ProtocolError(Code.BAD_ARGUMENTS, sentence)


class SeekOptions(NamedTuple):
    """The conditions of a SEEK. None leaves it open."""

    parameters: str | None = None
    """In canonical form."""
    budget: int | None = None
    """In microseconds, as the increment."""
    increment: int | None = None
    side: int | None = None
    opponent: str | None = None


def read_options(game: Game, text: str, *, name: str, least_budget: int, most_budget: int) -> SeekOptions:
    """Read the options of a SEEK of the player ``name``; budgets lie between both bounds, in microseconds.

    Raises `ProtocolError` for the first option that is wrong.
    """
    given: dict[str, str] = {}
    for option in text.split():
        key, equals, value = option.partition("=")
        if not equals or key not in SEEK_KEYS:
            raise ProtocolError(
                Code.BAD_ARGUMENTS,
                f"{option!r} is no option of SEEK; these are {', '.join(f'{key}=…' for key in SEEK_KEYS)}",
            )
        if key in given:
            raise ProtocolError(Code.BAD_ARGUMENTS, f"{key} is given twice")
        given[key] = value
    options = SeekOptions()
    if "params" in given:
        try:
            options = options._replace(parameters=game.parameters(parameters_of(given["params"])))
        except BadParameters as error:
            usual = word_of(game.default_parameters)
            written = f"; in one word, with commas: params={usual}" if usual else ""
            raise ProtocolError(Code.BAD_PARAMETERS, f"{error}{written}") from None
    if "budget" in given:
        options = options._replace(budget=_time("budget", given["budget"], least_budget, most_budget))
    if "increment" in given:
        options = options._replace(increment=_time("increment", given["increment"], 0, most_budget))
    if "colour" in given:
        if given["colour"] not in game.sides:
            raise ProtocolError(Code.BAD_ARGUMENTS, f"colour is {' or '.join(game.sides)}, not {given['colour']!r}")
        options = options._replace(side=game.sides.index(given["colour"]))
    if "opponent" in given:
        opponent = given["opponent"]
        if not re.fullmatch(NAME_PATTERN, opponent) or opponent.lower() == name.lower():
            raise ProtocolError(Code.BAD_ARGUMENTS, f"opponent is the name of another player, not {opponent!r}")
        options = options._replace(opponent=opponent)
    return options


def write_options(game: Game, options: SeekOptions) -> str:
    """Return options as they are written; `read_options` reads them back."""
    values = (
        None if options.parameters is None else word_of(options.parameters),
        None if options.budget is None else options.budget // MICROSECONDS,
        None if options.increment is None else options.increment // MICROSECONDS,
        None if options.side is None else game.sides[options.side],
        options.opponent,
    )
    return " ".join(f"{key}={value}" for key, value in zip(SEEK_KEYS, values, strict=True) if value is not None)


def _time(key: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", text) or not least <= int(text) * MICROSECONDS <= most:
        raise ProtocolError(
            Code.BAD_TIME, f"{key} is {least // MICROSECONDS} to {most // MICROSECONDS} milliseconds, not {text!r}"
        )
    return int(text) * MICROSECONDS
