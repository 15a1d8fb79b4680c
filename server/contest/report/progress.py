"""How far a contest has come, as a line; and its tables, for a terminal.

The time that is left follows from the part of the budgets that recent games have taken, and from the number of games
that can be played at a time: cores, entrants that connect and play one game each, and rounds that wait for the round
before. Before the first game, all budgets count as used up. Names and sentences control nothing in the terminal.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from engine.wire.words import aligned, duration, number_of
from server.contest.definition import Definition, Qualification
from server.contest.fixtures import (
    QUALIFICATION,
    Fixture,
    GameResult,
    Schedule,
    counted_games,
    games_over,
    is_cancelled,
)
from server.contest.formats.format import Batch
from server.contest.plan import Plan, StageState, plan
from server.contest.report import formatting
from server.contest.report.formatting import marks, with_forfeits
from server.contest.report.structure import ContestState, Pause, Report, ReportedStage, out_text
from server.contest.scoring import find_disqualified, standings as standings_of

RECENT = 50
"""Games, the last ones, that predict the duration of the next ones."""


class Moment(NamedTuple):
    """The state of a contest at a moment, in addition to its definition and games."""

    now: datetime
    opened: datetime
    closed: datetime | None = None
    began: Mapping[int, datetime] = MappingProxyType({})
    """When each stage began, by its number."""
    running: Collection[Fixture] = ()
    """Games that are being played."""
    missing: Collection[str] = ()
    """Entrants that games wait for."""
    pauses: Sequence[Pause] = ()
    """When nothing went on through a fault that was no entrant's; the last one may still last."""
    notes: Sequence[str] = ()
    """Differences between the table and the records; sentences."""
    cores: int = 0
    """How many programs can think at a time; 0 where that is not known."""


class Remaining(NamedTuple):
    """The games that are left, and the time that they will take."""

    games: int
    """Running games included, tie-breaks not."""
    seconds: float
    """The time of games that can be played: if entrants are missing, without their games and later rounds."""
    measured: bool = True
    """The time follows from games that were played, or from a time limit; False: all budgets count as used up."""

    @property
    def text(self) -> str:
        """The time as text."""
        return f"about {duration(self.seconds)}{'' if self.measured else ' with all budgets used up'}"


class Status(NamedTuple):
    """The state of a contest at a moment."""

    state: ContestState
    sentence: str
    """The state in words, without the end of a sentence."""
    champions: tuple[str, ...] = ()
    """The winners of a contest that is over."""


