"""Moves and positions as numbers: what every encoding promises, and the numbers themselves, on which data rests."""

from random import Random

import numpy
import pytest

from engine.games.catalogue import GAMES, start_of
from engine.games.interface import BadParameters, Game, History
from engine.match.encoding import ENCODINGS, encoding_of, legal_actions
from tests.games.cases import EVERY_VARIANT, named

VARIANTS = [(game, parameters) for game, parameters in EVERY_VARIANT if game.name in GAMES]

CROSSING = """4 4 15 15
9 14 W
   W _ _ _
  W _ _ _ _
 W _ _ _ _ _
_ W W W B _ _
 _ _ _ _ _ _
  _ _ _ _ _
   _ _ _ _
"""
"""Rows cross after a1-b2: an example of docs/rules.md."""


def randomly(game: str, parameters: str, seed: int, plies: int = 60) -> list[History]:
    """Return a random game, as it was before each of its moves."""
    chance, history, played = Random(seed), History.begin(start_of(game, parameters)), []
    while history.outcome(plies) is None:
        played.append(history)
        history = history.after(chance.choice([*history.position.children()]).move)
    return played


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_actions_tell_moves_apart_and_none_begins_another(game: Game, parameters: str) -> None:
    encoding = encoding_of(game.name, parameters)
    for history in randomly(game.name, parameters, 1):
        legal = legal_actions(history.position)
        assert list(legal.values()) == [child.move for child in history.position.children()]
        for actions in legal:
            assert all(0 <= action < encoding.size for action in actions)
            assert not any(actions[:count] in legal for count in range(1, len(actions)))


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_planes_have_one_size_and_show_who_looks_first(game: Game, parameters: str) -> None:
    encoding = encoding_of(game.name, parameters)
    for history in randomly(game.name, parameters, 2):
        mine, theirs = (encoding.observe(history, side) for side in (0, 1))
        for seen in (mine, theirs):
            assert seen.shape == encoding.shape == (len(encoding.planes), *encoding.shape[1:])
            assert seen.dtype == numpy.float32 and seen.min() >= 0 and seen.max() <= 1
        for plane, shown in enumerate(encoding.planes):
            assert (mine[plane] == theirs[encoding.planes.index(opposite(shown))]).all(), shown


def opposite(shown: str) -> str:
    """Return what a plane shows of the other side."""
    own, opponents = "own ", "the opponent's "
    return shown.replace(opponents, own) if shown.startswith(opponents) else shown.replace(own, opponents)


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_a_move_under_way_shows(game: Game, parameters: str) -> None:
    encoding = encoding_of(game.name, parameters)
    for history in randomly(game.name, parameters, 3):
        before = encoding.observe(history, history.position.turn)
        for actions in legal_actions(history.position):
            for count in range(1, len(actions)):
                made = encoding.observe(history, history.position.turn, actions[:count])
                assert (made[:2] != before[:2]).any()


def test_m_n_k_fields_count_from_the_top_left_one() -> None:
    assert set(ENCODINGS) == set(GAMES) - {"mnk"}, "a game without an encoding of its own is encoded by its fields"
    encoding = encoding_of("mnk", "3 4 3")
    position = start_of("mnk", "3 4 3")
    assert (encoding.size, encoding.shape) == (12, (2, 3, 4))
    assert [encoding.actions(position, move) for move in ("a3", "d3", "a2", "d1")] == [(0,), (3,), (4,), (11,)]
    seen = encoding.observe(History.begin(position).after("d3").after("a1"), 1)
    assert numpy.argwhere(seen).tolist() == [[0, 2, 0], [1, 0, 3]]


def test_arrows_directions_are_actions() -> None:
    encoding = encoding_of("arrows", "4 5")
    history = History.begin(start_of("arrows", "4 5"))
    assert (encoding.size, encoding.shape) == (8, (3, 5, 4))
    assert encoding.actions(history.position, "7") == (7,)
    seen = encoding.observe(history, 0)
    assert seen[0].sum() == 4 * 5 - 2
    assert [numpy.argwhere(plane).tolist() for plane in seen[1:]] == [[[0, 1]], [[4, 2]]]
    after = encoding.observe(history.after("4"), 0)
    assert [numpy.argwhere(plane).tolist() for plane in after[1:]] == [[[1, 1]], [[4, 2]]]


def test_morris_places_moves_and_takes() -> None:
    encoding = encoding_of("morris", "")
    assert (encoding.size, encoding.shape) == (624, (7, 7, 7))
    placing = GAMES["morris"].read("5 5 W\n" + "WW______" + "BB______" + "________")
    assert encoding.actions(placing, "2 8") == (2, 600 + 8)
    moving = GAMES["morris"].read("0 0 W\n" + "WW_W____" + "BBB_B___" + "________")
    assert encoding.actions(moving, "3 2 8") == (24 + 3 * 24 + 2, 600 + 8)


def test_gipf_pushes_come_before_rows_by_owner_axis_and_field() -> None:
    encoding = encoding_of("gipf", "4 4 15 15")
    position = GAMES["gipf"].read(CROSSING)
    assert (encoding.size, encoding.shape) == (42 + 2 * 3 * 37, (6, 7, 7))
    assert [encoding.actions(position, push) for push in ("a4-b5", "a5-b5", "a4-b4")] == [(0,), (1,), (41,)]
    column, row = (encoding.actions(position, f"a1-b2 w: {ends}") for ends in ("b2 b5", "b2 e5"))
    assert column[:1] == row[:1]
    # b5 and b2 are the first and the sixteenth field as they are printed; axes: diagonal, column, row
    assert column[1:] == (42 + 37 + 0,)
    assert row[1:] == (42 + 2 * 37 + 15,)
    other = encoding.actions(GAMES["gipf"].read(CROSSING.replace("14 W", "14 B")), "a1-b2 w: b2 e5")
    assert other[1:] == (42 + 3 * 37 + 2 * 37 + 15,)
    pushed = encoding.observe(History.begin(position), 0, column[:1])
    assert numpy.argwhere(pushed[0]).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [3, 2], [3, 3]]
    assert pushed[3, 0, 0] == numpy.float32(8 / 15)


def test_the_size_of_gipf_follows_from_the_board() -> None:
    for side in (2, 3, 5, 8, 12):
        fields = 3 * side * (side - 1) + 1
        assert encoding_of("gipf", f"{side} 3 9 9").size == 6 + 12 * (side - 1) + 6 * fields


def test_positions_that_come_back_are_counted() -> None:
    history = History.begin(GAMES["morris"].read("0 0 W\n" + "W_W_W___" + "B_B_B___" + "________"))
    encoding = encoding_of("morris", "")
    for move in ("0 1", "8 9", "1 0", "9 8"):
        assert encoding.observe(history, 0)[5].max() == 0
        history = history.after(move)
    assert encoding.observe(history, 0)[5].tolist() == [[0.5] * 7] * 7
    assert numpy.unique(encoding.observe(history, 0)[6]).tolist() == [numpy.float32(0.04)]


def test_variants_that_there_are_not() -> None:
    with pytest.raises(BadParameters, match="three numbers"):
        encoding_of("mnk", "3 3")
