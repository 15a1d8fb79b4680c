"""Makes the league's pages from their templates, in the frame that all pages share."""

from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from engine.games.catalogue import variant_title
from engine.match.clock import span
from engine.wire.words import number_of
from server.web.assets.documents import Document, whole
from server.web.http.response_guard import POLICY

if TYPE_CHECKING:
    from jinja2 import Environment

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY.replace("form-action 'none'", "form-action 'self'"),
    # without it a browser hides from this server that a form is its own
    "referrer-policy": "same-origin",
    # pages that hold what signs a form are not compressed: the length of what is would tell of it (BREACH)
    "content-encoding": "identity",
}
"""Beside the headers of every page."""


def page(template: str, title: str, values: dict[str, Any], *, status: int = 200, current: str = "") -> Response:
    """Return a page: the template of this name, filled in, as the body of a document."""
    body = _environment().get_template(f"{template}.html").render(values)
    return HTMLResponse(whole(Document("", title, ("people/league",), current=current), body), status, HEADERS)


@cache
def _environment() -> "Environment":
    """Make the environment; each template is compiled at its first use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # servers whose league nobody opens start sooner

    environment = Environment(
        loader=PackageLoader("server.league.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(count=number_of, capital=_capital, reason=_reason)
    environment.filters["day"] = partial(_date, "%Y-%m-%d")
    environment.filters["decimal"] = _decimal
    environment.filters["megabytes"] = lambda size: _decimal(size / (1 << 20)).removesuffix(".0")
    environment.filters["minute"] = partial(_date, "%Y-%m-%d %H:%M")
    environment.filters["rounded"] = _rounded
    environment.filters["span"] = span
    environment.filters["variant"] = _variant
    return environment


def _date(form: str, date: datetime) -> Markup:
    """Return a date that is not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime(form))


def _decimal(number: float) -> str:
    """Return a number with one decimal."""
    return f"{number:.1f}"


def _rounded(number: float) -> str:
    """Return a number without decimals, negative ones with a minus and not with a hyphen."""
    return str(round(number)).replace("-", "−")


def _variant(variant: str) -> Markup:
    """Return what a variant is called for people, not broken at the end of a line."""
    return Markup('<span class="whole">{}</span>').format(variant_title(variant))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reason(reason: str) -> str:
    """Return the word of a reason of an end, which may be made of several, for people."""
    return reason.replace("_", " ").replace("+", " and ")
