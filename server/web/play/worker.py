"""The process that answers the pages for playing and analysing, a worker process (`server.ops.question_loop`).

It runs apart from the server, so that neither compiling nor pure Python keeps a match waiting. Its argument is what is
added to the server's nice value. A search that is told to stop is answered with what was found by then.
"""

import sys
from functools import partial

import msgspec

from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from engine.solve.tablebase import tablebase_of
from server.config.process_settings import lower_priority
from server.match.match_messages import now_text
from server.ops.question_loop import OK, Question, answer_stoppable_questions
from server.web.play import analysis_questions, questions
from server.web.play.analysis_questions import Analyst
from server.web.play.arranging import Arrangement
from server.web.play.questions import Refusal, read, read_as

TABLE_MEGABYTES = 32
"""Some seconds' worth: nobody may let the bot think for longer."""

BAD_REQUEST = 400


class Worker:
    """What a process remembers between questions: what searches have found."""

    def __init__(self, megabytes: float = TABLE_MEGABYTES) -> None:
        """Take the size of the table of each kind of search. Tablebases are read, and none is made."""
        self._game_engine = GameEngine(megabytes, partial(tablebase_of, make=False))
        self._analyst = Analyst(megabytes, partial(tablebase_of, make=False))

    def answer(self, asked: Question[Stop]) -> tuple[int, bytes]:
        """Return the status, and the body, in JSON, of the answer to a question."""
        try:
            return OK, msgspec.json.encode(self._found(asked))
        except Refusal as refusal:
            return BAD_REQUEST, msgspec.json.encode({"error": str(refusal)})

    def _found(self, asked: Question[Stop]) -> msgspec.Struct:
        match asked.kind:
            case "look":
                return questions.look(read(asked.body))
            case "rows":
                return questions.rows(read(asked.body))
            case "think":
                return questions.think(read(asked.body), self._game_engine, asked.stop)
            case "lines":
                return analysis_questions.lines(
                    read_as(analysis_questions.Thinking, asked.body), self._analyst, asked.stop
                )
            case "kit":
                return analysis_questions.kit(read(asked.body))
            case "arrange":
                return analysis_questions.arrange(read_as(Arrangement, asked.body))
            case "record":
                return analysis_questions.record(read(asked.body), now_text())
            case _:
                return analysis_questions.opened(read_as(analysis_questions.Pasted, asked.body))


if __name__ == "__main__":
    lower_priority(int(sys.argv[1]))
    answer_stoppable_questions(Worker().answer, Stop)
