"""The pairings of a month of the ladder are made again: those of an honest one, whatever happened, and of no other."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from server.contest.export import container
from server.contest.export.checking import open_export
from server.contest.export.container import unpack
from server.contest.fixtures import Finished, Fixture
from server.contest.hosts.host import GameTask
from server.contest.runtime.finished_games import game_of_record
from server.contest.store.verification import Verdict
from server.league.accounts.accounts import Accounts
from server.league.database import FILE as LEAGUE
from server.league.database import MIGRATIONS, SCHEMA
from server.league.ladder import runner
from server.league.ladder.definition import from_published
from server.league.ladder.pairing import scheduler
from server.league.ladder.pairing.choices import CountedSoFar
from server.league.ladder.pairing.choosing import choose as honest_choose
from server.league.ladder.pairing.counts import GameCounts, KeptCounts
from server.league.ladder.pairing.scheduler import Pairing
from server.league.ladder.runner import ended_game
from server.league.ladder.store import BegunGame, LadderStore
from server.league.months import pairings
from server.league.months.checking import verify_month
from server.league.months.contents import bounds
from server.storage.database import connect
from server.storage.record_store import SUFFIX
from tests.server.league.ladder.walked import Walk, tasks_in_order, walked
from tests.server.league.test_months import exported, forged, record_of

pytestmark = pytest.mark.slow

SEEDS = range(40) if os.environ.get("ARENA_CAMPAIGN") else (0, 10)
"""With 10 a full disk keeps a game of October from being counted until November, when another version plays."""

HONEST = (
    "not played, so that no record shows it",
    "being played when the month began",
    "fixed points stand",
    "chosen and dropped",
)
"""What no file can show, also of an honest ladder."""

MONTHS = ("2026-10", "2026-11")

OTHER = "and by all that was known then"

NOBODY = "no choice has chosen it, or it was dropped or counted before"


def verdict_of(packed: bytes) -> Verdict:
    return verify_month(open_export(packed)).verdict


def differences(data: Path, month: str = "2026-11") -> tuple[str, ...]:
    return verdict_of(exported(data, month)).differences


def check_honest(data: Path) -> None:
    for month in MONTHS:
        verdict = verdict_of(exported(data, month))
        assert verdict.differences == ()
        assert [one for one in verdict.unproven if not any(known in one for known in HONEST)] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_each_choice_of_an_honest_ladder_is_made_again(tmp_path: Path, seed: int) -> None:
    happened = walked(tmp_path, seed, 1500.0)
    assert happened["choices"] > 200 and happened["killed"] > 5 and happened["dropped"] > 20
    check_honest(tmp_path)


@pytest.fixture(scope="module")
def honest_walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    data = tmp_path_factory.mktemp("honest")
    return data, walked(data, 100, 1400.0)


@pytest.fixture
def honest(honest_walk: tuple[Path, Counter[str]]) -> Path:
    return honest_walk[0]


def test_all_that_can_happen_to_a_ladder_has_happened_to_it(honest_walk: tuple[Path, Counter[str]]) -> None:
    """Else the other tests would not show what they say."""
    happened = +honest_walk[1]
    missing = {"version", "leave", "connect", "wake", "room", "clock", "file", "killed", "annulled", "not started",
               "no fault of a bot", "disk fails", "waiting", "barred", "dropped"} - happened.keys()  # fmt: skip
    assert missing == set()


def test_the_same_month_gives_the_same_bytes_when_it_is_over(honest: Path, tmp_path: Path) -> None:
    first = exported(honest, "2026-10")
    copy = copied(honest, tmp_path)
    with closing(sqlite3.connect(copy / LEAGUE)) as database, database:  # what runs is dropped or counted later
        database.execute(
            """INSERT INTO ladder_dropped (match, variant, opening, first, second, choice, counted, died)
            SELECT match, variant, opening, first, second, choice, 9999, 1 FROM ladder_running"""
        )
        database.execute("DELETE FROM ladder_running")
    assert unpack(exported(copy, "2026-10"))[container.LADDER] == unpack(first)[container.LADDER]


# lies of a server that plays on by them


def cheating(kind: str) -> Callable[..., Any]:
    """Return what chooses as the ladder does, but for each ninth choice."""
    calls = Counter[str]()

    def choose(definition: Any, those: Any, known: Any, slots: int, *rest: Any) -> Any:
        right = honest_choose(definition, those, known, slots, *rest)
        calls["all"] += bool(right)
        if not right or calls["all"] % 9:
            return right
        (game, opening), *others = right
        busy = {name for pairing in known.running.values() for name in pairing[1:]}
        busy |= {name for pairing, _ in right for name in pairing[1:]}
        free = [name for name, *_ in those.players if name not in busy]
        if kind == "colours":
            game = Pairing(game.variant, game.second, game.first)
        elif kind == "opening":
            opening += 1
        elif kind == "variant":
            game = game._replace(variant=next(one.key for one in definition.variants if one.key != game.variant))
        elif free:
            game = Pairing(game.variant, game.first, free[0])
        return [(game, opening), *others]

    return choose


@pytest.mark.parametrize("kind", ["colours", "opening", "variant", "opponent"])
def test_a_server_that_chooses_otherwise_at_times_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """All else of it is true: records, ratings, and the log of its choices."""
    monkeypatch.setattr(runner, "choose", cheating(kind))
    walked(tmp_path, 5, 600.0)
    for month in MONTHS:
        found = differences(tmp_path, month)
        assert found and all(OTHER in one or "more choices are others" in one for one in found), found


# lies about what was played


def copied(data: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(data, copy)
    return copy


def lie(data: Path, tmp_path: Path, *statements: str) -> tuple[str, ...]:
    """Return what is found of a month whose database was changed before it was exported and signed."""
    copy = copied(data, tmp_path)
    with closing(sqlite3.connect(copy / LEAGUE)) as database, database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0
    return differences(copy)


def some_choice(data: Path, where: str = "1") -> int:
    """Return the number of a choice in the midst of November."""
    with closing(sqlite3.connect(data / LEAGUE)) as database:
        rows = database.execute(
            f"""SELECT c.id FROM ladder_choices c JOIN ladder_games g ON g.choice = c.id WHERE c.date > ?
            AND g.number > c.counted + 1 AND ({where}) GROUP BY c.id HAVING count(*) = 1 ORDER BY c.id""",
            (bounds("2026-11")[0] + 60,),
        ).fetchall()
    return int(rows[len(rows) // 3][0])


def test_a_choice_that_is_left_out_is_found(honest: Path, tmp_path: Path) -> None:
    number = some_choice(honest)
    found = lie(honest, tmp_path, f"DELETE FROM ladder_choices WHERE id = {number}")
    assert any(f"it stands behind choice {number - 1}, where {number} has to stand" in one for one in found)
    assert any(NOBODY in one for one in found)


def test_a_choice_that_is_left_out_where_others_are_renumbered_is_found(honest: Path, tmp_path: Path) -> None:
    number = some_choice(honest)
    moved = [f"UPDATE ladder_{table} SET choice = choice - 1 WHERE choice > {number}" for table in ("games", "dropped")]
    found = lie(
        honest, tmp_path, f"DELETE FROM ladder_choices WHERE id = {number}",
        f"UPDATE ladder_choices SET id = -id WHERE id > {number}",
        "UPDATE ladder_choices SET id = -id - 1 WHERE id < 0",
        f"UPDATE ladder_games SET choice = 0 WHERE choice = {number}", *moved,
    )  # fmt: skip
    assert any(NOBODY in one for one in found)


@pytest.mark.parametrize("choice", ["0", "its own"])
def test_a_game_that_is_inserted_is_found(honest: Path, tmp_path: Path, choice: str) -> None:
    """With a true record and true ratings, behind the last one; chosen by nothing, or by a choice of another game."""
    copy = copied(honest, tmp_path)
    with closing(Accounts(copy)) as accounts:
        store = LadderStore(accounts, lambda: 0.0)
        (last,) = store.last_games(1)
        game = last.ended.game._replace(match=10_000)
        ladder = from_published(accounts.rows("SELECT definition FROM ladder_files ORDER BY id DESC LIMIT 1")[0][0])
        place = [one.key for one in ladder.variants].index(game.variant)
        fixture = Fixture(0, 1, place, 0, game.opening, game.players)
        text = record_of(ladder.contest((), ""), fixture, game.match)
        (copy / "records" / f"{game.match}{SUFFIX}").write_text(text, encoding="utf-8")
        finished = game_of_record(fixture, text)
        assert finished is not None
        standings = {one.name: one for one in store.standings()}
        versions = tuple(standings[name].version for name in game.players)
        begun = BegunGame(game.match, game.variant, game.opening, game.players, (versions[0], versions[1]))
        store.count(ended_game(begun, finished, hashlib.sha256(text.encode()).hexdigest()), {}, 99)
        if choice != "0":
            with accounts.change() as database:
                database.execute(
                    "UPDATE ladder_games SET choice = (SELECT max(choice) FROM ladder_games) WHERE match = 10000"
                )
    found = differences(copy)
    assert any((NOBODY if choice == "0" else OTHER) in one for one in found), found


def test_an_opponent_who_is_replaced_is_found(honest: Path, tmp_path: Path) -> None:
    number = some_choice(honest, "g.second != 'alphabeta-1'")
    found = lie(honest, tmp_path, f"UPDATE ladder_games SET second = 'alphabeta-1' WHERE choice = {number}")
    assert any(one.startswith(f"choice {number}, ") and OTHER in one for one in found)


def test_a_pairing_whose_colours_are_swapped_is_found(honest: Path, tmp_path: Path) -> None:
    number = some_choice(honest)
    found = lie(honest, tmp_path, f"UPDATE ladder_games SET first = second, second = first WHERE choice = {number}")
    assert any(one.startswith(f"choice {number}, ") and OTHER in one for one in found)


def test_an_opening_that_is_another_one_is_found(honest: Path, tmp_path: Path) -> None:
    number = some_choice(honest)
    found = lie(honest, tmp_path, f"UPDATE ladder_games SET opening = opening + 1 WHERE choice = {number}")
    assert len(found) == 1 and found[0].startswith(f"choice {number}, ") and OTHER in found[0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("slots = 0", OTHER),
        ("date = date - 100000", "it was made before that game had ended"),
        ("date = date + 100000", "it ended before it was chosen"),
        ("file = file + 1", "it was made by ladder file"),
        ("dropped = dropped + 1", "nothing tells of games that were dropped before it"),
        ("roster = 1", OTHER),
    ],
)
def test_a_choice_of_which_anything_else_is_a_lie_is_found(
    honest: Path, tmp_path: Path, change: str, sentence: str
) -> None:
    number = some_choice(honest)
    found = lie(honest, tmp_path, f"UPDATE ladder_choices SET {change} WHERE id = {number}")
    assert any(sentence in one for one in found), found


def test_a_roster_that_is_edited_is_found(honest: Path, tmp_path: Path) -> None:
    """Who was paired is taken out of it, is somebody else's bot, or a fixed point."""
    number = some_choice(honest, "g.first NOT LIKE 'alphabeta%'")
    with closing(sqlite3.connect(honest / LEAGUE)) as database:
        roster, text, name = database.execute(
            """SELECT r.id, r.players, g.first FROM ladder_choices c JOIN ladder_rosters r ON r.id = c.roster
            JOIN ladder_games g ON g.choice = c.id WHERE c.id = ?""",
            (number,),
        ).fetchone()
    rules, players, barred = json.loads(text)
    whose = {one[0]: one for one in players}[name]
    for place, (edited, sentence) in enumerate(
        [
            ([one for one in players if one[0] != name], OTHER),
            ([[name, "somebody", None] if one is whose else one for one in players], f"{name} is a bot of somebody"),
            ([[name, "", 900.0] if one is whose else one for one in players], f"{name} is a fixed point at 900.0 Elo"),
        ]
    ):
        (folder := tmp_path / str(place)).mkdir()
        lied = json.dumps([rules, edited, barred])
        found = lie(honest, folder, f"UPDATE ladder_rosters SET players = '{lied}' WHERE id = {roster}")
        assert any(sentence in one for one in found), found


