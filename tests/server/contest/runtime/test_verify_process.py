"""A contest with true records is verified; whatever is changed in records, database or report is named."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.games.catalogue import GAMES
from engine.match import verification
from engine.match.clock import TimeControl
from engine.match.record import Header
from server.config.keys import signing_key
from server.contest.definition import Definition, Entrant, Format, Stage, Variant
from server.contest.fixtures import FORFEIT, Fixture, GameResult, Intervention, Kind
from server.contest.formats.meetings import Gauntlet, Ladder, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.plan import plan
from server.contest.report.structure import Verdict
from server.contest.runtime.service import take_snapshot, write_report
from server.contest.scoring import effective_results, find_disqualified, game_result
from server.contest.store.store import FILE, Store
from server.contest.store.verifier import verify
from server.contest.verification import check_forfeits, check_schedule
from server.storage.record_store import RecordStore
from tests.engine.records import Table
from tests.server.contest.played import better_wins, by_seed, contest as simulated, play

DATE = datetime(2026, 11, 22, 12, tzinfo=UTC)
CONTROL = TimeControl(10_000_000, 1_000)
DEFINITION = Definition(
    name="Autumn",
    seed=1,
    entrants=tuple(Entrant(name) for name in ("ann", "bob", "carol", "late")),
    variants=(Variant("mnk", "3 3 3", (GAMES["mnk"].start("3 3 3").text(),)),),
    stages=(Stage(RoundRobin(), CONTROL),),
    move_limit=50,
    time_losses=2,
)


def _played(fixture: Fixture, number: int) -> str:
    """Return the record of a game by chance, in which ``late`` lets its clock run out."""
    chance = random.Random(str(fixture))
    header = Header(
        number, GAMES["mnk"].read(DEFINITION.position(fixture)), fixture.players, CONTROL, 50, "test",
        "2026-11-22T12:00:00.000Z",
    )  # fmt: skip
    table = Table(header=header).ready(1, 1)
    while table.state.outcome is None:
        position = table.state.history.position
        if fixture.players[position.turn] == "late":
            return table.flag(0.05)
        table.play(chance.choice(position.legal_moves), span=chance.randrange(1, 90))
    return table.text


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a contest that is over: 12 games, 4 of them forfeited."""
    data = tmp_path_factory.mktemp("held") / "data"
    hold(data, DEFINITION, _played)
    return data


def hold(data: Path, definition: Definition, played: Callable[[Fixture, int], str]) -> None:
    """Hold a contest to its end; ``played`` makes the record of a game from its fixture and number."""
    data.mkdir(exist_ok=True)
    record_store = RecordStore(data, sign=signing_key(data).sign)
    with closing(Store(data / FILE)) as store:
        contest = store.open_contest("text", definition, DATE)
        store.stage_began(contest, 0, DATE)
        while not (now := plan(definition, store.games(contest))).over:
            for game in now.forfeited:
                store.finish(contest, game)
            for fixture in now.due[:1]:
                number = record_store.numbers.next()
                store.begin(contest, fixture, number)
                record_store.import_record(number, played(fixture, number))
                text = record_store.read(number)
                assert text is not None
                summary = verification.verify(text)
                result = game_result(fixture, summary.state)
                store.finish(contest, result, record_store.sync_record(number))
        store.close_contest(contest, DATE + timedelta(hours=1))
        write_report(data, contest, take_snapshot(store, contest, DATE))


