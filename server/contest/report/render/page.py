"""The report as HTML: a page without scripts for the folder, and fragments for a page of the server.

Both are made by the same templates. No text of an entrant becomes markup, and nothing is fetched from elsewhere.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import msgspec
from markupsafe import Markup

from server.contest.report.interruptions import interruptions
from server.contest.report.ratings_part import TEST
from server.contest.report.render.environment import STYLES, render, style_sheet
from server.contest.report.render.games import Group, meetings, rounds
from server.contest.report.render.plot import rating_plot
from server.contest.report.structure import Game, Loss, Report, Stage

MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: a wider one is not read by anybody, the games are listed all the same."""

MAX_LISTED = 20_000
"""Most games that a page lists; with more of them browsers get slow."""

MAX_KEPT = 256
"""Rounds of games that are kept as a page of the server shows them: most are over, and the report is written often."""


class Section(NamedTuple):
    """A part of the page."""

    id: str
    title: str
    """What links to it are called."""
    heading: str = ""
    """Where it differs from the title."""
    stage: Stage | None = None

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"sections/{self.id if self.stage is None else 'stage'}.html"


class RoundOfGames(msgspec.Struct, frozen=True):
    """The games of a round, as shown on a page of the server."""

    title: str
    games: int
    html: str


class Fragments(NamedTuple):
    """The parts of a report on a page of the server."""

    contest: str
    """HTML: all but the games."""
    rounds: Sequence[RoundOfGames]
    """The newest first."""
    notes: str
    """HTML that stands below the games."""


def page(report: Report) -> str:
    """Return the report as one page."""
    css = "".join(map(style_sheet, STYLES))
    digest = b64encode(sha256(css.encode()).digest()).decode()
    # the style sheet of the page itself, by its digest, and nothing else
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return render("document.html", **_context(report), css=Markup(css), policy=policy) + "\n"


def fragments(report: Report, contest: int, known: int) -> Fragments:
    """Return the parts of a report for a page of the server; ``known`` is the number of games known to be played."""
    context = {**_context(report), "contest": contest, "known": known}
    listed = rounds(report.games) if len(report.games) <= MAX_LISTED else []
    return Fragments(
        contest=render("contest.html", **context),
        rounds=[_round(contest, one) for one in listed],
        notes=render("notes.html", **context),
    )


@lru_cache(MAX_KEPT)
def _round(contest: int, one: Group) -> RoundOfGames:
    return RoundOfGames(one.title, len(one.games), render("round.html", contest=contest, round=one))


def _context(report: Report) -> dict[str, object]:
    """Return the variables of the templates."""
    return {
        "report": report,
        "contest": None,
        "sections": list(_sections(report)),
        "linked": len(report.games) <= MAX_LISTED,
        "max_crossed": MAX_CROSSED,
        "max_listed": MAX_LISTED,
        "plot": rating_plot(report.ratings) if report.ratings else None,
        "test": TEST,
        "losses": _by_cause(report.losses),
        "lost": _by_name(report.losses),
        "interruptions": interruptions(report),
        "games": _by_stage(report),
    }


def _sections(report: Report) -> Iterator[Section]:
    """Yield the sections of the page that are not empty; the last stage comes first."""
    for stage in reversed(report.stages):
        yield Section(f"stage-{stage.number}", _stage_title(report, stage), stage=stage)
    if report.ratings:
        yield Section("ratings", "Ratings")
    if report.superiority:
        yield Section("superiority", "Superiority", "Likelihood of superiority")
    if report.comparisons:
        yield Section("comparisons", "Comparisons", "Two against each other")
    yield Section("variants", "Games played", "Games played, and the advantage of beginning")
    if report.schedule:
        yield Section("schedule", "Schedule")
    if report.disqualified:
        yield Section("disqualified", "Disqualified")
    if report.losses:
        yield Section("losses", "Losses", "Losses by cause")
    if report.interventions:
        yield Section("interventions", "The organiser's interventions")
    if interruptions(report):
        yield Section("interruptions", "Interruptions")
    if report.qualification is not None:
        yield Section("qualification", "Qualification")
    if report.games:
        yield Section("games", "Games")


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
