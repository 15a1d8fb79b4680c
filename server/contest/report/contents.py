"""The report of a contest, from its definition, its games, and how far it has come."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.games.outcome import ANNULLED
from server.contest.definition import Definition, Sandbox, format_word
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult, counted_games, points
from server.contest.formats.knockout import Knockout, bracket, seeds
from server.contest.plan import Plan, StageState
from server.contest.report import formatting, ratings_part
from server.contest.report.progress import Moment, estimate_left
from server.contest.report.structure import (
    Disqualified,
    Game,
    Intervention,
    Loss,
    Meeting,
    Qualification,
    Qualified,
    Report,
    Round,
    ScheduledGame,
    Stage,
)
from server.contest.scoring import disqualification
from server.contest.scoring.disqualification import Cause, find_disqualified, is_late, losses
from server.contest.standings import Cell, crosstable, stage_view, standings
from server.storage.record_store import SUFFIX

_NAMES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Of rounds, by how many meetings they have."""


THIRD_PLACE = "Third place"


def rounds(
    players: Sequence[str],
    won: Mapping[str, int],
    games: Sequence[GameResult],
    numbers: Mapping[Fixture, int],
    *,
    third_place: bool = False,
    third: str | None = None,
) -> tuple[Round, ...]:
    """Return all rounds of the bracket of ``players``, who are in order of seeding.

    ``won`` is how many rounds each has got through (`server.contest.formats.knockout.bracket`), ``games`` are those of
    the stage that count, and ``numbers`` theirs in the report. With ``third_place`` the match for it, won by
    ``third``, comes last.
    """
    slots = [players[seed] if seed < len(players) else None for seed in seeds(len(players))]
    found: list[Round] = []
    while len(slots) > 1:
        number = len(found) + 1
        of_round = [game for game in games if game.fixture.round == number]
        meetings = [
            _meeting(pair, number, won, [game for game in of_round if set(game.fixture.players) == set(pair)], numbers)
            for pair in zip(slots[::2], slots[1::2], strict=True)
        ]
        found.append(Round(name=_NAMES.get(len(meetings), f"Round {number}"), meetings=tuple(meetings)))
        slots = [None if one.winner is None else one.players[one.winner] for one in meetings]
    if third_place and len(players) > 3:
        found.append(
            Round(name=THIRD_PLACE, meetings=(_match_for_third(found[-2], games, len(found), numbers, third),))
        )
    return tuple(found)


def _match_for_third(
    semi_finals: Round, games: Sequence[GameResult], number: int, numbers: Mapping[Fixture, int], third: str | None
) -> Meeting:
    """Return the meeting of those who have lost the semi-finals, in the round of the final."""
    players = [None if one.winner is None else one.players[1 - one.winner] for one in semi_finals.meetings]
    mine = [game for game in games if game.fixture.round == number and set(game.fixture.players) == set(players)]
    won = {name: number if name == third else 0 for name in players if name is not None}
    return _meeting((players[0], players[1]), number, won, mine, numbers)


def _meeting(
    players: tuple[str | None, str | None],
    number: int,
    won: Mapping[str, int],
    games: Sequence[GameResult],
    numbers: Mapping[Fixture, int],
) -> Meeting:
    on = [name is not None and won[name] >= number for name in players]
    score = points(games)
    first, second = (0.0 if name is None else score[name] for name in players)
    return Meeting(
        players=players,
        points=(first, second),
        winner=on.index(True) if any(on) else None,
        bye=number == 1 and None in players,
        games=tuple(numbers[game.fixture] for game in games),
    )