def _text(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(data: Path) -> None:
        text = (data / name).read_text(encoding="utf-8")
        assert old in text
        (data / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _copy(number: int, to: int) -> Callable[[Path], None]:
    """Put the record of a match in the place of another one."""

    def change(data: Path) -> None:
        text = (data / "records" / f"{number}.txt").read_text(encoding="utf-8")
        text = text.replace(f"match {number}\n", f"match {to}\n")
        (data / "records" / f"{to}.txt").write_text(text, encoding="utf-8")

    return change


def _kept(change: Callable[[GameResult], GameResult], termination: str = "") -> Callable[[Path], None]:
    """Change the first result that was kept, or the first with a termination."""

    def run(data: Path) -> None:
        with closing(sqlite3.connect(data / FILE)) as connection, connection:
            for number, text in connection.execute("SELECT id, result FROM games ORDER BY id").fetchall():
                game = msgspec.json.decode(text, type=GameResult)
                if termination in ("", game.termination):
                    forged = msgspec.json.encode(change(game)).decode()
                    connection.execute("UPDATE games SET result = ? WHERE id = ?", (forged, number))
                    return
        raise AssertionError(termination)

    return run


def _field(**changes: Any) -> Callable[[Path], None]:
    return _kept(lambda game: game._replace(**changes))


def _other_winner(game: GameResult) -> GameResult:
    assert game.winner is not None
    return game._replace(winner=1 - game.winner)


def _unplayed(termination: str, detail: str) -> Callable[[Path], None]:
    """Let ann, the second player, have lost a forfeited game in another way."""

    def change(game: GameResult) -> GameResult:
        fixture = game.fixture._replace(players=("late", "ann"))
        return game._replace(termination=termination, detail=detail, winner=0, fixture=fixture)

    return _kept(change, FORFEIT)


def _delete_result(data: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as connection, connection:
        assert connection.execute("DELETE FROM games WHERE id = 1").rowcount == 1


def _pipe(data: Path) -> None:
    (data / "records" / "1.txt").unlink()
    os.mkfifo(data / "records" / "1.txt")
    os.mkfifo(data / "records" / "98.txt")


FORGERIES: list[tuple[str, Callable[[Path], None], str]] = [
    ("a record is gone", lambda data: (data / "records" / "1.txt").unlink(), "match 1: its record is missing"),
    ("a record is a pipe", _pipe, "match 1: its record is missing"),
    ("a record is untrue", _text("records/1.txt", "ready ", "redy "), "match 1: the record is not true in line "),
    ("a record is overwritten", _text("records/1.txt", "12:00:00.000Z", "12:00:01.000Z"), "the record is another one"),
    ("a record is of another game", _copy(2, 1), "match 1: the players of the record: "),
    ("a record is added", _copy(1, 99), "match 99 has a record"),
    ("another winner", _kept(_other_winner), "match 1: winner is "),
    ("another end", _field(termination="resign"), "match 1: termination is 'resign'"),
    ("another time", _kept(lambda game: game._replace(used=(5, game.used[1]))), "match 1: used is (5, "),
    ("annulled", _field(termination="server_fault"), "is 'server_fault' as kept"),
    ("never ready", _field(ready=(False, True)), "match 1: ready is (False, True) as kept"),
    ("gone", _field(gone=(False, True)), "match 1: gone is (False, True) as kept"),
    ("a result is taken away", _delete_result, "match 1 was begun, and has no result"),
    (
        "a forfeit is turned round",
        _kept(_other_winner, FORFEIT),
        "by the games before, nobody had to forfeit it",
    ),
    (
        "a game becomes a forfeit",
        _field(termination=FORFEIT, detail="ann had been disqualified"),
        "termination is 'forfeit' as kept",
    ),
    (
        "a game becomes an absence",
        _field(termination="absent", winner=0, detail="it did not come"),
        "termination is 'absent' as kept",
    ),
    (
        "an absence of a program that starts by itself",
        _unplayed("not_started", "ann is no program"),
        "ann connects by itself, and cannot be not_started",
    ),
    ("an absence in other words", _unplayed("absent", "ann overslept"), "has to be 'ann had been missing for "),
    ("a game set aside and won", _unplayed("set_aside", "the server died"), "was set aside, and somebody has won it"),
    ("another table", _text("contests/1/report.json", '"points": ', '"points": 1'), "stages[0].table[0].points is "),
    ("another page", _text("contests/1/index.html", "ann", "nna"), "index.html is not what report.json says"),
]  # fmt: skip


def test_a_contest_with_true_records_is_verified(held: Path) -> None:
    told: list[tuple[int, int]] = []
    found = verify(held, 1, lambda done, count: told.append((done, count)))
    assert found == Verdict(8, 0, ())
    assert told[0] == (0, 8) and told[-1] == (8, 8)
    with closing(Store(held / FILE, copy=True)) as store:
        assert set(find_disqualified(DEFINITION, store.games(1))) == {"late"}


ALIKE = ("another time", "annulled", "gone", "a game becomes a forfeit", "a game becomes an absence")
"""Forgeries that differ from another one in the field or in the end of the game."""


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        pytest.param(*rest, id=name, marks=[pytest.mark.slow, pytest.mark.thorough] * (name in ALIKE))
        for name, *rest in FORGERIES
    ],
)
def test_each_forgery_is_named(held: Path, tmp_path: Path, forge: Callable[[Path], None], sentence: str) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    forge(data)
    found = verify(data, 1)
    assert any(sentence in difference for difference in found.differences), found.differences
    assert found.sentence.startswith("NOT verified: ")


def test_the_record_of_a_game_that_was_annulled_by_the_organiser_is_held_against_nothing(
    held: Path, tmp_path: Path
) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    (data / "records" / "3.txt").write_text("nothing true\n", encoding="utf-8")
    assert any(difference.startswith("match 3: ") for difference in verify(data, 1).differences)
    with closing(Store(data / FILE)) as store:
        store.intervene(1, lambda number: Intervention(number, DATE, Kind.REPLAY, match=3))
    found = verify(data, 1)
    assert (found.games, found.annulled) == (7, 1)
    assert not any("match 3" in difference for difference in found.differences)


_PAUSE = [Intervention(1, DATE, Kind.PAUSE), Intervention(2, DATE, Kind.RESUME)]
_COMMAND = [Intervention(1, DATE, Kind.COMMAND, "ann", command=("bot",))]
_REPLAY = [Intervention(1, DATE, Kind.REPLAY, match=3)]


@pytest.mark.parametrize("interventions", [[], _PAUSE, _COMMAND, _REPLAY], ids=["none", "pause", "command", "replay"])
@pytest.mark.parametrize("known", [0, pytest.param(1, marks=(pytest.mark.slow, pytest.mark.thorough))])
def test_a_true_game_that_is_not_in_the_schedule_is_named_whatever_the_organiser_has_done(
    held: Path, tmp_path: Path, interventions: list[Intervention], known: int
) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    with closing(Store(data / FILE)) as store:
        made = iter(interventions)
        for _ in interventions:
            store.intervene(1, lambda _: next(made))
        twice = next(game.fixture for game in store.results(1) if game.match == 1)
        for number, fixture in ((99, Fixture(0, 1, 0, 7, 0, ("ann", "bob"))), (98, twice)):
            RecordStore(data).import_record(number, _played(fixture, number))
            result = game_result(fixture, verification.verify(_played(fixture, number)).state)
            store.finish(1, result._replace(interventions=min(known, len(interventions))))
    found = verify(data, 1).differences
    assert [difference for difference in found if difference.startswith(("match 98, ", "match 99, "))] == snapshot(
        [
            "match 99, ann against bob: there is no such game in the contest",
            "match 98, ann against late: this game has another result already",
        ]
    )


_FORMATS = (RoundRobin(), Gauntlet(("ann",)), Swiss(3), Knockout(tie_breaks=1, control=CONTROL), Ladder(1))


@pytest.mark.parametrize("format", _FORMATS, ids=[type(format).__name__ for format in _FORMATS])
def test_a_contest_that_is_cancelled_before_its_first_game_is_verified(tmp_path: Path, format: Format) -> None:
    definition = replace(DEFINITION, stages=(Stage(format, CONTROL),))
    with closing(Store(tmp_path / FILE)) as store:
        contest = store.open_contest("text", definition, DATE)
        store.intervene(contest, lambda number: Intervention(number, DATE, Kind.CANCEL))
        store.close_contest(contest, DATE, 1)
        write_report(tmp_path, contest, take_snapshot(store, contest, DATE))
    (tmp_path / "records").mkdir()
    found = verify(tmp_path, contest)
    assert found == Verdict(0, 0, ())


def test_what_was_found_is_said_in_a_sentence() -> None:
    assert Verdict(8, 1, ()).sentence == snapshot(
        "verified: 8 games; 1 did not take place, by the kept results alone: no record shows it"
    )
    assert Verdict(1, 0, ("a sentence",)).sentence == snapshot("NOT verified: 1 difference in 1 game")


@pytest.mark.slow
@pytest.mark.thorough
def test_other_processes_find_the_same(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    (data / "records" / "3.txt").unlink()
    assert verify(data, 1, processes=1) == verify(data, 1, processes=0)


@pytest.mark.slow
def test_what_rests_on_the_kept_results_alone_is_said_plainly(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    _unplayed("absent", f"ann had been missing for {DEFINITION.patience} seconds")(data)
    found = verify(data, 1, processes=0)
    (line,) = found.unproven
    assert line == snapshot(
        "late against ann in round 2: absent, by the kept results alone: ann had been missing for 600 seconds"
    )
    assert found.trusted == 1
    assert not [sentence for sentence in found.differences if "missing for" in sentence]


@given(st.integers(0, 10**6))
def test_no_contest_that_went_by_its_rules_differs(seed: int) -> None:
    """Results come from a seed; forfeits, and what was paired, have to follow from them."""
    formats = (RoundRobin(), Swiss(2), Knockout(tie_breaks=1, control=CONTROL))
    definition = simulated(4, *formats, advance=3, time_losses=2, seed=seed)
    games = play(definition, by_seed(seed, late=0.6, slow="a2"), random.Random(seed), at_once=3)
    games = [game if game.match is None else game._replace(match=number) for number, game in enumerate(games)]
    stands = plan(definition, games)
    assert check_forfeits(definition, games) == []
    assert check_schedule(definition, games, stands, closed=True) == []
    without = [game for game in games if game.fixture != games[0].fixture]
    assert check_schedule(definition, without, plan(definition, without), closed=True)


def test_an_intervention_excuses_no_game_that_began_after_it() -> None:
    """The replay of a game of the first round changes the pairings of the second round."""
    definition = simulated(4, Swiss(2))
    first = plan(definition, []).due
    games = [better_wins(fixture)._replace(match=number, winner=0) for number, fixture in enumerate(first, 1)]
    before = plan(definition, games).due[0]
    changed = replace(definition, interventions=(Intervention(1, DATE, Kind.REPLAY, match=1, stage=0, round=1),))
    games.append(_other_winner(games[0])._replace(match=9, interventions=1))
    for known in (0, 1):
        forged = [*games, better_wins(before)._replace(match=99, interventions=known)]
        found = check_schedule(changed, forged, plan(changed, effective_results(changed, forged)), closed=False)
        assert found == [f"match 99, {' against '.join(before.players)}: there is no such game in the contest"]
