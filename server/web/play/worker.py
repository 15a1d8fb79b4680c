"""The process that looks and thinks for the page: questions come on standard input, answers go to standard output.

It runs apart from the server, so that neither compiling nor pure Python keeps a match waiting, and at a lower priority,
which is its argument: what is added to the server's nice value. A question is a line ``KIND LENGTH`` and so many bytes;
an answer is a line ``STATUS LENGTH`` and so many bytes. The first answer, an empty one, says that the process is ready.
A question of the kind ``stop`` ends the thought under way, which is then answered at once; it has no answer itself. The
process ends with its standard input.
"""

import sys
import threading
from queue import SimpleQueue
from typing import BinaryIO, NamedTuple

import msgspec

from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from server.config import process_settings
from server.web.play import questions
from server.web.play.questions import Refusal

TABLE_MEGABYTES = 32
"""Some seconds' worth: nobody may let the bot think for longer."""

OK, BAD_REQUEST = 200, 400


class Asked(NamedTuple):
    """A question as it was read, and what stops it."""

    kind: str
    body: bytes
    stop: Stop


def main() -> None:
    """Answer until standard input ends."""
    process_settings.ignore_interrupts()  # the server closes the pipe
    process_settings.lower_priority(int(sys.argv[1]))
    asked: SimpleQueue[Asked | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    game_engine = GameEngine(TABLE_MEGABYTES)
    _write(OK, b"")
    while (question := asked.get()) is not None:
        _write(*answer(question, game_engine))


def answer(asked: Asked, game_engine: GameEngine) -> tuple[int, bytes]:
    """Return the status, and the body in JSON, of the answer to a question."""
    try:
        question = questions.read(asked.body)
        if asked.kind == "think":
            return OK, msgspec.json.encode(questions.think(question, game_engine, asked.stop))
        return OK, msgspec.json.encode((questions.rows if asked.kind == "rows" else questions.look)(question))
    except Refusal as refusal:
        return BAD_REQUEST, msgspec.json.encode({"error": str(refusal)})


def _write(status: int, body: bytes) -> None:
    sys.stdout.buffer.write(b"%d %d\n%b" % (status, len(body), body))
    sys.stdout.buffer.flush()


def _listen(stream: BinaryIO, asked: "SimpleQueue[Asked | None]") -> None:
    latest = Stop()
    while line := stream.readline():
        kind, length = line.split()
        body = stream.read(int(length))
        if kind == b"stop":
            latest.set()
        else:
            latest = Stop()
            asked.put(Asked(kind.decode(), body, latest))
    asked.put(None)


if __name__ == "__main__":
    main()
