"""What is known of a record, worked out in a process of its own: ``python -m server.web.telling frames|values``.

Reading a record that anybody may send, and searching its positions, takes time that the server's event loop does not
have, and that no thread can be stopped in. The process gets the record on standard input and answers on standard
output; whoever starts it sets the bound in time and ends it.
"""

import os
import sys
from collections.abc import Iterator
from time import perf_counter

import msgspec

from engine.game import Position
from engine.record import BadRecord, Summary, verify
from engine.search.think import Limits, Thinker, warm_up
from server.web.errors import NOT_TRUE
from server.web.stories import Frame, Info, Now, frames, info_of, now_of_record

SEARCH_SECONDS = 12.0
"""For all positions of a match together."""

NICENESS = 10
"""How much lower the priority of the process is than that of the server: matches go first."""

LEAST_MS, MOST_MS = 10.0, 150.0
"""For a position: what is enough for a few plies, and what is more than a graph shows."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A whole match."""

    info: Info
    now: Now
    frames: tuple[Frame, ...]


class Value(msgspec.Struct, frozen=True):
    """What the search thinks of a position, for the side that began the game; a piece of GIPF is worth 100."""

    score: int
    depth: int
    win: int | None
    """Plies to a forced end: above 0 the side that began wins, below it loses."""


class Values(msgspec.Struct, frozen=True):
    """What the search thinks of each position, the first included; None where the game was over or nothing searched."""

    values: tuple[Value | None, ...]


def tell(text: str) -> Told:
    """Return all that a page shows of a record; raises `BadRecord`."""
    summary = verify(text)
    shown = tuple(frame for _, frame in frames(summary.header.position, summary.history.moves))
    return Told(info=info_of(summary.header), now=now_of_record(summary), frames=shown)


def judge(text: str) -> Values:
    """Return what the search thinks of each position of a record; raises `BadRecord`."""
    summary = verify(text)
    positions = list(_positions(summary))
    milliseconds = min(MOST_MS, max(LEAST_MS, 1000 * SEARCH_SECONDS / len(positions)))
    kernel = positions[0].kernel()
    if kernel.compiled:
        warm_up(positions[0])
    thinker = Thinker(kernel, megabytes=32)
    limits = Limits(hard_ms=milliseconds)
    return Values(tuple(_value(thinker, position, limits) for position in positions))


def _positions(summary: Summary) -> Iterator[Position]:
    position = summary.header.position
    yield position
    for move in summary.history.moves:
        position = position.resolve(move).position
        yield position


def _value(thinker: Thinker, position: Position, limits: Limits) -> Value | None:
    if position.verdict() is not None:
        return None
    thought = thinker.think(position, (), limits, clock=perf_counter)
    if thought.score is None:
        return None
    sign = 1 if position.turn == 0 else -1
    plies = thought.plies_to_end
    return Value(sign * thought.score, thought.depth, None if plies is None else sign * plies)


def main() -> int:
    """Answer one question; return the exit status, with a fault of the record on standard error."""
    os.nice(NICENESS)
    question = {"frames": tell, "values": judge}[sys.argv[1]]
    data = sys.stdin.buffer.read()
    try:
        answer = question(data.decode())
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, byte = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        print(f"line {line}: byte {byte} is not UTF-8", file=sys.stderr)
        return NOT_TRUE
    except BadRecord as error:
        print(error, file=sys.stderr)
        return NOT_TRUE
    sys.stdout.buffer.write(msgspec.json.encode(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
