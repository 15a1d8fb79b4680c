"""A match is reviewed in parts that together are the review of the whole, each of bounded cost."""

import json

import pytest

from engine.match.review import review
from engine.match.verification import verify
from engine.search.searcher import Stop
from server.ops.worker_process import OK, WorkerQuestion
from server.web.play import questions
from server.web.play.questions import review_part
from server.web.worker import Worker
from tests.engine.records import Table
from tests.engine.test_record import played


@pytest.mark.slow
def test_parts_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "PART_MOVES", 5)
    monkeypatch.setattr(questions, "INTERPRETED_REVIEW_NODES", 60)
    monkeypatch.setattr(questions, "COMPILED_REVIEW_NODES", 60)
    summary = verify(played("5 4 30 30", stop_after=12, end="resign"))
    told: list[dict[str, object]] = []
    before, firsts = 10**15, []
    while before > 1:
        part = review_part(summary, before)
        assert len(part["moves"]) <= 5 and part["nodes"] == 60
        told = [*part["moves"], *told]
        before = part["first"]
        firsts.append(before)
    assert firsts == [8, 3, 1]
    whole = list(review(summary, 60, clock=lambda: 0.0))
    assert [[one[name] for name in ("ply", "best", "line", "loss", "marks")] for one in told] == [
        [one.ply, one.best, one.line, one.loss, list(map(str, one.marks))] for one in whole
    ]
    assert review_part(summary, 1)["moves"] == [], "before the first move there is nothing to review"


@pytest.mark.slow
def test_a_lost_draw_is_marked_and_what_is_not_known_is_left_out() -> None:
    record = Table("mnk", "3 3 3").ready().play("b2", "b1", "a1").text.encode()
    status, body = Worker(1).answer(WorkerQuestion("review", b"4\n" + record, Stop()))
    assert status == OK
    moves = json.loads(body)["moves"]
    assert [move["ply"] for move in moves] == [1, 2, 3]
    assert moves[1]["marks"] == ["blunder"] and moves[1]["worth"]["result"] == -1 and "score" not in moves[1]["worth"]
    assert moves[1]["best"] in ("a1", "a3", "c1", "c3") and moves[1]["loss"] is None
