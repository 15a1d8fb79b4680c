"""Words of a line: names, and what stands for something else: parameters of a variant, both ways, and any game."""

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}"
"""Names of players: ASCII, so that none looks like another, and short enough for a table. Case does not tell two
names apart."""

NAME_RULE = "1 to 32 letters, digits, and any of _ . - behind the first"
"""The same in words."""

NONE = "-"
"""Stands for no parameters."""

ANY = "any"
"""In place of a game in SEEK: whatever a contest wants to be played, also one that is opened later."""

LADDER = "ladder"
"""In place of a game in SEEK: whatever the server's ladder wants to be played, which rates it."""


def word_of(parameters: str) -> str:
    """Return parameters as one word: separated by commas, ``-`` for none."""
    return ",".join(parameters.split()) or NONE


def parameters_of(word: str) -> str:
    """Return the parameters that a word stands for, as a game reads them."""
    return "" if word == NONE else word.replace(",", " ")
