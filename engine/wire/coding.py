"""The lines of messages, both ways.

A line is the kind of the message, then its fields, separated by spaces. A field is a word (`str`), a whole number
(`int`), or, as the last one, `Text`: the rest of the line; or `Block`: a number of lines, which follow, each
behind ``| ``. Fields with a default may be left out at the end.
"""

from functools import cache
from typing import Any, get_type_hints

from engine.wire.codes import Code, ProtocolError
from engine.wire.messages import KINDS, WITH_BLOCK, Block, Message, Text

BLOCK_KIND = "|"
MAX_DIGITS = 12
"""Of a whole number on the wire: enough for milliseconds of thirty years."""


def encode(message: Message) -> bytes:
    """Return a message as bytes: its line, and the lines of its block, each ended by a newline."""
    cls = type(message)
    if cls in WITH_BLOCK:
        *fields, block = message
        lines = [" ".join((KINDS[cls], *map(str, fields), str(len(block))))]
        lines += [f"{BLOCK_KIND} {line}".rstrip() for line in block]
        return ("\n".join(lines) + "\n").encode()
    return (_LINES[cls] % message).rstrip(" ").encode() + b"\n"


FIELD_FORMS = {"options": "key=value ..."}
"""Fields that are written otherwise than by their names."""


def usage(cls: type) -> str:
    """Return the form of a message: its kind and its fields, optional ones in brackets."""
    words = [KINDS[cls]]
    for name, _, _, _, optional in _fields(cls):
        form = FIELD_FORMS.get(name, name.replace("_", "-"))
        words.append(f"[{form}]" if optional else form)
    return " ".join(words)


def decode(line: str, table: dict[str, type]) -> tuple[Message, int]:
    """Read the line of a message of one direction; return it and how many lines of a block follow.

    The kind may be in either case and spaces may be repeated. Raises `ProtocolError`. A `Block` field is left
    empty: the caller puts in the lines that follow.
    """
    kind, _, rest = line.strip().partition(" ")
    cls = table.get(kind.upper()) if kind.isascii() else None
    if cls is None:
        raise ProtocolError(Code.UNKNOWN_COMMAND, f"unknown command {kind!r}; one of {', '.join(table)} is expected")
    rest = rest.strip()
    if rest and cls in _TEXTS:
        return cls(rest), 0
    values: list[Any] = []
    follow = 0
    for name, is_number, is_rest, is_block, optional in _fields(cls):
        if is_rest:
            word, rest = rest, ""
        else:
            word, _, rest = rest.partition(" ")
            rest = rest.lstrip()
        if not word:
            if optional:
                break
            raise ProtocolError(Code.BAD_ARGUMENTS, f"{kind} lacks {name}; it is written: {usage(cls)}")
        if is_number or is_block:
            if not (word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS):
                sentence = f"{name} is a whole number, not {word!r}; it is written: {usage(cls)}"
                raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
            number = int(word)
            if is_block:
                follow = number
                values.append(())
            else:
                values.append(number)
        else:
            values.append(word)
    if rest:
        raise ProtocolError(Code.BAD_ARGUMENTS, f"{rest!r} is too much; {kind} is written: {usage(cls)}")
    return cls(*values), follow


@cache
def _fields(cls: Any) -> tuple[tuple[str, bool, bool, bool, bool], ...]:
    """Describe the fields of a message: name, number?, rest of the line?, block?, optional?"""
    hints = get_type_hints(cls)
    return tuple(
        (name, hints[name] is int, hints[name] is Text, hints[name] is Block, name in cls._field_defaults)
        for name in cls._fields
    )


_TEXTS = frozenset(cls for cls in KINDS if [field[2] for field in _fields(cls)] == [True])
"""Messages whose only field is the rest of the line, as of MOVE."""

_LINES: dict[type, str] = {cls: " ".join((kind, *["%s"] * len(_fields(cls)))) for cls, kind in KINDS.items()}
"""The lines of messages without a block, with a place for each field."""
