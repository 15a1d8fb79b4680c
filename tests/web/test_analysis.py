"""Answers for the analysis board: best moves, games of a text, positions of pieces."""

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.catalogue import GAMES
from engine.games.interface import GameError, History, Position
from engine.games.kernels import CompileProcess
from engine.match.record import BadRecord
from engine.match.verification import verify
from engine.search.searcher import GameEngine, SearchLimits, SearchResult, Stop
from engine.solve import tablebase
from engine.solve.tablebase import tablebase_of
from server.web.http.request import Refused
from server.web.play import questions
from server.web.play.arranging import Arrangement, arrange, kit
from server.web.play.questions import Pasted, Question, Thinking, opened, read, record

THREAT = Thinking(game="mnk", parameters="3 3 3", moves=("b2", "a1", "b3"), lines=3)
"""The second player has to go to b1, and then nobody wins."""


def lines(question: Thinking) -> dict[str, Any]:
    return questions.lines(question, GameEngine(1, tablebase_of), Stop())


class Searcher:
    """Reports lines as a search does whose last depth was cut off behind a move that turned out worse."""

    def think(self, *_: object, report: Callable[[SearchResult], None], **__: object) -> SearchResult:
        found = [
            SearchResult((move,), score, depth, 10, 0.1) for move, score, depth in ((0, 50, 1), (1, 20, 1), (0, -30, 2))
        ]
        for result in found:
            report(result)
        return found[-1]


def test_lines_of_two_depths_are_sorted_by_their_value() -> None:
    class Engine:
        tablebase = None

        def searcher(self, _: Position) -> Searcher:
            return Searcher()

        def earlier(self, _: History) -> tuple[int, ...]:
            return ()

    history = History.begin(GAMES["mnk"].start("3 3 3"))
    found = questions.best(history, SearchLimits(lines=2), cast(GameEngine, Engine()), Stop())
    assert [(result.line, result.score) for result in found] == [((1,), 20), ((0,), -30)]


@pytest.mark.slow
def test_the_best_moves_come_each_with_its_line_and_its_value_for_who_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "perf_counter", lambda: 0.0)  # it takes as long as it takes
    found = lines(THREAT)
    assert found["is_final"] and not found["is_known"] and found["nodes"] > 0
    assert found["lines"][0]["moves"][0] == "b1"
    assert [line["win"] for line in found["lines"]] == [None, 2, 2]
    assert [line["score"] > 0 for line in found["lines"]] == [False, True, True]
    assert len({line["moves"][0] for line in found["lines"]}) == 3


