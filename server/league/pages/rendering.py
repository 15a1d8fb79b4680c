"""Makes the league's pages from their templates, in the frame that all pages share."""

from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, Response

from server.web.assets.documents import Document, whole
from server.web.assets.texts.catalogue import Texts, texts
from server.web.http.response_guard import POLICY

if TYPE_CHECKING:
    from jinja2 import Environment

PART = "server"
"""The part of the catalogue that has the texts of these pages."""

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
    words = texts(language, PART)
    document = Document("", words.sentence(words(title)), ("people/league",), current=current)
    return HTMLResponse(whole(document, body, words), status, HEADERS)


@cache
def _environment(language: str) -> "Environment":
    """Make the environment of a language; each template is translated and compiled at its first use."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # servers whose league nobody opens start sooner

    words, folder = texts(language, PART), files("server.league.pages") / "templates"
    environment = Environment(
        loader=FunctionLoader(lambda name: words.template((folder / name).read_text(encoding="utf-8"))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(t=words, count=words.count, sentence=words.sentence, capital=_capital)
    environment.globals["reason"] = partial(_reason, words)
    environment.filters["day"] = lambda date: f"{date:%Y-%m-%d}"
    environment.filters["megabytes"] = lambda size: f"{size / (1 << 20):.1f}".removesuffix(".0")
    environment.filters["minute"] = lambda date: f"{date:%Y-%m-%d %H:%M}"
    return environment


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reason(words: Texts, reason: str) -> str:
    """Return the word of a reason of an end, which may be made of several, for people."""
    return words(" and ").join(words(part.replace("_", " ")) for part in reason.split("+"))
