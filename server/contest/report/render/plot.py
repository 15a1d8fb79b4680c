"""Ratings with their intervals as a picture: a line a name, the strongest on top, as SVG in the page's colours."""

import math
from collections.abc import Sequence

from server.contest.report import formatting
from server.contest.report.render.markup import Markup, element
from server.contest.report.structure import Rating

WIDTH = 760
ROW = 28
TOP, BOTTOM = 10, 30
RIGHT = 28
LETTER = 7.6
"""About how wide a letter of a name is."""

MAX_NAME = 32
"""Letters of a name that have room."""

MAX_TICKS = 8


def rating_plot(ratings: Sequence[Rating]) -> Markup:
    """Return the picture; there has to be somebody who is rated."""
    low, high, step = axis(ratings)
    longest = max(min(len(formatting.printable(rating.name)), MAX_NAME) for rating in ratings)
    left = 24 + LETTER * longest
    height = TOP + ROW * len(ratings) + BOTTOM
    foot = TOP + ROW * len(ratings)

    def place(value: float) -> float:
        return round(left + (value - low) / (high - low) * (WIDTH - RIGHT - left), 1)

    parts: list[Markup] = []
    for number in range(round((high - low) / step) + 1):
        tick = low + number * step
        x = place(tick)
        parts.append(element("line", x1=x, x2=x, y1=TOP, y2=foot, class_="zero" if tick == 0 else "grid"))
        parts.append(element("text", formatting.elo(tick), x=x, y=foot + 20, text_anchor="middle", class_="axis"))
    for row, rating in enumerate(ratings):
        y = TOP + ROW * row + ROW / 2
        name = formatting.printable(rating.name)
        shown = name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
        told = element("title", f"{name}: {strength(rating)}")
        bar = None
        if rating.low is not None and rating.high is not None:
            bar = element("line", x1=place(rating.low), x2=place(rating.high), y1=y, y2=y, class_="bar")
        dot = element("circle", cx=place(rating.elo), cy=y, r=4.5, class_="dot")
        text = element("text", shown, x=left - 14, y=y + 4.5, text_anchor="end")
        parts.append(element("g", told, text, bar, dot))
    title = element("title", "Ratings in Elo, with their 95 % intervals; the same figures stand in the table below")
    return element("svg", title, parts, viewBox=f"0 0 {WIDTH} {height}", role="img")


def strength(rating: Rating) -> str:
    """Write a rating with its interval."""
    text = f"{formatting.elo(rating.elo)} Elo"
    if rating.low is None or rating.high is None:
        return text
    return f"{text}, 95 % from {formatting.elo(rating.low)} to {formatting.elo(rating.high)}"


def axis(ratings: Sequence[Rating]) -> tuple[float, float, float]:
    """Return where the axis begins and ends, and the distance of its ticks: 1, 2 or 5 times a power of ten."""
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
