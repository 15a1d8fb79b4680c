"""Games of the engine with itself: what is kept of them, and the command that plays them."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine import cli
from engine.commands.game_file import BadGames, line_of
from engine.commands.training import FILE, in_order
from engine.duel.selfplay import LEAST_OPENING, ScoredGame, Setting, play, scored
from engine.games.catalogue import GAMES
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED
from engine.search.memory import ROOM

PARAMETERS = "3 3 7 7"
COMMAND = ["--params", PARAMETERS, "--nodes", "60", "--seed", "5"]


def setting(random: int = 20, game: str = "gipf", parameters: str = PARAMETERS) -> Setting:
    start = GAMES[game].start(parameters)
    return Setting(game, start.parameters, start.kernel().rules.label, 3, 60, random)


def selfplay(*arguments: str) -> int:
    return cli.run(["selfplay", *arguments, *COMMAND])


@pytest.mark.slow("interpreted")
def test_a_game_is_what_its_moves_say() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    proven = 0
    for number in range(12):
        game = play(kernel, setting(), number)
        assert game == play(kernel, setting(), number)
        assert game.number == number
        assert min(LEAST_OPENING, len(game.moves)) <= game.opening <= len(game.moves)
        states = [state for state, _ in scored(kernel, game)]
        assert len(states) == len(game.scores) >= len(game.moves) - game.opening
        assert all(before.side != after.side for before, after in pairwise(states))
        assert all(kernel.rules.verdict(state) == UNDECIDED for state in states)
        assert all(abs(score) <= EVALUATION_LIMIT for score in game.scores[:-1])
        proven += abs(game.scores[-1]) > EVALUATION_LIMIT if game.scores else 0
    assert proven >= 2


@pytest.mark.slow("interpreted")
def test_games_differ_and_only_random_moves_are_random() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    assert len({play(kernel, setting(), number).moves for number in range(8)}) == 8
    several, none = (play(kernel, setting(random), 4) for random in (100, 0))
    assert several.opening == none.opening and several.moves[: none.opening] == none.moves[: none.opening]
    assert several.moves != none.moves


def test_other_games_have_them_too() -> None:
    kernel = GAMES["mnk"].start("3 3 3").kernel()
    game = play(kernel, setting(game="mnk", parameters="3 3 3"), 0)
    assert len(list(scored(kernel, game))) == len(game.scores) > 0


def test_a_move_that_is_none_is_refused() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    children = kernel.rules.children(kernel.state, kernel.arena(ROOM), 0)
    for move in (-1, children):
        with pytest.raises(ValueError, match=f"game 7 has no move {move} at ply 0"):
            list(scored(kernel, ScoredGame(7, 1, (move,), (0,))))


def test_games_that_are_not_in_order_are_refused() -> None:
    content = line_of(setting()) + line_of(ScoredGame(1, 0, (), ()))
    with pytest.raises(BadGames, match="line 2: this is game 1, but 0 should stand here"):
        in_order(FILE.games_of(content))


# The command


def test_the_same_command_gives_the_same_file_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert selfplay(str(whole), "--games", "6") == 0
    assert capsys.readouterr().out.startswith("6 games, 6 of them new, with ")
    assert selfplay(str(parts), "--games", "2") == 0
    with parts.open("ab") as file:
        file.write(b'{"number":2,"ope')  # as a kill leaves it
    assert selfplay(str(parts), "--games", "6") == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert selfplay(str(parts), "--games", "3") == 0
    assert capsys.readouterr().out.endswith("6 games, 0 of them new, with 0 positions\n")
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same_file(tmp_path: Path) -> None:
    one, three = tmp_path / "one", tmp_path / "three"
    assert selfplay(str(one), "--games", "45") == 0
    assert selfplay(str(three), "--games", "45", "--jobs", "3") == 0
    assert one.read_bytes() == three.read_bytes()


def test_other_games_are_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games"
    assert selfplay(str(file), "--games", "1") == 0
    before = file.read_bytes()
    for options, sentence in (
        ([*COMMAND, "--random", "21"], "random is 20 there, and 21 here. Name another file, or ask for the same"),
        (["--game", "mnk"], "game is gipf there, and mnk here; parameters "),
    ):
        assert cli.run(["selfplay", str(file), "--games", "1", *options]) == 2
        error = capsys.readouterr().err
        assert "this file holds another self-play: " in error and sentence in error
    assert before.count(b"\n") == 2
