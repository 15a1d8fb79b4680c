"""The lines of messages, both ways: bytes to lines within bounds, and lines to messages and back.

A line is the kind of the message, then its fields, separated by spaces. A field is a word (`str`), a whole number
(`int`), or, as the last one, `Text`: the rest of the line; or `Block`: a number of lines, which follow, each
behind ``| ``. Fields with a default may be left out at the end.
"""

from functools import cache
from typing import Any, get_type_hints

from engine.wire.messages import KINDS, WITH_BLOCK, Block, Code, Message, ProtocolError, Text

REQUEST_BYTES = 1024
"""Longest line of a client, its newline not counted: a move with every row choice on the largest board fits."""

REPLY_BYTES = 65536
"""Longest line of the server that a client accepts; the server's own stay far below it."""


SHOWN_BYTES = 60
"""Beginning of a line that cannot be read, as its author is shown it."""


class LineReader:
    """Collects bytes until lines are whole. Never holds more than one line's bound and what was fed last."""

    def __init__(self, most_bytes: int) -> None:
        """Take the bound of a line, in bytes."""
        self._most = most_bytes
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[str | ProtocolError]:
        """Return the lines that are whole now, without their ends; in a line's place, what is wrong with it."""
        if self._rest:
            data = self._rest + data
        elif 0 <= data.find(b"\n") == len(data) - 1 and not self._skipping:
            return [self._line(data[:-1])]  # one whole line, as most peers send
        *whole, self._rest = data.split(b"\n")
        lines: list[str | ProtocolError] = []
        for raw in whole:
            if self._skipping:
                self._skipping = False
            else:
                lines.append(self._line(raw))
        if len(self._rest) > self._most + 1:
            if not self._skipping:
                lines.append(self._too_long(self._rest))
            self._rest = b""
            self._skipping = True
        elif self._skipping:
            self._rest = b""
        return lines

    def unfinished(self) -> ProtocolError | None:
        """Return what is wrong with the last bytes, which are no line yet; None where there are none."""
        if not self._rest.strip():
            return None
        return ProtocolError(Code.BAD_LINE, "this line has no end: each line ends with LF", _beginning(self._rest))

    def _line(self, raw: bytes) -> str | ProtocolError:
        if raw.endswith(b"\r"):
            raw = raw[:-1]
        if len(raw) > self._most:
            return self._too_long(raw)
        try:
            line = raw.decode().replace("\t", " ")
        except UnicodeDecodeError as error:
            return ProtocolError(Code.BAD_LINE, f"byte {error.start + 1} of the line is not UTF-8", _beginning(raw))
        if not line.isprintable():
            place = next(i for i, character in enumerate(line, 1) if not character.isprintable())
            mark = " (a byte order mark)" if line[place - 1] == "\ufeff" else ""
            return ProtocolError(
                Code.BAD_LINE,
                f"character {place} of the line, U+{ord(line[place - 1]):04X}{mark}, cannot be printed",
                _beginning(raw),
            )
        return line

    def _too_long(self, raw: bytes) -> ProtocolError:
        return ProtocolError(
            Code.LINE_TOO_LONG,
            f"a line has at most {self._most} bytes before its LF; this one was left out",
            _beginning(raw),
        )


def quote(text: str) -> str:
    """Quote the beginning of a text that cannot be read."""
    return repr(text if len(text) < SHOWN_BYTES else f"{text[: SHOWN_BYTES - 1]}…")


def _beginning(raw: bytes) -> str:
    """Return the beginning of a line that cannot be read."""
    return raw[:SHOWN_BYTES].decode(errors="replace")


BLOCK_KIND = "|"
MAX_DIGITS = 12
"""Most digits of a whole number on the wire: enough for milliseconds of thirty years."""


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
        raise ProtocolError(
            Code.UNKNOWN_COMMAND, f"unknown command {quote(kind)}; one of {', '.join(table)} is expected"
        )
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
                raise ProtocolError(
                    Code.BAD_ARGUMENTS, f"{name} is a whole number, not {word!r}; it is written: {usage(cls)}"
                )
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
