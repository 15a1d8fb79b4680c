"""The report of a contest, from its definition, its games, and how far it has come."""

from collections.abc import Sequence

from engine.games.outcome import ANNULLED
from server.contest.definition import Definition, Sandbox
from server.contest.fixtures import QUALIFICATION, Finished, Fixture, counted_games
from server.contest.formats.plan import Plan
from server.contest.report import formatting, ratings_part, stages
from server.contest.report.estimate import Moment, estimate_left
from server.contest.report.structure import Disqualified, Game, Intervention, Loss, Report, ScheduledGame
from server.contest.scoring import disqualification
from server.storage.record_store import SUFFIX

MAX_COMING = 100
"""Games that the schedule lists; those behind them are only counted."""

RECORDS = "../../records/"
"""Where records are, as seen from the folder of a report."""


def make_report(
    definition: Definition, games: Sequence[Finished], plan: Plan, moment: Moment, records: str = RECORDS
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
        stages.stage_report(definition, state, valid, numbers, moment.began.get(number))
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
        left=left.expected,
        seconds_left=left.seconds,
        due=len(set(plan.due).difference(moment.running)),
        qualification=(
            stages.qualification_report(definition, states[QUALIFICATION], valid) if QUALIFICATION in states else None
        ),
        stages=tuple(played),
        ratings=rated,
        superiority=ratings_part.superiority_matrix(definition, valid, rated),
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


def _game(definition: Definition, number: int, game: Finished, counts: bool, records: str) -> Game:
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


def _programs(game: Finished) -> dict[str, int | None]:
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
    return 1 + fixture.opening % len(definition.variants[fixture.variant].openings)


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
