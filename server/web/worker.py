"""The process that answers questions of pages, a worker process (`server.ops.question_loop`).

It runs apart from the server, so that neither compiling nor pure Python keeps a match waiting. Its argument is what is
added to the server's nice value. An answer is JSON; the body of an answer with another status than 200 is a sentence
that says why there is none. A search that is told to stop is answered with the result that it has by then.
"""

import sqlite3
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from engine.match.reader import BadRecord, decoded
from engine.match.verification import time_account, verify
from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from engine.solve.tablebase import tablebase_of
from server.config.process_settings import compute_in_one_thread, lower_priority
from server.match.match_messages import now_text
from server.ops.question_loop import OK, Question, answer_questions
from server.ops.typed_json import decode
from server.web.http.errors import NOT_TRUE, Refused
from server.web.people import indexing, search
from server.web.people.search import Asked
from server.web.play import analysis, arranging, evaluations, questions
from server.web.play.questions import read
from server.web.views import match_frames

TABLE_MEGABYTES = 32
"""Some seconds' worth: nobody may let the bot think for longer."""

INDEX_SECONDS = 1.0
"""For how long records are indexed before what was done is written, and the next question can come."""

OF_GAMES: dict[str, Callable[[Path, sqlite3.Connection, Mapping[str, str]], object]] = {
    "games": search.find,
    "player": search.profile,
    "index": lambda data, connection, _query: indexing.bring_up(connection, data, INDEX_SECONDS),
}
"""Questions about the index of games: functions of a data directory, its index, and the query."""


class Worker:
    """What a process remembers between questions: results of searches, and whether the index is sound."""

    def __init__(self, megabytes: float = TABLE_MEGABYTES) -> None:
        """Take the size of the table of each kind of search. Tablebases are read, and none is made."""
        read_tablebase = partial(tablebase_of, make=False)
        self._game_engine = GameEngine(megabytes, read_tablebase)
        self._analyst = analysis.Analyst(megabytes, read_tablebase)
        self._index_checked = False

    def answer(self, question: Question) -> tuple[int, bytes]:
        """Return the status, and the body in JSON, of the answer to a question."""
        try:
            return OK, msgspec.json.encode(self._found(question))
        except BadRecord as error:
            return NOT_TRUE, msgspec.json.encode(f"this is no true record: {error}")
        except Refused as error:
            return error.status, msgspec.json.encode(str(error))

    def _found(self, question: Question) -> object:
        kind, body, stop = question
        match kind:
            case "look":
                return questions.look(read(questions.Question, body))
            case "rows":
                return questions.rows(read(questions.Question, body))
            case "think":
                return questions.think(read(questions.Question, body), self._game_engine, stop)
            case "lines":
                return analysis.lines(read(analysis.Thinking, body), self._analyst, stop)
            case "kit":
                return analysis.kit(read(questions.Question, body))
            case "arrange":
                return analysis.arrange(read(arranging.Arrangement, body))
            case "record":
                return analysis.record(read(questions.Question, body), now_text())
            case "open":
                return analysis.opened(read(analysis.Pasted, body))
            case "positions":
                return match_frames.positions(decode(body, type=match_frames.Played))
            case "frames":
                return match_frames.whole_match(verify(decoded(body)))
            case "times":
                return time_account(verify(decoded(body)))
            case "values":
                return evaluations.judge(verify(decoded(body)))
            case "review":
                before, _, record = body.partition(b"\n")
                return evaluations.review_part(verify(decoded(record)), int(before))
            case _:
                return self._of_games(kind, decode(body, type=Asked))

    def _of_games(self, kind: str, asked: Asked) -> object:
        data = Path(asked.data)
        if kind == "index" and not self._index_checked:
            indexing.is_sound(data)
            self._index_checked = True

        def ask() -> Any:
            with indexing.opened(data) as connection:
                return OF_GAMES[kind](data, connection, asked.query)

        try:
            return ask()
        except (sqlite3.OperationalError, sqlite3.IntegrityError):
            raise
        except sqlite3.DatabaseError:  # it was damaged, and is deleted by now: begin with an empty one
            return ask()


if __name__ == "__main__":
    lower_priority(int(sys.argv[1]))
    compute_in_one_thread()
    answer_questions(Worker().answer, Stop)
