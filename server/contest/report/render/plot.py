"""The layout of the plot of ratings: a line for each name with its interval, the strongest on top."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from server.contest.report import formatting
from server.contest.scoring.ratings import Rating

WIDTH = 760
ROW = 28
TOP, BOTTOM = 10, 30
RIGHT = 28
LETTER = 7.6
"""About how wide a letter of a name is."""

WIDE = dict.fromkeys("MWmw@%", 1.75)
"""Letters that are wider, by how much; so are capital letters."""

CAPITAL = 1.2

MAX_NAME = 32
"""Letters of usual width that have room."""

MAX_TICKS = 8


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

    width: int
    height: int
    top: int
    foot: int
    """Where the lines of the grid end."""
    left: float
    """Where the axis begins."""
    ticks: Sequence[Tick]
    rows: Sequence[Row]


def rating_plot(ratings: Sequence[Rating]) -> Plot:
    """Lay out the plot; there has to be at least one rating."""
    low, high, step = axis(ratings)
    names = [formatting.printable(rating.name) for rating in ratings]
    shown = [_shortened(name) for name in names]
    left = 24 + LETTER * max(map(_letters, shown))
    foot = TOP + ROW * len(ratings)

    def place(value: float) -> float:
        return round(left + (value - low) / (high - low) * (WIDTH - RIGHT - left), 1)

    ticks = [low + number * step for number in range(round((high - low) / step) + 1)]
    rows = [
        Row(
            y=TOP + ROW * row + ROW / 2,
            name=shown[row],
            title=f"{name}: {_strength(rating)}",
            x=place(rating.elo),
            interval=None if rating.low is None or rating.high is None else (place(rating.low), place(rating.high)),
        )
        for row, (name, rating) in enumerate(zip(names, ratings, strict=True))
    ]
    return Plot(WIDTH, foot + BOTTOM, TOP, foot, left, [Tick(place(elo), elo) for elo in ticks], rows)


def _letters(name: str) -> float:
    """Return how wide a name is, in letters of usual width."""
    return sum(WIDE.get(letter, CAPITAL if letter.isupper() else 1) for letter in name)


def _shortened(name: str) -> str:
    """Return as much of a name as has room, with a mark where that is not all."""
    if _letters(name) <= MAX_NAME:
        return name
    while _letters(name) > MAX_NAME - 1:
        name = name[:-1]
    return f"{name}…"


def _strength(rating: Rating) -> str:
    """Write a rating with its interval."""
    text = f"{formatting.elo(rating.elo)} Elo"
    if rating.low is None or rating.high is None:
        return text
    return f"{text}, 95 % from {formatting.elo(rating.low)} to {formatting.elo(rating.high)}"


def axis(ratings: Sequence[Rating]) -> tuple[float, float, float]:
    """Return the beginning, the end and the tick distance of the axis; that is 1, 2 or 5 times a power of ten."""
    ends = [end for rating in ratings for end in (rating.low, rating.elo, rating.high) if end is not None]
    low, high = min(*ends, 0.0), max(*ends, 0.0)
    wish = max(high - low, 10.0) / MAX_TICKS
    power = 10.0 ** math.floor(math.log10(wish))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= wish)
    first, last = math.floor(low / step), math.ceil(high / step)
    first -= first * step > low  # the number next to 0 becomes 0 when it is divided
    last += last * step < high
    last = max(last, first + 1)
    return first * step, last * step, step
