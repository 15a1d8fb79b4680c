import pytest

from engine.games.catalogue import GAMES
from server.contest.formats.openings import BadOpening, from_moves, from_text, generated


@pytest.mark.parametrize(
    ("name", "parameters"), [("gipf", "3 3 9 9"), ("arrows", "6 5"), ("morris", ""), ("mnk", "5 5 4")]
)
def test_generated_openings_are_distinct_undecided_and_the_same_again(name: str, parameters: str) -> None:
    game = GAMES[name]
    parameters = game.parameters(parameters)
    found = generated(game, parameters, 3, 10, seed=5)
    assert len(set(found)) == 10
    assert found == generated(game, parameters, 3, 10, seed=5)
    assert found[:4] == generated(game, parameters, 3, 4, seed=5)
    assert found != generated(game, parameters, 3, 10, seed=6)
    for text in found:
        position = game.read(text)
        assert position.turn == 1 and position.verdict() is None
        assert all(successor.position.verdict() is None for successor in position.successors())
        assert from_text(game, parameters, text) == text


def test_there_are_as_many_openings_as_there_are() -> None:
    game = GAMES["mnk"]
    assert len(generated(game, "3 3 3", 1, 1000, seed=1)) == 9
    with pytest.raises(BadOpening, match="no game of m,n,k 3 3 3 goes on after 9 random moves"):
        generated(game, "3 3 3", 9, 1, seed=1)


def test_moves_lead_to_the_position_they_lead_to() -> None:
    game = GAMES["mnk"]
    text = from_moves(game, "4 4 3", ["a1", "b2"])
    assert from_text(game, "4 4 3", text) == text
    assert from_moves(game, "4 4 3", []) == game.start("4 4 3").text()


def test_positions_in_which_no_game_can_begin_are_refused() -> None:
    game = GAMES["mnk"]
    with pytest.raises(BadOpening, match="move 2, 'a1', cannot be played"):
        from_moves(game, "3 3 3", ["a1", "a1"])
    with pytest.raises(BadOpening, match="the game is over there: line"):
        from_moves(game, "3 3 3", ["a1", "a2", "b1", "b2", "c1"])
    with pytest.raises(BadOpening, match="the position is one of m,n,k 4 4 3, not 3 3 3"):
        from_text(game, "3 3 3", from_moves(game, "4 4 3", []))
    with pytest.raises(BadOpening, match="line 1"):
        from_text(game, "3 3 3", "nonsense\n")
