"""The database of contests."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.games.interface import Termination
from engine.match.clock import TimeControl
from server.contest.definition import (
    Adjudication,
    Definition,
    Entrant,
    Format,
    InterruptedGames,
    Qualification,
    Seeding,
    Stage,
    Variant,
    definition_text,
    read_definition,
)
from server.contest.fixtures import FORFEIT, QUALIFICATION, Fixture, GameResult, ProgramUsage
from server.contest.formats.meetings import Gauntlet, Ladder, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.store.store import FILE, LADDER, SCHEMA, Contest, Store
from server.league.accounts import Accounts
from server.league.database import FILE as LEAGUE
from server.storage import database
from server.storage.database import BadStore, connect
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


def refusal(folder: Path, work: Callable[..., object], *arguments: object) -> str:
    """Return the sentence that a store refuses something with, without its folder."""
    with pytest.raises(BadStore) as caught:
        work(*arguments)
    return str(caught.value).replace(str(folder), "")


@pytest.mark.slow
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


def test_the_same_contest_goes_on_and_another_of_its_name_is_refused(store: Store, tmp_path: Path) -> None:
    definition = contest(3, RoundRobin())
    first = store.open_contest("text", definition, DATE)
    assert store.open_contest("text", definition, LATER) == first
    assert store.open_contest("text # a comment", definition, LATER) == first
    assert store.open_contest("text", replace(definition, move_limit=7), LATER) == first, "a file of openings changed"
    assert store.definition(first) == definition, "as it was opened"
    assert refusal(tmp_path, store.open_contest, "other", replace(definition, move_limit=7), LATER) == snapshot(
        "/arena.sqlite3 has a contest 'test' with other rules; to begin a new one, give it another name, and to go on with that one, take back what was changed in its file"
    )
    second = store.open_contest("text", replace(definition, name="Test"), LATER)
    assert second != first
    store.close_contest(first, LATER)
    store.close_contest(first, LATER + timedelta(days=1))
    assert store.contests() == [Contest(first, "test", DATE, LATER), Contest(second, "Test", LATER, None)]
    with pytest.raises(KeyError):
        store.definition(99)


def test_matches_are_begun_until_they_have_a_result_or_are_forgotten(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    other = store.open_contest("", replace(contest(2, RoundRobin()), name="other"), DATE)
    store.begin(number, FIXTURE, 4)
    store.begin(number, FIXTURE, 4)
    store.begin(number, FIXTURE.swapped, 5)
    store.begin(number, FIXTURE, 6)
    store.begin(other, FIXTURE, 7)
    assert store.begun(number) == {4: FIXTURE, 5: FIXTURE.swapped, 6: FIXTURE}
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


def test_results_that_count_are_known_while_their_contest_is_not_over(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    store.begin(number, FIXTURE, 3)
    store.finish(number, GameResult(FIXTURE, 4, 0, "line"))
    store.finish(number, GameResult(FIXTURE.swapped, 5, None, Termination.SERVER_FAULT))
    store.finish(number, GameResult(FIXTURE.swapped, 6, None, "line"))
    assert store.kept_matches([2, 3, 4, 5]) == {4}
    store.close_contest(number, LATER)
    assert store.kept_matches([4, 6]) == set()


def test_variants_of_a_ladder_keep_the_places_that_results_name(store: Store) -> None:
    one, two, three = (Variant("mnk", parameters, ("text",)) for parameters in ("3 3 3", "4 4 3", "5 5 4"))
    definition = replace(contest(2, Ladder()), variants=(one, two))
    store.open_ladder(definition, DATE)
    changed = replace(two, openings=("other",))
    store.open_ladder(replace(definition, variants=(three, changed)), LATER)
    assert store.definition(LADDER).variants == (one, changed, three)
    assert store.contest(LADDER).opened == DATE


def test_dates_keep_their_moment_whatever_their_time_zone(store: Store) -> None:
    number = store.open_contest("", contest(2, RoundRobin()), DATE)
    store.stage_began(number, QUALIFICATION, DATE.astimezone(timezone(timedelta(hours=2))))
    store.stage_began(number, QUALIFICATION, LATER)
    store.stage_began(number, 0, LATER)
    assert store.stages(number) == {QUALIFICATION: DATE, 0: LATER}
    assert all(date.tzinfo == UTC for date in store.stages(number).values())


def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with closing(connect(path, SCHEMA)) as store:
        store.execute("PRAGMA user_version = 7")
    written = path.read_bytes()
    assert refusal(tmp_path, Store, path) == snapshot(
        "/arena.sqlite3 was written by another version of arena-server: its schema is 7, this one reads 1"
    )
    assert path.read_bytes() == written


def test_files_that_are_no_store_are_refused_in_a_sentence_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("This is a shopping list, not a database.\n" * 50)
    with closing(sqlite3.connect(tmp_path / "other")) as stranger:
        stranger.execute("CREATE TABLE shopping (item)")
    before, files = path.read_bytes(), (path, tmp_path / "other", tmp_path / "missing" / FILE)
    assert [refusal(tmp_path, Store, file) for file in files] == snapshot(
        [
            "/arena.sqlite3 is no database, or a damaged one: file is not a database",
            "/other is the database of another program; move it away, or give another data directory",
            "/missing/arena.sqlite3 cannot be opened: unable to open database file",
        ]
    )
    assert path.read_bytes() == before


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE
    store = Store(path)
    number = store.open_contest("text", contest(2, RoundRobin()), DATE)
    for match in range(200):
        store.finish(number, GameResult(FIXTURE, match, 0, "line", "x" * 100))
    store.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\x00" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(BadStore, match="damaged"):
        Store(path, check=True)
    with pytest.raises(BadStore, match="damaged"):
        Store(path, copy=True)


def test_damage_is_looked_for_once_and_not_whenever_a_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server opens its databases each second; to read all of a term's results takes as long."""
    looked: list[Path] = []
    monkeypatch.setattr(database, "check_whole", lambda _, path: looked.append(path))
    for times in range(3):
        Store(tmp_path / FILE, check=times == 0).close()
        Accounts(tmp_path, check=times == 0).close()
    assert looked == [tmp_path / FILE, tmp_path / LEAGUE]


