"""The file of a match's results."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.commands.game_file import GameFile, opened_to_append
from engine.commands.program import Rejected
from server.commands.match.run import FILE
from server.commands.match.setup import Setting
from server.commands.match.tally import PlayedGame
from tests.server.commands.match.made import game, setup

SETTING = setup().setting


def opened(path: Path | None) -> AbstractContextManager[GameFile[Setting, PlayedGame]]:
    return opened_to_append(path, f"--results {path}", FILE)


def resumed(path: Path, setting: Setting = SETTING) -> list[PlayedGame]:
    with opened(path) as file:
        return file.resume(setting)


def kept(path: Path, *games: PlayedGame) -> None:
    with opened(path) as file:
        file.resume(SETTING)
        for each in games:
            file.keep(each)


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(2, "ann"), game(1, None))
    kept(path, game(3, "bob", "crashed"))
    assert resumed(path) == [game(2, "ann"), game(1, None), game(3, "bob", "crashed")]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (replace(SETTING, budget=7), "budget is 1000 there, and 7 here"),
        (replace(SETTING, variants=("4 4 4",)), "variants is 3 3 3 there, and 4 4 4 here"),
        (replace(SETTING, openings="2 plies, seed 2"), "openings is 2 plies, seed 1 there, and 2 plies, seed 2 here"),
        (
            replace(SETTING, players=SETTING.players[::-1]),
            "ann name is ann there, and bob here",
        ),
        (
            replace(SETTING, players=(replace(SETTING.players[0], digest="1" * 64), SETTING.players[1])),
            "ann has changed since",
        ),
        (
            replace(SETTING, players=(SETTING.players[0], replace(SETTING.players[1], command="./b"))),
            "bob command is ./bob there, and ./b here",
        ),
    ],
)
def test_the_file_of_another_match_is_refused_and_left_as_it_is(
    tmp_path: Path, changed: Setting, sentence: str
) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(1, "ann"))
    before = path.read_bytes()
    with pytest.raises(Rejected) as caught:
        resumed(path, changed)
    assert sentence in str(caught.value) and "this file holds another match" in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"half", "line 1: this is no setting of a match: it has no end"),
        (b"no json\n", "line 1: this is no setting of a match"),
        (b"SETTING{}\n", "line 2: this is no game of a match"),
        (b"SETTINGGAMEGAME", "line 3: the game 1 stands there twice"),
    ],
)
def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(1, "ann"))
    setting, one = path.read_bytes().splitlines(keepends=True)
    content = content.replace(b"SETTING", setting).replace(b"GAME", one)
    path.write_bytes(content)
    with pytest.raises(Rejected) as caught:
        resumed(path)
    assert sentence in str(caught.value)
    assert path.read_bytes() == content


def test_two_matches_cannot_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with opened(path), pytest.raises(Rejected, match="another match is writing to it"), opened(path):
        pass


def test_a_file_that_was_cut_anywhere_loses_no_more_than_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    games = [game(1, "ann"), game(2, "bob", "crashed")]
    kept(path, *games)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole) + 1):
        path.write_bytes(whole[:length])
        assert resumed(path) == games[: whole[first:length].count(b"\n")]
        assert path.read_bytes() == whole[: whole.rfind(b"\n", 0, length) + 1]
