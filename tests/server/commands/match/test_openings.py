"""The openings of a match."""

import pytest

from engine.games.catalogue import GAMES
from server.commands.match.setup import Openings
from server.contest.formats.openings import BadOpening

MNK = GAMES["mnk"]
START = "3 3 3 1\n0 0 0\n0 0 0\n0 0 0\n"


def test_random_openings_are_drawn_as_they_are_needed_and_come_again_after_the_last() -> None:
    first, again = (Openings(MNK, "3 3 3", 1, 5) for _ in range(2))
    texts = [first.position(number) for number in range(9)]
    assert len(set(texts)) == 9, "a first move to each field"
    assert first.position(9) == texts[0] and first.position(20) == texts[2]
    assert again.position(8) == texts[8], "the same without those before"
    assert Openings(MNK, "3 3 3", 0, 5).position(7) == START


def test_too_many_random_moves_leave_no_opening() -> None:
    with pytest.raises(BadOpening, match="no game of m,n,k 3 3 3 goes on after so many random moves"):
        Openings(MNK, "3 3 3", 20, 1).position(0)
