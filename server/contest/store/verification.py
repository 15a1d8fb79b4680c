"""Verifies the results of a contest against their records and its rules. Pure: texts in, differences out.

Each difference is a sentence. What a record shows is recomputed from it: winner, termination, moves, times. Games that
were not played have none: forfeits have to follow from the games before them. Absences and games that were set aside
stand in the kept results alone, and are named; that they are possible in the contest is all that can be checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.games.outcome import ANNULLED
from engine.match import verification
from engine.match.reader import BadRecord
from engine.match.record import Header
from engine.wire.words import number_of
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, BOTH_WAYS, FORFEIT, SET_ASIDE, WITHDRAWN, Fixture, GameResult, counted_games
from server.contest.plan import Plan, Present, forfeit, plan
from server.contest.scoring.disqualification import Disqualification, find_disqualified
from server.contest.scoring.results import effective_results, game_result, missing_sentence, replayed_matches
from server.contest.standings import standings

_SHOWN = ("winner", "termination", "detail", "plies", "used", "ready", "gone")
"""What a record tells of a game."""

ATTEMPTS = 100
"""So many results may have been kept between the moment that a forfeit followed from, and its own."""


MAX_NOTES = 20
"""Differences that a report names."""


FORFEITED = (FORFEIT, WITHDRAWN)
"""How games end that nobody has to play, since a player is out."""


class Verdict(NamedTuple):
    """The result of a verification."""

    games: int
    """Results that were held against their records."""
    trusted: int
    """Games that did not take place, as by absence: they have no record, and follow from nothing else."""
    differences: tuple[str, ...]
    unproven: tuple[str, ...] = ()
    """A sentence for each game that did not take place; known to who has just verified, not kept."""

    @property
    def sentence(self) -> str:
        """The verdict as a sentence."""
        text = number_of(self.games, "game")
        alone = ""
        if self.trusted:
            alone = f"; {self.trusted} did not take place, by the kept results alone: no record shows it"
        if not self.differences:
            return f"verified: {text}{alone}"
        return f"NOT verified: {number_of(len(self.differences), 'difference')} in {text}{alone}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes for the report."""
        more = len(self.differences) - MAX_NOTES
        left = (f"{more} more differences: arena-server contest --verify names them",) if more > 0 else ()
        return (self.sentence, *self.differences[:MAX_NOTES], *left)


class Evidence(NamedTuple):
    """A result and its record."""

    result: GameResult
    text: str | None
    """The record; None where there is none."""
    sha256: str = ""
    """Of the record as it is now."""
    kept: str = ""
    """Of the record when the result was kept; empty where that is not known."""


class Past(NamedTuple):
    """A contest as it was kept."""

    definition: Definition
    results: Sequence[GameResult]
    """All in order, without the effects of interventions."""
    kept: Mapping[int, str]
    """SHA-256 of the record of each match when its result was kept."""
    seconds: Mapping[int, float]
    """How long each stage has taken."""
    closed: bool

    @property
    def played(self) -> list[GameResult]:
        """Return the results that have records."""
        return [result for result in self.results if result.match is not None]


class Checked(NamedTuple):
    """The result of checking a game."""

    game: GameResult
    """By the record where that is true, else as it was kept."""
    differences: tuple[str, ...]


class Recomputed(NamedTuple):
    """A contest as its records show it."""

    standing: int
    """Results that have records and were not annulled by the organiser."""
    shown: list[GameResult]
    """All games by their records, with the effects of interventions."""
    plan: Plan
    differences: list[str]


def recompute(past: Past, checked: Mapping[int | None, Checked]) -> Recomputed:
    """Hold a contest whose results were ``checked`` against its rules: forfeits, absences, pairings and tables."""
    definition, results = past.definition, past.results
    replayed = replayed_matches(definition)  # whose results count for nobody, be their records true or not
    standing = [result for result in past.played if result.match not in replayed]
    differences = [sentence for result in standing for sentence in checked[result.match].differences]
    differences += check_unplayed(definition, results)
    differences += check_absences(definition, results)
    by_record = [checked[result.match].game if result.match is not None else result for result in results]
    games, shown = (effective_results(definition, some) for some in (results, by_record))
    stands = plan(definition, games, Present(frozenset(), (), past.seconds))
    differences += check_schedule(definition, results, stands, closed=past.closed)
    differences += check_tables(definition, counted_games(games), counted_games(shown), stands)
    return Recomputed(len(standing), shown, stands, differences)


