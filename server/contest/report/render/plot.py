"""The layout of the plot of ratings: a line for each name with its interval, the strongest on top."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from server.contest.report import formatting
from server.contest.scoring.ratings import Rating

WIDTH = 760
ROW = 28
NARROW_WIDTH = 340
NARROW_ROW = 42
"""Of the plot for phones, which has names above their bars."""

TOP, BOTTOM = 10, 30
RIGHT = 28
LETTER = 7.6
"""About how wide a letter of a name is."""

WIDE = dict.fromkeys("MWmw@%", 1.75)
"""Letters that are wider, by how much; so are capital letters."""

CAPITAL = 1.2

MAX_NAME = 32
NARROW_MAX_NAME = 42
"""Letters of usual width that have room."""

MAX_TICKS = 8
NARROW_TICKS = 4


class Tick(NamedTuple):
    """A line of the grid."""

    x: float
    elo: float


class Row(NamedTuple):
    """A name with its rating."""

    y: float
    name: str
    """Shortened where it is long."""
    title: str
    x: float
    interval: tuple[float, float] | None


class Plot(NamedTuple):
    """The whole plot, in units of the picture."""

    narrow: bool
    """Whether names stand above their bars, and not beside them."""

    width: int
    height: int
    top: int
    foot: int
    """Where the lines of the grid end."""
    left: float
    """Where the axis begins."""
    ticks: Sequence[Tick]
    rows: Sequence[Row]


def rating_plot(ratings: Sequence[Rating], *, narrow: bool = False) -> Plot:
    """Lay out the plot, for a phone where it is narrow; there has to be at least one rating."""
    width, row_height = (NARROW_WIDTH, NARROW_ROW) if narrow else (WIDTH, ROW)
    low, high, step = axis(ratings, NARROW_TICKS if narrow else MAX_TICKS)
    names = [formatting.printable(rating.name) for rating in ratings]
    shown = [_shortened(name, NARROW_MAX_NAME if narrow else MAX_NAME) for name in names]
    left = RIGHT if narrow else 24 + LETTER * max(map(_letters, shown))
    foot = TOP + row_height * len(ratings)

    def place(value: float) -> float:
        return round(left + (value - low) / (high - low) * (width - RIGHT - left), 1)

    ticks = [low + number * step for number in range(round((high - low) / step) + 1)]
    rows = [
        Row(
            y=TOP + row_height * row + (row_height - 10 if narrow else row_height / 2),
            name=shown[row],
            title=f"{name}: {_strength(rating)}",
            x=place(rating.elo),
            interval=None if rating.low is None or rating.high is None else (place(rating.low), place(rating.high)),
        )
        for row, (name, rating) in enumerate(zip(names, ratings, strict=True))
    ]
    return Plot(narrow, width, foot + BOTTOM, TOP, foot, left, [Tick(place(elo), elo) for elo in ticks], rows)


def _letters(name: str) -> float:
    """Return how wide a name is, in letters of usual width."""
    return sum(WIDE.get(letter, CAPITAL if letter.isupper() else 1) for letter in name)


def _shortened(name: str, most: int) -> str:
    """Return as much of a name as has room, with a mark where that is not all."""
    if _letters(name) <= most:
        return name
    while _letters(name) > most - 1:
        name = name[:-1]
    return f"{name}…"


def _strength(rating: Rating) -> str:
    """Write a rating with its interval."""
    text = f"{formatting.elo(rating.elo)} Elo"
    if rating.low is None or rating.high is None:
        return text
    return f"{text}, 95 % from {formatting.elo(rating.low)} to {formatting.elo(rating.high)}"


def axis(ratings: Sequence[Rating], most: int = MAX_TICKS) -> tuple[float, float, float]:
    """Return the beginning, the end and the tick distance of the axis; that is 1, 2 or 5 times a power of ten."""
    ends = [end for rating in ratings for end in (rating.low, rating.elo, rating.high) if end is not None]
    low, high = min(*ends, 0.0), max(*ends, 0.0)
    wish = max(high - low, 10.0) / most
    power = 10.0 ** math.floor(math.log10(wish))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= wish)
    first, last = math.floor(low / step), math.ceil(high / step)
    first -= first * step > low  # the number next to 0 becomes 0 when it is divided
    last += last * step < high
    last = max(last, first + 1)
    return first * step, last * step, step
