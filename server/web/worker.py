"""The process that answers questions of pages, a worker process (`server.ops.worker_process`).

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

from engine.games.interface import GameError
from engine.match.record import BadRecord, decoded
from engine.match.verification import Summary, time_account, verify
from engine.search.searcher import GameEngine, Stop
from engine.solve.tablebase import tablebase_of
from server.config.process_settings import compute_in_one_thread, lower_priority
from server.match.match_messages import now_text
from server.ops.typed_json import decode
from server.ops.worker_process import OK, WorkerQuestion, answer_questions
from server.storage.database import DamagedStore
from server.web import games_index
from server.web.http.request import Refused
from server.web.play import arranging, questions
from server.web.views import board

TABLE_MEGABYTES = 32
"""Some seconds' worth: nobody may let the bot think for longer."""

INDEX_SECONDS = 1.0
"""For how long records are indexed before what was done is written, and the next question can come."""

OF_GAMES: dict[str, Callable[[Path, sqlite3.Connection, Mapping[str, str]], object]] = {
    "games": games_index.find,
    "player": games_index.profile,
    "index": lambda data, connection, _query: games_index.bring_up(connection, data, INDEX_SECONDS),
}
"""Questions about the index of games: functions of a data directory, its index, and the query."""

OF_RECORDS: dict[str, Callable[[Summary], object]] = {
    "frames": board.whole_match,
    "times": time_account,
}
"""Questions about a record."""

OF_POSITIONS: dict[str, tuple[type[Any], Callable[[Any], object]]] = {
    "look": (questions.Question, questions.look),
    "rows": (questions.Question, questions.rows),
    "kit": (questions.Question, arranging.kit),
    "arrange": (arranging.Arrangement, arranging.arrange),
    "record": (questions.Question, lambda question: questions.record(question, now_text())),
    "open": (questions.Pasted, questions.opened),
    "positions": (board.MatchSoFar, board.positions),
}
"""Questions about positions that need no search: the type of the body, and the function that answers."""


class Worker:
    """The searches of a process, whose results are remembered between questions."""

    def __init__(self, megabytes: float = TABLE_MEGABYTES) -> None:
        """Take the size of the table of each kind of search. Tablebases are read, and none is made."""
        read_tablebase = partial(tablebase_of, make=False)
        self._player, self._analyst = (GameEngine(megabytes, read_tablebase) for _ in range(2))

    def answer(self, question: WorkerQuestion) -> tuple[int, bytes]:
        """Return the status, and the body in JSON, of the answer to a question."""
        try:
            return OK, msgspec.json.encode(self._found(question))
        except BadRecord as error:
            return 422, msgspec.json.encode(f"this is no true record: {error}")
        except Refused as error:
            return error.status, msgspec.json.encode(str(error))
        except GameError as error:
            return 400, msgspec.json.encode(str(error))
        except OverflowError:  # of searches
            return 400, msgspec.json.encode("rows can be taken in too many ways here for the engine to think")

    def _found(self, question: WorkerQuestion) -> object:
        kind, body, stop = question
        if kind == "think":
            return questions.think(questions.read(questions.ThinkQuestion, body), self._player, stop)
        if kind == "lines":
            return questions.lines(questions.read(questions.Thinking, body), self._analyst, stop)
        if kind == "review":
            before, _, record = body.partition(b"\n")
            return questions.review_part(verify(decoded(record)), int(before))
        if kind in OF_RECORDS:
            return OF_RECORDS[kind](verify(decoded(body)))
        if kind in OF_POSITIONS:
            type_, answer = OF_POSITIONS[kind]
            return answer(questions.read(type_, body))
        asked = decode(body, type=games_index.Asked)
        return of_games(kind, Path(asked.data), asked.query)


def of_games(kind: str, data: Path, query: Mapping[str, str]) -> object:
    """Answer a question about the index of games. If the index is damaged, it is made anew first."""
    try:
        with games_index.opened(data) as connection:
            return OF_GAMES[kind](data, connection, query)
    except DamagedStore:
        games_index.delete(data)
    with games_index.opened(data) as connection:
        return OF_GAMES[kind](data, connection, query)


if __name__ == "__main__":
    lower_priority(int(sys.argv[1]))
    compute_in_one_thread()
    answer_questions(Worker().answer, Stop)
