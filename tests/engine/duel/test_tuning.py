"""Weights from games: the regression on made-up positions, what is taken of a game, and the command."""

import json
import lzma
from pathlib import Path
from random import Random

import msgspec
import numpy
import pytest

from engine import cli
from engine.duel.game_file import line_of
from engine.duel.games import Game, Pair, Use
from engine.duel.results import FORMAT, Contender, Setting
from engine.duel.tuning import HELD_OUT, Samples, fit, quiet_positions, samples_of
from engine.duel.weights import weighed
from engine.games.catalogue import GAMES
from engine.games.gipf.evaluation import WEIGHTS, Weights
from engine.games.gipf.kernel import features
from engine.games.gipf.rules import State
from engine.games.interface import Position

GIPF = GAMES["gipf"]
SMALL = "3 3 9 9"

TRUE = (100, 30, -20, 0)
"""The weights by which made-up games are decided, at 0.8 logits for 100."""


def made_up(seed: int, pairs: int = 400, positions: int = 25) -> Samples:
    """Return positions of games that are decided as the model says."""
    chance = numpy.random.default_rng(seed)
    count = pairs * positions
    ahead = chance.integers(-3, 4, (count, len(TRUE))).astype(float)
    odds = 1 / (1 + numpy.exp(-ahead @ TRUE * 0.008))
    return Samples(ahead, (chance.random(count) < odds).astype(float), numpy.arange(count) // positions)


# The regression


def test_weights_are_found_within_their_errors() -> None:
    deviations = []
    for seed in range(12):
        found = fit(made_up(seed), (100, -10, 5, 40))
        assert found.weights[0] == pytest.approx(100)
        assert found.errors[0] == pytest.approx(0, abs=1e-6)
        assert found.loss_after < found.loss_before
        deviations += [(w - t) / e for w, t, e in zip(found.weights[1:], TRUE[1:], found.errors[1:], strict=True)]
    assert all(abs(deviation) < 4 for deviation in deviations)
    assert 0.6 < numpy.std(deviations) < 1.5  # the errors are neither too small nor too large


def test_the_unit_is_the_first_weight_as_it_was() -> None:
    one, ten = fit(made_up(1), (100, 30, -20, 0)), fit(made_up(1), (1000, 300, -200, 0))
    assert ten.weights == pytest.approx([10 * weight for weight in one.weights], rel=0.01, abs=1)


def test_a_feature_that_never_occurs_keeps_its_weight() -> None:
    samples = made_up(2)
    samples.features[:, 3] = 0
    assert fit(samples, (100, 30, -20, 77)).weights[3] == pytest.approx(77, rel=0.05)


def test_positions_of_a_pair_that_are_alike_do_not_make_it_surer() -> None:
    samples = made_up(3)
    once = fit(samples, TRUE)
    often = fit(Samples(*(numpy.concatenate([column] * 9) for column in samples)), TRUE)
    assert often.weights == pytest.approx(once.weights, abs=1)
    assert often.errors == pytest.approx(once.errors, rel=0.05, abs=1e-6)


def test_games_that_tell_nothing_are_refused() -> None:
    samples = made_up(4)
    with pytest.raises(ValueError, match=f"fewer than {2 * HELD_OUT} pairs"):
        fit(made_up(4, pairs=2 * HELD_OUT - 1), TRUE)
    with pytest.raises(ValueError, match="all worth the same"):
        fit(samples._replace(features=samples.features * 0), TRUE)
    with pytest.raises(ValueError, match="the side that stands better loses"):
        fit(samples._replace(results=1 - samples.results), TRUE)
    with pytest.raises(ValueError, match="the first feature does not favour"):
        fit(samples._replace(features=samples.features * (-1, 1, 1, 1)), (1, 30, -20, 0))


# What is taken of a game


def random_game(seed: int, first: int) -> Game:
    """Play at random; who has no move has lost."""
    chance = Random(seed)
    position: Position = GIPF.start(SMALL)
    played: list[str] = []
    while (outcome := position.verdict()) is None and len(played) < 300:
        move, position = chance.choice(list(position.successors()))
        played.append(move)
    winner = None if outcome is None else (outcome.winner if first == 0 else 1 - (outcome.winner or 0))
    return Game(first, winner, "no_reserve", tuple(played), (Use(), Use()))


@pytest.mark.slow("interpreted")
def test_positions_are_quiet_and_from_behind_the_opening() -> None:
    start = GIPF.start(SMALL)
    kernel = start.kernel(compile=False)
    rules, arena = kernel.rules, kernel.arena(1000)
    assert rules.tactical_children is not None

    def ahead(state: State) -> int:
        pieces = (state.white.bit_count() + state.white_reserve) - (state.black.bit_count() + state.black_reserve)
        return pieces if state.side == 0 else -pieces

    left_out = 0
    for seed in range(30):
        game = random_game(seed, 0)
        expected = []
        position = start
        for ply, move in enumerate(game.moves):
            state = position.kernel(compile=False).state
            tactical = [rules.load(arena, at) for at in range(rules.tactical_children(state, arena, 0))]
            gains = any(-ahead(child) > ahead(state) for child in tactical)
            if ply >= 3 and not gains:
                expected.append(position)
            left_out += ply >= 3 and gains
            position = position.resolve(move).position
        assert list(quiet_positions(start, game, 3, kernel, features(SMALL))) == expected
    assert left_out > 10


def test_samples_are_from_the_view_of_the_side_to_move() -> None:
    start = GIPF.start(SMALL)
    kernel, read = start.kernel(compile=False), features(SMALL)
    for first in (0, 1):
        game = random_game(5, first)
        assert game.winner is not None
        positions = list(quiet_positions(start, game, 0, kernel, read))
        twice = Pair(8, (game, game))
        samples = samples_of([twice], start, 0, kernel, read)
        white_wins = game.winner == first
        assert samples.results.tolist() == [float(white_wins == (position.turn == 0)) for position in positions]
        assert samples.features.tolist() == [list(read(position.kernel(compile=False).state)) for position in positions]
        assert samples.pairs.tolist() == [8] * len(positions)


def test_a_draw_counts_half() -> None:
    start = GIPF.start(SMALL)
    drawn = Game(0, None, "repetition", random_game(5, 0).moves, (Use(), Use()))
    samples = samples_of([Pair(0, (drawn, drawn))], start, 0, start.kernel(compile=False), features(SMALL))
    assert set(samples.results.tolist()) == {0.5}


# The command

SETTING = Setting(
    format=FORMAT,
    game="gipf",
    parameters=SMALL,
    a=Contender("nodes=20", "aaaa", {}),
    b=Contender("nodes=10", "bbbb", {}),
    seed=1,
    opening_plies=2,
    balance=None,
    move_limit=1000,
    elo0=0.0,
    elo1=10.0,
    alpha=0.05,
    beta=0.05,
)


def played_pair(number: int) -> Pair:
    return Pair(number, (random_game(number, 0), random_game(-1 - number, 1)))


PAIR = played_pair(0)


def tune(capsys: pytest.CaptureFixture[str], file: Path, content: bytes, status: int = 0) -> tuple[str, str]:
    file.write_bytes(content)
    assert cli.run(["tune", str(file)]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.slow
def test_the_command_prints_weights_that_a_duel_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    lines = [line_of(pair) for pair in map(played_pair, range(40))]
    output, told = tune(capsys, tmp_path / "duel.jsonl", line_of(SETTING) + b"".join(lines))
    weights = json.loads(output)
    assert list(weights) == list(Weights._fields)
    assert weights["piece"] == WEIGHTS.piece
    assert weights != WEIGHTS._asdict()
    weighed(GIPF.start(SMALL), weights)
    assert "quiet positions of 80 games" in told
    assert "log loss in pairs held out: " in told
    # it begins from the weights of A
    assert f"ring       {WEIGHTS.ring:5} -> " in told
    other = msgspec.structs.replace(SETTING, a=Contender("nodes=20", "aaaa", {"ring": 77}))
    assert "ring          77 -> " in tune(capsys, tmp_path / "other.jsonl", line_of(other) + b"".join(lines))[1]
    # the order in which pairs were finished changes nothing, nor does a line that was cut off
    content = line_of(SETTING) + b"".join(reversed(lines)) + lines[0][:-1]
    assert tune(capsys, tmp_path / "duel.jsonl", content) == (output, told)
    # nor does it that the file is compressed
    assert tune(capsys, tmp_path / "duel.jsonl.xz", lzma.compress(content)) == (output, told)
    assert "this is no whole file of xz" in tune(capsys, tmp_path / "cut.xz", lzma.compress(content)[:-9], status=2)[1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "line 1: this is no setting of a duel"),
        (b"[]\n", "line 1: this is no setting of a duel"),
        (line_of(SETTING) + b"{}\n", "line 2: this is no pair of games of a duel"),
        (line_of(SETTING).replace(b'"weights":{}', b'"weights":{"rings":1}', 1), "there is no weight 'rings'"),
        (line_of(SETTING), "too few to tell anything"),
        (line_of(SETTING) + line_of(PAIR), "too few to tell anything"),
        (line_of(SETTING) + line_of(PAIR).replace(b'"moves":["', b'"moves":["z9",  "'), "z9"),
        (line_of(SETTING).replace(b'"gipf"', b'"morris"').replace(b"3 3 9 9", b""), "morris has no weights"),
        (line_of(SETTING).replace(b'"gipf"', b'"chess"'), "there is no game 'chess'"),
    ],
)  # fmt: skip
def test_files_that_tell_nothing_are_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    sentence: str,
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    output, told = tune(capsys, tmp_path / "duel.jsonl", content, status=2)
    assert output == ""
    assert told.count("\n") == 1
    assert sentence in told


def test_a_file_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["tune", "no/such"]) == 2
    assert "no/such: cannot be read: No such file" in capsys.readouterr().err