def stage_report(
    definition: Definition,
    state: StageState,
    games: list[GameResult],
    numbers: Mapping[Fixture, int],
    began: datetime | None,
) -> Stage:
    """Return the report of a stage; ``games`` are the counting games of all stages.

    ``numbers`` are those of the games in the report.
    """
    mine = [game for game in games if game.fixture.stage == state.number]
    of_stage = definition.stages[state.number]
    ranking = standings(definition, state.number, state.players, games, state.schedule.byes)
    won = {line.name: line.rounds_won for line in ranking if line.rounds_won is not None}
    met = crosstable(state.players, mine)
    cells = {
        name: {
            other: Cell(
                cell.points, cell.wins, cell.draws, cell.losses, tuple(numbers[game.fixture] for game in cell.games)
            )
            for other, cell in row.items()
        }
        for name, row in met.items()
    }
    names = [line.name for line in ranking]
    return Stage(
        number=state.number + 1,
        format=of_stage.format.title,
        kind=format_word(of_stage.format),
        time=formatting.control(of_stage.control),
        began=began,
        over=_over(state, games),
        games=len(mine),
        known=len(state.schedule.fixtures),
        table=tuple(ranking),
        crosstable=tuple(tuple(cells[name].get(other) for other in names) for name in names),
        byes=state.schedule.byes,
        bracket=_rounds(definition, state, games, won, numbers),
    )


def _rounds(
    definition: Definition,
    state: StageState,
    games: list[GameResult],
    won: Mapping[str, int],
    numbers: Mapping[Fixture, int],
) -> tuple[Round, ...]:
    """Return the rounds of a knockout; none of other formats."""
    format = definition.stages[state.number].format
    if not isinstance(format, Knockout):
        return ()
    view = stage_view(definition, state.number, state.players, games)
    third = bracket(format, view).third
    return rounds(state.players, won, view.games, numbers, third_place=format.third_place, third=third)


def qualification_report(definition: Definition, state: StageState, games: list[GameResult]) -> Qualification:
    """Return the report of the qualification."""
    rules = definition.qualification
    assert rules is not None
    mine = [game for game in games if game.fixture.stage == QUALIFICATION]
    out = find_disqualified(definition, mine)
    lines = []
    for name in state.players:
        of_one = [game for game in mine if name in game.fixture.players]
        due = sum(name in fixture.players for fixture in state.schedule.fixtures)
        causes = [loss.cause for game in of_one for loss in losses(definition, game) if loss.name == name]
        won = sum(game.points(game.fixture.players.index(name)) == 1 for game in of_one)
        drawn = sum(game.shared for game in of_one)
        lines.append(
            Qualified(
                name=name,
                games=len(of_one),
                left=0 if name in out else due - len(of_one),
                wins=won,
                draws=drawn,
                losses=len(of_one) - won - drawn,
                late=sum(map(is_late, causes)),
                bad_moves=causes.count(Cause.BAD_MOVE),
                disqualified=out[name].reason if name in out else "",
            )
        )
    return Qualification(
        opponents=rules.opponents,
        time=formatting.control(rules.control),
        over=not any(line.left for line in lines),
        table=tuple(lines),
    )


def _over(state: StageState, games: list[GameResult]) -> bool:
    return state.schedule.complete and {game.fixture for game in games}.issuperset(state.schedule.fixtures)


MAX_COMING = 100
"""Games that the schedule lists; those behind them are only counted."""

RECORDS = "../../records/"
"""Where records are, as seen from the folder of a report."""


def make_report(
    definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment, records: str = RECORDS
) -> Report:
    """Return the report of a contest; ``games`` are all in order, and ``plan`` is the plan after them.

    ``records`` is what links to records begin with. It may take seconds: call it in a thread of its own.
    """
    entrants = tuple(entrant.name for entrant in definition.entrants)
    valid = counted_games(games)
    numbers: dict[Fixture, int] = {}
    for number, game in enumerate(games, 1):
        if game.termination not in ANNULLED:
            numbers.setdefault(game.fixture, number)
    listed = tuple(
        _game(definition, number, game, numbers.get(game.fixture) == number, records)
        for number, game in enumerate(games, 1)
    )
    lost = [
        (loss, _loss(loss, listed[numbers[game.fixture] - 1]))
        for game in valid
        for loss in disqualification.losses(definition, game)
        if loss.name in entrants
    ]
    fit = ratings_part.fit_ratings(definition, valid)
    rated = fit.table if fit else ()
    states = {state.number: state for state in plan.stages}
    played = [
        stage_report(definition, state, valid, numbers, moment.began.get(number))
        for number, state in states.items()
        if number != QUALIFICATION
    ]
    ranking = [line.name for line in played[-1].table] if played else []
    left = estimate_left(definition, games, plan, moment)
    return Report(
        name=definition.name,
        state="over" if plan.over or moment.closed is not None else "running",
        opened=moment.opened,
        closed=moment.closed,
        made=moment.now,
        entrants=entrants,
        variants=ratings_part.variant_results(definition, valid, fit),
        done=len(valid),
        running=len(moment.running),
        left=left.games,
        seconds_left=left.seconds if left.measured else None,
        due=len(set(plan.due).difference(moment.running)),
        qualification=(
            qualification_report(definition, states[QUALIFICATION], valid) if QUALIFICATION in states else None
        ),
        stages=tuple(played),
        ratings=rated,
        comparisons=ratings_part.compare_entrants(valid, ranking),
        disqualified=tuple(
            Disqualified(
                name=name, reason=out.reason, evidence=tuple(shown for loss, shown in lost if loss in out.evidence)
            )
            for name, out in disqualification.find_disqualified(definition, valid).items()
        ),
        losses=tuple(shown for _, shown in lost),
        games=listed,
        pauses=tuple(moment.pauses),
        interventions=tuple(
            Intervention(date=done.date, what=str(done.kind), sentence=done.sentence)
            for done in definition.interventions
        ),
        schedule=_schedule(definition, plan, moment),
        notes=(*moment.notes, *_conditions(definition), *ratings_part.omission_notes(len(rated), len(ranking))),
    )


