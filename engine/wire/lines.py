"""Bytes to lines, within bounds."""

from engine.wire.codes import Code, ProtocolError

REQUEST_BYTES = 1024
"""Longest line of a client, its newline not counted: a move with every row choice on the largest board fits."""

REPLY_BYTES = 65536
"""Longest line of the server that a client accepts; the server's own stay far below it."""


MAX_KIND_BYTES = 16
"""Where the first word of a line that cannot be read is looked for; no kind of message is longer."""


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

    def _line(self, raw: bytes) -> str | ProtocolError:
        if raw.endswith(b"\r"):
            raw = raw[:-1]
        if len(raw) > self._most:
            return self._too_long(raw)
        try:
            line = raw.decode().replace("\t", " ")
        except UnicodeDecodeError as error:
            return ProtocolError(Code.BAD_LINE, f"byte {error.start + 1} of the line is not UTF-8", _kind_of(raw))
        if not line.isprintable():
            place = next(i for i, character in enumerate(line, 1) if not character.isprintable())
            sentence = f"character {place} of the line, U+{ord(line[place - 1]):04X}, cannot be printed"
            return ProtocolError(Code.BAD_LINE, sentence, _kind_of(raw))
        return line

    def _too_long(self, raw: bytes) -> ProtocolError:
        sentence = f"a line has at most {self._most} bytes; this one was left out"
        return ProtocolError(Code.LINE_TOO_LONG, sentence, _kind_of(raw))


def _kind_of(raw: bytes) -> str:
    """Return the first word of a line that cannot be read, in capital letters."""
    words = raw[:MAX_KIND_BYTES].decode(errors="replace").split()
    return words[0].upper() if words else ""
