"""How the end of a game is said."""

import pytest

from engine.games.endings import headline, how_ended
from engine.games.interface import ENDED_PROGRAM, Termination
from server.contest.fixtures import UNPLAYED

PLAYERS = ("eve", "carla")


@pytest.mark.parametrize("reason", sorted({*ENDED_PROGRAM, Termination.TIME, Termination.BAD_MOVE, Termination.RESIGN}))
def test_a_headline_names_the_loser_first_then_the_move_then_the_winner(reason: Termination) -> None:
    said = headline(PLAYERS, 1, reason, 17)
    assert said.startswith("eve ") and said.endswith(" at move 18; carla wins")
    assert "carla " in headline(PLAYERS, 0, reason, 17).split(";")[0]


def test_the_end_of_a_crash_a_line_and_draws() -> None:
    assert headline(PLAYERS, 1, "crashed", 17) == "eve crashed at move 18; carla wins"
    assert headline(PLAYERS, 1, "crashed", 0) == headline(PLAYERS, 1, "crashed", None) == "eve crashed; carla wins"
    assert headline(PLAYERS, 1, "no_reserve", 30) == "eve has no piece left to play; carla wins"
    assert headline(PLAYERS, 0, "line", 9) == "eve wins: a line"
    assert headline(PLAYERS, None, "repetition", 9) == "Draw: third repetition"
    assert headline(PLAYERS, None, "too_few_pieces", 9) == "Both have too few pieces"
    assert headline(PLAYERS, None, "time", 9) == "Both ran out of time at move 10"
    assert headline(PLAYERS, None, "organiser", 9) == "Annulled: organiser"
    assert how_ended(PLAYERS, None, "absent+not_started", 0) == "eve did not come, and carla could not be started"


def test_every_reason_of_a_contest_that_is_a_loss_names_the_loser() -> None:
    for reason in UNPLAYED - {"set_aside"}:
        assert how_ended(PLAYERS, 1, reason, 0).startswith("eve "), reason


def test_a_reason_of_a_game_that_is_not_known_is_written_as_it_is() -> None:
    assert headline(PLAYERS, 0, "lost_its_way", 3) == "eve wins: lost its way"
    assert headline(PLAYERS, None, "a_b+c", 3) == "Draw: a b and c"
