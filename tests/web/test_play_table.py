"""Answers for the page for playing: pure questions and answers."""

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.interface import MOVE_LIMIT, Game, GameError, History
from engine.search.searcher import GameEngine, Stop
from server.web.http.request import Refused
from server.web.play import questions
from server.web.play.questions import Question, ThinkQuestion, look, read, rows, think
from tests.engine.gipf.test_choosing import crowded
from tests.games.cases import EVERY_VARIANT, named
from tests.games.stones import STONES

VARIANTS = [case for case in EVERY_VARIANT if case[0] is not STONES]

CROSSING = "2 3 9 9\n3 9 W\n W W\nW _ W\n W W\n"


def complete(question: Question, answer: dict[str, Any]) -> Iterator[str]:
    """Yield every move that can be made by pointing."""
    for legal in answer["legal"]:
        yield from ways(question, legal["move"]) if legal["more"] else [legal["move"]]


def ways(question: Question, chosen: str) -> Iterator[str]:
    for choice in rows(msgspec.structs.replace(question, chosen=chosen))["choices"]:
        yield from ways(question, choice["move"]) if choice["more"] else [choice["move"]]


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_pointing_reaches_every_position_that_moves_lead_to(game: Game, parameters: str) -> None:
    chance = Random(3)
    question = Question(game=game.name, parameters=parameters)
    history = History.begin(game.start(parameters))
    for _ in range(10):
        answer = look(question)
        legal = () if history.outcome(MOVE_LIMIT) else history.position.legal_moves
        assert answer["moves"] == history.moves and answer["view"].text == history.position.text()
        assert bool(answer["legal"]) == bool(legal) == (answer["view"].ending is None)
        if not legal:
            break
        pointed = {history.position.play(move) for move in complete(question, answer)}
        assert pointed == {history.position.play(move) for move in legal}
        places = {place.name for place in (*answer["view"].layout.fields, *answer["view"].layout.dots)}
        assert {name for one in answer["legal"] for name in one["points"]} <= places
        history = history.after(chance.choice(legal))
        question = msgspec.structs.replace(question, moves=history.moves)
        motion = look(question)["motion"]
        assert motion is not None and motion.move == history.moves[-1]


def test_the_places_of_a_move_are_what_is_pointed_at_in_turn() -> None:
    points = {one["move"]: one["points"] for one in look(Question(game="gipf"))["legal"]}
    assert points["a5-b5"] == ["a5", "b5"] and len(points) == 42
    arrows = {one["move"]: one["points"] for one in look(Question(game="arrows"))["legal"]}
    assert arrows["2"] == ["3,1"] and arrows["0"] == []  # 0 points off the board
    mill = Question(game="morris", moves=("0", "9", "1", "11"))
    assert ["2", "9"] in [one["points"] for one in look(mill)["legal"]]


def test_rows_are_offered_with_the_board_as_it_stands_then() -> None:
    question = Question(game="gipf", start=CROSSING, chosen="a3-b3")
    found = rows(question)
    assert len(found["pieces"]) == 7 and found["taken"] == ()
    assert {len(choice["fields"]) for choice in found["choices"]} == {3}
    assert not any(choice["more"] for choice in found["choices"])
    taken = rows(msgspec.structs.replace(question, chosen=found["choices"][0]["move"]))
    assert set(taken["taken"]) == set(found["choices"][0]["fields"]) and taken["choices"] == ()


def test_a_text_with_moves_begins_where_it_began() -> None:
    answer = look(Question(game="mnk", start="3 3 3 1\n0 0 0\n0 0 0\n0 0 0\nmoves:\nb2\n", moves=("a1",)))
    assert answer["moves"] == ("b2", "a1") and "0 0 0\n0 0 0" in answer["start"]
    assert look(Question(game="mnk", start=answer["text"]))["moves"] == answer["moves"]


def test_a_game_that_went_round_is_over() -> None:
    round_ = ("1 2", "17 16", "2 1", "16 17")
    answer = look(Question(game="morris", start="0 0 W\nWW_W_________BBB_B______\n", moves=round_ * 2))
    assert answer["view"].ending is not None and answer["view"].ending.reason == "repetition"
    assert answer["legal"] == ()


def test_a_move_that_is_wrong_is_refused_with_its_number() -> None:
    with raises(snapshot("Refused: move 2: 'z9' lies outside the board, which has the fields a1 to h8")):
        look(Question(game="mnk", moves=("b2", "z9")))


def test_rows_are_chosen_in_gipf_only() -> None:
    with raises(snapshot("Refused: no rows are chosen in morris, only in gipf")):
        rows(Question(game="morris", chosen="0"))
    with pytest.raises(GameError):
        rows(Question(game="gipf"))


def test_the_bot_plays_a_legal_move_of_the_game_as_it_stands() -> None:
    ticks = count(0.0, 0.001)
    game_engine = GameEngine(megabytes=1)
    question = ThinkQuestion(game="gipf", parameters="5 4 18 18", moves=("a6-b6",), seconds=0.05)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "perf_counter", lambda: next(ticks))
        advice = think(question, game_engine, Stop())
    after = look(msgspec.structs.replace(question, moves=(*question.moves, advice["move"])))
    assert after["moves"][-1] == advice["move"]
    assert 0.04 < advice["seconds"] < 0.1


OVER = ("a1", "b1", "a2", "b2", "a3")


@pytest.mark.parametrize("body", [b'"seconds": 0', b'"seconds": 10.01', b'"level": 0', b'"level": 11', b'"level": 1.5'])
def test_a_bot_thinks_within_limits(body: bytes) -> None:
    with pytest.raises(Refused, match=r"seconds|level"):
        read(ThinkQuestion, b'{"game": "gipf", %b}' % body)


def test_a_bot_does_not_think_about_a_game_that_is_over() -> None:
    with raises(snapshot("Refused: the game is over: first has 3 in a line, a3 to a1")):
        think(ThinkQuestion(game="mnk", parameters="3 3 3", moves=OVER), GameEngine(), Stop())


@pytest.mark.slow
def test_where_rows_can_be_taken_in_too_many_ways_to_list_they_are_chosen_one_by_one() -> None:
    question = Question(game="gipf", start=crowded())
    assert {one["move"]: one["more"] for one in look(question)["legal"]}["a1-b2"]
    chosen = "a1-b2"
    while choices := rows(msgspec.structs.replace(question, chosen=chosen))["choices"]:
        chosen = choices[0]["move"]
    assert look(msgspec.structs.replace(question, moves=(chosen,)))["moves"] == (chosen,)
