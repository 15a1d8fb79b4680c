"""Parameters of a variant as one word of a line, both ways."""

NONE = "-"
"""Stands for no parameters."""


def word_of(parameters: str) -> str:
    """Return parameters as one word: parted by commas, ``-`` for none."""
    return ",".join(parameters.split()) or NONE


def parameters_of(word: str) -> str:
    """Return the parameters that a word stands for, as a game reads them."""
    return "" if word == NONE else word.replace(",", " ")
