"""The process that evaluates positions of running games, a worker process (`server.ops.workers.question_loop`).

Nobody waits for its answers. So it takes only processor time that nobody else wants: a core that a player, or anything
else on the machine, can use is left at once.
"""

from functools import partial

import msgspec

from engine.search.searcher import Stop
from engine.solve.tablebase.tablebase import tablebase_of
from server.config.process_settings import use_idle_time
from server.ops.workers.question_loop import OK, Question, answer_stoppable_questions
from server.web.play.analysis import questions
from server.web.play.analysis.analyst import Analyst
from server.web.play.questions import Question as Game
from server.web.play.questions import read_as
from server.web.play.worker import TABLE_MEGABYTES


def main() -> None:
    """Answer until standard input ends."""
    use_idle_time()
    analyst = Analyst(TABLE_MEGABYTES, partial(tablebase_of, make=False))
    answer_stoppable_questions(lambda asked: answer(asked, analyst), Stop)


def answer(asked: Question[Stop], analyst: Analyst) -> tuple[int, bytes]:
    """Return the JSON of what a position is worth, `null` where that is not known."""
    return OK, msgspec.json.encode(questions.worth(read_as(Game, asked.body), analyst, asked.stop))


if __name__ == "__main__":
    main()
