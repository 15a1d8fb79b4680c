"""The report as HTML: a page without scripts for the folder, and the variables of its page on the server.

Both are made by the same templates of Jinja2, which escape markup and control characters. No text of an entrant becomes
markup, and nothing is fetched from elsewhere.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from markupsafe import Markup

from engine.games.catalogue import variant_title
from engine.record import readable
from engine.wire.words import number_of
from server.contest.report import formatting
from server.contest.report.formatting import interruptions, intervention, pause
from server.contest.report.ratings_part import TEST
from server.contest.report.structure import Game, Loss, Report, Stage
from server.contest.report.tables import (
    Group,
    ended,
    marks,
    match_of,
    meetings,
    programs,
    rounds,
    score,
    swiss_rounds,
    with_forfeits,
)
from server.contest.report.templating import add_filters, render

PACKAGE = "server.contest.report"

STYLES = ("base.css", "contest.css")
"""The style sheets that a report needs, in order; the pages of the server link to the same files."""

add_filters(
    formatting.date,
    formatting.elo,
    number_of,
    formatting.percent,
    formatting.points,
    formatting.share,
    formatting.signed,
    formatting.time_used,
    ended,
    match_of,
    programs,
    score,
    marks,
    pause,
    readable,
    swiss_rounds,
    variant_title,
    with_forfeits,
)


@cache
def style_sheet(name: str) -> str:
    """Return one of the `STYLES`."""
    return (files(PACKAGE) / "styles" / name).read_text(encoding="utf-8")


MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: a wider one is not read by anybody, the games are listed all the same."""

LARGE, FEW = 16, 8
"""Lines of a table that are more than this, and next games and meetings of a round, are shown by a click."""

MAX_LISTED = 20_000
"""Most games that a page lists; with more of them browsers get slow."""


class Section(NamedTuple):
    """A part of the page."""

    id: str
    title: str
    """What links to it are called."""
    heading: str = ""
    """Where it differs from the title."""
    stage: Stage | None = None
    lead: str = ""
    """A sentence above what follows."""
    noun: str = ""
    """What each of the sentences tells of."""
    sentences: tuple[str, ...] = ()
    """Of a section that has nothing else."""

    @property
    def template(self) -> str:
        """Name of its template."""
        if self.sentences:
            return "sections/sentences.html"
        return f"sections/{self.id if self.stage is None else 'stage'}.html"


def page(report: Report) -> str:
    """Return the report as one page."""
    css = "".join(map(style_sheet, STYLES))
    digest = b64encode(sha256(css.encode()).digest()).decode()
    # the style sheet of the page itself, by its digest, and nothing else
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    sections = [*_stages(report), *_more(report), *_games(report)]
    context = {**_context(report), "contents": sections, "sections": sections}
    return render("document.html", **context, css=Markup(css), policy=policy) + "\n"


def page_values(report: Report, contest: int, known: int) -> dict[str, object]:
    """Return the variables of a report's page on the server; ``known`` is the number of games known to be played."""
    listed = rounds(report.games) if len(report.games) <= MAX_LISTED else []
    stages, more = list(_stages(report)), list(_more(report))
    return {
        **_context(report),
        "contest": contest,
        "known": known,
        "contents": [*stages, *(_games(report) if listed else ()), *more],
        "stages": stages,
        "rounds": listed,
        "more": more,
    }


def _context(report: Report) -> dict[str, object]:
    """Return the variables of the templates."""
    return {
        "report": report,
        "contest": None,
        "linked": len(report.games) <= MAX_LISTED,
        "max_crossed": MAX_CROSSED,
        "max_listed": MAX_LISTED,
        "large": LARGE,
        "few": FEW,
        "test": TEST,
        "losses": _by_cause(report.losses),
        "lost": _by_name(report.losses),
        "games": _by_stage(report),
    }


def _stages(report: Report) -> Iterator[Section]:
    """Yield the stages that somebody takes part in, the last one first, and what comes next."""
    for stage in (one for one in reversed(report.stages) if one.table):
        yield Section(f"stage-{stage.number}", _stage_title(report, stage), stage=stage)
    if report.schedule:
        yield Section("schedule", "Schedule")


def _games(report: Report) -> Iterator[Section]:
    """Yield the list of games, if there are any."""
    if report.games:
        yield Section("games", "Games")


def _more(report: Report) -> Iterator[Section]:
    """Yield the other sections of the page that are not empty."""
    if report.ratings:
        yield Section("ratings", "Ratings")
    if report.comparisons:
        yield Section("comparisons", "Comparisons", "Two against each other")
    yield Section("variants", "Games played", "Games played, and the advantage of beginning")
    if report.disqualified:
        yield Section("disqualified", "Disqualified")
    if report.losses:
        yield Section("losses", "Losses", "Losses by cause")
    if report.interventions:
        sentences = tuple(map(intervention, report.interventions))
        yield Section("interventions", "The organiser's interventions", noun="intervention", sentences=sentences)
    if found := interruptions(report):
        lead = "Through no entrant's fault; nobody has lost by them."
        yield Section("interruptions", "Interruptions", lead=lead, noun="interruption", sentences=tuple(found))
    if report.qualification is not None:
        yield Section("qualification", "Qualification")


def _stage_title(report: Report, stage: Stage) -> str:
    """Return the title of a stage: its format, and its number where there are several."""
    format = stage.format.partition(",")[0]
    return format if len(report.stages) == 1 else f"Stage {stage.number}: {format}"


def _by_cause(losses: Sequence[Loss]) -> dict[str, list[Loss]]:
    found: dict[str, list[Loss]] = {}
    for loss in losses:
        found.setdefault(loss.cause, []).append(loss)
    return found


def _by_name(losses: Sequence[Loss]) -> dict[str, Counter[str]]:
    """Return the number of losses of each entrant by cause, in order of names."""
    found: dict[str, Counter[str]] = {}
    for loss in sorted(losses, key=lambda loss: loss.name.lower()):
        found.setdefault(loss.name, Counter())[loss.cause] += 1
    return found


def _by_stage(report: Report) -> list[tuple[str, list[Group]]]:
    """Return the games of each stage by meetings, with its title."""
    stages = [(stage.number, _stage_title(report, stage)) for stage in report.stages]
    if report.qualification is not None:
        stages.insert(0, (0, "Qualification"))
    games: dict[int, list[Game]] = {}
    for game in report.games:
        games.setdefault(game.stage, []).append(game)
    return [(title, meetings(games[number])) for number, title in stages if number in games]
