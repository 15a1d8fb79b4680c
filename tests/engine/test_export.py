"""Records as training data: what stands in each row, and files and what is wrong with them."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from inline_snapshot import snapshot

from engine.cli import run
from engine.commands import record
from engine.commands.record import examples
from engine.games.catalogue import GAMES
from engine.match import verification
from engine.match.encoding import encoding_of
from engine.wire.fields import Note
from tests.engine.records import records

RECORDS = records()


def exported(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, list[str]]:
    """Run the command; return its status, what it writes to standard output, and the lines that it says."""
    status = run(["export", *map(str, arguments)])
    shown = capsys.readouterr()
    return status, shown.out, shown.err.splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory with a record of each kind."""
    for number, text in enumerate(RECORDS.values(), 1):
        path = tmp_path / "records" / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("kind", RECORDS)
def test_rows_agree_with_the_record(kind: str) -> None:
    summary = verification.verify(RECORDS[kind])
    rows = [SimpleNamespace(**row) for row in examples(summary)]
    assert [row.move for row in rows] == list(summary.history.moves)
    game, header = summary.header.position.game, summary.header
    encoding = encoding_of(game.name, header.position.parameters)
    assert encoding.size and [row.ply for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        position = GAMES[row.game].read(row.position)
        assert row.legal_moves == tuple(child.move for child in position.children())
        assert row.legal_actions == tuple(encoding.actions(position, move) for move in row.legal_moves)
        assert row.actions == row.legal_actions[row.legal_moves.index(row.move)]
        assert row.side == game.sides[position.turn]
        assert (row.player, row.opponent) == (header.players[position.turn], header.players[1 - position.turn])
        winner = {header.players[0]: game.sides[0], header.players[1]: game.sides[1]}.get(row.player) == summary.result
        right = float(winner) if summary.winner is not None else 0.5 if summary.result == "draw" else None
        assert (row.result, row.reason) == (right, summary.reason)
    own: dict[str, SimpleNamespace] = {}
    for row in rows:
        if row.side in own:
            before = own[row.side]
            assert row.left_ms == pytest.approx(before.left_ms - before.used_ms + header.control.increment / 1000)
        own[row.side] = row


def test_a_row_as_it_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "won.txt"
    file.write_text(RECORDS["won on the board"], encoding="utf-8")
    status, out, said = exported(capsys, file)
    assert (status, said) == (0, ["5 moves of 1 match"])
    assert json.loads(out.splitlines()[-1]) == {
        "match": 17,
        "game": "mnk",
        "parameters": "3 3 3",
        "started": "2026-11-20T20:15:00.000Z",
        "ply": 5,
        "plies": 5,
        "side": "first",
        "player": "alice",
        "opponent": "bob",
        "position": "3 3 3 1\n0 0 0\n1 2 0\n1 2 0\n",
        "legal_moves": ["a3", "b3", "c3", "c2", "c1"],
        "legal_actions": [[0], [1], [2], [5], [8]],
        "move": "a3",
        "actions": [0],
        "result": 1.0,
        "reason": "line",
        "left_ms": 19056.5,
        "opponent_left_ms": 19068.75,
        "used_ms": 700.375,
        "notes": [],
    }


def test_notes_stand_with_the_moves_that_they_are_about() -> None:
    summary = verification.verify(RECORDS["notes"])
    rows = [SimpleNamespace(**row) for row in examples(summary)]
    for ply, row in enumerate(rows, 1):
        said = [recorded.note for recorded in summary.state.notes if recorded.ply == ply]
        assert [Note(**{"ply": note.ply, **columns}) for note, columns in zip(said, row.notes, strict=True)] == said
    assert [note["text"] for note in rows[0].notes] == ["two in a line", "that was well"]


def test_records_files_folders_and_data_directories(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = exported(capsys, folder)
    moves = sum(verification.verify(text).history.plies for text in RECORDS.values())
    assert (whole[0], whole[2]) == (0, [f"{moves} moves of {len(RECORDS)} matches"])
    assert whole == exported(capsys, folder / "records")
    files = [folder / "records" / f"{number}.txt" for number in range(1, len(RECORDS) + 1)]
    assert whole == exported(capsys, *files)
    assert exported(capsys, folder, "--output", folder / "all.ndjson") == (0, "", whole[2])
    assert (folder / "all.ndjson").read_text(encoding="utf-8") == whole[1]
    assert sorted(path.name for path in folder.iterdir()) == ["all.ndjson", "records"]


def test_what_is_no_record_is_named_and_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = folder / "records" / "2.txt"
    moves = verification.verify(bad.read_text(encoding="utf-8")).history.plies
    whole = exported(capsys, folder)[1].count("\n")
    bad.write_text("arena-record 9\n", encoding="utf-8")
    status, _, said = exported(capsys, folder, "--output", folder / "rest")
    assert (status, [line.replace(str(bad), "FILE") for line in said]) == snapshot(
        (
            2,
            [
                "FILE: line 1: this program reads version 1 of the format; left out",
                "57 moves of 22 matches",
                "arena-engine: 1 of 23 records left out",
            ],
        )
    )
    assert (folder / "rest").read_text(encoding="utf-8").count("\n") == whole - moves


def test_a_record_whose_moves_are_too_many_to_list_is_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_many(_summary: object) -> Any:
        raise OverflowError("the push a1-b2 has more than 4096 final positions")

    monkeypatch.setattr(record, "examples", too_many)
    status, out, said = exported(capsys, folder / "records" / "1.txt")
    assert (status, out) == (2, "")
    assert said[0].removeprefix(str(folder)) == snapshot(
        "/records/1.txt: the push a1-b2 has more than 4096 final positions; left out"
    )


def test_what_cannot_be_done_is_said_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty").mkdir()
    (folder / "there").write_text("mine")
    wrong: list[tuple[list[object], str]] = [
        ([], "RECORDS: name at least one record, a folder of records, or -"),
        ([folder / "no"], f"{folder / 'no'}: there is no such file or folder"),
        (
            [folder / "empty"],
            f"{folder / 'empty'}: there is no record in this folder; records are called NUMBER.txt",
        ),
        (
            [folder, "--output", folder / "there"],
            f"--output {folder / 'there'}: cannot be written: it exists already, and is left as it is: choose "
            "another name, or remove it",
        ),
        (
            [folder, "--output", folder / "no" / "file"],
            f"--output {folder / 'no' / 'file'}: cannot be written: No such file or directory",
        ),
    ]
    for arguments, sentence in wrong:
        assert exported(capsys, *arguments) == (2, "", [f"arena-engine: {sentence}"])
    assert (folder / "there").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == ["empty", "records", "there"]
