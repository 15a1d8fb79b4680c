"""Matches told by changes: what a page puts together of them is every position, in a size that the record is in."""

from typing import Any

import msgspec
import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.match.verification import verify
from server.web.views.board import frame_of, frames, whole_match
from tests.engine.records import records
from tests.engine.test_record import played


def rebuilt(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put frames together as a page does (``static/match/match_state.js``)."""
    empty = {"stock": None, "aims": [None, None], "decisive": [], "summary": "", "motion": None}
    whole = [told[0]]
    for change in told[1:]:
        before = whole[-1]
        pieces = {piece[0]: piece for piece in before["pieces"] if piece[0] not in change.get("left", [])}
        pieces |= {piece[0]: piece for piece in change.get("came", [])}
        text = before["text"].split("\n")
        for number, line in change.get("lines", []):
            text[number] = line
        others = {key: value for key, value in change.items() if key not in ("came", "left", "lines")}
        whole.append(empty | {"text": "\n".join(text)} | others | {"pieces": list(pieces.values())})
    return whole


def game_of(name: str, parameters: str, plies: int) -> tuple[Position, list[str]]:
    start = position = GAMES[name].start(parameters)
    made: list[str] = []
    while len(made) < plies and position.outcome is None:
        legal = position.legal_moves
        made.append(legal[len(made) * 7 % len(legal)])
        position = position.play(made[-1])
    return start, made


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("gipf", "3 3 9 9"), ("gipf", "5 3 20 20"), ("arrows", "6 6"), ("morris", ""), ("mnk", "5 5 4")],
)
def test_changes_add_up_to_every_position(name: str, parameters: str) -> None:
    start, made = game_of(name, parameters, 40)
    told = rebuilt(msgspec.json.decode(msgspec.json.encode(frames(start, made))))
    position, before = start, None
    for ply, frame in enumerate(told):
        move = made[ply - 1] if ply else ""
        expected = msgspec.json.decode(msgspec.json.encode(frame_of(ply, position, before, move)))
        assert sorted(frame.pop("pieces")) == sorted(expected.pop("pieces"))
        assert frame == expected
        if ply < len(made):
            before, position = position, position.play(made[ply])


def test_notes_of_a_record_are_told_in_their_order() -> None:
    told = msgspec.json.decode(msgspec.json.encode(whole_match(verify(records()["notes"]))))
    assert told["now"]["noted"] == len(told["notes"]) == 5
    assert told["notes"][:2] == [
        {"ply": 2, "side": 1, "text": "warm"},
        {"ply": 1, "side": 0, "score": -0.5, "depth": 3, "nodes": 17, "pv": ["a1", "b1"], "text": "two in a line"},
    ]


@pytest.mark.parametrize(("parameters", "plies"), [("4 4 15 15", 1000), ("12 23 300 300", 30)])
def test_a_record_is_told_in_a_size_that_it_is_in_itself(parameters: str, plies: int) -> None:
    record = played(parameters, stop_after=plies, end="resign")
    match = whole_match(verify(record))
    told, first = msgspec.json.encode(match), msgspec.json.encode(match["info"])
    assert len(told) - 2 * len(first) < 8 * len(record)  # the board and the first position once, whatever the length