def test_an_answer_that_lacks_lines_is_not_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page would ask no more, as one did on a busy machine, where time was enough for the best move alone."""
    best = questions.best
    monkeypatch.setattr(questions, "best", lambda *words: best(*words)[:1])
    found = lines(msgspec.structs.replace(THREAT, moves=("b2", "a1", "b3", "c3"), seconds=4.0))
    assert [line["win"] for line in found["lines"]] == [1] and not found["is_final"]


def test_where_a_tablebase_knows_the_position_values_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """The distribution contains the tablebases of the smallest boards."""
    monkeypatch.delenv("ARENA_TABLEBASES")
    found = lines(Thinking(game="gipf", parameters="2 3 5 5", lines=4))
    assert found["is_known"] and found["is_final"] and found["nodes"] == 0 and len(found["lines"]) == 4
    assert found["lines"][0]["win"] == 1
    for line in found["lines"]:
        *_, last = accumulate(line["moves"], Position.play, initial=GAMES["gipf"].start("2 3 5 5"))
        assert line["win"] is None or (len(line["moves"]) == abs(line["win"]) and last.outcome is not None)
    drawn = lines(Thinking(game="gipf", parameters="2 2 5 5"))
    assert drawn["is_known"] and (drawn["lines"][0]["win"], drawn["lines"][0]["score"]) == (None, 0)


@pytest.mark.parametrize("changed", [{"seconds": 60.0}, {"lines": 0}, {"lines": 11}])
def test_what_cannot_be_searched_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(Refused, match=next(iter(changed))):
        read(Thinking, msgspec.json.encode({"game": "mnk", **changed}))


def test_a_text_of_a_game_is_read_or_its_fault_is_named() -> None:
    text = "3 3 3 1\n0 0 0\n0 0 0\n0 0 0\n"
    assert opened(Pasted(game="mnk", text=text)) == {"game": "mnk", "start": text, "moves": ()}
    with pytest.raises(GameError, match="line 3: "):
        opened(Pasted(game="mnk", text=text.replace("0\n0 0 0", "0\n0 0", 1)))
    with pytest.raises(BadRecord):
        opened(Pasted(game="gipf", text="arena-record 1\nmatch 1\n"))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_a_position_is_taken_apart_into_its_pieces_and_made_of_them_again(game: str, plies: int) -> None:
    """In arrows, the position is the beginning of the game."""
    position = GAMES[game].start(GAMES[game].default_parameters)
    for _ in range(plies):
        position = position.play(position.legal_moves[-1])
    found = kit(Question(game=game, start=position.text()))
    expected = GAMES[game].start(position.parameters) if found["is_start"] else position
    made = arrange(found["arrangement"])
    assert made == {"start": expected.text(), "summary": expected.summary()}
    assert bool(found["counter"]) == (position.reserves != (0, 0))


def test_arrows_begin_where_they_are_put_around_blocked_fields() -> None:
    asked = Arrangement(game="arrows", parameters="4 5", pieces=(("2,2", 1, 3), ("1,4", 0, 0)), blocked=("3,1",))
    assert GAMES["arrows"].read(arrange(asked)["start"]).parameters == "4 5 1 4 2 2 0 3 3 1"


GIPF = Arrangement(game="gipf", parameters="3 3 9 9", pieces=(("b2", 0, None),))


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (
            msgspec.structs.replace(GIPF, pieces=(("z99", 0, None),)),
            snapshot("BadPosition: 'z99' is no field of this board"),
        ),
        (
            msgspec.structs.replace(GIPF, pieces=(("b2", 0, None), ("b2", 1, None))),
            snapshot("BadPosition: on b2 can be one thing only, not 2"),
        ),
        (
            Arrangement(game="arrows", parameters="4 4", pieces=(("1,1", 0, 2),)),
            snapshot("BadPosition: a game begins with one arrow of each player, but the second player has 0"),
        ),
        (
            Arrangement(game="chess", parameters="", pieces=()),
            snapshot("BadPosition: positions of chess are not set up here; paste one as text"),
        ),
    ],
)
def test_pieces_that_cannot_be_set_up_are_refused(asked: Arrangement, fault: str) -> None:
    with raises(fault):
        arrange(asked)


@pytest.mark.parametrize(("line", "result"), [((), ""), (("b2", "a1"), ""), (("b2", "a1", "b1", "a2", "b3"), "first")])
def test_a_game_is_written_as_a_record_that_is_true(line: tuple[str, ...], result: str) -> None:
    written = record(Question(game="mnk", parameters="3 3 3", moves=line), "2026-11-20T20:15:00.000Z")["record"]
    summary = verify(written)
    assert (summary.history.moves, summary.result) == (line, result)
    found = opened(Pasted(game="gipf", text=written))
    assert (found["game"], found["moves"]) == ("mnk", line)


def test_a_search_that_is_stopped_answers_with_what_it_has() -> None:
    stop = Stop()
    stop.set()
    found = questions.lines(Thinking(game="gipf", seconds=4.0), GameEngine(1), stop)
    assert found["lines"] == () and not found["is_final"]


@pytest.mark.parametrize("make", [True, False])
def test_a_tablebase_that_is_only_read_is_not_made(make: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.delenv("ARENA_TABLEBASES")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in ("can_compile", "are_made"):
        monkeypatch.setattr(tablebase, name, lambda: True)
    monkeypatch.setattr(CompileProcess, "start", started.append)
    found = tablebase_of(GAMES["gipf"].start("3 3 6 6"), make=make)
    assert found is not None
    found.start()
    assert bool(started) == make
