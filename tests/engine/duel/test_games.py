"""Games between players that are made up: who plays what, how games end."""

from collections.abc import Callable
from random import Random

import pytest

from engine.duel.games import Game, Player, Reply, play, play_pair
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Position, moves

LINE = GAMES["mnk"].start("3 3 3")
STAYING = GAMES["morris"].start("")


class Scripted:
    """Answers what a function of the position says, and keeps what it was asked."""

    def __init__(self, choose: Callable[[Position], str], ms: float = 1.0) -> None:
        self.choose, self.ms = choose, ms
        self.asked: list[tuple[int, int]] = []

    def __call__(self, game: int, history: History) -> Reply:
        self.asked.append((game, history.plies))
        return Reply(self.choose(history.position), self.ms, 7)


def first(position: Position) -> str:
    return moves(position)[0]


def last(position: Position) -> str:
    return moves(position)[-1]


def game_between(
    start: Position,
    a: Player,
    b: Player,
    *,
    begins: int = 0,
    opening: tuple[str, ...] = (),
    move_limit: int = 1000,
) -> Game:
    return play(5, begins, start, opening, (a, b), move_limit)


def test_each_side_begins_one_game_of_a_pair() -> None:
    a, b = Scripted(first), Scripted(last)
    pair = play_pair(4, LINE, moves(LINE)[4:5], (a, b), 1000)
    assert [game.first for game in pair.games] == [0, 1]
    assert [game.moves[:1] for game in pair.games] == [tuple(moves(LINE)[4:5])] * 2
    # one move was random: the side that did not begin is asked first
    assert [game for game, plies in b.asked if plies == 1] == [8]
    assert [game for game, plies in a.asked if plies == 1] == [9]
    assert pair.points == sum(1 if game.winner is None else 2 * (game.winner == 0) for game in pair.games)


@pytest.mark.parametrize("begins", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_the_winner_is_who_the_rules_say(begins: int, seed: int) -> None:
    chance = Random(seed)

    def any_move(position: Position) -> str:
        return chance.choice(moves(position))

    game = game_between(LINE, Scripted(any_move), Scripted(any_move), begins=begins)
    history = History.begin(LINE)
    for move in game.moves:
        assert history.verdict(1000) is None
        history = history.after(move)
    outcome = history.verdict(1000)
    assert outcome is not None and game.reason == outcome.termination
    # side 0 of the board is played by whoever began
    assert game.winner == (None if outcome.winner is None else (begins if outcome.winner == 0 else 1 - begins))
    assert game.points == {None: 1, 0: 2, 1: 0}[game.winner]
    asked = len(game.moves)
    assert (game.used[begins].moves, game.used[1 - begins].moves) == ((asked + 1) // 2, asked // 2)
    assert game.used[begins].nodes == 7 * game.used[begins].moves


def test_the_limit_of_moves_counts_the_opening() -> None:
    opening = tuple(moves(LINE)[:1])
    game = game_between(LINE, Scripted(first), Scripted(first), opening=opening, move_limit=3)
    assert (game.winner, game.reason, len(game.moves)) == (None, "move_limit", 3)


def calm(position: Position) -> list[str]:
    """Return the moves that take nothing, or all where all do."""
    choices = list(position.successors())
    quiet = [choice.move for choice in choices if choice.position.stage == position.stage]
    return quiet or [choice.move for choice in choices]


@pytest.mark.parametrize(
    ("reason", "pick"), [("repetition", lambda found: found[0]), ("no_progress", Random(2).choice)]
)
def test_games_that_go_nowhere_are_draws(reason: str, pick: Callable[[list[str]], str]) -> None:
    """Who always plays the same in the same position goes in circles; who plays anything that is quiet, nowhere."""
    player = Scripted(lambda position: pick(calm(position)))
    game = game_between(STAYING, player, player)
    assert (game.winner, game.reason) == (None, reason)
    history = History.begin(STAYING)
    for move in game.moves:
        assert history.verdict(1000) is None
        history = history.after(move)
    assert history.verdict(1000) is not None
