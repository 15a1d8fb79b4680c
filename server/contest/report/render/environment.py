"""The Jinja2 environment of reports, which escapes markup and control characters."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from engine.games.catalogue import variant_title
from engine.record import readable
from engine.wire.words import number_of
from server.contest.report import formatting
from server.contest.report.interruptions import pause
from server.contest.report.render import games
from server.contest.report.render.swiss import swiss_rounds
from server.contest.report.render.tie_breaks import marks, with_forfeits

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "server.contest.report"

STYLES = ("base.css", "contest.css")
"""The style sheets that a report needs, in order; the pages of the server link to the same files."""

_FILTERS = (
    formatting.date,
    formatting.elo,
    number_of,
    formatting.percent,
    formatting.points,
    formatting.share,
    formatting.signed,
    formatting.time_used,
    games.ended,
    games.match_of,
    games.programs,
    games.score,
    marks,
    pause,
    readable,
    swiss_rounds,
    variant_title,
    with_forfeits,
)


def render(template: str, **context: object) -> str:
    """Render a template of ``templates/``."""
    return _environment().get_template(template).render(context)


@cache
def style_sheet(name: str) -> str:
    """Return one of the `STYLES`."""
    return (files(PACKAGE) / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    """Make the environment; each template is compiled at its first use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # servers without contests start sooner without it

    environment = Environment(
        loader=PackageLoader(PACKAGE),
        extensions=["jinja2.ext.do"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update({found.__name__: found for found in _FILTERS})
    return environment


def _printable(value: Any) -> Any:
    """Return a value for a template without control characters, before it is escaped; markup of templates stays."""
    return value if isinstance(value, Markup) else formatting.printable(str(value))
