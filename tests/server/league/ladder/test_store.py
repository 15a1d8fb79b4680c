"""The ladder in the database: games are counted once, and ratings are those of all games in order."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine.games.interface import Termination
from engine.statistics.online import DAY, LadderPlayer, rate
from server.contest.fixtures import ENDED_AT_START, NOT_STARTED, SET_ASIDE, Fixture, GameResult
from server.contest.store.store import FILE, LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.store import CountedGame, LadderStore, has_failed, score_of
from tests.clocks import SetClock
from tests.server.contest.played import contest
from tests.server.league.ladder.counted import count_result, result_of

PLAYERS = {
    "ann-1": LadderPlayer("ann-1", "ann"),
    "bob-1": LadderPlayer("bob-1", "bob"),
    "alphabeta-1": LadderPlayer("alphabeta-1", "", 500.0),
}

RESTS_AFTER = 3

VARIANT = "mnk 3 3 3"


@pytest.fixture
def clock() -> SetClock[float]:
    return SetClock(100 * DAY)


@pytest.fixture
def store(tmp_path: Path, clock: SetClock[float]) -> Iterator[LadderStore]:
    with closing(Accounts(tmp_path)) as accounts:
        store = LadderStore(accounts, tmp_path, clock)
        for player in PLAYERS.values():
            store.seat(player, 0 if player.anchor else 1, PLAYERS)
        yield store


def play(
    store: LadderStore,
    match: int,
    score: float | None,
    first: str = "ann-1",
    second: str = "bob-1",
    *,
    failed: bool = False,
    rests_after: int = RESTS_AFTER,
) -> list[str]:
    """Count a game, in which the first player may have ``failed``; return who rests since."""
    result = result_of(match, (first, second), score, "why", opening=match, failed=0 if failed else None)
    return count_result(store._path.parent, store, result, PLAYERS, rests_after)


def test_a_game_is_counted_once(store: LadderStore) -> None:
    play(store, 7, 1.0)
    after = store.standings()
    play(store, 7, 1.0)
    assert store.standings() == after
    (found,) = store.last_games(9)
    assert (found.variant, found.versions, found.score) == (VARIANT, (1, 1), 1.0)
    assert found.result == result_of(7, ("ann-1", "bob-1"), 1.0, "why", opening=7)


def test_results_that_no_server_has_counted_are_counted_by_the_next_one(
    store: LadderStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.league.ladder.store.GAMES_AT_A_TIME", 2)
    play(store, 1, 1.0)
    with closing(Store(tmp_path / FILE)) as contests:
        other = contests.open_contest("", contest(2), datetime.now(UTC))
        contests.finish(other, result_of(2, ("a1", "a2"), 1.0))
        for match in range(3, 8):
            result = result_of(match, ("ann-1", "bob-1"), 0.5)
            annulled = result._replace(termination=Termination.SERVER_FAULT)
            contests.finish(LADDER, annulled if match == 5 else result)
    counted: list[CountedGame] = []
    while found := store.rate_results(PLAYERS, RESTS_AFTER):
        counted += found
    assert counted == store.last_games(4)[::-1]
    assert [game.result.match for game in store.last_games(9)] == [7, 6, 4, 3, 1]
    assert {one.name: one.rating for one in store.standings()} == rate(store.each_game(), PLAYERS, store.starts())


def test_games_whose_results_a_backup_lacks_rate_nobody(store: LadderStore, tmp_path: Path) -> None:
    play(store, 1, 1.0)
    before = store.standings()
    play(store, 2, 1.0)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("DELETE FROM games WHERE id = 2")
        database.commit()
    assert store.rate_again(PLAYERS) == 2
    assert store.standings() == before
    play(store, 3, 0.5)
    assert [game.result.match for game in store.last_games(9)] == [3, 1]


def test_ratings_are_those_of_all_games_replayed_with_versions_in_between(
    store: LadderStore, clock: SetClock[float]
) -> None:
    for match, (first, second, score) in enumerate(
        [("ann-1", "bob-1", 1.0), ("bob-1", "alphabeta-1", 0.5), ("alphabeta-1", "ann-1", 0.0)] * 3, 1
    ):
        clock.now += DAY / 2
        play(store, match, score, first, second)
        if match == 5:
            store.seat(PLAYERS["ann-1"], 2, PLAYERS)
        if match == 6:
            play(store, 100, None)
    replayed = rate(store.each_game(), PLAYERS, store.starts())
    assert {one.name: one.rating for one in store.standings()} == replayed
    assert replayed["ann-1"].games == 3 and replayed["alphabeta-1"].elo == 500
    assert [(one.version, one.after) for one in store.versions("ann-1")] == [(1, 0), (2, 5)]


def test_all_games_are_rated_anew_where_a_fixed_point_stands_elsewhere(store: LadderStore) -> None:
    for match in range(1, 5):
        play(store, match, 1.0, "ann-1", "alphabeta-1")
        play(store, 10 + match, 0.5, "ann-1", "bob-1")
    store.seat(PLAYERS["bob-1"], 2, PLAYERS)
    before = store.standings()
    assert store.rate_again(PLAYERS) == 0
    assert store.standings() == before
    moved = PLAYERS | {"alphabeta-1": LadderPlayer("alphabeta-1", "", 1500.0)}
    assert store.rate_again(moved) == 3
    after = {one.name: one for one in store.standings()}
    assert {name: one.rating for name, one in after.items()} == rate(store.each_game(), moved, store.starts())
    assert after["alphabeta-1"].rating.elo == 1500 and after["ann-1"].rating.elo > 1500
    assert (after["bob-1"].version, after["bob-1"].rating.games) == (2, 0)


def test_a_new_version_begins_at_the_old_rating_and_wakes_up_who_rests(store: LadderStore) -> None:
    for match in range(1, RESTS_AFTER + 1):
        assert play(store, match, 0.0, failed=True) == (["ann-1"] if match == RESTS_AFTER else [])
    before = store.standing("ANN-1")
    assert before is not None and before.rests == snapshot("it has failed 3 times in a row, the last time so: why")
    store.seat(PLAYERS["ann-1"], 2, PLAYERS)
    after = store.standing("ann-1")
    assert after is not None and (after.rests, after.failures, after.version) == ("", 0, 2)
    assert after.rating.elo == before.rating.elo and after.rating.deviation > before.rating.deviation
    store.seat(PLAYERS["ann-1"], 2, PLAYERS)
    assert store.standing("ann-1") == after


def test_a_game_without_a_failure_ends_the_row(store: LadderStore) -> None:
    for match, failed in enumerate([True, True, False, True, True], 1):
        assert play(store, match, 0.0, failed=failed) == []
    assert play(store, 6, 0.0, failed=True) == ["ann-1"]
    store.wake("ann-1", "ann")
    found = store.standing("ann-1")
    assert found is not None and (found.rests, found.failures) == ("", 0)


def test_a_game_to_which_both_did_not_come_rates_nobody_and_is_a_failure_of_both(store: LadderStore) -> None:
    before = [one.rating for one in store.standings()]
    for match in range(1, RESTS_AFTER):
        play(store, match, None)
    assert set(play(store, 9, None)) == {"ann-1", "bob-1"}
    assert [one.rating for one in store.standings()] == before and list(store.each_game()) == []


def test_a_clock_that_is_set_back_keeps_games_in_order(store: LadderStore, clock: SetClock[float]) -> None:
    play(store, 1, 1.0)
    clock.now -= DAY
    play(store, 2, 1.0)
    first, second = list(store.each_game())
    assert second.ended == first.ended


def test_counts_are_of_all_games_of_players_with_an_owner(store: LadderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.league.ladder.store.GAMES_AT_A_TIME", 2)
    for match in range(1, 6):
        play(store, match, None if match == 2 else 1.0)
    counts = store.game_counts(store.owned())
    assert store.owned() == {name: player for name, player in PLAYERS.items() if player.owner}
    assert counts.met("bob-1", "ann-1", VARIANT) == 5 and counts.opponents["ann-1"]["bob-1"] > 2


@pytest.mark.parametrize(
    ("winner", "termination", "ready", "score", "failed"),
    [
        (0, "line", (True, True), 1.0, (False, False)),
        (None, "board_full", (True, True), 0.5, (False, False)),
        (1, Termination.CRASHED, (True, True), 0.0, (True, False)),
        (0, Termination.OUT_OF_MEMORY, (True, True), 1.0, (False, True)),
        (0, Termination.TIME, (True, True), 1.0, (False, False)),
        (0, Termination.TIME, (True, False), 1.0, (False, True)),
        (0, Termination.BAD_MOVE, (True, True), 1.0, (False, False)),
        (1, NOT_STARTED, (True, True), None, (True, False)),
        (0, ENDED_AT_START, (True, True), None, (False, True)),
        (None, f"{NOT_STARTED}+ended_at_start", (True, True), None, (True, True)),
        (None, SET_ASIDE, (True, True), None, (False, False)),
    ],
)
def test_what_counts_of_a_game(
    winner: int | None, termination: str, ready: tuple[bool, bool], score: float | None, failed: tuple[bool, bool]
) -> None:
    result = GameResult(Fixture(0, 1, 0, 0, 0, ("ann-1", "bob-1")), 1, winner, termination, ready=ready)
    assert (score_of(result), (has_failed(result, 0), has_failed(result, 1))) == (score, failed)
