"""Holds the results of a contest against their records and its rules. Pure: texts in, differences out.

Each difference is a sentence. What a record shows is recomputed from it: winner, termination, moves, times. Games that
were not played have none: forfeits have to follow from the games before them, and absences stand in the database alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine import record
from engine.outcome import ANNULLED
from engine.record import BadRecord, Summary
from server import recovery
from server.contest.annulments import effective
from server.contest.conduct import Disqualification, disqualified
from server.contest.definition import Definition, Ladder
from server.contest.fixtures import FORFEIT, WITHDRAWN, Finished, Fixture, counted
from server.contest.plan import Plan, forfeit
from server.contest.result_of import finished
from server.contest.standings import standings

_SHOWN = ("winner", "termination", "detail", "plies", "used", "ready", "gone")
"""What a record tells of a game."""

ATTEMPTS = 100
"""So many results may have been kept between the moment that a forfeit followed from, and its own."""


MOST_NOTES = 20
"""Differences that a report names."""


FORFEITED = (FORFEIT, WITHDRAWN)
"""How games end that nobody has to play, since a player is out."""


class Verdict(NamedTuple):
    """What has come of a verification."""

    games: int
    """Results that were held against their records."""
    trusted: int
    """Games that did not take place, as by absence: they have no record, and follow from nothing else."""
    differences: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        text = f"{self.games} {'game' if self.games == 1 else 'games'}"
        alone = f"; {self.trusted} did not take place, which the database says alone" if self.trusted else ""
        if not self.differences:
            return f"verified: {text}{alone}"
        return f"NOT verified: {len(self.differences)} differences in {text}{alone}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report says of it."""
        more = len(self.differences) - MOST_NOTES
        left = (f"{more} more differences: arena-server contest --verify names them",) if more > 0 else ()
        return (self.sentence, *self.differences[:MOST_NOTES], *left)


class Evidence(NamedTuple):
    """A result, and what there is of its record."""

    result: Finished
    text: str | None
    """The record; None where there is none."""
    sha256: str = ""
    """Of the record as it is now."""
    kept: str = ""
    """Of the record when the result was kept; empty where that is not known."""


class Checked(NamedTuple):
    """What has come of checking a result."""

    game: Finished
    """By the record where that is true, else as the database has it."""
    differences: tuple[str, ...]


def check(definition: Definition, evidence: Evidence) -> Checked:
    """Hold the result of a match against its record, and that against the contest."""
    result, text = evidence.result, evidence.text
    match = f"match {result.match}"
    if text is None:
        return Checked(result, (f"{match}: its record is missing",))
    found = []
    if evidence.kept and evidence.sha256 != evidence.kept:
        found.append(f"{match}: the record is another one than when the result was kept; its SHA-256 differs")
    try:
        summary = record.verify(text)
    except BadRecord as error:
        return Checked(result, (*found, f"{match}: the record is not true in {error}"))
    found += [f"{match}: {words}" for words in _of_another(definition, result, summary)]
    state = recovery.ended(summary)
    if state is None:
        if result.termination not in ANNULLED:
            found.append(f"{match}: the record has no result, and the database has {result.termination}")
        return Checked(result, tuple(found))
    game = finished(result.fixture, state, summary.gone)
    for name in _SHOWN:
        mine, its = getattr(result, name), getattr(game, name)
        if mine != its:
            found.append(f"{match}: {name} is {_words(mine)} in the database, and {_words(its)} by the record")
    return Checked(_with_the_rest(game, result), tuple(found))


def _of_another(definition: Definition, result: Finished, summary: Summary) -> Iterable[str]:
    """Say in what a record is not that of the game it stands for."""
    header, fixture = summary.header, result.fixture
    variant = definition.variants[fixture.variant]
    position = header.position
    if header.match != result.match:
        yield f"the record is that of match {header.match}"
    if header.players != fixture.players:
        yield f"the record is of {' against '.join(header.players)}, not {' against '.join(fixture.players)}"
    if position.game.name != variant.game:
        yield f"the record is of the game {position.game.name}, not {variant.game}"
    elif position != position.game.read(fixture.position(definition)):
        yield "the record begins from another position"
    if header.control != fixture.control(definition):
        yield "the record has another time control"
    if header.move_limit != definition.move_limit:
        yield f"the record has the move limit {header.move_limit}, not {definition.move_limit}"


