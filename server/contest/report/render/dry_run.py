"""What a contest is going to take, as text: games and time of each stage, before its first game."""

from collections.abc import Mapping

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION
from server.contest.report import formatting
from server.contest.report.estimate import Remaining


def dry_run_lines(
    definition: Definition, stages: Mapping[int, Remaining], total: Remaining, measured: int
) -> list[str]:
    """Return a line for each stage and one for all; ``measured`` games of earlier contests tell how long one takes."""
    lines = [(_title(definition, number), *_amount(stage)) for number, stage in stages.items()]
    games, time = _amount(total)
    open_end = any(stage.at_least and stage.most == stage.games for stage in stages.values())
    lines += [("together", f"{games} and more" if open_end else games, time)] if len(lines) > 1 else []
    first, second = (max(len(line[column]) for line in lines) for column in (0, 1))
    basis = "no such game was measured on this server yet: only the budgets bound the time"
    if measured:
        basis = f"the expected time is by {formatting.number(measured, 'game')} of earlier contests in these variants"
    return [*(f"{title:{first}}  {games:{second}}  {time}".rstrip() for title, games, time in lines), basis]


def _title(definition: Definition, number: int) -> str:
    if number == QUALIFICATION:
        return "qualification"
    return f"stage {number + 1}: {formatting.format_name(definition.stages[number].format)}"


def _amount(left: Remaining) -> tuple[str, str]:
    """Return the number of games and the time."""
    games = formatting.number(left.games, "game")
    if left.most > left.games:
        games = f"{left.games} to {left.most} games"
    elif left.at_least:
        games = f"at least {games}" if left.games else "what its time allows"
    about = "" if left.seconds is None else f"about {formatting.duration(left.seconds)}, "
    most = "" if left.most_seconds is None else f"at most {formatting.duration(left.most_seconds)}"
    return games, f"{about}{most}".removesuffix(", ")
