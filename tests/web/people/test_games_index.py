"""The index of games and its search, without a server."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from msgspec.structs import replace

from server.contest.fixtures import Fixture
from server.contest.formats.meetings import Ladder, RoundRobin
from server.contest.store.store import FILE as STORE, LADDER, Store
from server.web import games_index
from server.web.games_index import PAGE, Games, IndexProgress, bring_up, find
from server.web.http.request import Refused
from server.web.worker import of_games
from tests.server.contest.played import contest
from tests.web.people.records import record, write

LONG_AGO = 1_000_000_000


def settle(data: Path, second: int = 0) -> None:
    """Let the folder of records have been changed long ago."""
    os.utime(data / "records", (LONG_AGO + second, LONG_AGO + second))


def index(data: Path, seconds: float = 1000) -> IndexProgress:
    with games_index.opened(data) as connection:
        return bring_up(connection, data, seconds)


def search(data: Path, **asked: str) -> Games:
    with games_index.opened(data) as connection:
        return find(data, connection, asked)


def found(data: Path, **asked: str) -> list[int]:
    return [game.match for game in search(data, **asked).games]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path, 1, record(1))
    write(tmp_path, 2, record(2, ("Bob", "ann"), ("a1", "b1"), started="2026-11-21T10:00:00.000Z"))
    write(tmp_path, 3, record(3, ("ann", "cid"), ("a1",), parameters="4 4 4", started="2026-11-22T10:00:00.000Z"))
    settle(tmp_path)
    return tmp_path


def test_games_are_found_by_what_is_known_of_them(data: Path) -> None:
    assert index(data) == IndexProgress(games=3, left=0, complete=True)
    assert found(data) == [3, 2, 1]
    assert found(data, player="BOB") == [2, 1]
    assert found(data, opponent="bob") == [2, 1]
    assert found(data, player="ann", opponent="cid") == [3]
    assert found(data, player="ann", result="won") == [3, 2, 1]
    assert found(data, player="ann", result="lost") == []
    assert found(data, result="first") == [3, 1]
    assert found(data, result="second") == [2]
    assert found(data, variant="4,4,4") == [3]
    assert found(data, game="gipf") == []
    assert found(data, reason="line") == [1]
    assert found(data, shortest="2", longest="4") == [2]
    assert found(data, since="2026-11-21", until="2026-11-21") == [2]
    assert found(data, contest="1") == []


def test_a_page_has_fifty_games_and_tells_where_the_next_one_begins(tmp_path: Path) -> None:
    for match in range(1, PAGE + 4):
        write(tmp_path, match, record(match, moves=("a1",)))
    settle(tmp_path)
    index(tmp_path)
    first = search(tmp_path, player="ann")
    assert (first.found, len(first.games), first.next) == (PAGE + 3, PAGE, 4)
    last = search(tmp_path, player="ann", before=str(first.next))
    assert ([game.match for game in last.games], last.next) == ([3, 2, 1], None)


def test_a_page_and_the_number_of_games_are_of_one_moment(data: Path) -> None:
    index(data)
    with games_index.opened(data) as reader, games_index.opened(data) as writer:

        def forget(statement: str) -> None:
            if statement.startswith("WITH found"):
                writer.execute("DELETE FROM games WHERE match = 3")

        reader.set_trace_callback(forget)
        page = find(data, reader, {})
        assert (page.found, len(page.games), page.index.games) == (3, 3, 3)
    assert found(data) == [2, 1]


def test_a_game_tells_what_was_charged_and_its_contest(data: Path) -> None:
    index(data)
    now = datetime.now(UTC)
    with closing(Store(data / STORE)) as store:
        store.open_ladder(replace(contest(2, Ladder()), name="the ladder"), now)
        number = store.open_contest("", replace(contest(2, RoundRobin()), name="Cup"), now)
        store.begin(number, Fixture(0, 4, 0, 0, 0, ("a1", "a2")), 1)
        store.begin(LADDER, Fixture(0, 1, 0, 0, 0, ("a1", "a2")), 2)
    (game,) = search(data, contest=str(number)).games
    assert (game.match, game.contest, game.contest_name, game.round, game.used) == (1, number, "Cup", 4, (30, 20))
    assert (game.winner, game.result, game.reason, game.plies) == (0, "won", "line", 5)
    contests = {game.match: game.contest for game in search(data).games}
    assert contests == {1: number, 2: None, 3: None}, "the ladder has no page of a contest"


def test_an_index_that_is_behind_says_so_and_catches_up(data: Path) -> None:
    index(data)
    assert search(data).index.complete
    write(data, 9, record(9))
    settle(data, 1)
    assert search(data).index == IndexProgress(games=3, left=0, complete=False)
    assert index(data).complete
    assert found(data) == [9, 3, 2, 1]


def test_little_time_is_enough_for_one_record_after_the_other(data: Path) -> None:
    assert [index(data, 0) for _ in range(3)] == [
        IndexProgress(games=1, left=2, complete=False),
        IndexProgress(games=2, left=1, complete=False),
        IndexProgress(games=3, left=0, complete=True),
    ]


def test_a_name_finds_its_further_copies_and_a_beginning_suggests_names(data: Path) -> None:
    write(data, 4, record(4, ("dan.2", "eve")))
    write(data, 5, record(5, ("dan", "danny")))
    settle(data)
    index(data)
    assert [game.match for game in search(data, player="dan").games] == [5, 4]
    assert [game.match for game in search(data, player="eve", opponent="dan").games] == [4]
    assert [game.match for game in search(data, player="dan.2").games] == [4]
    assert search(data, player="da").names == ("dan", "dan.2", "danny")
    assert search(data, player="dan").names == ("dan.2", "danny")
    assert {"dan", "dan.2", "danny", "eve"} <= set(search(data).names)


def test_records_that_change_or_go_are_no_longer_found_as_they_were(data: Path) -> None:
    index(data)
    write(data, 1, record(1, ("dan", "eve")))
    (data / "records" / "3.txt").unlink()
    settle(data, 1)
    index(data)
    assert [(game.match, game.players) for game in search(data).games] == [(2, ("Bob", "ann")), (1, ("dan", "eve"))]


def test_records_that_are_not_true_or_have_no_result_are_not_found(data: Path) -> None:
    write(data, 4, record(4).replace("a3", "c1"))
    write(data, 5, record(6))
    (data / "records" / "6.txt").write_bytes(b"\xff")
    write(data, 7, record(7)[: record(7).index("result ")])
    settle(data)
    assert index(data) == IndexProgress(games=3, left=0, complete=True)


def test_a_lost_damaged_or_older_index_is_made_anew(data: Path) -> None:
    file = data / games_index.FILE

    def damage() -> None:
        file.write_bytes(b"SQLite format 3\0" + b"x" * 8192)

    def make_older() -> None:
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()

    for spoil in (file.unlink, damage, make_older):
        index(data)
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        spoil()
        assert msgspec.to_builtins(of_games("games", data, {}))["index"]["games"] == 0
        assert index(data).complete
        assert found(data) == [3, 2, 1]


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"before": "x"}, snapshot("Refused: before is 'x'; it has to be a whole number of at most 15 digits")),
        ({"until": "9999-99-99"}, snapshot("Refused: until is '9999-99-99'; it has to be a date, as 2026-11-27")),
        ({"result": "won"}, snapshot("Refused: a search for won games names a player")),
        (
            {"result": "lucky"},
            snapshot("Refused: result is 'lucky'; it has to be one of first, second, draw, annulled, won, lost"),
        ),
        (
            {"player": "x" * 101},
            snapshot(
                "Refused: player is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; it has to be a text of at most 100 characters"
            ),
        ),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(data: Path, asked: dict[str, str], fault: str) -> None:
    with raises(fault):
        search(data, **asked)


@pytest.mark.parametrize("number", ["-1", "1.5", "٣", "9" * 16])
def test_a_match_has_a_number_of_at_most_15_digits(data: Path, number: str) -> None:
    with pytest.raises(Refused):
        search(data, before=number)