def check(definition: Definition, evidence: Evidence, shown: Sequence[str] = _SHOWN) -> Checked:
    """Check the result of a match against its record, and the record against the contest; ``shown`` are the fields."""
    result, text = evidence.result, evidence.text
    match = f"match {result.match}"
    if text is None:
        return Checked(result, (f"{match}: its record is missing",))
    found = []
    if evidence.kept and evidence.sha256 != evidence.kept:
        found.append(f"{match}: the record is another one than when the result was kept; its SHA-256 differs")
    try:
        summary = verification.verify(text)
    except BadRecord as error:
        return Checked(result, (*found, f"{match}: the record is not true in {error}"))
    differences = header_differences(definition, result.fixture, result.match, summary.header)
    found += [f"{match}: {words}" for words in differences]
    if not summary.result:
        if result.termination not in ANNULLED:
            found.append(f"{match}: the record has no result, and {result.termination} was kept")
        return Checked(result, tuple(found))
    game = game_result(result.fixture, summary.state, summary.gone)
    for name in shown:
        mine, its = getattr(result, name), getattr(game, name)
        if mine != its:
            found.append(f"{match}: {name} is {_words(mine)} as kept, and {_words(its)} by the record")
    return Checked(_with_the_rest(game, result), tuple(found))


def header_differences(definition: Definition, fixture: Fixture, match: int | None, header: Header) -> Iterator[str]:
    """Return the differences between the header of a record and the game that it should be of.

    Capital and small letters of names are alike: a record has a name as its player has logged in.
    """
    variant, position = definition.variants[fixture.variant], header.position
    if header.match != match:
        yield f"the record is that of match {header.match}"
    if [name.lower() for name in header.players] != [name.lower() for name in fixture.players]:
        yield f"the record is of {' against '.join(header.players)}, not {' against '.join(fixture.players)}"
    if header.control != definition.control(fixture):
        yield "the record has another time control"
    if header.move_limit != definition.move_limit:
        yield f"the record has the move limit {header.move_limit}, not {definition.move_limit}"
    if position.game.name != variant.game:
        yield f"the record is of the game {position.game.name}, not {variant.game}"
    elif position != position.game.read(definition.position(fixture)):
        yield "the record begins from another position"


def _with_the_rest(game: GameResult, result: GameResult) -> GameResult:
    """Add the fields that a record does not have."""
    return game._replace(interventions=result.interventions, seconds=result.seconds, programs=result.programs)


