"""The page of a player, without a server."""

from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from server.web import games_index
from server.web.games_index import Score, bring_up, profile
from tests.web.people.records import record, write
from tests.web.people.test_games_index import settle


def of(data: Path, name: str) -> dict[str, Any]:
    with games_index.opened(data) as connection:
        bring_up(connection, data, 1000)
        return profile(data, connection, {"name": name})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for match in range(1, 11):
        write(tmp_path, match, record(match))  # ann wins by a line
    write(tmp_path, 11, record(11, ("Bob", "ann")))
    write(tmp_path, 12, record(12, ("cid", "ann"), ("a1", "b1"), parameters="4 4 4"))
    write(tmp_path, 13, record(13, ("dan", "eve"), ()))
    settle(tmp_path)
    return tmp_path


def test_results_are_counted_from_the_view_of_the_player(data: Path) -> None:
    bob = of(data, "BOB")
    assert (bob["name"], bob["score"]) == ("Bob", Score(name="", won=1, lost=10))
    assert bob["opponents"] == [Score(name="ann", won=1, lost=10)]
    assert bob["colours"] == [Score(name="second", game="mnk", lost=10), Score(name="first", game="mnk", won=1)]
    assert bob["causes"] == [("line", 10)]
    ann = of(data, "ann")
    assert ann["variants"] == [
        Score(name="3 3 3", game="mnk", won=10, lost=1),
        Score(name="4 4 4", game="mnk", won=1),
    ]
    assert [game.match for game in ann["recent"]] == [12, 11, 10, 9, 8]


def test_time_is_what_was_charged_for_the_moves_of_the_player(data: Path) -> None:
    cid, dan = of(data, "cid"), of(data, "dan")
    # cid made a move of 10 ms, and resigned after 1 ms; dan resigned at once
    assert (cid["seconds_a_game"], cid["seconds_a_move"], dan["seconds_a_move"]) == (0.011, 0.011, None)


def test_who_has_not_played_is_refused(data: Path) -> None:
    with raises(snapshot("Refused: nobody called 'zoe' has played a game here that counts")):
        of(data, "zoe")
    with raises(snapshot("Refused: say with name= who is meant")):
        of(data, " ")
