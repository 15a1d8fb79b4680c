"""The process that answers the board to think on, a worker process (`server.ops.workers.question_loop`).

It runs apart from the server at a lower priority, as `server.web.play.worker` does. A thought that is stopped is
answered with what was found by then.
"""

import sys
from functools import partial

import msgspec

from engine.search.searcher import Stop
from engine.solve.tablebase.tablebase import tablebase_of
from server.config.process_settings import lower_priority
from server.match.dates import now_text
from server.ops.workers.question_loop import OK, Question, answer_stoppable_questions
from server.web.play.analysis import questions
from server.web.play.analysis.arranging import Arrangement
from server.web.play.analysis.questions import Analyst
from server.web.play.questions import Refusal, read, read_as
from server.web.play.worker import BAD_REQUEST, TABLE_MEGABYTES


def main() -> None:
    """Answer until standard input ends."""
    lower_priority(int(sys.argv[1]))
    analyst = Analyst(TABLE_MEGABYTES, partial(tablebase_of, make=False))
    answer_stoppable_questions(lambda asked: answer(asked, analyst), Stop)


def answer(asked: Question[Stop], analyst: Analyst) -> tuple[int, bytes]:
    """Return the status, and the body in JSON, of the answer to a question."""
    try:
        return OK, msgspec.json.encode(_found(asked, analyst))
    except Refusal as refusal:
        return BAD_REQUEST, msgspec.json.encode({"error": str(refusal)})


def _found(asked: Question[Stop], analyst: Analyst) -> msgspec.Struct:
    if asked.kind == "lines":
        return questions.lines(read_as(questions.Thinking, asked.body), analyst, asked.stop)
    if asked.kind == "kit":
        return questions.kit(read(asked.body))
    if asked.kind == "arrange":
        return questions.arrange(read_as(Arrangement, asked.body))
    if asked.kind == "record":
        return questions.record(read(asked.body), now_text())
    return questions.opened(read_as(questions.Pasted, asked.body))


if __name__ == "__main__":
    main()
