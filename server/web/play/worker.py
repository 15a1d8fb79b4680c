"""The process that looks and thinks for the page, a worker process (`server.ops.workers.question_loop`).

It runs apart from the server, so that neither compiling nor pure Python keeps a match waiting, and at a lower priority,
which is its argument: what is added to the server's nice value. What is under way when it is told to stop is answered
with what was found by then.
"""

import sys
from functools import lru_cache

import msgspec

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from engine.solve.tablebase.tablebase import Tablebase, tablebase_of
from server.config.process_settings import lower_priority
from server.ops.workers.question_loop import OK, Question, answer_stoppable_questions
from server.web.play import exact, pictures, questions
from server.web.play.questions import Refusal

TABLE_MEGABYTES = 32
"""Some seconds' worth: nobody may let the bot think for longer."""

TABLEBASES = 8
"""Variants whose tablebases stay open: what was read of one is checked once only."""

BAD_REQUEST = 400


def main() -> None:
    """Answer until standard input ends."""
    lower_priority(int(sys.argv[1]))
    game_engine = GameEngine(TABLE_MEGABYTES, tablebase_of)
    answer_stoppable_questions(lambda asked: answer(asked, game_engine), Stop)


def answer(asked: Question[Stop], game_engine: GameEngine) -> tuple[int, bytes]:
    """Return the status, and the body, JSON or a picture, of the answer to a question."""
    try:
        if asked.kind in pictures.MEDIA_TYPES:
            return OK, pictures.draw(asked.kind, questions.read_as(pictures.PictureQuestion, asked.body))
        question = questions.read(asked.body)
        if asked.kind in ("values", "known"):
            return OK, msgspec.json.encode(_values(question, make=asked.kind == "values"))
        if asked.kind == "think":
            return OK, msgspec.json.encode(questions.think(question, game_engine, asked.stop))
        return OK, msgspec.json.encode((questions.rows if asked.kind == "rows" else questions.look)(question))
    except Refusal as refusal:
        return BAD_REQUEST, msgspec.json.encode({"error": str(refusal)})


def _values(question: questions.Question, *, make: bool) -> exact.Values:
    found = exact.values(question, _tablebase, make=make)
    if found.state == exact.State.FAILED:
        _tablebase_of.cache_clear()  # the next one who asks has it tried again
    return found


def _tablebase(position: Position) -> Tablebase | None:
    return _tablebase_of(position.game.name, position.parameters)


@lru_cache(TABLEBASES)
def _tablebase_of(game: str, parameters: str) -> Tablebase | None:
    return tablebase_of(GAMES[game].start(parameters))


if __name__ == "__main__":
    main()
