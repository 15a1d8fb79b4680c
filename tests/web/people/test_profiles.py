"""What the page of a player shows, without a server."""

from pathlib import Path

import pytest

from server.web.people import database
from server.web.people.indexing import bring_up
from server.web.people.profiles import NobodyThere, Profile, Score, profile
from server.web.people.rating_history import POINTS, stops
from server.web.people.search import BadQuery
from tests.web.people.records import record, write
from tests.web.people.test_games_index import settle


def of(data: Path, name: str) -> Profile:
    with database.opened(data) as connection:
        bring_up(connection, data, 1000)
        return profile(data, connection, {"name": name})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for match in range(1, 11):
        write(tmp_path, match, record(match))  # ann wins by a line
    write(tmp_path, 11, record(11, ("Bob", "ann")))
    write(tmp_path, 12, record(12, ("cid", "ann"), ("a1", "b1"), parameters="4 4 4"))
    settle(tmp_path)
    return tmp_path


def test_results_are_counted_from_the_view_of_the_player(data: Path) -> None:
    bob = of(data, "BOB")
    assert (bob.name, bob.score) == ("Bob", Score(name="", won=1, lost=10))
    assert bob.opponents == (Score(name="ann", won=1, lost=10),)
    assert bob.colours == (Score(name="second", game="mnk", lost=10), Score(name="first", game="mnk", won=1))
    assert bob.causes == (("line", 10),)
    ann = of(data, "ann")
    assert ann.variants == (
        Score(name="3 3 3", game="mnk", won=10, lost=1),
        Score(name="4 4 4", game="mnk", won=1),
    )
    assert [game.match for game in ann.worst] == [11]


def test_time_is_what_was_charged_for_the_moves_of_the_player(data: Path) -> None:
    cid = of(data, "cid")
    assert (cid.seconds_a_game, cid.seconds_a_move) == (0.011, 0.011)  # a move of 10 ms, and 1 ms to resign
    assert cid.longest_turn == (12, 0.01)


def test_ratings_are_those_after_parts_of_the_games_with_intervals_that_shrink(data: Path) -> None:
    (rated,) = of(data, "ann").ratings
    assert (rated.game, rated.players, len(rated.points)) == ("mnk", 3, POINTS)
    assert [point.rating.games for point in rated.points] == [2, 4, 6, 8, 10, 12]
    for point in rated.points:
        low, high = point.rating.low, point.rating.high
        assert low is not None and high is not None and low < point.rating.elo < high
    first, last = rated.points[0].rating, rated.points[-1].rating
    assert first.low is not None and last.low is not None and last.elo - last.low < first.elo - first.low
    (weak,) = of(data, "Bob").ratings
    assert weak.points[-1].rating.elo < 0 < last.elo


def kept(data: Path) -> list[tuple[str, int]]:
    with database.opened(data) as connection:
        return connection.execute("SELECT player, match FROM ratings ORDER BY player, match").fetchall()


def test_ratings_are_kept_as_long_as_no_older_game_comes_or_goes(data: Path) -> None:
    """They are those that the games up to there give, whenever they are computed."""
    first = of(data, "ann")
    assert kept(data) == [("ann", match) for match in (2, 4, 6, 8, 10, 12)]
    assert of(data, "ann") == first
    write(data, 13, record(13))
    settle(data, 1)
    later = of(data, "ann")
    assert [point.match for point in later.ratings[0].points] == [4, 8, 13]
    assert later.ratings[0].points[:2] == first.ratings[0].points[1:4:2]
    assert len(kept(data)) == 7
    (data / "records" / "7.txt").unlink()
    settle(data, 2)
    with database.opened(data) as connection:
        bring_up(connection, data, 1000)
    assert kept(data) == [("ann", 2), ("ann", 4), ("ann", 6)]
    database.delete(data)
    afresh = of(data, "ann")
    assert afresh.ratings[0].points[0] == first.ratings[0].points[0]


def test_a_page_is_shown_while_the_index_is_written_to(data: Path) -> None:
    of(data, "ann")
    with database.opened(data) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with database.opened(data) as connection:
            (rated,) = profile(data, connection, {"name": "bob"}).ratings
    assert rated.points and {player for player, _ in kept(data)} == {"ann"}


def test_a_player_with_more_games_has_more_ratings_until_every_second_one_is_left_out() -> None:
    assert [stops(games) for games in (0, 1, 6, 7, 12)] == [
        [],
        [1],
        [1, 2, 3, 4, 5, 6],
        [2, 4, 6, 7],
        [2, 4, 6, 8, 10, 12],
    ]
    assert stops(13) == [4, 8, 13]
    for games in range(1, 200):
        found = stops(games)
        assert len(found) <= POINTS and found == sorted(set(found)) and found[-1] == games


def test_who_has_played_nobody_else_has_no_rating(tmp_path: Path) -> None:
    write(tmp_path, 1, record(1, ("ann", "Ann")))
    settle(tmp_path)
    assert of(tmp_path, "ann").ratings == ()


def test_who_has_not_played_is_refused(data: Path) -> None:
    with pytest.raises(NobodyThere, match="nobody called 'zoe' has played a game here that counts"):
        of(data, "zoe")
    with pytest.raises(BadQuery, match="say with name= who is meant"):
        of(data, " ")
