"""The report as one HTML page: no script, nothing from elsewhere, and no text of an entrant becomes markup."""

from base64 import b64encode
from hashlib import sha256

from server.contest.report import formatting
from server.contest.report.interruptions import interruptions, intervention, pause
from server.contest.report.render.games import MAX_LISTED, games_section, schedule_section
from server.contest.report.render.markup import Child, Markup, document, element, style_sheet
from server.contest.report.render.parts import Column, losses_table, paragraph, row, section, table
from server.contest.report.render.ratings import (
    comparisons_section,
    ratings_section,
    superiority_section,
    variants_section,
)
from server.contest.report.render.stages import qualification_section, stage_section
from server.contest.report.render.style import CSS
from server.contest.report.structure import Disqualified, Loss, Report, Stage

_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(CSS.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'"
)
"""Content security policy: the style sheet of the page itself, by its digest, and nothing else."""


def page(report: Report) -> str:
    """Return the page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{report.name} – contest"),
        style_sheet(CSS),
    )
    sections = list(_sections(report))
    links = [element("li", element("a", title, href=f"#{id}")) for id, title, _ in sections]
    body = element(
        "body",
        element(
            "div",
            element("header", _header(report)),
            element("nav", element("ul", links), aria_label="Contents"),
            element("main", [part for _, _, part in sections]),
            _footer(report),
            class_="sheet",
        ),
    )
    return document(head, body)


def _sections(report: Report) -> list[tuple[str, str, Markup]]:
    """Return the parts of the page, each with its name in links and its title; the last stage comes first."""
    stages = [(stage.number, _stage_title(report, stage)) for stage in report.stages]
    linked = len(report.games) <= MAX_LISTED
    found = [
        (f"stage-{stage.number}", title, stage_section(stage, title, _done(stage), linked))
        for stage, (_, title) in reversed(list(zip(report.stages, stages, strict=True)))
    ]
    if report.ratings:
        found.append(("ratings", "Ratings", ratings_section(report.ratings)))
    if report.superiority:
        found.append(("superiority", "Superiority", superiority_section(report)))
    if report.comparisons:
        found.append(("comparisons", "Comparisons", comparisons_section(report.comparisons)))
    found.append(("variants", "Games played", variants_section(report.variants)))
    if report.schedule:
        found.append(("schedule", "Schedule", schedule_section(report)))
    if report.disqualified:
        found.append(("disqualified", "Disqualified", _disqualified(report.disqualified)))
    if report.losses:
        found.append(("losses", "Losses", _losses(report.losses)))
    if report.interventions:
        items = [element("li", intervention(done)) for done in report.interventions]
        title = "The organiser's interventions"
        found.append(("interventions", title, section("interventions", title, element("ul", items))))
    troubles = interruptions(report)
    if troubles:
        items = [element("li", sentence) for sentence in troubles]
        head = paragraph("Through no entrant's fault; nobody has lost by them.", kind="quiet")
        found.append(
            ("interruptions", "Interruptions", section("interruptions", "Interruptions", head, element("ul", items)))
        )
    if report.qualification is not None:
        found.append(("qualification", "Qualification", qualification_section(report.qualification)))
        stages.insert(0, (0, "Qualification"))
    if report.games:
        found.append(("games", "Games", games_section(report.games, stages)))
    return found


def _stage_title(report: Report, stage: Stage) -> str:
    """Return the title of a stage: its format, and its number where there are several."""
    format = stage.format.partition(",")[0]
    return format if len(report.stages) == 1 else f"Stage {stage.number}: {format}"


def _header(report: Report) -> list[Child]:
    state = f"Running, as of {formatting.date(report.made)}"
    if report.state == "over":
        first = [line.name for line in report.stages[-1].table if line.place == 1] if report.stages else []
        state = f"Final result: {' and '.join(first)} {'has' if len(first) == 1 else 'have'} won" if first else "Over"
    if report.state != "over" and report.pauses and report.pauses[-1].ended is None:
        state = f"Running, but {pause(report.pauses[-1])}"
    facts = [
        ("Entrants", str(len(report.entrants))),
        ("Games over", str(report.done)),
        *([] if report.state == "over" else [("Running", str(report.running)), ("Due", str(report.due))]),
        ("Opened", formatting.date(report.opened)),
        *([] if report.closed is None else [("Over", formatting.date(report.closed))]),
    ]
    listed = [element("div", element("dt", what), element("dd", value)) for what, value in facts]
    return [paragraph(state, kind="state"), element("h1", report.name), element("dl", listed, class_="facts")]


def _done(stage: Stage) -> str:
    if stage.over:
        return f"{formatting.number(stage.games, 'game')}, over"
    return f"{stage.games} of {formatting.number(stage.known, 'game')} that are paired so far"


def _disqualified(disqualified: tuple[Disqualified, ...]) -> Markup:
    parts = [
        [element("h3", f"{one.name}: {one.reason}"), losses_table(f"Evidence against {one.name}", one.evidence)]
        for one in disqualified
    ]
    return section("disqualified", "Disqualified", parts)


def _losses(losses: tuple[Loss, ...]) -> Markup:
    causes: dict[str, list[Loss]] = {}
    for loss in losses:
        causes.setdefault(loss.cause, []).append(loss)
    names = sorted({loss.name for loss in losses}, key=str.lower)
    columns = [Column("Name", "name"), *[Column(_cause(cause)) for cause in causes], Column("All", "strong")]
    rows = []
    for name in names:
        numbers = [sum(loss.name == name for loss in of_cause) for of_cause in causes.values()]
        rows.append(row(columns, [name, *[str(number or "–") for number in numbers], str(sum(numbers))]))
    parts = [
        element(
            "details",
            element("summary", f"{_cause(cause)}: {formatting.number(len(of_cause), 'loss', 'es')}"),
            losses_table(f"Losses: {_cause(cause).lower()}", of_cause),
            open=None if cause == "board" else "open",
        )
        for cause, of_cause in causes.items()
    ]
    return section("losses", "Losses by cause", table("How many games each has lost, and why", columns, rows), parts)


def _cause(cause: str) -> str:
    """Name a cause of losses in a head."""
    named = {"board": "On the board", "time": "Out of time", "hung": "Hung in initialisation"}
    return named.get(cause, cause.replace("_", " ").capitalize())


def _footer(report: Report) -> Markup:
    notes = [paragraph(note) for note in report.notes]
    return element("footer", notes, paragraph(f"Made on {formatting.date(report.made)}."))
