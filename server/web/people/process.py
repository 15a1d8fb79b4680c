"""The process that indexes records, or answers questions about games, a worker process.

See `server.ops.question_loop`. Its argument is by how much lower its priority is than that of the server.
A question is an `Asked` in JSON. An answer of status 400 is a sentence that says what would
be right to ask for; one of status 404 says what is not there.
"""

import sqlite3
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import Any

import msgspec

from server.config.process_settings import compute_in_one_thread, lower_priority
from server.ops.question_loop import OK, Question, answer_questions
from server.ops.typed_json import decode
from server.web.people import indexing
from server.web.people.indexing import bring_up
from server.web.people.profiles import NobodyThere, check_played, profile
from server.web.people.search import BadQuery, find

SLICE_SECONDS = 1.0
"""For how long records are indexed before what was done is written, and the next question can come."""

BAD_REQUEST, NOT_FOUND = 400, 404


class Asked(msgspec.Struct, frozen=True):
    """A question about games of a data directory."""

    data: str
    query: dict[str, str] = {}


KINDS: dict[str, Callable[[Path, sqlite3.Connection, Mapping[str, str]], object]] = {
    "games": find,
    "player": profile,
}
"""What browsers can ask: functions of a data directory, its index, and what is asked for."""

PLAYED = "played"
"""What the server asks itself: `check_played`."""


class Worker:
    """What a process remembers between questions."""

    def __init__(self) -> None:
        """Begin with an index of which nobody knows whether it is sound."""
        self._checked = False

    def answer(self, question: Question[Event]) -> tuple[int, bytes]:
        """Return the status, and the body in JSON, of the answer to a question."""
        asked = decode(question.body, type=Asked)
        data = Path(asked.data)
        try:
            return OK, msgspec.json.encode(self._answer(question.kind, data, asked.query))
        except BadQuery as error:
            return BAD_REQUEST, msgspec.json.encode({"error": str(error)})
        except NobodyThere as error:
            return NOT_FOUND, msgspec.json.encode({"error": str(error)})
        except (sqlite3.OperationalError, sqlite3.IntegrityError):
            raise
        except sqlite3.DatabaseError:  # it was damaged, and is deleted by now: begin with an empty one
            return OK, msgspec.json.encode(self._answer(question.kind, data, asked.query))

    def _answer(self, kind: str, data: Path, query: dict[str, str]) -> Any:
        if kind == "index" and not self._checked:
            indexing.is_sound(data)
            self._checked = True
        with indexing.opened(data) as connection:
            if kind == "index":
                return bring_up(connection, data, SLICE_SECONDS)
            return check_played(data, connection, query) if kind == PLAYED else KINDS[kind](data, connection, query)


if __name__ == "__main__":
    lower_priority(int(sys.argv[1]))
    compute_in_one_thread()
    answer_questions(Worker().answer)
