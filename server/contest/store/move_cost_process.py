"""The process that looks up what the moves of a contest's games have cost, of the lowest priority."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

from engine.record import BadRecord, verify
from engine.record.exact_cost import move_costs
from engine.solve.tablebase.tablebase import Tablebase, whole_tablebase_of
from server.config.process_settings import lower_priority
from server.contest.store.lost_records import find_record
from server.contest.store.move_costs import CostsOfGame, Wanted, append
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, Question, answer_questions

NICENESS = 19


def costs_of_games(wanted: Wanted) -> Iterator[CostsOfGame]:
    """Yield the costs of those games that have a true record, and whose variant a tablebase has as a whole."""
    tablebases: dict[tuple[str, str], Tablebase | None] = {}
    for match in wanted.matches:
        record = find_record(Path(wanted.data), match)
        if record is None:
            continue
        try:
            summary = verify(record.decode(errors="replace"))
        except BadRecord:
            continue
        start = summary.header.position
        name = start.game.name, start.parameters
        if name not in tablebases:
            tablebases[name] = whole_tablebase_of(start)
        tablebase = tablebases[name]
        if tablebase is not None:
            yield CostsOfGame(match, start.turn, tuple(move_costs(summary, tablebase)))


def answer(question: Question[Event]) -> tuple[int, bytes]:
    """Keep the costs of each game as soon as they are known; answer with the number of games."""
    wanted = decode(question.body, type=Wanted)
    count = 0
    for costs in costs_of_games(wanted):
        append(Path(wanted.data), wanted.contest, costs)
        count += 1
    return OK, b"%d" % count


if __name__ == "__main__":
    lower_priority(NICENESS)
    answer_questions(answer)
