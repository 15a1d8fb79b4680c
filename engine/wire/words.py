"""Words of a line that stand for something else: parameters of a variant, both ways, and any game."""

NONE = "-"
"""Stands for no parameters."""

ANY = "any"
"""In place of a game in SEEK: whatever a contest wants to be played, also one that is opened later."""


def word_of(parameters: str) -> str:
    """Return parameters as one word: parted by commas, ``-`` for none."""
    return ",".join(parameters.split()) or NONE


def parameters_of(word: str) -> str:
    """Return the parameters that a word stands for, as a game reads them."""
    return "" if word == NONE else word.replace(",", " ")
