"""The openings of a match."""

import pytest

from engine.games.catalogue import GAMES
from server.commands.match.setup import drawn_openings, read_openings
from server.contest.formats.openings import BadOpening

MNK = GAMES["mnk"]
START = "3 3 3 1\n0 0 0\n0 0 0\n0 0 0\n"
LARGE = "4 4 3 1\n" + 4 * "0 0 0 0\n"
CENTRE = "3 3 3 2\n0 0 0\n0 1 0\n0 0 0\n"


def test_random_openings_are_drawn_as_they_are_needed_and_come_again_after_the_last() -> None:
    first, again = (drawn_openings(MNK, "3 3 3", 1, 5) for _ in range(2))
    texts = [first.position(number) for number in range(9)]
    assert len(set(texts)) == 9, "a first move to each field"
    assert first.position(9) == texts[0] and first.position(20) == texts[2]
    assert again.position(8) == texts[8], "the same without those before"
    assert drawn_openings(MNK, "3 3 3", 0, 5).position(7) == START


def test_too_many_random_moves_leave_no_opening() -> None:
    with pytest.raises(BadOpening, match="no game of m,n,k 3 3 3 goes on after so many random moves"):
        drawn_openings(MNK, "3 3 3", 20, 1).position(0)


def test_a_file_has_positions_and_moves_and_each_variant_its_own() -> None:
    found = read_openings(f"{START}\n{CENTRE}\r\n\n\nmoves: a3; b2\n\n{LARGE}", "mnk", ["3 3 3", "4 4 3"])
    small, large = found("3 3 3"), found("4 4 3")
    assert [small.position(number) for number in range(2)] == [START, CENTRE]
    assert small.position(2) == MNK.start("3 3 3").resolve("a3").position.resolve("b2").position.text()
    assert small.position(3) == START
    assert large.position(0).startswith("4 4 3") and large.position(2) == large.position(0) != large.position(1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no opening of m,n,k 3 3 3"),
        ("nonsense", "opening 1: "),
        (f"{START}\nmoves: a3; a3", "opening 2: move 2, 'a3', cannot be played"),
        (f"{START}\n{LARGE}", "opening 2: the position is one of m,n,k 4 4 3, not of m,n,k 3 3 3"),
        ("3 3 3 2\n1 1 1\n2 2 0\n0 0 0\n", "opening 1: the game is over there"),
    ],
)
def test_what_is_wrong_with_a_file_names_the_opening(text: str, sentence: str) -> None:
    with pytest.raises(BadOpening) as caught:
        read_openings(text, "mnk", ["3 3 3"])
    assert sentence in str(caught.value)
