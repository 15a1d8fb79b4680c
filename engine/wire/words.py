"""Words of lines, of sentences and of tables: names, parameters of a variant as one word, plurals."""

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

MAX_NAME_CHARACTERS = 32

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


LOST_ON_TIME = "is lost on time: "
"""Words before the place where a bot stands that has used up its clock, in its log."""


def word_of(parameters: str) -> str:
    """Return parameters as one word: separated by commas, ``-`` for none."""
    return ",".join(parameters.split()) or NONE


def parameters_of(word: str) -> str:
    """Return the parameters that a word stands for, as a game reads them."""
    return "" if word == NONE else word.replace(",", " ")


def number_of(count: float, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 ply``, ``2 plies``; ``plural`` is necessary where it is not noun and s."""
    number = count if isinstance(count, int) else f"{count:g}"
    return f"{number} {noun if count == 1 else plural or f'{noun}s'}"


_QUOTED_PATH = re.compile(r"""(?<=(['"]))(?:[A-Za-z]:)?[\\/](?:(?!\1).)*[\\/](?=[^'"\\/]+\1)""")
_PATH = re.compile(r"""(?<![\w.:\\/~])(?:[A-Za-z]:)?[\\/]+(?:[^\s'"\\/:]+[\\/]+)+(?=[^\s'"\\/])""")
"""Folders of an absolute path."""


def shorten(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters; the end of a longer one is cut off and marked."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def without_folders(text: str) -> str:
    """Return a text with the names of files in place of their absolute paths: for sentences that everybody reads."""
    return _PATH.sub("", _QUOTED_PATH.sub("", text))


def without_code(sentence: str) -> str:
    """Return the sentence of a result without the code of an illegal move, for people."""
    return re.sub(r"""(?<=['"], )[A-Z]+_\w+: """, "", sentence, count=1)


def nearest(word: str, known: Iterable[str], similarity: float = 0.6) -> str:
    """Return the word of a list that was probably meant, whatever its case; empty if none is similar.

    ``similarity`` is the smallest ratio of `difflib` that counts.
    """
    by_lower = {one.lower(): one for one in known}
    return next((by_lower[found] for found in get_close_matches(word.lower(), by_lower, 1, similarity)), "")


def duration(seconds: float) -> str:
    """Write a duration: 12 s, 3:05 min, 2:03:05 h, 20 days, 1 day 6 hours; from a day on it is rounded to hours.

    A negative duration counts as 0.
    """
    whole = max(0, round(seconds))
    if whole >= 86_400:
        days, hours = divmod(round(whole / 3600), 24)
        return f"{number_of(days, 'day')} {number_of(hours, 'hour')}" if hours else number_of(days, "day")
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Return the lines of a table; columns are aligned to the right, those of the numbers ``left`` to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
