"""What a NOTE says, both ways: ``ply=17 score=35 depth=7 nodes=120345 pv=a5-b5_b:_e5_h2,c5-c4 text=in the book``.

Any of the fields may be missing. In ``pv`` moves are separated by commas, and a space within a move is written as an
underscore. ``text`` takes the rest of the line; so does a first word without an equals sign.
"""

import re
from typing import NamedTuple

from engine.wire.codes import Code, ProtocolError

KEYS = ("ply", "score", "depth", "nodes", "pv", "text")

_NUMBER = "[0-9]{1,12}"
_SCORE = r"-?[0-9]{1,9}(\.[0-9]{1,3})?"


class Note(NamedTuple):
    """What a player thinks of its game. A field that is None or empty was not said."""

    ply: int | None = None
    """The move that it is about, one of the player's own, counted from 1 as in MOVED."""
    score: float | None = None
    """How good the position is for the player, more is better, to three decimals; the unit is the player's own."""
    depth: int | None = None
    """Plies that were searched."""
    nodes: int | None = None
    """Positions that were searched."""
    pv: tuple[str, ...] = ()
    """The principal variation: the moves that the player expects, its own first."""
    text: str = ""

    def __str__(self) -> str:
        """Write the note for people, without its ply: ``score 35; depth 7; pv a3-b3, c5-c4: in the book``."""
        parts = [
            "" if self.score is None else f"score {write_score(self.score)}",
            "" if self.depth is None else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes:,} node{'s' if self.nodes != 1 else ''}",
            f"pv {', '.join(self.pv)}" if self.pv else "",
        ]
        figures = "; ".join(filter(None, parts))
        return ": ".join(filter(None, (figures, self.text)))


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
        elif key not in KEYS:
            known = ", ".join(f"{key}=…" for key in KEYS)
            raise _wrong(
                f"{word!r} is no field of NOTE; these are {known}, and the last one takes the rest of the line"
            )
        if key in given:
            raise _wrong(f"{key} is given twice")
        given[key] = value
        rest = after.lstrip()
    note = Note(
        _whole("ply", given),
        _score(given),
        _whole("depth", given),
        _whole("nodes", given),
        _moves(given),
        given.get("text", ""),
    )
    if not any(value not in (None, (), "") for value in note[1:]):
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
    return " ".join(f"{key}={value}" for key, value in zip(KEYS, values, strict=True) if value is not None)


def write_score(score: float) -> str:
    """Return a score with the decimals that it needs, three at most."""
    written = f"{score:.3f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def _whole(key: str, given: dict[str, str]) -> int | None:
    if key not in given:
        return None
    if not re.fullmatch(_NUMBER, given[key]):
        raise _wrong(f"{key} is a whole number of 1 to 12 digits, not {given[key]!r}")
    return int(given[key])


def _score(given: dict[str, str]) -> float | None:
    if "score" not in given:
        return None
    if not re.fullmatch(_SCORE, given["score"]):
        raise _wrong(f"score is a number as in 35, -35 or 0.125, not {given['score']!r}")
    return float(given["score"]) + 0.0  # no score is -0.0


def _moves(given: dict[str, str]) -> tuple[str, ...]:
    if "pv" not in given:
        return ()
    moves = tuple(word.replace("_", " ").strip() for word in given["pv"].split(","))
    if not all(moves):
        raise _wrong(f"pv is moves with commas between them, as in a3-b3,c5-c4, not {given['pv']!r}")
    return moves


def _wrong(sentence: str) -> ProtocolError:
    return ProtocolError(Code.BAD_ARGUMENTS, sentence)
