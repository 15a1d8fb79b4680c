"""Words of sentences: numbers with their nouns."""

import pytest

from engine.wire.words import number_of


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 plies"), (1, "1 ply"), (1.0, "1 ply"), (2, "2 plies"), (1.5, "1.5 plies"), (1_234_567, "1234567 plies")],
)
def test_a_number_has_its_noun_in_the_plural_if_necessary(count: float, words: str) -> None:
    assert number_of(count, "ply", "plies") == words


def test_most_nouns_have_their_plural_by_an_s() -> None:
    assert [number_of(count, "game") for count in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