def _words(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def check_unplayed(definition: Definition, results: Sequence[GameResult]) -> list[str]:
    """Return the forfeits that do not follow from the results before them, in the order of the store."""
    found = []
    known: dict[tuple[int, int], Mapping[str, Disqualification]] = {}
    for place, game in enumerate(results):
        if game.termination not in FORFEITED:
            continue
        played = [number for number in range(place) if results[number].termination not in FORFEITED]
        for length in range(len(played), max(-1, len(played) - ATTEMPTS), -1):
            key = (length, game.interventions)
            if key not in known:
                then = replace(definition, interventions=definition.interventions[: game.interventions])
                before = [results[number] for number in played[:length]]
                known[key] = find_disqualified(then, effective_results(then, before))
            if not known[key].keys().isdisjoint(game.fixture.players):
                right = forfeit(game.fixture, known[key])
                if all(getattr(right, name) == getattr(game, name) for name in ("winner", "termination", "detail")):
                    break
        else:
            players = " against ".join(game.fixture.players)
            found.append(f"{players} in round {game.fixture.round}: by the games before, nobody had to forfeit it")
    return found


def unproven(results: Sequence[GameResult]) -> list[str]:
    """Return a sentence for each game that did not take place, since only the kept results show it."""
    return [
        f"{_name(game)} in round {game.fixture.round}: {game.termination}, by the kept results alone: {game.detail}"
        for game in results
        if not game.played and game.termination not in FORFEITED
    ]


def check_absences(definition: Definition, results: Sequence[GameResult]) -> list[str]:
    """Return the unplayed games that cannot have ended as was kept."""
    return [
        f"{_name(game)} in round {game.fixture.round}: {fault}"
        for game in results
        if not game.played and game.termination not in FORFEITED and (fault := _impossible(definition, game))
    ]


def _impossible(definition: Definition, game: GameResult) -> str:
    """Return why an unplayed game cannot have ended so; empty if it can."""
    if game.match is not None:
        return f"it is {game.termination}, and has a match all the same"
    if game.termination == SET_ASIDE:
        return "it was set aside, and somebody has won it" if game.winner is not None else ""
    sides = (0, 1) if game.winner is None else (1 - game.winner,)
    connect = {}
    for side in sides:
        name = game.fixture.players[side]
        entrant = definition.entrant(name)
        if entrant is None:
            return f"{name} is a bot of the server's own, and cannot lose by absence"
        connect[name] = entrant.connects
    ways = BOTH_WAYS.get(game.termination, (game.termination,) * 2)
    for side, (name, connects) in zip(sides, connect.items(), strict=True):
        if connects and ways[side] != ABSENT:
            return f"{name} connects by itself, and cannot be {ways[side]}"
        if not connects and ways[side] == ABSENT and len(sides) == 1:
            return f"{name} is a program, which the server starts, and cannot be absent"
    if all(connect.values()):
        right = missing_sentence(list(connect), definition.patience)
        if game.detail != right:
            return f"the sentence is {game.detail!r} as kept, and has to be {right!r}"
    return ""


def check_schedule(definition: Definition, results: Sequence[GameResult], plan: Plan, *, closed: bool) -> list[str]:
    """Return games that are not in the contest's schedule, and games without a result if it is over."""
    known = _fixtures(plan)
    open_stages = {number for number, stage in enumerate(definition.stages) if stage.format.is_open}
    found = []
    seen: set[Fixture] = set()
    earlier: dict[int, set[Fixture]] = {}
    for game in effective_results(definition, results):
        if game.termination in ANNULLED:
            continue
        if game.fixture in seen:
            found.append(f"{_name(game)}: this game has another result already")
        seen.add(game.fixture)
        if game.fixture in known or game.fixture.stage in open_stages:
            continue
        number = game.interventions
        if number not in earlier:
            earlier[number] = _fixtures(_plan_before(definition, results, number))
        if game.fixture not in earlier[number]:
            found.append(f"{_name(game)}: there is no such game in the contest")
    if closed:
        found += [
            f"{' against '.join(fixture.players)} in round {fixture.round} of stage {fixture.stage + 1} has no result"
            for fixture in (*plan.due, *(game.fixture for game in plan.forfeited))
        ]
    return found


def _fixtures(plan: Plan) -> set[Fixture]:
    return {fixture for stage in plan.stages for fixture in stage.schedule.fixtures}


def _plan_before(definition: Definition, results: Sequence[GameResult], number: int) -> Plan:
    """Return the plan of the time when there were so many interventions."""
    then = replace(definition, interventions=definition.interventions[:number])
    return plan(then, effective_results(then, [game for game in results if game.interventions <= number]))


def check_tables(
    definition: Definition, kept: Sequence[GameResult], shown: Sequence[GameResult], plan: Plan
) -> list[str]:
    """Return the differences between the tables from the records and from the kept results."""
    found = []
    for stage in plan.stages:
        if stage.number < 0:
            continue
        tables = [
            standings(definition, stage.number, stage.players, games, stage.schedule.byes) for games in (kept, shown)
        ]
        for mine, its in zip(*tables, strict=True):
            if (mine.place, mine.name, mine.points) != (its.place, its.name, its.points):
                shown_points = number_of(its.points, "point")
                found.append(
                    f"the table of stage {stage.number + 1}: by the records {its.name} is {its.place}. with "
                    f"{shown_points}, and by the kept results {mine.name} is {mine.place}. with {mine.points:g}"
                )
    return found


def stray(definition: Definition, plan: Plan, text: str) -> Fixture | None:
    """Return the fixture of a record that the store does not have; None if it is no game of the contest."""
    try:
        header = verification.verify(text).header
    except BadRecord:
        return None
    fixtures = (fixture for stage in plan.stages for fixture in stage.schedule.fixtures)
    return next((one for one in fixtures if not any(header_differences(definition, one, header.match, header))), None)


def _name(game: GameResult) -> str:
    players = " against ".join(game.fixture.players)
    return players if game.match is None else f"match {game.match}, {players}"
