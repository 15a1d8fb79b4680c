"""Analyses a record, in a process of its own: ``python -m server.web.replay.record_analysis frames|values|film``.

Reading a record that anybody may send, and searching its positions, takes time that the server's event loop does not
have, and that no thread can be stopped in. The process gets the record on standard input and answers on standard
output; whoever starts it sets the bound in time and ends it. For ``match_frames`` it gets a `Played` in JSON, a match
that the server plays, and answers with its positions.
"""

import sys

import msgspec

from engine.games.catalogue import GAMES
from engine.record import BadRecord, verify
from server.config import process_settings
from server.web.http.errors import NOT_TRUE, short
from server.web.replay.match_frames import Change, Frame, Info, Now, frames, info_of, now_of_record

NICENESS = 10
"""How much lower the priority of the process is than that of the server: matches go first."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A whole match."""

    info: Info
    now: Now
    frames: tuple[Frame | Change, ...]


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A match as far as it has come, its moves legal."""

    game: str
    start: str
    """The first position, in the game's text form."""
    moves: tuple[str, ...]


def tell(text: str) -> Told:
    """Return all that a page shows of a record; raises `BadRecord`."""
    summary = verify(text)
    shown = frames(summary.header.position, summary.history.moves)
    return Told(info=info_of(summary.header), now=now_of_record(summary), frames=shown)


def match_frames(text: str) -> tuple[Frame | Change, ...]:
    """Return the positions of a match that the server plays."""
    played = msgspec.json.decode(text, type=Played)
    return frames(GAMES[played.game].read(played.start), played.moves)


def _judge(text: str) -> object:
    from server.web.replay.evaluations import judge  # loading a search takes longer than to tell of most records

    return judge(verify(text))


def main() -> int:
    """Answer one question; return the exit status, with a fault of the record on standard error."""
    process_settings.lower_priority(NICENESS)
    question = {"frames": tell, "values": _judge, "film": match_frames}[sys.argv[1]]
    data = sys.stdin.buffer.read()
    try:
        answer = question(data.decode())
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, byte = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        print(f"line {line}: byte {byte} is not UTF-8", file=sys.stderr)
        return NOT_TRUE
    except BadRecord as error:
        print(short(str(error)), file=sys.stderr)
        return NOT_TRUE
    sys.stdout.buffer.write(msgspec.json.encode(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
