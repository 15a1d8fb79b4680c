"""How far a contest has come, how many games are left, and how long they will take.

The time follows from the duration of recent games, with the start and the end of their programs, and from the number of
games that can be played at a time: cores, entrants that connect and play one game each, and rounds that wait for the
round before. Before the first game, each game counts with all of its budgets used up.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from engine.wire.words import duration, number_of
from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult, Schedule, counted_games
from server.contest.formats.format import Batch, Standing
from server.contest.plan import Plan, StageState, plan
from server.contest.report import formatting
from server.contest.report.structure import Pause
from server.contest.scoring.disqualification import find_disqualified
from server.contest.standings import standings

RECENT = 50
"""Games of a stage, the last ones, that predict the duration of the next ones."""

SECOND = 1_000_000
"""Microseconds in it."""

HEAD = 3
"""Lines of the table that are shown."""

MAX_MISSING = 5
"""Names of missing entrants in a line."""


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
    """Those that are running included, and without tie-breaks."""
    at_least: bool
    """There may be more of them: a format decides that later."""
    seconds: float
    """How long they are going to take, about."""
    measured: bool = True
    """The time follows from games that were played, or from a time limit; False: all budgets count as used up."""

    @property
    def time(self) -> str:
        """The time as text."""
        return f"about {duration(self.seconds)}{'' if self.measured else ' with all budgets used up'}"


def progress_line(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> str:
    """Return the progress of a contest as one line of plain text; ``plan`` is the plan after its games."""
    return f"{formatting.printable(definition.name)}: {progress_text(definition, games, plan, moment)}"


def progress_text(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> str:
    """Return that line without the contest's name."""
    state, valid = plan.stages[-1], counted_games(games)
    number = number_of(len(valid), "game")
    stage, head = "qualification", ""
    if state.number != QUALIFICATION:
        stage = f"stage {state.number + 1} of {len(definition.stages)}, {definition.stages[state.number].format.title}"
        table = standings(definition, state.number, state.players, valid, state.schedule.byes)[:HEAD]
        head = ", ".join(f"{line.place}. {formatting.printable(line.name)} {_mark(line)}" for line in table)
    if plan.over:
        return "; ".join(filter(None, (f"over after {number}", head)))
    left = estimate_left(definition, games, plan, moment)
    more = f"{'at least ' if left.at_least else ''}{left.games} left, {left.time}"
    parts = [f"{number} done, {len(moment.running)} running, {more}", stage, head]
    if missing := [*map(formatting.printable, moment.missing)]:
        others = len(missing) - MAX_MISSING
        parts.append(f"waiting for {', '.join(missing[:MAX_MISSING])}{f' and {others} more' if others > 0 else ''}")
    parts += [formatting.pause(pause) for pause in moment.pauses[-1:] if pause.ended is None]
    return "; ".join(filter(None, parts))


def _mark(line: Standing) -> str:
    """Write the value that ranks a line of the table."""
    if line.rating is not None:
        return f"{formatting.elo(line.rating)} Elo"
    if line.rounds_won is not None:
        return number_of(line.rounds_won, "round")
    return formatting.points(line.points)


def forecast(definition: Definition, cores: int) -> str:
    """Say how many games a new contest has, and how long they take."""
    now = datetime.now(UTC)
    left = estimate_left(definition, [], plan(definition, []), Moment(now, now, cores=cores))
    on = number_of(definition.cores or cores, "core")
    return f"{'at least ' if left.at_least else ''}{number_of(left.games, 'game')} on {on}: {left.time}"


