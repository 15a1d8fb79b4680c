"""The tables of a report in a terminal. Names and sentences are never read as markup, and control nothing there."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from server.contest.report import formatting
from server.contest.report.formatting import marks, with_forfeits
from server.contest.report.structure import Report, Stage

Row = Sequence[RenderableType]


def render_report(report: Report) -> RenderableType:
    """Return state and tables of a report: the last stage first, then qualification and ratings, and the notes.

    Crosstables, games, losses and interruptions stand on the page of the report.
    """
    state = "final result" if report.state == "over" else f"running, as of {formatting.date(report.made)}"
    state = "cancelled: the table is as it was then" if report.is_cancelled else state
    parts: list[RenderableType] = [_plain(report.name, "bold"), _plain(state, "dim")]
    for stage in reversed(report.stages):
        parts += (
            [_title(f"Stage {stage.number}: {stage.format} · {stage.time}"), standings(stage)] if stage.table else []
        )
    if report.qualification is not None:
        rows: list[Row] = [
            (
                _plain(line.name, "bold"),
                *map(str, (line.games, line.left, line.late, line.bad_moves)),
                _plain(line.verdict, "red" if line.disqualified else ""),
            )
            for line in report.qualification.table
        ]
        parts += [_title("Qualification"), _table(("name", "games", "left", "late", "bad moves", "verdict"), rows)]
    if report.ratings:
        ratings: list[Row] = [
            (
                str(place),
                _plain(rating.name, "bold"),
                *("–" if elo is None else formatting.elo(elo) for elo in (rating.elo, rating.low, rating.high)),
                str(rating.games),
            )
            for place, rating in enumerate(report.ratings, 1)
        ]
        heads = ("#", "name", "Elo", "95 % from", "to", "games")
        parts += [_title("Ratings, Elo against the average"), _table(heads, ratings)]
    parts += [Padding(_plain(note, "dim"), (1, 0, 0, 0)) for note in report.notes]
    return Group(*parts)


def standings(stage: Stage) -> RenderableType:
    """Return the table of a stage, with disqualifications and byes below it."""
    columns = marks(stage)
    rows: list[Row] = [
        (
            str(line.place),
            _plain(line.name, "dim strike" if line.disqualified else "bold"),
            *(mark.text(line) for mark in columns),
            with_forfeits(line.wins, line.forfeits_won),
            str(line.draws),
            with_forfeits(line.losses, line.forfeits_lost),
            str(line.firsts),
            formatting.time_used(line.used),
            formatting.time_used(line.longest),
            str(line.time_losses or "–"),
        )
        for line in stage.table
    ]
    heads = ("#", "name", *(mark.short for mark in columns), "+", "=", "−", "began", "time", "longest", "late")
    out = [line for line in stage.table if line.disqualified]
    below = [_plain(f"{line.name} is disqualified: {line.disqualified}", "red") for line in out]
    if stage.byes:
        byes = ", ".join(f"{bye.name} in round {bye.round}" for bye in stage.byes)
        below.append(_plain(f"byes: {byes}", "dim"))
    return Group(_table(heads, rows), *below)


def _table(heads: Sequence[str], rows: Iterable[Row]) -> Table:
    """Return a table: names and verdicts wrap where there is no room, and numbers stand to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in heads:
        if head in ("name", "verdict"):
            table.add_column(head, min_width=8)
        else:
            table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _title(text: str) -> RenderableType:
    return Padding(_plain(text, "bold"), (1, 0, 0, 0))


def _plain(text: str, style: str = "") -> Text:
    return Text(formatting.printable(text), style, overflow="ellipsis")
