"""Makes the league's pages from their templates, in the frame that all pages share."""

from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from engine.clock import span
from engine.record import readable
from server.web.assets.documents import Document, whole
from server.web.assets.texts.catalogue import Texts, texts
from server.web.http.response_guard import POLICY
from server.web.views.plain import variant_name

if TYPE_CHECKING:
    from jinja2 import Environment

PARTS = ("server", "reports")
"""The parts of the catalogue that have the texts of these pages, which tell of contests, too."""

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY.replace("form-action 'none'", "form-action 'self'"),
    # without it a browser hides from this server that a form is its own
    "referrer-policy": "same-origin",
    # pages that hold what signs a form are not compressed: the length of what is would tell of it (BREACH)
    "content-encoding": "identity",
}
"""Beside the headers of every page."""


def page(
    template: str, title: str, values: dict[str, Any], *, language: str, status: int = 200, current: str = ""
) -> Response:
    """Return a page: the template of this name, filled in, as the body of a document, in a language."""
    body = _environment(language).get_template(f"{template}.html").render(values)
    words = texts(language, *PARTS)
    document = Document("", words.sentence(words(title)), ("people/league",), current=current)
    return HTMLResponse(whole(document, body, words), status, HEADERS)


@cache
def _environment(language: str) -> "Environment":
    """Make the environment of a language; each template is translated and compiled at its first use."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # servers whose league nobody opens start sooner

    words, folder = texts(language, *PARTS), files("server.league.pages") / "templates"
    environment = Environment(
        loader=FunctionLoader(lambda name: words.template((folder / name).read_text(encoding="utf-8"))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(t=words, count=words.count, sentence=words.sentence, capital=_capital, readable=readable)
    environment.globals["reason"] = partial(_reason, words)
    environment.filters["day"] = partial(_date, "%Y-%m-%d")
    environment.filters["decimal"] = partial(_decimal, words)
    environment.filters["megabytes"] = lambda size: _decimal(words, size / (1 << 20)).removesuffix(words(".") + "0")
    environment.filters["minute"] = partial(_date, "%Y-%m-%d %H:%M")
    environment.filters["rounded"] = _rounded
    environment.filters["span"] = lambda time: span(time).replace(".", words("."))
    environment.filters["variant"] = partial(_variant, words)
    return environment


def _date(form: str, date: datetime) -> Markup:
    """Return a date that is not broken at the end of a line."""
    return Markup('<time class="whole">{}</time>').format(date.strftime(form))


def _decimal(words: Texts, number: float) -> str:
    """Return a number with one decimal, as the language writes it."""
    return f"{number:.1f}".replace(".", words("."))


def _rounded(number: float) -> str:
    """Return a number without decimals, negative ones with a minus and not with a hyphen."""
    return str(round(number)).replace("-", "−")


def _variant(words: Texts, variant: str) -> Markup:
    """Return what a variant is called for people, not broken at the end of a line."""
    return Markup('<span class="whole">{}</span>').format(variant_name(variant, words))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reason(words: Texts, reason: str) -> str:
    """Return the word of a reason of an end, which may be made of several, for people."""
    return words(" and ").join(words(part.replace("_", " ")) for part in reason.split("+"))