def estimate_left(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> Remaining:
    """Estimate the games and the time that are left, as if nobody else were disqualified."""
    if plan.over:
        return Remaining(0, False, 0.0)
    valid = counted_games(games)
    out = find_disqualified(definition, valid).keys()
    last = plan.stages[-1]
    players = sum(name not in out for name in last.players)
    count, seconds, at_least, measured = 0, 0.0, False, True
    for number in range(last.number, len(definition.stages)):
        if number == last.number:
            entered, schedule, batches = len(last.players), last.schedule, [_open_batch(last, valid, out)]
        else:
            entered = players = min(players, definition.stages[number].advance or players)
            schedule, batches = Schedule((), complete=False), [Batch(0, 0)]
        format = None if number == QUALIFICATION else definition.stages[number].format
        if format is not None and not schedule.complete:
            meeting_games = 2 * len(definition.variants) * definition.stages[number].pairs
            batches = format.batches(entered, players, meeting_games, schedule, batches[0])
        a_game = _game_seconds(definition, number, valid)
        time = sum(_duration(definition, number, batch, a_game, moment) for batch in batches)
        gone = (moment.now - moment.began.get(number, moment.now)).total_seconds()
        limit = None if format is None else format.seconds_left(gone)
        may_grow = format is not None and format.may_grow
        if limit:  # at 0 only the pairs that have begun are left
            time = limit if may_grow else min(limit, time)
        size = sum(batch.games for batch in batches)
        measured &= a_game is not None or not size or (may_grow and bool(limit))
        at_least |= may_grow and not schedule.complete
        count += size
        seconds += time
    return Remaining(count, at_least, seconds, measured)


def _open_batch(state: StageState, games: list[GameResult], out: Set[str]) -> Batch:
    """Return the games of a stage that are paired and not over."""
    over = {game.fixture for game in games}
    open_ = [one for one in state.schedule.fixtures if one not in over and out.isdisjoint(one.players)]
    return Batch(len(open_), len({name for fixture in open_ for name in fixture.players}))


def _duration(definition: Definition, number: int, batch: Batch, a_game: float | None, moment: Moment) -> float:
    """Return the duration of the games of a batch; without a measured game all budgets count as used up."""
    if not batch.games:
        return 0.0
    if a_game is None:
        a_game = _longest_game(definition, number)
    slots = _slots(definition, batch, moment)
    # at the end of a batch not all places are taken: some wait for the last game
    return max(a_game, a_game * (batch.games / slots + 0.5 * (1 - 1 / slots)))


def _longest_game(definition: Definition, number: int) -> float:
    """Return the longest duration of a game of a stage in seconds, with the start of its programs."""
    if number == QUALIFICATION:
        assert definition.qualification is not None
        controls = [definition.qualification.control]
    else:
        controls = definition.stages[number].controls
    longest = max(2 * control.budget + definition.move_limit * control.increment for control in controls)
    programs = any(not entrant.connects for entrant in definition.entrants) or number == QUALIFICATION
    return longest / SECOND + (definition.start_seconds if programs else 0)


def _slots(definition: Definition, batch: Batch, moment: Moment) -> float:
    """Return how many games of a batch can be played at the same time; at least those that are running."""
    entrants = definition.entrants
    connecting = sum(entrant.connects for entrant in entrants)
    programs = 2 * (1 - connecting / len(entrants))
    most = float(definition.games_at_once or batch.games)
    if programs:
        cores = definition.cores or moment.cores
        # not known: as many as are played now
        most = min(most, max(1, cores // programs) if cores else max(1, len(moment.running)))
    else:
        most = min(most, max(1, batch.players // 2))
    return max(1.0, min(max(most, len(moment.running)), batch.games))


def _game_seconds(definition: Definition, number: int, games: list[GameResult]) -> float | None:
    """Return the typical duration of a game of a stage; None if no game was played.

    A stage without games takes the same part of its budgets as games of earlier stages.
    """
    played = [game for game in games if game.played]
    mine = [_seconds(game) for game in played if game.fixture.stage == number][-RECENT:]
    if mine:
        return sum(mine) / len(mine)
    if not played:
        return None
    shares = [_seconds(game) / (2 * definition.control(game.fixture).budget / SECOND) for game in played[-RECENT:]]
    stage = definition.qualification if number == QUALIFICATION else definition.stages[number]
    assert stage is not None
    return 2 * stage.control.budget / SECOND * sum(shares) / len(shares)


def _seconds(game: GameResult) -> float:
    """Return the duration of a game; at least the time that both sides used."""
    return max(game.seconds, sum(game.used) / SECOND)