def test_a_game_that_was_dropped_is_not_counted_and_is_not_left_out(honest: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(honest / LEAGUE)) as database:
        rows = database.execute(
            """SELECT d.id FROM ladder_dropped d JOIN ladder_choices c ON c.id = d.choice WHERE c.date > ?
            AND EXISTS (SELECT 1 FROM ladder_choices later WHERE later.dropped = d.id) ORDER BY d.id""",
            (bounds("2026-11")[0] + 60,),
        ).fetchall()
    number = rows[len(rows) // 2][0]
    found = lie(honest, tmp_path, f"DELETE FROM ladder_dropped WHERE id = {number}")
    assert any("nothing tells of games that were dropped before it" in one for one in found)


def test_counts_before_the_month_that_are_lies_are_found_by_the_first_choices(honest: Path, tmp_path: Path) -> None:
    def forge(month: Any, _files: dict[str, bytes]) -> None:
        counts = month["choices"]["counts"]
        for name in counts["begun"]:
            counts["begun"][name] = -counts["begun"][name]
        counts["owners"][1] = dict.fromkeys(counts["owners"][1], 1.0)

    found = verdict_of(forged(exported(honest, "2026-11"), tmp_path, forge)).differences
    assert any(OTHER in one for one in found)


def test_many_choices_that_are_not_true_are_named_and_then_counted(honest: Path, tmp_path: Path) -> None:
    def forge(month: Any, _files: dict[str, bytes]) -> None:
        for game in month["games"]:
            game["opening"] += 1

    found = verdict_of(forged(exported(honest, "2026-11"), tmp_path, forge)).differences
    named = [one for one in found if OTHER in one]
    assert len(named) == pairings.MAX_NAMED and any("more choices are others than by all" in one for one in found)


# what cannot be made again


def test_choices_by_rules_of_another_version_are_not_called_wrong(
    honest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = exported(honest, "2026-11")
    monkeypatch.setattr(pairings, "RULES", scheduler.RULES + 1)
    verdict = verdict_of(packed)
    assert verdict.differences == ()
    assert any(
        "choices were made by rules 1 of another version of arena-server, not 2" in one for one in verdict.unproven
    )


def test_a_database_of_before_choices_were_kept_goes_on_and_says_which_pairings_it_lacks(
    honest: Path, tmp_path: Path
) -> None:
    """As such a server has left it, in the midst of a month."""
    data = tmp_path / "old"
    data.mkdir()
    connect(data / LEAGUE, SCHEMA._replace(migrations=MIGRATIONS[:6])).close()
    shutil.copytree(honest / "records", data / "records")
    with closing(sqlite3.connect(data / LEAGUE)) as old:
        old.execute("ATTACH ? AS new", (str(honest / LEAGUE),))
        for table in ("players", "versions", "games", "running", "files", "days", "times"):
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info(ladder_{table})"))
            old.execute(f"INSERT INTO main.ladder_{table} ({columns}) SELECT {columns} FROM new.ladder_{table}")
        old.commit()
        (games,) = old.execute(
            "SELECT count(*) FROM main.ladder_games WHERE ended >= ?", bounds("2026-11")[:1]
        ).fetchone()
    verdict = verdict_of(exported(data, "2026-11"))
    assert verdict.differences == ()
    assert any(one.startswith(f"the pairings of {games} games, the last of which is game ") for one in verdict.unproven)
    with closing(Accounts(data)) as accounts, closing(Accounts(honest)) as before:
        counted = CountedSoFar(accounts).until(10**6).kept()
        assert dict(counted.begun) == dict(CountedSoFar(before).until(10**6).kept().begun)
        owners = {name for name, *_ in accounts.rows("SELECT DISTINCT owner FROM ladder_players WHERE owner != ''")}
        assert counted.owners.sums.keys() <= {f"owner {name}" for name in owners} and counted.owners.sums


def test_an_export_without_choices_says_so(honest: Path, tmp_path: Path) -> None:
    def forge(month: Any, _files: dict[str, bytes]) -> None:
        del month["choices"]
        for one in (*month["files"], *month["versions"]):
            del one["id"]

    verdict = verdict_of(forged(exported(honest, "2026-11"), tmp_path, forge))
    assert verdict.differences == ()
    assert any("were not kept: an earlier version of arena-server has chosen them" in one for one in verdict.unproven)


def test_counts_that_were_written_down_go_on_as_they_were(honest: Path) -> None:
    with closing(Accounts(honest)) as accounts:
        counts = CountedSoFar(accounts).until(100).kept()
    read = msgspec.json.decode(msgspec.json.encode(counts), type=KeptCounts)
    assert GameCounts(read).kept() == counts and len(counts.pairs) > 10


def test_a_game_that_a_full_disk_kept_from_being_counted_is_one_of_the_version_that_played(tmp_path: Path) -> None:
    """It is counted by the next server, when other versions are in play."""
    with closing(Accounts(tmp_path)) as accounts, tasks_in_order(1):
        walk = Walk(tmp_path, accounts, 1, 0.0)

        async def play(task: GameTask) -> Finished:
            await trio.sleep(10)
            text = record_of(task.definition, task.fixture, task.number)
            walk.path(task.number).write_text(text, encoding="utf-8")
            found = game_of_record(task.fixture, text)
            assert found is not None
            return found

        async def play_on() -> None:
            walk.host.play_game, walk.host.rooms, walk.workers.rooms, walk.fails = play, 1, 0, True
            with trio.move_on_after(95):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(walk.runner().run)
                    await trio.sleep(11)
                    walk.versions = dict.fromkeys(walk.versions, 2)
            await walk.run(95)

        trio.run(play_on, clock=trio.testing.MockClock(autojump_threshold=0))
        games = walk.store.last_games(99)
        left = next(game.ended.game for game in games if game.ended.game.match == 1)
        assert 1 in left.versions and len(games) > 10
        assert accounts.rows("SELECT count(*) FROM ladder_choices WHERE waiting = '[1]'")[0][0] > 5
    assert differences(tmp_path) == ()
