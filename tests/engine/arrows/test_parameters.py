"""Parameters of arrows: what is accepted, how it is written, and what is wrong with the rest."""

import re

import pytest

from engine.games.arrows.position import ARROWS
from engine.games.interface import BadParameters


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("8 8", "8 8"),
        ("  4,10 ", "4 10"),
        ("10, 4", "10 4"),
        ("08\t8", "8 8"),
        ("6 5 1 1 6 5 2 6", "6 5"),
        ("6 5 1 1 6 5 3 7", "6 5 1 1 6 5 3 7"),
        ("6 5 6 5 1 1 6 2", "6 5 6 5 1 1 6 2"),
        ("6,5, 1,1, 6,5, 2,6, 3,3", "6 5 1 1 6 5 2 6 3 3"),
        ("6 5 1 1 6 5 2 6 4 2 1 3 2 2 1 2", "6 5 1 1 6 5 2 6 1 2 2 2 4 2 1 3"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert ARROWS.parameters(text) == canonical
    assert ARROWS.parameters(canonical) == canonical
    assert ARROWS.start(text).parameters == canonical
    assert ARROWS.start(text) == ARROWS.start(canonical)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "arrows takes numbers, .* not ''"),
        ("8", "not 1$"),
        ("8 8 8", "not 3$"),
        ("8 8 1 1 8 8", "not 6$"),
        ("8 8 1 1 8 8 2 6 4", "not 9$"),
        ("8 x", "takes numbers"),
        ("8 -8", "takes numbers"),
        ("8 8.5", "takes numbers"),
        ("8 ٨", "takes numbers"),
        ("8 8888888", "takes numbers"),
        ("3 8", "the board has 3 columns, but it can have 4 to 10"),
        ("8 11", "the board has 11 rows, but it can have 4 to 10"),
        ("0 0", "the board has 0 columns"),
        ("8 7 0 1 8 7 2 6", r"the first player's start, \(0, 1\), is off the board: x goes from 1 to 8, y from 1 to 7"),
        ("8 7 1 1 8 8 2 6", r"the second player's start, \(8, 8\), is off the board"),
        ("8 8 3 4 3 4 2 6", r"both players start on \(3, 4\)"),
        ("8 8 1 1 8 8 8 6", r"8 is no direction; directions are 0 \(up\) to 7 \(up left\), clockwise"),
        ("8 8 1 1 8 8 2 255", "255 is no direction"),
        ("8 8 1 1 8 8 2 6 9 1", r"the blocked field, \(9, 1\), is off the board"),
        ("8 8 1 1 8 8 2 6 2 2 8 8", r"\(8, 8\) cannot be blocked: the second player starts there"),
        ("8 8 1 1 8 8 2 6 1 1", r"\(1, 1\) cannot be blocked: the first player starts there"),
        ("8 8 1 1 8 8 2 6 2 3 3 2 2 3", r"\(2, 3\) is blocked twice"),
    ],
)
def test_faults(text: str, sentence: str) -> None:
    for accept in (ARROWS.parameters, ARROWS.start, ARROWS.warning):
        with pytest.raises(BadParameters) as refused:
            accept(text)
        assert re.search(sentence, str(refused.value)), str(refused.value)
        assert refused.value.code == "bad_parameters"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("8 8", ""),
        ("4 4 1 1 4 4 3 7", ""),
        ("8 8 1 1 8 8 0 6", "the first player cannot place an arrow: (1, 0) is off the board"),
        ("8 8 1 1 8 8 2 4", "the second player cannot place an arrow: (8, 9) is off the board"),
        ("8 8 1 1 8 8 2 6 2 1", "the first player cannot place an arrow: nothing can be placed on (2, 1)"),
        ("8 8 1 1 8 8 2 6 7 8", "the second player cannot place an arrow: nothing can be placed on (7, 8)"),
        ("8 8 1 1 2 1 2 2", "the first player cannot place an arrow: nothing can be placed on (2, 1)"),
        ("8 8 1 1 3 1 2 6", "the first player cannot place an arrow: the second one's points at (2, 1), too"),
        ("8 8 1 1 8 8 0 4", "the first player cannot place an arrow: (1, 0) is off the board"),
    ],
)
def test_warnings(text: str, warning: str) -> None:
    assert ARROWS.warning(text) == warning
