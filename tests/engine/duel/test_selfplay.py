"""Games of the engine with itself, tables from their scores, and the commands for both."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine import cli
from engine.commands import duel
from engine.commands.game_file import line_of
from engine.duel import training
from engine.duel.games import weigher
from engine.duel.training import (
    FACTORS,
    MAX_LOGITS,
    MIN_OPENING_PLIES,
    Samples,
    ScoredGame,
    SelfplaySettings,
    collect_samples,
    divergence,
    fit,
    play,
    scored_positions,
)
from engine.games.catalogue import GAMES
from engine.games.interface import EVALUATION_LIMIT, UNDECIDED
from engine.search.capabilities import LOGIT
from engine.search.memory import MAX_CHILDREN

PARAMETERS = "3 3 7 7"
COMMAND = ["--params", PARAMETERS, "--nodes", "60", "--seed", "5"]


def setting(random: int = 20, game: str = "gipf", parameters: str = PARAMETERS) -> SelfplaySettings:
    start = GAMES[game].start(parameters)
    return SelfplaySettings(game, start.parameters, start.kernel().rules.label, 3, 60, random)


def selfplay(*arguments: str) -> int:
    return cli.run(["selfplay", *arguments, *COMMAND])


@pytest.mark.slow("interpreted")
def test_a_game_is_what_its_moves_say() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    proven = 0
    for number in (0, 1, 3, 5, 7, 8, 11):  # short games
        game = play(kernel, setting(), number)
        assert number > 1 or game == play(kernel, setting(), number)
        assert game.number == number
        assert min(MIN_OPENING_PLIES, len(game.moves)) <= game.opening <= len(game.moves)
        states = [state for state, _ in scored_positions(kernel, game)]
        assert len(states) == len(game.scores) >= len(game.moves) - game.opening
        assert all(before.side != after.side for before, after in pairwise(states))
        assert all(kernel.rules.verdict(state) == UNDECIDED for state in states)
        assert all(abs(score) <= EVALUATION_LIMIT for score in game.scores[:-1])
        proven += abs(game.scores[-1]) > EVALUATION_LIMIT if game.scores else 0
    assert proven == 2


@pytest.mark.slow("interpreted")
def test_games_differ_and_only_random_moves_are_random() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    assert len({play(kernel, setting(), number).moves for number in range(4)}) == 4
    several, none = (play(kernel, setting(random), 4) for random in (100, 0))
    assert several.opening == none.opening and several.moves[: none.opening] == none.moves[: none.opening]
    assert several.moves != none.moves


def test_other_games_have_them_too() -> None:
    kernel = GAMES["mnk"].start("3 3 3").kernel()
    game = play(kernel, setting(game="mnk", parameters="3 3 3"), 0)
    assert len(list(scored_positions(kernel, game))) == len(game.scores) > 0


def test_a_move_that_is_none_is_refused() -> None:
    kernel = GAMES["gipf"].start(PARAMETERS).kernel()
    children = kernel.rules.children(kernel.state, kernel.arena(MAX_CHILDREN), 0)
    assert len(list(scored_positions(kernel, ScoredGame(7, 1, (children - 1,), (0,))))) == 1
    with raises(snapshot("ValueError: game 7 has no move 18 at ply 0")):
        list(scored_positions(kernel, ScoredGame(7, 1, (children,), (0,))))
    with raises(snapshot("ValueError: game 7 has no move -1 at ply 0")):
        list(scored_positions(kernel, ScoredGame(7, 1, (-1,), (0,))))


# The command


@pytest.mark.slow("interpreted")
def test_the_same_command_gives_the_same_file_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert selfplay(str(whole), "--games", "6") == 0
    assert capsys.readouterr().out == snapshot("6 games, 6 of them new, with 29 positions\n")
    assert selfplay(str(parts), "--games", "2") == 0
    with parts.open("ab") as file:
        file.write(b'{"number":2,"ope')  # as a kill leaves it
    assert selfplay(str(parts), "--games", "6") == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert selfplay(str(parts), "--games", "3") == 0
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == ["2", "4", "0"]
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.slow("interpreted")
def test_any_number_of_processes_gives_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "CHUNK", 1)
    one, two = tmp_path / "one", tmp_path / "two"
    assert selfplay(str(one), "--games", "3") == 0
    assert selfplay(str(two), "--games", "3", "--jobs", "2") == 0
    assert one.read_bytes() == two.read_bytes()


PATTERNS, ARENA_PLACES = 12, 4


def made_up(count: int = 3000, seed: int = 1) -> Samples:
    """Return positions that a model explains wholly: weights of patterns, and one pair of them that counts beside."""
    chance = numpy.random.default_rng(seed)
    entries = chance.integers(0, PATTERNS, (count, ARENA_PLACES)).astype(numpy.int32)
    weights = numpy.linspace(-1, 1, PATTERNS)
    pair = (entries == 0).sum(axis=1) * (entries == 1).sum(axis=1)
    logits = weights[entries].sum(axis=1) + 2 * pair
    return Samples(entries, 1 / (1 + numpy.exp(-logits)), numpy.arange(count) % 10 == 0)


@pytest.mark.slow("interpreted")
def test_weights_and_pairs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "EPOCHS", 4)
    told: list[tuple[int, float]] = []
    samples = made_up()
    numbers = fit(samples, PATTERNS + 1, report=lambda epoch, loss: told.append((epoch, loss)))
    assert [epoch for epoch, _ in told] == [1, 2, 3, 4]
    assert told[-1][1] < told[0][1] / 2
    targets = samples.targets[samples.held]
    assert (
        told[-1][1]
        < divergence(numpy.full(len(targets), math.log(targets.mean() / (1 - targets.mean()))), targets) / 20
    )
    # the value of the pair is twice the product of the factors
    products = [2 * (-1) ** part * numbers[0, part + 1] * numbers[1, part + 1] for part in range(FACTORS)]
    assert sum(products) == pytest.approx(2, abs=0.5)
    assert (numbers[PATTERNS] == 0).all()  # was never seen
    assert numbers.shape == (PATTERNS + 1, 1 + FACTORS)


def test_the_same_samples_and_seed_give_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "EPOCHS", 1)
    first, again, other = (fit(made_up(300), PATTERNS, seed) for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


def test_scores_are_probabilities_for_the_side_to_move() -> None:
    kernel = GAMES["gipf"].start("3 3 9 9").kernel(compile=False)
    games = [ScoredGame(0, 0, (0, 0), (0, 150, 10**7)), ScoredGame(1, 1, (1, 2), (-150,))]
    seen: list[int] = []

    def entries(states: object) -> numpy.ndarray[tuple[int], numpy.dtype[numpy.int64]]:
        assert isinstance(states, list)
        seen.extend(state.side for state in states)
        return numpy.zeros(len(states), dtype=numpy.int64)

    samples = collect_samples(games, kernel, entries)
    assert seen == [0, 1, 0, 1]
    most = 1 / (1 + math.exp(-MAX_LOGITS))
    unit = 1 / (1 + math.exp(-150 / LOGIT))
    assert samples.targets == pytest.approx([0.5, unit, most, 1 - unit])
    assert samples.held.tolist() == [True, True, True, False]


def test_too_few_games_are_refused() -> None:
    samples = made_up(20)
    for held in (True, False):
        with raises(snapshot("ValueError: these games are too few: training and validation need games of their own")):
            fit(samples._replace(held=numpy.full(20, held)), PATTERNS)


# The command


def selfplay_file(folder: Path) -> Path:
    file = folder / "games.jsonl"
    assert cli.run(["selfplay", str(file), "--params", "3 3 9 9", "--games", "12", "--nodes", "60"]) == 0
    return file


@pytest.mark.slow("interpreted")
def test_the_command_prints_tables_that_positions_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "EPOCHS", 2)
    file = selfplay_file(tmp_path)
    printed = []
    for _ in range(2):
        capsys.readouterr()
        assert cli.run(["train", str(file)]) == 0
        captured = capsys.readouterr()
        printed.append(captured.out)
        assert "positions of 12 games" in captured.err and "epoch 2: divergence 0." in captured.err
    assert printed[0] == printed[1]
    start = GAMES["gipf"].start("3 3 9 9")
    kernel = weigher(start, json.loads(printed[0]))(start.kernel(compile=False))
    assert kernel.rules.evaluate(kernel.state) != start.kernel(compile=False).rules.evaluate(kernel.state)
    capsys.readouterr()
    assert cli.run(["train", str(file), "--seed", "2"]) == 0
    assert capsys.readouterr().out != printed[0]


def test_files_that_tell_nothing_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*files: str) -> str:
        assert cli.run(["train", *files]) == 2
        return capsys.readouterr().err.splitlines()[-1].replace(str(tmp_path), "FOLDER")

    def file(name: str, game: str, parameters: str, *games: ScoredGame) -> str:
        setting = SelfplaySettings(game, parameters, "", 1, 1, 1)
        (tmp_path / name).write_bytes(b"".join([line_of(setting), *map(line_of, games)]))
        return str(tmp_path / name)

    small = file("small", "gipf", "3 3 9 9", ScoredGame(0, 0, (0,), (1, 2)))
    (tmp_path / "bad").write_bytes(b"no\n")
    wrong = [
        (),
        (str(tmp_path / "none"),),
        (str(tmp_path / "bad"), small),
        (small, file("other", "gipf", "4 4 15 15")),
        (file("mnk", "mnk", "3 3 3"),),
        (file("wide", "gipf", "6 4 25 25"),),
        (small,),
        (file("empty", "gipf", "3 3 9 9"),),
        (file("move", "gipf", "3 3 9 9", ScoredGame(0, 0, (999,), (1,))),),
    ]
    assert [refused(*files) for files in wrong] == snapshot(
        [
            "arena-engine: FILES: name at least one file of arena-engine selfplay",
            "arena-engine: FOLDER/none: cannot be read: No such file or directory",
            "arena-engine: FOLDER/bad: line 1: this is no setting of a self-play: Input data was truncated",
            "arena-engine: FILES: these are games of several variants: gipf 3 3 9 9, gipf 4 4 15 15",
            "arena-engine: FOLDER/mnk: m,n,k 3 3 3 has no patterns to train",
            "arena-engine: FOLDER/wide: GIPF 6 4 25 25 has no patterns to train",
            "arena-engine: FOLDER/small: these games are too few: training and validation need games of their own",
            "arena-engine: FOLDER/empty: these games have no scores",
            "arena-engine: FOLDER/move: game 0 has no move 999 at ply 0",
        ]
    )
