"""The process that looks up what the moves of a contest's games have cost, and makes tablebases for it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from engine.record import BadRecord, Summary, verify
from engine.record.exact_cost import move_costs
from engine.solve.tablebase.tablebase import Tablebase, make_whole_tablebase, whole_tablebase_of
from server.config.process_settings import lower_priority
from server.contest.store.lost_records import find_record
from server.contest.store.move_costs import CostsOfGame, Wanted, append
from server.ops.typed_json import decode
from server.ops.workers.question_loop import OK, Question, answer_questions

NICENESS = 19


def costs_of_games(wanted: Wanted) -> Iterator[CostsOfGame]:
    """Yield the costs of those games that have a true record, and whose variant a tablebase has as a whole.

    Those that are there come first; then those that are missing are made, one after the other.
    """
    matches: Sequence[int] = wanted.matches
    for find in (whole_tablebase_of, make_whole_tablebase):
        known: dict[tuple[str, str], Tablebase | None] = {}
        later = []
        for match in matches:
            summary = _summary(Path(wanted.data), match)
            if summary is None:
                continue
            position = summary.header.position
            variant = position.game.name, position.parameters
            if variant not in known:
                known[variant] = find(position)
            tablebase = known[variant]
            if tablebase is None:
                later.append(match)
            else:
                yield CostsOfGame(match, position.turn, tuple(move_costs(summary, tablebase)))
        matches = later


def _summary(data: Path, match: int) -> Summary | None:
    """Return what the record of a match proves, None where there is no true one."""
    record = find_record(data, match)
    if record is None:
        return None
    try:
        return verify(record.decode(errors="replace"))
    except BadRecord:
        return None


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
