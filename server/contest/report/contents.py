"""The report of a contest, from its definition, its games, and how far it has come."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from math import isfinite
from typing import Any

from engine.games.interface import ANNULLED
from engine.statistics.elo import Decision, Ratings, count_pairs, estimate
from engine.wire.words import without_code
from server.contest.definition import Definition, Sandbox, format_word
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult, counted_games, points, rated_games
from server.contest.formats.format import StageView
from server.contest.formats.rounds import BracketMeeting, Knockout, bracket
from server.contest.plan import Plan, StageState
from server.contest.report import formatting
from server.contest.report.progress import Moment, estimate_left, status_of
from server.contest.report.structure import (
    TEST,
    BracketRound,
    Cell,
    ContestState,
    Disqualified,
    HeadToHead,
    Qualified,
    Report,
    ReportedGame,
    ReportedIntervention,
    ReportedLoss,
    ReportedMeeting,
    ReportedQualification,
    ReportedStage,
    ReportedVariant,
    ScheduledGame,
)
from server.contest.scoring import Cause, find_disqualified, is_late, losses, stage_view, standings
from server.storage.disk import SUFFIX

_NAMES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Names of rounds, by the number of their meetings."""

Row = tuple[Cell | None, ...]
"""A row of a crosstable."""


def _stage(
    definition: Definition,
    state: StageState,
    games: list[GameResult],
    numbers: Mapping[Fixture, int],
    began: datetime | None,
) -> ReportedStage:
    """Return the report of a stage; ``games`` are the counting games of all stages, with their ``numbers``."""
    of_stage = definition.stages[state.number]
    view = stage_view(definition, state.number, state.players, games)
    table = standings(definition, state.number, state.players, games, state.schedule.byes)
    return ReportedStage(
        number=state.number + 1,
        format=of_stage.format.title,
        kind=format_word(of_stage.format),
        time=formatting.control(of_stage.control),
        began=began,
        over=state.schedule.complete and {game.fixture for game in games}.issuperset(state.schedule.fixtures),
        games=len(view.games),
        known=len(state.schedule.fixtures),
        table=tuple(table),
        crosstable=crosstable([line.name for line in table], view.games, numbers),
        byes=state.schedule.byes,
        bracket=tuple(_rounds(of_stage.format, view, numbers)) if isinstance(of_stage.format, Knockout) else (),
    )


def crosstable(players: Sequence[str], games: Sequence[GameResult], numbers: Mapping[Fixture, int]) -> tuple[Row, ...]:
    """Return a row a player with the results against each player; None where they have not met."""
    met: dict[tuple[str, str], list[GameResult]] = {}
    for game in games:
        first, second = game.fixture.players
        met.setdefault((first, second), []).append(game)
        met.setdefault((second, first), []).append(game)
    return tuple(tuple(_cell(one, met.get((one, other), []), numbers) for other in players) for one in players)


def _cell(name: str, games: list[GameResult], numbers: Mapping[Fixture, int]) -> Cell | None:
    reached = [game.points(game.fixture.players.index(name)) for game in games]
    wins, draws = reached.count(1.0), sum(game.shared for game in games)
    shown = tuple(numbers[game.fixture] for game in games)
    return Cell(sum(reached), wins, draws, len(games) - wins - draws, shown) if games else None


def _rounds(format: Knockout, view: StageView, numbers: Mapping[Fixture, int]) -> Iterator[BracketRound]:
    """Yield all rounds of a bracket, and behind them the match for the third place."""
    found = bracket(format, view)
    for number, meetings in enumerate(found.rounds, 1):
        shown = tuple(_meeting(one, number, view.games, numbers) for one in meetings)
        yield BracketRound(name=_NAMES.get(len(meetings), f"Round {number}"), meetings=shown)
    if found.third is not None:
        yield BracketRound(
            name="Third place", meetings=(_meeting(found.third, len(found.rounds), view.games, numbers),)
        )


def _meeting(
    meeting: BracketMeeting, number: int, games: Sequence[GameResult], numbers: Mapping[Fixture, int]
) -> ReportedMeeting:
    players, winner = meeting
    mine = [game for game in games if game.fixture.round == number and set(game.fixture.players) == set(players)]
    score = points(mine)
    first, second = (0.0 if name is None else score[name] for name in players)
    return ReportedMeeting(
        players=players,
        points=(first, second),
        winner=None if winner is None else players.index(winner),
        bye=number == 1 and None in players,
        games=tuple(numbers[game.fixture] for game in mine),
    )


