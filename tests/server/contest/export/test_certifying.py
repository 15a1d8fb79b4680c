"""Certificates of adjudicated games: made at the export, checked by the rules alone, and forged ones are named."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine import record
from engine.games.catalogue import GAMES
from server.contest.definition import Adjudication, Entrant
from server.contest.export import certifying
from server.contest.export.certifying import certificate_of, check_certificate
from server.contest.export.checking import verify_export
from server.contest.export.container import unpack
from server.contest.export.writing import export, signed
from server.contest.fixtures import Finished
from server.contest.formats.plan import plan
from server.contest.runtime.snapshot import take_snapshot, write_report
from server.contest.scoring.game_result import game_result
from server.contest.store.store import FILE, Store
from server.contest.store.verification import Verdict
from server.match import recovery
from server.storage.record_store import RecordStore
from tests.server.contest.export.test_proving import FIXTURE, MOVES, adjudicated
from tests.server.contest.runtime.test_verify_process import DATE, DEFINITION

PROVEN = Verdict(0, 0, ())

RESULT = Finished(FIXTURE, 7, 0, "adjudicated")

SECONDS = 1e6
"""For solving, which is over much sooner."""

ROUND = replace(
    DEFINITION, entrants=(Entrant("ann"), Entrant("bob")), adjudication=Adjudication(0, 1.0, 64), time_losses=0
)


def _record(game: str = "mnk", params: str = "3 3 3", moves: tuple[str, ...] = MOVES, winner: int = 0) -> str:
    return adjudicated(GAMES[game].start(params), FIXTURE.players, 7, moves, winner)


@pytest.mark.parametrize(
    ("game", "params", "moves", "winner"),
    [
        ("mnk", "3 3 3", MOVES, 0),
        ("mnk", "4 3 3", (), 0),
        ("gipf", "3 3 5 4", (), 0),
        ("gipf", "3 4 5 5", (), 1),
        ("arrows", "4 4", (), 0),
    ],
)
def test_a_win_in_each_game_is_certified(game: str, params: str, moves: tuple[str, ...], winner: int) -> None:
    text = _record(game, params, moves, winner)
    written = certificate_of(text, SECONDS)
    assert written is not None
    assert certificate_of(text, SECONDS) == written, "the same position has the same certificate"
    assert check_certificate(DEFINITION, RESULT._replace(winner=winner), text, written) == PROVEN
    (told,) = check_certificate(DEFINITION, RESULT._replace(winner=1 - winner), text, written).differences
    assert told == "certificates/7.txt: line 1: the winner is not the one of the game"


Lines = list[dict[str, object]]


def _head(**changed: object) -> Callable[[Lines], object]:
    return lambda lines: lines[0].update(changed)


def _move(move: str) -> Callable[[Lines], object]:
    return lambda lines: lines[1].update(move=move)


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (_head(winner="second"), "line 1: the winner is not the one of the game"),
        (_head(position=GAMES["mnk"].start("3 3 3").text()), "line 1: the position is not the one in which"),
        (_head(game="gipf"), "line 1: the position cannot be read"),
        (_head(plies=0), "the game can last 1 ply, not 0 as is claimed"),
        (_move("a1"), "the move 'a1' cannot be played"),
        (_move("c3"), "no move is given for a position that play leads to"),
        (lambda lines: lines.pop(), "no move is given for a position that play leads to"),
        (lambda lines: lines.append({"position": 1}), "line 3: "),
        (lambda lines: lines.append({**lines[1], "move": "c3"}), "line 3: the position stands in an earlier line"),
        (lambda lines: lines.clear(), "the text is empty"),
    ],
)
def test_each_kind_of_lie_is_named(forge: Callable[[Lines], object], sentence: str) -> None:
    text = _record()
    written = certificate_of(text, SECONDS)
    assert written is not None
    lines = [json.loads(line) for line in written.splitlines()]
    forge(lines)
    forged = "".join(json.dumps(line) + "\n" for line in lines).encode()
    (told,) = check_certificate(DEFINITION, RESULT, text, forged).differences
    assert told.startswith(f"certificates/7.txt: {sentence}") and "\n" not in told


def test_a_win_that_the_move_limit_forestalls_is_none() -> None:
    text = _record()
    written = certificate_of(text, SECONDS)
    assert written is not None
    (told,) = check_certificate(replace(DEFINITION, move_limit=4), RESULT, text, written).differences
    assert told == "certificates/7.txt: it takes 1 ply, and a draw by rule or limit can come before"


def test_a_draw_and_what_takes_too_much_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert certificate_of(_record(moves=()), SECONDS) is None
    text = _record()
    written = certificate_of(text, SECONDS)
    assert written is not None
    monkeypatch.setattr(certifying, "MAX_BYTES", len(written) - 1)
    assert certificate_of(text, SECONDS) is None
    (told,) = check_certificate(DEFINITION, RESULT, text, written).differences
    assert told.endswith(f"it has {len(written)} bytes, and a certificate has at most {len(written) - 1}")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a contest of four games, all adjudicated."""
    data = tmp_path_factory.mktemp("adjudicated") / "data"
    records = RecordStore(data)
    with closing(Store(data / FILE)) as store:
        contest = store.open_contest("text", ROUND, DATE)
        store.stage_began(contest, 0, DATE)
        while not (now := plan(ROUND, store.games(contest))).over:
            fixture, number = now.due[0], records.next_number()
            store.begin(contest, fixture, number)
            position = GAMES["mnk"].read(fixture.position(ROUND))
            records.import_record(number, adjudicated(position, fixture.players, number, MOVES, 0))
            text = records.read(number)
            assert text is not None
            state = recovery.read_finished_match(text)
            assert state is not None
            store.finish(contest, game_result(fixture, state, record.verify(text).gone), records.sync_record(number))
        store.close_contest(contest, DATE)
        write_report(data, contest, take_snapshot(store, contest, DATE))
    return data


def test_an_export_with_certificates_is_verified_without_solving(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = export(data, 1, SECONDS)
    assert {f"certificates/{match}.txt" for match in range(1, 5)} <= unpack(packed).keys()
    monkeypatch.setattr("server.contest.export.checking.prove_adjudication", None)
    assert verify_export(packed, prove_seconds=SECONDS).verdict == Verdict(4, 0, ())


def test_an_export_without_certificates_says_what_was_not_verified(data: Path) -> None:
    verdict = verify_export(export(data, 1)).verdict
    assert verdict.differences == ()
    assert [game.split(": ")[1] for game in verdict.unproven] == [
        "adjudicated, and there is no certificate of it; --prove solves it anew"
    ] * 4


def test_certificates_that_are_forged_or_of_no_game_are_named_although_they_are_signed(
    data: Path, tmp_path: Path
) -> None:
    files = unpack(export(data, 1, SECONDS))
    files = {name: text for name, text in files.items() if not name.startswith(("manifest", "public"))}
    files["certificates/1.txt"] = files["certificates/1.txt"].replace(b'"move":"', b'"move":"z')
    files["certificates/5.txt"] = files["certificates/2.txt"]
    stray, forged = verify_export(signed(tmp_path, "Autumn", files)).verdict.differences
    assert stray == "certificates/5.txt is of no game of the contest"
    assert forged.startswith("certificates/1.txt: the move 'z")
