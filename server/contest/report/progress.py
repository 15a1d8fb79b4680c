"""The progress of a running contest as one line, and the forecast for a new contest."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from engine.wire.words import duration, number_of
from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, GameResult, counted_games
from server.contest.formats.format import Standing
from server.contest.plan import Plan, StageState, plan
from server.contest.report import formatting
from server.contest.report.estimate import Moment, Remaining, estimate_left
from server.contest.report.formatting import pause
from server.contest.standings import standings

HEAD = 3
"""Lines of the table that are shown."""

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


def current_progress(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> Progress:
    """Return the progress of a contest; ``plan`` is the plan after its games."""
    state = plan.stages[-1]
    valid = counted_games(games)
    stage = "qualification"
    if state.number != QUALIFICATION:
        stage = f"stage {state.number + 1} of {len(definition.stages)}, {definition.stages[state.number].format.title}"
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
    leaders = (f"{place}. {formatting.printable(name)} {mark}" for place, name, mark in now.head)
    stage, missing = "" if now.over else now.stage, _missing(now) if now.missing else ""
    return "; ".join(filter(None, (_games(now), stage, ", ".join(leaders), missing, now.paused)))


def _head(definition: Definition, state: StageState, games: list[GameResult]) -> tuple[tuple[int, str, str], ...]:
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
    return f"{number_of(now.done, 'game')} done, {now.running} running, {more}, {_time(now.left)}"


def _missing(now: Progress) -> str:
    names = ", ".join(map(formatting.printable, now.missing[:MAX_MISSING]))
    others = len(now.missing) - MAX_MISSING
    return f"waiting for {names}{f' and {others} more' if others > 0 else ''}"


def forecast(definition: Definition, cores: int) -> str:
    """Say how many games a new contest has, and how long they take."""
    now = datetime.now(UTC)
    left = estimate_left(definition, [], plan(definition, []), Moment(now, now, cores=cores))
    on = number_of(definition.cores or cores, "core")
    return f"{'at least ' if left.at_least else ''}{number_of(left.games, 'game')} on {on}: {_time(left)}"


def _time(left: Remaining) -> str:
    return f"about {duration(left.seconds)}{'' if left.measured else ' with all budgets used up'}"