def _qualification(definition: Definition, state: StageState, games: list[GameResult]) -> ReportedQualification:
    """Return the report of the qualification."""
    rules = definition.qualification
    assert rules is not None
    mine = [game for game in games if game.fixture.stage == QUALIFICATION]
    out, causes = find_disqualified(definition, mine), defaultdict[str, list[str]](list)
    for loss in (loss for game in mine for loss in losses(definition, game)):
        causes[loss.name].append(loss.cause)
    played = Counter(name for game in mine for name in game.fixture.players)
    due = Counter(name for fixture in state.schedule.fixtures for name in fixture.players)
    lines = [
        Qualified(
            name=name,
            games=played[name],
            left=0 if name in out else due[name] - played[name],
            late=sum(map(is_late, causes[name])),
            bad_moves=causes[name].count(Cause.BAD_MOVE),
            disqualified=out[name].reason if name in out else "",
        )
        for name in state.players
    ]
    return ReportedQualification(
        opponents=rules.opponents,
        time=formatting.control(rules.control),
        over=not any(line.left for line in lines),
        table=tuple(lines),
    )


MAX_INTERVALS = 60
"""Most entrants whose ratings get intervals: these take a second for 60, and a quarter of a minute for 100."""

MAX_COMPARED = 6
"""Most entrants of whom each two are compared, in up to 15 lines; of more, the first two of the last table are."""

MAX_COMING = 100
"""Games that the schedule lists; those behind them are only counted."""

RECORDS = "../../records/"
"""Where records are, as seen from the folder of a report."""


