import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.games.outcome import Termination
from server.contest.definition import Entrant
from server.contest.fixtures import FORFEIT, QUALIFICATION, Fixture, GameResult, ProgramUsage
from server.contest.formats.round_robin import RoundRobin
from server.contest.store.store import FILE, Contest, Store
from server.storage.database import BadStore
from tests.server.contest.played import contest

DATE = datetime(2026, 11, 20, 20, 15, 0, 123456, tzinfo=UTC)
LATER = DATE + timedelta(hours=9)
FIXTURE = Fixture(0, 1, 0, 0, 0, ("a1", "a2"))
names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_.-]{0,31}\Z")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**63 - 1)
small = st.integers(0, 1000)
sides = st.tuples(st.booleans(), st.booleans())
fixtures = st.builds(
    Fixture, st.integers(QUALIFICATION, 9), small, small, small, small, st.tuples(names, names)
)  # fmt: skip
usages = st.none() | st.builds(
    ProgramUsage, st.floats(0, 1e6), st.floats(0, 1e6), st.none() | numbers, st.none() | st.integers(-64, 255)
)
results = st.builds(
    GameResult, fixtures, st.none(), st.sampled_from([0, 1, None]), st.sampled_from(["line", "time", FORFEIT]), texts,
    small, st.tuples(numbers, numbers), sides, sides, st.floats(0, 1e6), st.just(0), st.tuples(usages, usages),
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / FILE)
    yield store
    store.close()


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(results, max_size=8, unique_by=lambda game: game.fixture), st.integers(1, 9))
def test_any_results_come_back_in_their_order(tmp_path: Path, games: list[GameResult], match: int) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite3"
    store = Store(path)
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    kept = [game if not game.played else game._replace(match=match + place) for place, game in enumerate(games)]
    for game in kept:
        store.finish(number, game)
    assert store.games(number) == kept
    store.close()
    again = Store(path)
    assert again.games(number) == kept
    assert [type(flag) for game in again.games(number) for flag in game.ready + game.gone] == [bool] * 4 * len(kept)
    again.close()


def test_the_same_contest_goes_on_and_another_of_its_name_is_refused(store: Store) -> None:
    definition = contest(3, RoundRobin())
    first = store.open_contest("text", definition, DATE)
    assert store.open_contest("text", definition, LATER) == first
    assert store.open_contest("text # a comment", definition, LATER) == first
    assert store.open_contest("text", replace(definition, move_limit=7), LATER) == first, "a file of openings changed"
    assert store.definition(first) == definition, "as it was opened"
    with pytest.raises(BadStore, match=r"has a contest 'test' with other rules; .* another name"):
        store.open_contest("other", replace(definition, move_limit=7), LATER)
    second = store.open_contest("text", replace(definition, name="Test"), LATER)
    assert second != first
    store.close_contest(first, LATER)
    store.close_contest(first, LATER + timedelta(days=1))
    assert store.contests() == [Contest(first, "test", DATE, LATER), Contest(second, "Test", LATER, None)]
    with pytest.raises(KeyError):
        store.definition(99)


def test_entrants_are_kept_with_hashed_tokens_only(store: Store, tmp_path: Path) -> None:
    definition = replace(
        contest(2, RoundRobin()), entrants=(Entrant("ann", token="0a" * 32), Entrant("bob", ("./bob", "--fast")))
    )
    number = store.open_contest("text", definition, DATE)
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        rows = file.execute("SELECT * FROM entrants ORDER BY place").fetchall()
    assert rows == [(number, 0, "ann", "[]", "0a" * 32), (number, 1, "bob", '["./bob","--fast"]', "")]