def _with_the_rest(game: Finished, result: Finished) -> Finished:
    """Add to a game what its record does not tell."""
    return game._replace(interventions=result.interventions, seconds=result.seconds, programs=result.programs)


def _words(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def check_unplayed(definition: Definition, results: Sequence[Finished]) -> list[str]:
    """Say which forfeits do not follow from the results before them; ``results`` are as they were kept."""
    found = []
    known: dict[tuple[int, int], Mapping[str, Disqualification]] = {}
    for place, game in enumerate(results):
        if game.termination not in FORFEITED:
            continue
        played = [number for number in range(place) if results[number].termination not in FORFEITED]
        for length in range(len(played), max(-1, len(played) - ATTEMPTS), -1):
            key = (length, game.interventions)
            if key not in known:
                then = definition._replace(interventions=definition.interventions[: game.interventions])
                before = [results[number] for number in played[:length]]
                known[key] = disqualified(then, effective(then, before))
            if not known[key].keys().isdisjoint(game.fixture.players):
                right = forfeit(game.fixture, known[key])
                if all(getattr(right, name) == getattr(game, name) for name in ("winner", "termination", "detail")):
                    break
        else:
            players = " against ".join(game.fixture.players)
            found.append(f"{players} in round {game.fixture.round}: by the games before, nobody had to forfeit it")
    return found


def check_schedule(definition: Definition, games: Sequence[Finished], plan: Plan, *, closed: bool) -> list[str]:
    """Say which games are none of the contest's, and which have no result although it is over."""
    known = {fixture for stage in plan.stages for fixture in stage.schedule.fixtures}
    ladders = {number for number, stage in enumerate(definition.stages) if isinstance(stage.format, Ladder)}
    found = []
    for game in counted(games) if not definition.interventions else ():
        if game.fixture not in known and game.fixture.stage not in ladders:
            found.append(f"{_name(game)}: there is no such game in the contest as it stands")
    if closed:
        found += [
            f"{' against '.join(fixture.players)} in round {fixture.round} of stage {fixture.stage + 1} has no result"
            for fixture in (*plan.due, *(game.fixture for game in plan.forfeited))
        ]
    return found


def check_tables(definition: Definition, kept: Sequence[Finished], shown: Sequence[Finished], plan: Plan) -> list[str]:
    """Say where the tables by the records are others than by the database; both are all games that count."""
    found = []
    for stage in plan.stages:
        if stage.number < 0:
            continue
        tables = [
            standings(definition, stage.number, stage.players, games, stage.schedule.byes) for games in (kept, shown)
        ]
        for mine, its in zip(*tables, strict=True):
            if (mine.place, mine.name, mine.points) != (its.place, its.name, its.points):
                found.append(
                    f"the table of stage {stage.number + 1}: by the records {its.name} is {its.place}. with "
                    f"{its.points:g} points, where the database has {mine.name} as {mine.place}. with {mine.points:g}"
                )
    return found


def stray(definition: Definition, plan: Plan, text: str) -> Fixture | None:
    """Return the game of the contest that a record could be of; None for none. For records that the store lacks."""
    try:
        header = record.verify(text).header
    except BadRecord:
        return None
    for stage in plan.stages:
        for fixture in stage.schedule.fixtures:
            if fixture.players == header.players and fixture.control(definition) == header.control:
                variant = definition.variants[fixture.variant]
                game = header.position.game
                if game.name == variant.game and game.read(fixture.position(definition)) == header.position:
                    return fixture
    return None


def _name(game: Finished) -> str:
    players = " against ".join(game.fixture.players)
    return players if game.match is None else f"match {game.match}, {players}"
