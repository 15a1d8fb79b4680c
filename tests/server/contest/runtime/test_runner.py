"""Contests from their first game to their end, with bots in the same process."""

import errno
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import trio
import trio.testing
from inline_snapshot import snapshot
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.games.interface import ANNULLED
from engine.match import verification
from engine.wire import messages as m
from server.contest.fixtures import Intervention, Kind, counted_games
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.contest_players import Attendance, ContestPlayers
from server.contest.plan import plan
from server.contest.runtime.organiser_commands import intervene
from server.contest.runtime.service import ContestService
from server.contest.scoring import missing_sentence
from server.contest.store.store import FILE, Store
from tests.server.contest.played import contest as contest_of
from tests.server.contest.runtime.bots import (
    final_table,
    play_by_seed,
    read_definition,
    running_contest,
    seeking,
    wait_until_over,
)
from tests.server.harness import open_arena, until

ROUND_ROBIN = """
name = "Ann, Bob and Carol"
seed = 3
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "bob" }, { name = "Carol" }]
games = [
    { game = "mnk", params = "4 4 3", openings = { plies = 1, number = 4 } },
    { game = "mnk", params = "3 3 3" },
]
stages = [{ format = "round-robin" }]
"""


@pytest.mark.slow
async def test_a_game_that_was_over_before_the_server_began_is_kept_from_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its result was not kept yet when the server died."""
    file = ROUND_ROBIN.replace(', { name = "Carol" }', "")
    async with running_contest(tmp_path / "data", file) as (harness, _, contest), trio.open_nursery() as bots:
        monkeypatch.setattr(Store, "finish", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "no disk")))
        for name in ("ann", "bob"):
            bots.start_soon(play_by_seed, harness, name)
        await until(lambda: (tmp_path / "data" / "records" / "1.txt").exists())
        after = harness.die()
        bots.cancel_scope.cancel()
    monkeypatch.undo()
    told = verification.verify((after / "records" / "1.txt").read_text(encoding="utf-8"))

    async with running_contest(after) as (harness, store, contest):
        await until(lambda: store.games(contest))
        games = store.games(contest)
    assert (games[0].match, games[0].termination, games[0].plies) == (1, told.reason, told.history.plies)


@pytest.mark.slow
async def test_results_whose_records_the_disk_has_lost_stand(tmp_path: Path) -> None:
    async with running_contest(tmp_path / "data", ROUND_ROBIN, "ann", "bob", "carol") as (harness, store, contest):
        await until(lambda: len(store.games(contest)) >= 4)
        after = harness.die()
        results_before = store.games(contest)[:4]
    missing, changed, ended, _ = sorted(game.match or 0 for game in results_before)
    records, journal = after / "records", after / "running" / f"{ended}.txt"
    (records / f"{missing}.txt").unlink()
    with (records / f"{changed}.txt").open("a", encoding="utf-8") as record_of_another:
        record_of_another.write("result draw\n")
    (records / f"{ended}.txt").rename(journal)
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:-2]), encoding="utf-8")
    assert verification.verify(journal.read_text(encoding="utf-8")).result == ""
    with capture_logs() as logs:
        async with running_contest(after) as (harness, store, contest):
            assert ended not in harness.arena.matches, "nobody plays on what counts already"
            assert store.games(contest)[:4] == results_before
    assert [line["log_level"] for line in logs if line["event"] == "journal_end_lost"] == ["error"]
    assert not journal.exists() and (after / "damaged" / journal.name).exists()
    assert not (records / journal.name).exists(), "no record says that a game was annulled whose result stands"


@pytest.mark.slow
async def test_games_that_are_to_be_replayed_are_annulled_when_the_server_comes_back(tmp_path: Path) -> None:
    file = 'interrupted = "replay"' + ROUND_ROBIN
    async with running_contest(tmp_path / "data", file) as (harness, store, contest):
        _, client = await seeking(harness, "ann", "bob")
        await client.hear(m.Board)
        after = harness.die()
    async with running_contest(after, "", "ann", "bob", "carol") as (harness, store, contest):
        games = await wait_until_over(store, contest)
    annulled = [game for game in games if game.termination in ANNULLED]
    assert [game.match for game in annulled] == [1]
    assert len(counted_games(games)) == 12


@pytest.mark.slow
async def test_games_of_who_stays_away_are_lost_when_nothing_else_is_left(tmp_path: Path) -> None:
    file = "patience = 1\ntime-losses = 2" + ROUND_ROBIN
    with capture_logs() as logs:
        async with running_contest(tmp_path, file, "ann", "bob") as (_harness, store, contest):
            games = await wait_until_over(store, contest)
            await until(lambda: 12 in {line.get("games") for line in logs})
    played = [game for game in games if game.played]
    assert {game.fixture.players for game in played} == {("ann", "bob"), ("bob", "ann")}
    assert len(played) == 4
    lost = [game for game in games if not game.played]
    assert len(lost) == 8
    assert {game.termination for game in lost} <= {"absent", "forfeit"}
    assert all(game.winner == 1 - game.fixture.players.index("Carol") for game in lost)
    assert missing_sentence(["Carol"], 1) in {game.detail for game in lost}
    assert [line.name for line in final_table(read_definition(file), games)][-1] == "Carol"


async def test_an_absence_before_a_reinstatement_does_not_count(autojump_clock: trio.testing.MockClock) -> None:
    definition = replace(contest_of(2, RoundRobin()), patience=3)
    due, attendance = plan(definition, []).due, Attendance(ContestPlayers(), frozenset({"a1", "a2"}))
    for _ in range(4):
        await trio.sleep(1)
        attendance.poll(definition, due, {}, counts=True)
    attendance.pardon("a1")
    assert attendance.given_up(definition, due)[0].detail == missing_sentence(["a2"], 3)


async def test_entrants_log_in_with_their_tokens_and_are_paired_by_the_contest_alone(tmp_path: Path) -> None:
    key = sha256(b"secret").hexdigest()
    file = ROUND_ROBIN.replace('{ name = "ann" }', f'{{ name = "ann", token = "{key}" }}')
    async with running_contest(tmp_path, file) as (harness, _store, _contest):
        await until(lambda: ContestPlayers.of(harness.arena).present)
        thief = await harness.connect()
        assert (await thief.ask(m.Login("Ann", "guess"), m.Error)).code == "bad_token"
        ann, bob = await harness.connect("ann", "secret"), await harness.connect("bob")
        error = await ann.ask(m.Seek("morris"), m.Error)
        assert (error.code, error.sentence) == (
            "bad_arguments",
            snapshot(
                "ann takes part in the contest 'Ann, Bob and Carol', in which that is not played; SEEK any is right for all of it"
            ),
        )
        await ann.say(m.Seek("mnk"))
        dave = await harness.connect("dave")
        await dave.say(m.Seek("mnk"))
        await bob.say(m.Seek("mnk", m.Text("params=3,3,3")))
        assert {(await ann.hear(m.Match)).opponent, (await bob.hear(m.Match)).opponent} == {"ann", "bob"}
        assert (await dave.hear(m.Seeking)).game == "mnk"
        await dave.nothing()


async def test_who_waited_in_the_lobby_plays_the_contest_that_is_opened(tmp_path: Path) -> None:
    with closing(Store(tmp_path / FILE)) as store:  # closed when no thread reads it any more
        async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
            clients = [await harness.connect("ann"), await harness.connect("bob")]
            await clients[0].say(m.Seek("mnk"))
            await clients[1].say(m.Seek("any"))
            for client in clients:
                await client.hear(m.Seeking)
            store.open_contest(ROUND_ROBIN, read_definition(ROUND_ROBIN), datetime.now(UTC))
            nursery.start_soon(ContestService(harness.arena, store).run)
            for client in clients:
                await client.hear(m.Match)
            nursery.cancel_scope.cancel()


@pytest.mark.slow
async def test_the_organiser_withdraws_and_reinstates_somebody_while_games_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pardoned: list[str] = []
    monkeypatch.setattr(Attendance, "pardon", lambda _, name: pardoned.append(name))
    async with running_contest(tmp_path, ROUND_ROBIN) as (harness, store, contest), trio.open_nursery() as bots:
        ann, bob = await seeking(harness, "ann", "bob")
        begun = await ann.hear(m.Match)
        intervene(store, contest, Intervention(0, datetime.now(UTC), Kind.WITHDRAW, "bob"))
        result = await ann.hear(m.Result)
        assert (result.match, result.reason) == (begun.match, "organiser")
        await bob.hear(m.Result)
        bye = await bob.ask(m.Seek("any"), m.Bye)
        assert (bye.reason, bye.sentence) == (
            "over",
            snapshot("bob plays no more in the contest 'Ann, Bob and Carol': withdrawn by the organiser"),
        )
        await until(lambda: sum(game.termination == "withdrawn" for game in store.games(contest)) >= 8)
        intervene(store, contest, Intervention(0, datetime.now(UTC), Kind.REINSTATE, "bob"))
        await ann.stream.aclose()
        for name in ("ann", "bob", "carol"):
            bots.start_soon(play_by_seed, harness, name)
        games = await wait_until_over(store, contest)
    assert pardoned == ["bob"], "an absence before does not count"
    assert len(counted_games(games)) == 12 and all(game.played for game in counted_games(games))
    assert sum(game.termination == "organiser" for game in games) == 9
    assert all(not line.disqualified for line in final_table(read_definition(ROUND_ROBIN), games))


@pytest.mark.slow
async def test_the_organiser_pauses_resumes_and_cancels_a_contest_that_is_played(tmp_path: Path) -> None:
    async with running_contest(tmp_path, ROUND_ROBIN) as (harness, store, contest):

        def change(kind: Kind) -> None:
            intervene(store, contest, Intervention(0, datetime.now(UTC), kind))

        change(Kind.PAUSE)
        ann, bob = await seeking(harness, "ann", "bob")
        await trio.sleep(0.3)
        assert not harness.arena.matches and store.begun(contest) == {}
        change(Kind.RESUME)
        begun = await ann.hear(m.Match)
        change(Kind.CANCEL)
        result = await ann.hear(m.Result)
        assert (result.match, result.reason) == (begun.match, "organiser")
        games = await wait_until_over(store, contest)
        assert counted_games(games) == [] and [game.match for game in games] == [begun.match]
        await until(lambda: contest not in ContestPlayers.of(harness.arena).present)
        harness.arena.stop()
        for player in (ann, bob):
            assert (await player.ask(m.Seek("any"), m.Bye)).reason == "over"