def make_report(
    definition: Definition,
    games: Sequence[GameResult],
    plan: Plan,
    moment: Moment,
    records: str = RECORDS,
    log_link: Callable[[int | None, str], str] = lambda match, name: "",
) -> Report:
    """Return the report of a contest; ``games`` are all in order, and ``plan`` is the plan after them.

    ``records`` begins the links to records. ``log_link`` returns the link to a player's log in a match, or "".
    It may take seconds: call it in a thread of its own.
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
        (
            loss,
            ReportedLoss(
                name=loss.name,
                opponent=game.fixture.players[1 - loss.side],
                game=shown.number,
                match=shown.match,
                record=shown.record,
                stage=shown.stage,
                cause=loss.cause,
                reason=shown.reason,
                sentence=loss.sentence,
                log=log_link(game.match, loss.name),
            ),
        )
        for game in valid
        for shown in (listed[numbers[game.fixture] - 1],)
        for loss in losses(definition, game)
        if loss.name in entrants
    ]
    between = [game for game in valid if game.played and set(entrants).issuperset(game.fixture.players)]
    fit = _fit_ratings(definition, between)
    rated = fit.table if fit else ()
    states = {state.number: state for state in plan.stages}
    played = [
        _stage(definition, state, valid, numbers, moment.began.get(number))
        for number, state in states.items()
        if number != QUALIFICATION
    ]
    ranking = [line.name for line in played[-1].table] if played else []
    left = estimate_left(definition, games, plan, moment)
    status = status_of(definition, games, plan, moment)
    versions = {entrant.version_of for entrant in definition.entrants}
    return Report(
        name=definition.name,
        state=status.state,
        status=status.sentence,
        waiting_for=tuple(moment.missing) if status.state in (ContestState.WAITING, ContestState.RUNNING) else (),
        champions=status.champions,
        connecting=tuple(entrant.name for entrant in definition.entrants if entrant.connects),
        compares_versions=len(versions) == 1 and "" not in versions,
        opened=moment.opened,
        closed=moment.closed,
        made=moment.now,
        entrants=entrants,
        variants=tuple(_variant(definition, place, between, fit) for place in range(len(definition.variants))),
        done=len(valid),
        running=len(moment.running),
        left=left.games,
        seconds_left=left.seconds if left.measured and (left.seconds or not left.games) else None,
        due=len(set(plan.due).difference(moment.running)),
        qualification=(_qualification(definition, states[QUALIFICATION], valid) if QUALIFICATION in states else None),
        stages=tuple(played),
        ratings=rated,
        comparisons=compare_entrants(valid, ranking),
        disqualified=tuple(
            Disqualified(
                name=name, reason=out.reason, evidence=tuple(shown for loss, shown in lost if loss in out.evidence)
            )
            for name, out in find_disqualified(definition, valid).items()
        ),
        losses=tuple(shown for _, shown in lost),
        games=listed,
        pauses=tuple(moment.pauses),
        interventions=tuple(
            ReportedIntervention(date=done.date, what=str(done.kind), sentence=done.describe())
            for done in definition.interventions
        ),
        schedule=_schedule(definition, plan, moment),
        notes=(*moment.notes, *_notes(definition, len(rated), len(ranking))),
    )


def _fit_ratings(definition: Definition, between: Sequence[GameResult]) -> Ratings | None:
    """Fit the ratings of the entrants that have played each other; None if there was no such game.

    For more than `MAX_INTERVALS` entrants it leaves out intervals and the properties of variants.
    """
    from engine.statistics.likelihood import ratings  # loads numpy

    played = {name for game in between for name in game.fixture.players}
    names = [entrant.name for entrant in definition.entrants if entrant.name in played]
    many, variants = len(names) > MAX_INTERVALS, len(definition.variants)
    return ratings(rated_games(between), names, variants, intervals=not many) if names else None


def _variant(definition: Definition, place: int, between: Sequence[GameResult], fit: Ratings | None) -> ReportedVariant:
    """Return the results of the games between entrants in a variant."""
    variant = definition.variants[place]
    winners = [game.winner for game in between if game.fixture.variant == place]
    return ReportedVariant(
        name=variant.name,
        openings=len(variant.openings),
        games=len(winners),
        first_wins=winners.count(0),
        draws=winners.count(None),
        second_wins=winners.count(1),
        advantage=fit.advantage[place] if fit and fit.advantage else None,
        drawn_by_equals=fit.draws[place] if fit and fit.draws else None,
    )


def compare_entrants(games: Sequence[GameResult], ranking: Sequence[str]) -> tuple[HeadToHead, ...]:
    """Compare each two entrants that have played pairs of games; of too many entrants, only the first two."""
    names = ranking if len(ranking) <= MAX_COMPARED else ranking[:2]
    return tuple(found for one, other in combinations(names, 2) if (found := _compare(games, one, other)) is not None)


def _compare(games: Sequence[GameResult], one: str, other: str) -> HeadToHead | None:
    """Compare two entrants by pairs of games that were played; None if there is no pair.

    The decision is that of all pairs together. As they were not counted one by one, it may err more often than the
    test says, unless nobody looks before the end.
    """
    pairs = count_pairs(
        (game.fixture._replace(players=(one, other)), game.points(game.fixture.players.index(one)))
        for game in games
        if game.played and set(game.fixture.players) == {one, other}
    )
    if not any(pairs):
        return None
    found, ratio = estimate(pairs), TEST.ratio(pairs)
    return HeadToHead(
        one=one,
        other=other,
        pairs=pairs,
        elo=found.elo,
        margin=found.margin if isfinite(found.margin) else None,
        los=found.los,
        ratio=ratio,
        verdict={Decision.H1: one, Decision.H0: other, Decision.OPEN: ""}[TEST.decide(ratio)],
    )


def _notes(definition: Definition, rated: int, ranked: int) -> Iterator[str]:
    """Yield sentences on programs that are not sealed, and on parts that are left out of a report of many entrants."""
    if definition.sandbox is Sandbox.NONE and not all(entrant.connects for entrant in definition.entrants):
        yield "Programs are not sealed: each can read and change what the server's user can, other programs too."
    for what, number, most in (
        ("The intervals of the ratings are left out", rated, MAX_INTERVALS),
        ("Only the first two of the last table are compared", ranked, MAX_COMPARED),
    ):
        if number > most:
            yield f"{what}: {number} entrants are more than the {most} for which there is time and space."


def _of_fixture(definition: Definition, fixture: Fixture) -> dict[str, Any]:
    """Return the fields that games have before and after they are played."""
    variant = definition.variants[fixture.variant]
    return {
        "stage": fixture.stage + 1,
        "round": fixture.round,
        "variant": variant.name,
        "opening": variant.number(fixture.opening),
        "first": fixture.players[0],
        "second": fixture.players[1],
    }


def _game(definition: Definition, number: int, game: GameResult, counts: bool, records: str) -> ReportedGame:
    result = ("first", "second")[game.winner] if game.winner is not None else "draw" if game.shared else "none"
    programs: dict[str, Any] = {}
    for side, usage in zip(("first", "second"), game.programs, strict=True):
        if usage is not None:
            cpu, wall = (round(seconds * 1_000_000) for seconds in usage[:2])
            programs |= {f"{side}_cpu": cpu, f"{side}_wall": wall}
            programs |= {f"{side}_memory": usage.memory, f"{side}_status": usage.status}
    return ReportedGame(
        **_of_fixture(definition, game.fixture),
        number=number,
        match=game.match,
        record="" if game.match is None else f"{records}{game.match}{SUFFIX}",
        result="annulled" if game.termination in ANNULLED else result,
        reason=str(game.termination),
        sentence=without_code(game.detail),
        plies=game.plies,
        first_used=game.used[0],
        second_used=game.used[1],
        played=game.played,
        counts=counts,
        **programs,
    )


def _schedule(definition: Definition, plan: Plan, moment: Moment) -> tuple[ScheduledGame, ...]:
    """Return the running games, the next games whose players are present, and games that wait for missing players."""
    running, missing = sorted(moment.running), frozenset(moment.missing)
    due = [fixture for fixture in plan.due if fixture not in moment.running]
    due.sort(key=lambda fixture: not missing.isdisjoint(fixture.players))
    games = (*running, *due)[:MAX_COMING]
    return tuple(
        ScheduledGame(
            **_of_fixture(definition, one),
            running=one in running,
            waits_for=() if one in running else tuple(name for name in one.players if name in missing),
        )
        for one in games
    )
