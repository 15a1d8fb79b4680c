"""What a contest is going to take, as text: games and time of each stage, before its first game."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.wire.words import number_of
from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION
from server.contest.report import formatting
from server.contest.report.estimate import Remaining


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
