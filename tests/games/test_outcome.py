"""How the end of a game is said."""

import pytest
from inline_snapshot import snapshot

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
    ends: list[tuple[int | None, str, int | None]] = [
        (1, "crashed", 17),
        (1, "crashed", 0),
        (1, "crashed", None),
        (1, "no_reserve", 30),
        (0, "line", 9),
        (None, "repetition", 9),
        (None, "too_few_pieces", 9),
        (None, "time", 9),
        (None, "organiser", 9),
        (0, "lost_its_way", 3),
        (None, "a_b+c", 3),
    ]
    assert [headline(PLAYERS, *end) for end in ends] == snapshot(
        [
            "eve crashed at move 18; carla wins",
            "eve crashed; carla wins",
            "eve crashed; carla wins",
            "eve has no piece left to play; carla wins",
            "eve wins: a line",
            "Draw: third repetition",
            "Both have too few pieces",
            "Both ran out of time at move 10",
            "Annulled: organiser",
            "eve wins: lost its way",
            "Draw: a b and c",
        ]
    )
    assert how_ended(PLAYERS, None, "absent+not_started", 0) == snapshot(
        "eve did not come, and carla could not be started"
    )


def test_every_reason_of_a_contest_that_is_a_loss_names_the_loser() -> None:
    for reason in UNPLAYED - {"set_aside"}:
        assert how_ended(PLAYERS, 1, reason, 0).startswith("eve "), reason