def status_of(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> Status:
    """Return the state of a contest; ``plan`` is the plan after its games."""
    if plan.over or moment.closed is not None:
        if is_cancelled(definition.interventions):
            return Status(ContestState.OVER, "over: cancelled by the organiser")
        won = champions(definition, counted_games(games), plan)
        sentence = f"over: {formatting.names(won) or 'nobody'} {'have' if len(won) > 1 else 'has'} won"
        return Status(ContestState.OVER, sentence, won)
    if moment.pauses and moment.pauses[-1].ended is None:
        return Status(ContestState.PAUSED, formatting.pause(moment.pauses[-1]))
    if definition.awaited_versions:
        until = definition.versions_until
        begins = "when" if until is None else f"at {formatting.date(until)}, when"
        bots = formatting.names([entrant.name for entrant in definition.awaited_versions])
        return Status(ContestState.PLANNED, f"planned: begins {begins} the versions of {bots} are chosen")
    waiting = f"waiting for {formatting.names(tuple(moment.missing))}" if moment.missing else ""
    if not moment.running and (waiting or not games):
        planned = Status(ContestState.PLANNED, "planned: no game has begun")
        return Status(ContestState.WAITING, waiting) if waiting else planned
    return Status(ContestState.RUNNING, f"running, {waiting}" if waiting else "running")


def champions(definition: Definition, games: list[GameResult], plan: Plan) -> tuple[str, ...]:
    """Return the first of the last table of a contest that is over; nobody where no game was played."""
    last = plan.stages[-1]
    if last.number == QUALIFICATION or not any(game.played for game in games):
        return ()
    table = standings_of(definition, last.number, last.players, games, last.schedule.byes)
    return tuple(line.name for line in table if line.place == 1 and not line.disqualified)


def progress_line(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> str:
    """Return the progress of a contest as one line of plain text; ``plan`` is the plan after its games."""
    return f"{formatting.printable(definition.name)}: {progress_text(definition, games, plan, moment)}"


def progress_text(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> str:
    """Return that line without the contest's name."""
    status = status_of(definition, games, plan, moment)
    number = plan.stages[-1].number
    over = games_over(game.termination for game in counted_games(games))
    if status.state is ContestState.OVER:
        return f"{status.sentence}; {over}"
    left = estimate_left(definition, games, plan, moment)
    time = f", {left.text}{' for games of the others' if moment.missing else ''}" if left.seconds else ""
    stage = f"stage {number + 1} of {len(definition.stages)}, {definition.stages[number].format.title}"
    stage = "qualification" if number == QUALIFICATION else stage
    return f"{status.sentence}; {over}, {len(moment.running)} running, {left.games} left{time}; {stage}"


def forecast(definition: Definition, cores: int) -> str:
    """Say how many games a new contest has, and how long they take."""
    now = datetime.now(UTC)
    left = estimate_left(definition, [], plan(definition, []), Moment(now, now, cores=cores))
    return f"{number_of(left.games, 'game')} on {number_of(definition.cores or cores, 'core')}: {left.text}"


def estimate_left(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> Remaining:
    """Estimate the games and the time that are left, as if nobody else were disqualified."""
    if plan.over:
        return Remaining(0, 0.0)
    valid = counted_games(games)
    out = find_disqualified(definition, valid).keys()
    share = _share_of_budgets(definition, valid)
    last = plan.stages[-1]
    players = sum(name not in out for name in last.players)
    left = Remaining(0, 0.0)
    entered, schedule, open_batch = len(last.players), last.schedule, _open_batch(last, valid, out)
    for number in range(last.number, len(definition.stages)):
        if number > last.number:
            entered = players = min(players, definition.stages[number].advance or players)
            schedule, open_batch = Schedule((), complete=False), Batch(0, 0)
        stage = definition.qualification if number == QUALIFICATION else definition.stages[number]
        assert stage is not None
        a_game = 2 * stage.control.budget / 1_000_000 * (1.0 if share is None else share)
        batches, limit = [open_batch], None
        if not isinstance(stage, Qualification):
            size = 2 * len(definition.variants) * stage.pairs
            if not schedule.complete:
                batches = stage.format.batches(entered, players, size, schedule, open_batch)
            began = moment.began.get(number, moment.now)
            limit = stage.format.seconds_left((moment.now - began).total_seconds())
        count = sum(batch.games for batch in batches)
        if moment.missing:  # later rounds and stages wait for them
            batches = [_open_batch(last, valid, out | set(moment.missing))] if number == last.number else []
        # at a limit of 0 only the pairs that have begun are left
        seconds = limit or sum(_batch_seconds(definition, batch, a_game, moment) for batch in batches)
        left = Remaining(
            left.games + count,
            left.seconds + seconds,
            left.measured and (share is not None or not count or bool(limit)),
        )
    return left


def _open_batch(state: StageState, games: list[GameResult], out: Set[str]) -> Batch:
    """Return the games of a stage that are paired and not over."""
    over = {game.fixture for game in games}
    open_ = [one for one in state.schedule.fixtures if one not in over and out.isdisjoint(one.players)]
    return Batch(len(open_), len({name for fixture in open_ for name in fixture.players}))


def _batch_seconds(definition: Definition, batch: Batch, a_game: float, moment: Moment) -> float:
    """Return the duration of the games of a batch, at least of one game."""
    if not batch.games:
        return 0.0
    running = len(moment.running)
    room = (definition.cores or moment.cores) // 2 or running  # not known: as many as are played now
    room = batch.players // 2 if all(entrant.connects for entrant in definition.entrants) else room
    return a_game * max(1, batch.games / max(1, running, min(room, definition.games_at_once or room)))


def _share_of_budgets(definition: Definition, games: list[GameResult]) -> float | None:
    """Return the part of both budgets that recent games have taken, start and end included; None without a game."""
    played = [game for game in games if game.played][-RECENT:]
    if not played:
        return None
    budgets = sum(2 * definition.control(game.fixture).budget for game in played) / 1_000_000
    return sum(max(game.seconds, sum(game.used) / 1_000_000) for game in played) / budgets


def table_lines(report: Report) -> list[str]:
    """Return a report as lines for a terminal: its state, the tables, the last stage first, who is out, and notes.

    Qualification, ratings, crosstables, games, losses and interruptions stand on the page of the report.
    """
    lines = [report.name, formatting.as_of(report)]
    for stage in reversed(report.stages):
        if stage.table:
            lines += ["", f"Stage {stage.number}: {stage.format} · {stage.time}", *_standings(stage)]
    lines += [f"{one.name} is {out_text(one.reason)}" for one in report.disqualified]
    return [formatting.printable(line) for line in (*lines, *report.notes)]


def _standings(stage: ReportedStage) -> list[str]:
    """Return the table of a stage."""
    columns = marks(stage)
    rows = [("#", "name", *(mark.short for mark in columns), "+", "=", "−", "began", "time", "longest", "late")]
    rows += [
        (
            str(line.place),
            line.name,
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
    return aligned(rows, left=(1,))
