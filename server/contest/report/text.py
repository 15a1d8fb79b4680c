"""The report in a terminal. Names and sentences are never read as markup, and nothing in them controls the terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.statistics.elo import Rating
from server.contest.report import formatting
from server.contest.report.formatting import interruptions, intervention, marks, with_forfeits
from server.contest.report.structure import Loss, Qualification, Report, Stage

CROSSED_AT_ONCE = 12
"""Opponents in a row of the crosstable: more are wider than a terminal, and come in a block below."""

MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: one of more fills screen after screen."""

_OF_NAMES = ("name", "against", "lost by")
"""Heads of columns of names."""

_OF_SENTENCES = {"verdict": None, "why": 1}
"""Heads of columns of sentences, with their share of the room that is left."""


def render_report(report: Report) -> RenderableType:
    """Return the whole report: the last stage first, then the qualification, ratings, and losses with their reasons.

    Losses on the board, by the rules of the game, are only counted: there are too many to be read.
    """
    state = "final result" if report.state == "over" else f"running, as of {formatting.date(report.made)}"
    state = "cancelled: the table is as it was then" if report.is_cancelled else state
    parts: list[RenderableType] = [_plain(report.name, "bold"), _plain(state, "dim")]
    for stage in (one for one in reversed(report.stages) if one.table):
        parts += [_title(f"Stage {stage.number}: {stage.format} · {stage.time}"), standings(stage)]
        parts += [Text(), crosstable(stage)]
    if report.qualification is not None:
        parts += [_title("Qualification"), _qualification(report.qualification)]
    if report.ratings:
        parts += [_title("Ratings, Elo against the average"), _ratings(report.ratings)]
    reasons = [loss for loss in report.losses if loss.cause != "board"]
    if report.losses:
        parts.append(_title("Losses"))
        on_board = len(report.losses) - len(reasons)
        parts.append(_plain(f"{on_board} on the board, {len(reasons)} for other reasons", "dim"))
        parts += [_losses(reasons)] if reasons else []
    if report.interventions:
        parts += [_title("The organiser's interventions"), *[_plain(intervention(one)) for one in report.interventions]]
    found = interruptions(report)
    if found:
        parts += [_title("Interruptions: nobody has lost by them"), *map(_plain, found)]
    parts += [Padding(_plain(note, "dim"), (1, 0, 0, 0)) for note in report.notes]
    return Group(*parts)


def standings(stage: Stage) -> RenderableType:
    """Return the table of a stage, with disqualifications and byes below it."""
    columns = marks(stage.kind)
    heads = ("#", "name", *(mark.short for mark in columns), "+", "=", "−", "began", "time", "longest", "late")
    table = _table(heads)
    for line in stage.table:
        cells = [
            *(mark.text(line) for mark in columns),
            with_forfeits(line.wins, line.forfeits_won),
            str(line.draws),
            with_forfeits(line.losses, line.forfeits_lost),
            str(line.firsts),
            formatting.time_used(line.used),
            formatting.time_used(line.longest),
            str(line.time_losses or "–"),
        ]
        name = _plain(line.name, "dim strike" if line.disqualified else "bold")
        table.add_row(str(line.place), name, *cells, style="dim" if line.disqualified else "")
    out = [line for line in stage.table if line.disqualified]
    below = [_plain(f"{line.name} is disqualified: {line.disqualified}", "red") for line in out]
    if stage.byes:
        byes = ", ".join(f"{bye.name} in round {bye.round}" for bye in stage.byes)
        below.append(_plain(f"byes: {byes}", "dim"))
    return Group(table, *below)


def crosstable(stage: Stage) -> RenderableType:
    """Return the crosstable, in parts of a few opponents; a sentence if there are too many."""
    if len(stage.table) > MAX_CROSSED:
        sentence = f"The crosstable is drawn here for up to {MAX_CROSSED} entrants; index.html has that of all."
        return _plain(sentence, "dim")
    blocks: list[RenderableType] = []
    for first in range(0, len(stage.table), CROSSED_AT_ONCE):
        columns = range(first, min(first + CROSSED_AT_ONCE, len(stage.table)))
        table = _table(("#", "against", *(str(column + 1) for column in columns)))
        for place, (line, cells) in enumerate(zip(stage.table, stage.crosstable, strict=True)):
            shown = [formatting.points(cell.points) if cell else "" for cell in cells]
            shown[place] = "×"
            table.add_row(str(place + 1), _plain(line.name, "bold"), *[shown[column] for column in columns])
        blocks += [Text(), table] if first else [table]
    return Group(*blocks)


def _qualification(qualification: Qualification) -> RenderableType:
    table = _table(("name", "games", "left", "late", "bad moves", "verdict"))
    for line in qualification.table:
        verdict = _plain(f"disqualified: {line.disqualified}", "red") if line.disqualified else Text("qualified")
        verdict = Text("open", "dim") if line.left else verdict
        numbers = (line.games, line.left, line.late, line.bad_moves)
        table.add_row(_plain(line.name, "bold"), *map(str, numbers), verdict)
    return table


def _ratings(ratings: Sequence[Rating]) -> RenderableType:
    table = _table(("#", "name", "Elo", "95 % from", "to", "games"))
    for place, rating in enumerate(ratings, 1):
        ends = ["–" if end is None else formatting.elo(end) for end in (rating.low, rating.high)]
        table.add_row(str(place), _plain(rating.name, "bold"), formatting.elo(rating.elo), *ends, str(rating.games))
    return table


def _losses(losses: Sequence[Loss]) -> RenderableType:
    table = _table(("match", "lost by", "against", "why"))
    for loss in losses:
        why = _plain(loss.cause.replace("_", " "), "red").append(f": {formatting.printable(loss.sentence)}", "not red")
        match = "–" if loss.match is None else str(loss.match)
        table.add_row(match, _plain(loss.name, "bold"), _plain(loss.opponent), why)
    return table


def _table(heads: Sequence[str]) -> Table:
    """Return an empty table: names and sentences wrap where there is no room, and numbers stand to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in heads:
        if head in _OF_NAMES:
            table.add_column(head, min_width=8)
        elif head in _OF_SENTENCES:
            table.add_column(head, ratio=_OF_SENTENCES[head])
        else:
            table.add_column(head, justify="right", no_wrap=True)
    return table


def _title(text: str) -> RenderableType:
    return Padding(_plain(text, "bold"), (1, 0, 0, 0))


def _plain(text: str, style: str = "") -> Text:
    return Text(formatting.printable(text), style, overflow="ellipsis")
