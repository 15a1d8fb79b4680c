"""Pages of the league: their headers, and how their templates write dates and numbers."""

from collections.abc import Mapping
from datetime import datetime

from markupsafe import Markup
from starlette.responses import Response

from engine.games.catalogue import variant_title
from engine.match.clock import span
from engine.wire.words import number_of
from server.contest.report.templating import add_filters
from server.web.answers import Page, capital, reason
from server.web.http.guard import FORM_POLICY

HEADERS = {
    "cache-control": "no-store",
    **FORM_POLICY,
    # without it a browser hides from this server that a form is its own
    "referrer-policy": "same-origin",
    # pages that hold what signs a form are not compressed: the length of what is would tell of it (BREACH)
    "content-encoding": "identity",
}
"""Headers of every page, beside those of all answers."""


def page(template: str, title: str, values: Mapping[str, object], *, status: int = 0, current: str = "/me") -> Response:
    """Return a page, which belongs to a link of the navigation. A page with a fault has status 400."""
    frame = {"title": title, "current": current, "styles": ["people/league"]}
    return Page(f"{template}.html", {**values, **frame}, status or (400 if values.get("fault") else 200), HEADERS)


def day(date: datetime) -> Markup:
    """Write a date, not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime("%Y-%m-%d"))


def minute(date: datetime) -> Markup:
    """Write a date with its time, not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime("%Y-%m-%d %H:%M"))


def decimal(number: float) -> str:
    """Write a number with one decimal."""
    return f"{number:.1f}"


def megabytes(size: int) -> str:
    """Write a number of bytes in megabytes."""
    return decimal(size / (1 << 20)).removesuffix(".0")


def rounded(number: float) -> str:
    """Write a number without decimals, negative ones with a minus and not with a hyphen."""
    return str(round(number)).replace("-", "−")


def variant(key: str) -> Markup:
    """Write what a variant is called for people, not broken at the end of a line."""
    return Markup('<span class="whole">{}</span>').format(variant_title(key))


add_filters(day, minute, decimal, megabytes, rounded, span, variant, number_of, capital, reason)
