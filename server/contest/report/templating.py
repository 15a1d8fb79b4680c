"""The Jinja environment of reports and pages: one set of filters, and the templates of three rooms.

Templates escape markup and control characters. No text of a player becomes markup, and no page fetches anything from
elsewhere.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from server.contest.report.formatting import printable

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDERS = (
    ("server.contest.report", "templates"),
    ("server.web", "assets"),
    ("server.league.pages", "templates"),
)
"""Packages and their folders of templates. A name is looked up in this order."""

_FILTERS: dict[str, Callable[..., Any]] = {}


def add_filters(*functions: Callable[..., Any]) -> None:
    """Let templates call functions as filters, by the names of the functions."""
    _FILTERS.update({function.__name__: function for function in functions})


def render(template: str, **values: object) -> str:
    """Render a template."""
    return _environment().get_template(template).render(values)


def render_block(template: str, block: str, values: dict[str, object]) -> str:
    """Render one block of a template: a part of a page that is sent anew."""
    found = _environment().get_template(template)
    return "".join(found.blocks[block](found.new_context(values)))


@cache
def _environment() -> "Environment":
    """Make the environment; each template is compiled at its first use."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # commands start sooner without it

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(*folder) for folder in FOLDERS]),
        extensions=["jinja2.ext.do"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    _FILTERS.update({**environment.filters, **_FILTERS})
    environment.filters = _FILTERS  # the same table, so that rooms that are loaded later can add to it
    return environment


def lines(text: str) -> Markup:
    """Return a text of several lines, which would else be written as one."""
    return Markup("\n").join(printable(line) for line in text.splitlines())


add_filters(lines)
