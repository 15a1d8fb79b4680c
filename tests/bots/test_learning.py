"""Games that are played by actions, and a bot of a policy."""

import copy
from random import Random

import numpy
import pytest

from bots.bot import Clocks
from bots.workbench.learning import Episode, Observation, PolicyBot
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import BadMove, Game
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header
from tests.games.cases import EVERY_VARIANT, named

VARIANTS = [(game, parameters) for game, parameters in EVERY_VARIANT if game.name in GAMES]


def play_by_actions(episode: Episode, seed: int) -> Episode:
    """Play legal actions at random to the end."""
    chance = Random(seed)
    while episode.legal:
        episode = episode.after(chance.choice(episode.legal))
    return episode


@pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)
def test_actions_play_a_game_by_the_rules_of_matches(game: Game, parameters: str) -> None:
    end = play_by_actions(Episode.begin(game.name, parameters, move_limit=80), 1)
    history = History.begin(game.start(parameters))
    for move in end.history.moves:
        assert history.verdict(80) is None
        history = history.after(move)
    assert end.outcome is not None and end.outcome == history.verdict(80)
    assert sum(end.returns()) == 0
    if end.outcome.winner is not None:
        assert end.returns()[end.outcome.winner] == 1


def test_actions_of_a_move_under_way() -> None:
    moving = GAMES["morris"].read("0 0 W\n" + "WW_W____" + "BBB_B___" + "________")
    begin = Episode(History.begin(moving))
    move = begin.after(24 + 3 * 24 + 2)
    assert (move.history, move.turn, move.made) == (begin.history, 0, (98,))
    assert move.legal == (600 + 12,)  # the others stand in a mill
    assert numpy.flatnonzero(move.mask()).tolist() == [612]
    assert move.after(612).history.moves == ("3 2 12",)


def test_an_action_that_may_not_be_made_is_named_with_those_that_may() -> None:
    episode = Episode.begin("mnk", "3 3 3").after(4)
    with pytest.raises(BadMove, match=r"action 4 may not be made now; legal are 0, 1, 2, 3, 5, 6, 7, 8$"):
        episode.after(4)


def test_a_game_that_is_over_has_no_legal_action() -> None:
    end = play_by_actions(Episode.begin("mnk", "3 3 3"), 1)
    assert end.legal == () and not end.mask().any()
    with pytest.raises(BadMove, match="legal are none"):
        end.after(0)


def test_copies_are_the_same() -> None:
    episode = Episode.begin("gipf")
    assert copy.deepcopy([episode]) == [episode]


def lowest(seen: Observation) -> int:
    """Choose the lowest legal action."""
    assert seen["observation"].shape[1:] == seen["observation"].shape[:0:-1]
    return int(numpy.flatnonzero(seen["action_mask"])[0])


@pytest.mark.parametrize(("game", "parameters"), [("gipf", "2 2 9 9"), ("morris", "")])
def test_a_policy_chooses_moves_of_several_actions(game: str, parameters: str) -> None:
    """The games of these bots have such moves."""
    bot, episode = PolicyBot(lowest), Episode.begin(game, parameters)
    bot.match = referee.announcement(Header(1, episode.history.start, ("a", "b"), TimeControl(1), 80, "", ""), 0, "")
    bot.history, taken = episode.history, 0
    while bot.history.verdict(80) is None:
        move = bot.choose(bot.history.position, Clocks(1, 1, 0))
        taken = max(taken, len(episode.encoding.actions(bot.history.position, move)))
        bot.history = bot.history.after(move)
    assert taken > 1
