"""The file of a match's results."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.commands.program import Rejected
from engine.duel.game_file import BadGames
from server.commands.match.run import opened_results
from server.commands.match.setup import Setting
from server.commands.match.tally import PlayedGame
from tests.server.commands.match.made import game, setup

SETTING = setup().setting


def resumed(path: Path, setting: Setting = SETTING, games: int = 8) -> list[PlayedGame]:
    with opened_results(path) as file:
        return file.resume(setting, games)


def kept(path: Path, *games: PlayedGame) -> None:
    with opened_results(path) as file:
        file.resume(SETTING, 8)
        for each in games:
            file.keep(each)


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(2, "ann"), game(1, None))
    kept(path, game(3, "bob", "crashed"))
    assert resumed(path) == [game(2, "ann"), game(1, None), game(3, "bob", "crashed")]
    assert resumed(path, games=2) == [game(2, "ann"), game(1, None)], "of a shorter match"


def test_without_a_file_nothing_is_kept() -> None:
    with opened_results(None) as file:
        assert file.resume(SETTING, 8) == []
        file.keep(game(1, "ann"))


def test_half_a_line_is_cut_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(1, "ann"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[1][:30])
    assert resumed(path) == [game(1, "ann")]
    assert "that game is played again" in capsys.readouterr().err
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (replace(SETTING, budget=7), "budget is 1000 there, and 7 here"),
        (replace(SETTING, variants=("4 4 4",)), "variants is 3 3 3 there, and 4 4 4 here"),
        (replace(SETTING, openings="2 plies, seed 2"), "openings is 2 plies, seed 1 there, and 2 plies, seed 2 here"),
        (
            replace(SETTING, players=SETTING.players[::-1]),
            "its players are ann, bob, and here bob, ann",
        ),
        (
            replace(SETTING, players=(replace(SETTING.players[0], digest="1" * 64), SETTING.players[1])),
            "ann has changed since",
        ),
        (
            replace(SETTING, players=(SETTING.players[0], replace(SETTING.players[1], command="./b"))),
            "bob is './bob' there, and './b' here",
        ),
    ],
)
def test_the_file_of_another_match_is_refused_and_left_as_it_is(
    tmp_path: Path, changed: Setting, sentence: str
) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(1, "ann"))
    before = path.read_bytes()
    with pytest.raises(BadGames) as caught:
        resumed(path, changed)
    assert sentence in str(caught.value) and "this file holds another match" in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"half", "line 1: this is no setting of a match: it has no end"),
        (b"no json\n", "line 1: this is no setting of a match"),
        (b"SETTING{}\n", "line 2: this is no game of a match"),
        (b"SETTINGGAMEGAME", "line 3: the game of a match with the number 1 stands there twice"),
    ],
)
def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "results.jsonl"
    kept(path, game(1, "ann"))
    setting, one = path.read_bytes().splitlines(keepends=True)
    content = content.replace(b"SETTING", setting).replace(b"GAME", one)
    path.write_bytes(content)
    with pytest.raises(BadGames) as caught:
        resumed(path)
    assert sentence in str(caught.value)
    assert path.read_bytes() == content


def test_two_matches_cannot_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with opened_results(path), pytest.raises(Rejected, match="another match is writing to it"), opened_results(path):
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