def test_matches_are_begun_until_they_have_a_result_or_are_forgotten(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    other = store.open_contest("", replace(contest(2, RoundRobin()), name="other"), DATE)
    store.begin(number, FIXTURE, 4)
    store.begin(number, FIXTURE, 4)
    store.begin(number, FIXTURE.swapped, 5)
    store.begin(number, FIXTURE, 6)
    store.begin(other, FIXTURE, 7)
    assert store.begun(number) == {4: FIXTURE, 5: FIXTURE.swapped, 6: FIXTURE}
    with pytest.raises(ValueError, match="match 4 plays"):
        store.begin(number, FIXTURE.swapped, 4)
    store.forget(number, 5)
    stopped = GameResult(FIXTURE, 4, None, Termination.SERVER_STOP, "stopped")
    store.finish(number, stopped)
    store.forget(number, 4)
    assert store.begun(number) == {6: FIXTURE}
    assert store.begun(other) == {7: FIXTURE}
    won = GameResult(FIXTURE, 6, 1, "line", "", 20, (5, 6))
    store.finish(number, won)
    assert store.games(number) == [stopped, won]
    assert store.begun(number) == {}


def test_no_game_is_kept_twice(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    won = GameResult(FIXTURE, 3, 0, "line")
    forfeits = [
        GameResult(FIXTURE.swapped, None, 0, FORFEIT, "a1 had been disqualified"),
        GameResult(FIXTURE, None, 1, FORFEIT),
    ]
    for game in [won, *forfeits, won._replace(winner=1), won, *forfeits]:
        store.finish(number, game)
    assert store.games(number) == [won, *forfeits]
    with pytest.raises(ValueError, match="match 3 plays"):
        store.finish(number, won._replace(fixture=FIXTURE.swapped))
    assert store.begun(number) == {}, "what was forfeited has not begun"


def test_what_programs_have_used_is_kept_when_they_have_ended_and_stands_then(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    first, second = ProgramUsage(0.5, 2.0, 5 << 20, 0), ProgramUsage(1.0, 2.0, None, -9)
    store.begin(number, FIXTURE, 4)
    store.save_programs(number, 4, (first, second))
    assert store.begun(number) == {4: FIXTURE}, "it has no result, and nothing is kept of its programs"
    store.finish(number, GameResult(FIXTURE, 4, 0, "line"))
    store.save_programs(number, 4, (first, None))
    store.save_programs(number, 4, (second, second))
    assert [game.programs for game in store.games(number)] == [(first, second)]


def test_a_result_of_an_unknown_contest_is_refused_and_nothing_of_it_stays(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store.finish(17, GameResult(FIXTURE, 3, 0, "line"))
    assert store.known_matches() == set(), "the pairing was taken back with the game"


def test_dates_keep_their_moment_whatever_their_time_zone(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    store.stage_began(number, QUALIFICATION, DATE.astimezone(timezone(timedelta(hours=2))))
    store.stage_began(number, QUALIFICATION, LATER)
    store.stage_began(number, 0, LATER)
    assert store.stages(number) == {QUALIFICATION: DATE, 0: LATER}
    assert all(date.tzinfo == UTC for date in store.stages(number).values())
    with pytest.raises(ValueError, match="needs its time zone"):
        store.stage_began(number, 1, DATE.replace(tzinfo=None))


def test_a_full_disk_is_said_in_a_sentence_and_nothing_half_is_kept(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    long = [GameResult(FIXTURE, match, 0, "line", "x" * 1000) for match in range(1000)]
    with pytest.raises(BadStore, match="disk is full"):
        list(map(store.finish, repeat(number), long))
    store._connection.execute("PRAGMA max_page_count = 100000")
    kept = len(store.games(number))
    assert len(store.begun(number)) == 0
    store.finish(number, GameResult(FIXTURE, 2000, 0, "line"))
    assert len(store.games(number)) == kept + 1


KILLS = 100 if os.environ.get("ARENA_CAMPAIGN") else 5

_WRITER = """
import sys
from pathlib import Path
from datetime import UTC, datetime
from server.contest.formats.round_robin import RoundRobin
from server.contest.fixtures import GameResult, Fixture
from server.contest.store.store import Store
from tests.server.contest.played import contest

store = Store(Path(sys.argv[1]))
number = store.open_contest("text", contest(2, RoundRobin()), datetime.now(UTC))
match = max(store.begun(number), default=0)
match = max([match, *(game.match for game in store.games(number))])
while True:
    match += 1
    fixture = Fixture(0, match, 0, 0, 0, ("a1", "a2"))
    store.begin(number, fixture, match)
    print("begun", match, flush=True)
    store.finish(number, GameResult(fixture, match, match % 2, "line", "x" * (match % 500), match))
    print("finished", match, flush=True)
"""


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_kills(tmp_path: Path) -> None:
    path = tmp_path / FILE
    finished, last = 0, 0
    for number in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told = [process.stdout.readline().split() for _ in range(301 + 37 * (number % 8))]
        process.kill()
        told += [line.split() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        process.stdout.close()
        process.wait()
        finished = max(int(match) for word, match in told if word == "finished")
        last = max(int(match) for _, match in told)
        store = Store(path)
        games = {game.match: game for game in store.games(1)}
        begun = store.begun(1)
        store.close()
        assert all(match in games or match in begun for match in range(1, last + 1))
        assert all(game.winner == (game.match or 0) % 2 and game.plies == game.match for game in games.values())
        # one may be written that was not told any more; a match that was running when its writer died stays begun
        assert {int(match) for word, match in told if word == "finished"} <= set(games)
        assert len(begun) <= number + 1
    assert finished > 500