controls = st.builds(TimeControl, numbers, numbers)
formats: st.SearchStrategy[Format] = st.one_of(
    st.builds(RoundRobin, small),
    st.builds(Swiss, small),
    st.builds(Gauntlet, st.lists(names).map(tuple), small),
    st.builds(Knockout, tie_breaks=small, control=controls),
    st.builds(Ladder, small, small),
)
definitions_of_all_kinds = st.builds(
    Definition,
    name=texts,
    seed=numbers,
    entrants=st.lists(st.builds(Entrant, names, st.lists(texts).map(tuple), texts), max_size=3).map(tuple),
    variants=st.lists(st.builds(Variant, names, texts, st.lists(texts).map(tuple)), max_size=3).map(tuple),
    stages=st.lists(st.builds(Stage, formats, controls, small, small), max_size=3).map(tuple),
    move_limit=small,
    time_losses=small,
    seeding=st.sampled_from(Seeding),
    interrupted=st.sampled_from(InterruptedGames),
    games_at_once=small,
    cores=small,
    qualification=st.none() | st.builds(Qualification, st.lists(names).map(tuple), controls, small, small, small),
    adjudication=st.none() | st.builds(Adjudication, small, st.floats(0, 1e6), small),
    patience=small,
    folder=texts,
    start_seconds=small,
    live_notes=st.booleans(),
)


@pytest.mark.slow
@settings(max_examples=20)
@given(definitions_of_all_kinds)
def test_any_definition_comes_back_as_it_was(definition: Definition) -> None:
    again = read_definition(definition_text(definition))
    assert again == definition
    assert [type(stage.format) for stage in again.stages] == [type(stage.format) for stage in definition.stages]