def _conditions(definition: Definition) -> tuple[str, ...]:
    """Return notes about how programs are run, if that is not as usual."""
    if definition.sandbox is Sandbox.NONE and not all(entrant.connects for entrant in definition.entrants):
        return ("Programs are not sealed: each can read and change what the server's user can, other programs too.",)
    return ()


def _game(definition: Definition, number: int, game: GameResult, counts: bool, records: str) -> Game:
    fixture = game.fixture
    variant = definition.variants[fixture.variant]
    if game.termination in ANNULLED:
        result = "annulled"
    elif game.winner is not None:
        result = ("first", "second")[game.winner]
    else:
        result = "draw" if game.shared else "none"
    return Game(
        number=number,
        match=game.match,
        record="" if game.match is None else f"{records}{game.match}{SUFFIX}",
        stage=fixture.stage + 1,
        round=fixture.round,
        variant=formatting.variant_name(variant),
        opening=_opening(definition, fixture),
        first=fixture.players[0],
        second=fixture.players[1],
        result=result,
        reason=str(game.termination),
        sentence=game.detail,
        plies=game.plies,
        first_used=game.used[0],
        second_used=game.used[1],
        played=game.played,
        counts=counts,
        **_programs(game),
    )


def _programs(game: GameResult) -> dict[str, int | None]:
    """Return the fields of a game about its programs."""
    found: dict[str, int | None] = {}
    for side, usage in zip(("first", "second"), game.programs, strict=True):
        if usage is not None:
            found[f"{side}_cpu"] = round(usage.cpu_seconds * 1_000_000)
            found[f"{side}_wall"] = round(usage.wall_seconds * 1_000_000)
            found[f"{side}_memory"] = usage.memory
            found[f"{side}_status"] = usage.status
    return found


def _schedule(definition: Definition, plan: Plan, moment: Moment) -> tuple[ScheduledGame, ...]:
    """Return the running games, and the next games that can begin."""
    running = set(moment.running)
    due = [fixture for fixture in plan.due if fixture not in running]
    return tuple(
        ScheduledGame(
            stage=fixture.stage + 1,
            round=fixture.round,
            variant=formatting.variant_name(definition.variants[fixture.variant]),
            opening=_opening(definition, fixture),
            first=fixture.players[0],
            second=fixture.players[1],
            running=fixture in running,
        )
        for fixture in (*sorted(running), *due)[:MAX_COMING]
    )


def _opening(definition: Definition, fixture: Fixture) -> int:
    """Return the number of a game's opening among those of its variant, from 1."""
    return definition.variants[fixture.variant].number(fixture.opening)


def _loss(loss: disqualification.Loss, game: Game) -> Loss:
    return Loss(
        name=loss.name,
        opponent=loss.game.fixture.players[1 - loss.side],
        game=game.number,
        match=game.match,
        record=game.record,
        stage=game.stage,
        cause=loss.cause,
        reason=game.reason,
        sentence=loss.sentence,
    )
