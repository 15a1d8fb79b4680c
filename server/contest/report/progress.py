"""The progress of a running contest, for a live display and as one line, and what a new contest will take, as text."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from engine.wire.words import number_of
from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Finished, counted_games
from server.contest.formats.plan import Plan, StageState
from server.contest.formats.standings import Standing, standings
from server.contest.report import formatting
from server.contest.report.estimate import Moment, Remaining, estimate_left
from server.contest.report.formatting import pause

HEAD = 5
"""Lines of the table that are shown; the line for logs has fewer."""

HEAD_OF_LINE = 3

MAX_MISSING = 5
"""Names of those who are missing that have room in a line."""


class Progress(NamedTuple):
    """The state of a contest: its stages, and the games that are due."""

    name: str
    stage: str
    done: int
    """Games that are over and count."""
    running: int
    left: Remaining
    over: bool
    head: tuple[tuple[int, str, str], ...]
    """The first of the table: place, name, and points or rating."""
    missing: tuple[str, ...]
    """Entrants that games wait for."""
    paused: str
    """Since when nothing goes on, and why; empty where all is well."""


def current_progress(definition: Definition, games: Sequence[Finished], plan: Plan, moment: Moment) -> Progress:
    """Return the progress of a contest; ``plan`` is the plan after its games."""
    state = plan.stages[-1]
    valid = counted_games(games)
    stage = "qualification"
    if state.number != QUALIFICATION:
        format = formatting.format_name(definition.stages[state.number].format)
        stage = f"stage {state.number + 1} of {len(definition.stages)}, {format}"
    return Progress(
        definition.name,
        stage,
        len(valid),
        len(moment.running),
        estimate_left(definition, games, plan, moment),
        plan.over,
        () if state.number == QUALIFICATION else _head(definition, state, valid),
        () if plan.over else tuple(moment.missing),
        pause(moment.pauses[-1]) if moment.pauses and moment.pauses[-1].ended is None and not plan.over else "",
    )


def progress_line(now: Progress) -> str:
    """Return the progress as one line of plain text."""
    return f"{formatting.printable(now.name)}: {progress_text(now)}"


def progress_text(now: Progress) -> str:
    """Return that line without the contest's name."""
    leaders = (f"{place}. {formatting.printable(name)} {mark}" for place, name, mark in now.head[:HEAD_OF_LINE])
    stage, missing = "" if now.over else now.stage, _missing(now) if now.missing else ""
    return "; ".join(filter(None, (_games(now), stage, ", ".join(leaders), missing, now.paused)))


def render_progress(now: Progress) -> RenderableType:
    """Return the progress drawn for a terminal; names are never read as markup."""
    title = Text(formatting.printable(now.name), "bold")
    if not now.over:
        title.append(f" · {now.stage}", "not bold dim")
    known = now.done + now.left.expected
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(total=max(1, known), completed=known if now.over else now.done))
    rows: list[RenderableType] = [
        title,
        bar,
        Text(_games(now)),
    ]
    width = max((len(formatting.printable(name)) for _, name, _ in now.head), default=0)
    for place, name, mark in now.head:
        text = Text(f"{place:3} ", "dim")
        text.append(f"{formatting.printable(name):{width}}", "not dim").append(f"  {mark:>6}", "not dim bold")
        rows.append(text)
    if now.missing:
        rows.append(Text(_missing(now), "yellow"))
    if now.paused:
        rows.append(Text(now.paused, "bold red"))
    return Group(*rows)


def _head(definition: Definition, state: StageState, games: list[Finished]) -> tuple[tuple[int, str, str], ...]:
    """Return the first lines of a stage's table."""
    table = standings(definition, state.number, state.players, games, state.schedule.byes)
    return tuple((line.place, line.name, _mark(line)) for line in table[:HEAD])


def _mark(line: Standing) -> str:
    """Write the value that ranks a line of the table."""
    if line.rating is not None:
        return f"{formatting.elo(line.rating)} Elo"
    if line.rounds_won is not None:
        return number_of(line.rounds_won, "round")
    return formatting.points(line.points)


def _games(now: Progress) -> str:
    if now.over:
        return f"over after {number_of(now.done, 'game')}"
    more = f"{'at least ' if now.left.at_least else ''}{now.left.games} left"
    if now.left.games < now.left.most:
        more = f"{now.left.games} to {now.left.most} left"
    if now.left.seconds is not None:
        time = f"about {formatting.duration(now.left.seconds)}"
    elif now.left.most_seconds is not None:
        time = f"at most {formatting.duration(now.left.most_seconds)}"
    else:
        time = "time left not known yet"
    if now.left.time_up:
        more, time = f"time is up: {more} of pairs that have begun", f"{time} for these"
    return f"{number_of(now.done, 'game')} done, {now.running} running, {more}, {time}"


def _missing(now: Progress) -> str:
    names = ", ".join(map(formatting.printable, now.missing[:MAX_MISSING]))
    others = len(now.missing) - MAX_MISSING
    return f"waiting for {names}{f' and {others} more' if others > 0 else ''}"


class DryRun(NamedTuple):
    """What a contest is going to take."""

    rows: tuple[tuple[str, str, str], ...]
    """Of each stage, and of several together: its title, the number of games, and the time."""
    basis: str
    """What tells how long a game takes."""


def dry_run_of(definition: Definition, stages: Mapping[int, Remaining], total: Remaining, measured: int) -> DryRun:
    """Return a row for each stage and one for all; ``measured`` games of earlier contests tell how long one takes."""
    lines = [(_title(definition, number), *_amount(stage)) for number, stage in stages.items()]
    games, time = _amount(total)
    open_end = any(stage.at_least and stage.most == stage.games for stage in stages.values())
    lines += [("together", f"{games} and more" if open_end else games, time)] if len(lines) > 1 else []
    basis = "no such game was measured on this server yet: only the budgets bound the time"
    if measured:
        basis = f"the expected time is by {number_of(measured, 'game')} of earlier contests in these variants"
    return DryRun(tuple(lines), basis)


def dry_run_lines(found: DryRun) -> list[str]:
    """Return a dry run as lines of text."""
    first, second = (max(len(row[column]) for row in found.rows) for column in (0, 1))
    lines = [f"{title:{first}}  {games:{second}}  {time}".rstrip() for title, games, time in found.rows]
    return [*lines, found.basis]


def _title(definition: Definition, number: int) -> str:
    if number == QUALIFICATION:
        return "qualification"
    return f"stage {number + 1}: {formatting.format_name(definition.stages[number].format)}"


def _amount(left: Remaining) -> tuple[str, str]:
    """Return the number of games and the time."""
    games = number_of(left.games, "game")
    if left.most > left.games:
        games = f"{left.games} to {left.most} games"
    elif left.at_least:
        games = f"at least {games}" if left.games else "what its time allows"
    about = "" if left.seconds is None else f"about {formatting.duration(left.seconds)}, "
    most = "" if left.most_seconds is None else f"at most {formatting.duration(left.most_seconds)}"
    return games, f"{about}{most}".removesuffix(", ")
