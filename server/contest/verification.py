"""Verification of the results of a contest against their records and its rules (pure).

Each difference is a sentence. Winner, termination, moves and times are recomputed from the record. Games that
were not played have none: forfeits have to follow from the games before them. Absences and games that were set aside
stand in the kept results alone, and are named; that they are possible in the contest is all that can be checked.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from engine.games.interface import ANNULLED
from engine.match import verification
from engine.match.record import BadRecord, Header
from server.contest.definition import Definition
from server.contest.fixtures import (
    ABSENT,
    BOTH_WAYS,
    END,
    FORFEIT,
    SET_ASIDE,
    WITHDRAWN,
    Fixture,
    GameResult,
    counted_games,
)
from server.contest.plan import Plan, Present, forfeit, plan as plan_games
from server.contest.report.formatting import control
from server.contest.report.structure import Verdict
from server.contest.scoring import (
    Disqualification,
    effective_results,
    find_disqualified,
    game_result,
    missing_sentence,
    replayed_matches,
)

SHOWN = ("winner", "termination", "detail", "plies", "used", "ready", "gone")
"""Fields of a result that its record shows."""

ATTEMPTS = 100
"""Most results that were kept between the moment that a forfeit follows from, and the forfeit."""

FORFEITED = (FORFEIT, WITHDRAWN)
"""Terminations of games that nobody has to play, since a player is out."""


class KeptContest(NamedTuple):
    """A contest as it was kept."""

    definition: Definition
    results: Sequence[GameResult]
    """All in order, without the effects of interventions."""
    digests: Mapping[int, str]
    """SHA-256 of the record of each match when its result was kept; a record of unknown digest is missing here."""
    seconds: Mapping[int, float]
    """How long each stage has taken."""
    closed: bool

    @property
    def played(self) -> list[GameResult]:
        """Return the results that have records."""
        return [result for result in self.results if result.match is not None]

    def digest(self, result: GameResult) -> str:
        """Return the SHA-256 of the record of a result; empty if it is unknown."""
        return self.digests.get(result.match or 0, "")


class Checked(NamedTuple):
    """The result of checking a game."""

    game: GameResult
    """The game by its record if the record is true, otherwise as it was kept."""
    differences: tuple[str, ...]


class Recomputed(NamedTuple):
    """A contest as its records show it."""

    games: list[GameResult]
    """All games by their records, with the effects of interventions."""
    plan: Plan
    verdict: Verdict


def recompute(past: KeptContest, checked: Iterable[Checked]) -> Recomputed:
    """Hold a contest whose records were ``checked`` against its rules: forfeits, absences and pairings."""
    definition, results = past.definition, past.results
    by_match = {found.game.match: found for found in checked}
    replayed = replayed_matches(definition)  # whose results count for nobody, be their records true or not
    standing = [by_match[result.match] for result in past.played if result.match not in replayed]
    plan_now = plan_games(definition, effective_results(definition, results), Present(frozenset(), (), past.seconds))
    absences = [game for game in results if not game.played and game.termination not in FORFEITED]
    differences = [sentence for found in standing for sentence in found.differences]
    differences += check_forfeits(definition, results)
    differences += [f"{_name(game)}: {fault}" for game in absences if (fault := _impossible(definition, game))]
    differences += check_schedule(definition, results, plan_now, closed=past.closed)
    unproven = [f"{_name(game)}: {game.termination}, by the kept results alone: {game.detail}" for game in absences]
    by_record = [result if result.match is None else by_match[result.match].game for result in results]
    games = effective_results(definition, by_record)
    counted = sum(game.match is not None for game in counted_games(games))
    verdict = Verdict(counted, len(absences), tuple(differences), tuple(unproven), len(past.played) - counted)
    return Recomputed(games, plan_now, verdict)


def check(definition: Definition, result: GameResult, record: bytes | None, digest: str) -> Checked:
    """Check the result of a match against its record, and the record against the contest and its ``digest``."""
    match = f"match {result.match}"
    if record is None:
        return Checked(result, (f"{match}: its record is missing",))
    found = []
    if digest and hashlib.sha256(record).hexdigest() != digest:
        found.append(f"{match}: the record is another one than when the result was kept; its SHA-256 differs")
    try:
        summary = verification.verify(record.decode(errors="replace"))
    except BadRecord as error:
        return Checked(result, (*found, f"{match}: the record is not true in {error}"))
    found += [
        f"{match}: {difference}"
        for difference in header_differences(definition, result.fixture, result.match, summary.header)
    ]
    if not summary.result:
        is_annulled = result.termination in ANNULLED
        missing = () if is_annulled else (f"{match}: the record has no result, and {result.termination} was kept",)
        return Checked(result, (*found, *missing))
    game = game_result(result.fixture, summary.state)
    shown = {name: getattr(game, name) for name in SHOWN}
    found += [
        f"{match}: {name} is {getattr(result, name)!r} as kept, and {value!r} by the record"
        for name, value in shown.items()
        if getattr(result, name) != value
    ]
    return Checked(result._replace(**shown), tuple(found))


def header_differences(definition: Definition, fixture: Fixture, match: int | None, header: Header) -> Iterator[str]:
    """Return the differences between the header of a record and the game that it should be of.

    Capital and small letters of names are alike: a record has a name as its player has logged in.
    """
    variant, position = definition.variants[fixture.variant], header.position
    compared: dict[str, Sequence[object]] = {
        "match": (header.match, match),
        "players": tuple(" against ".join(names).lower() for names in (header.players, fixture.players)),
        "time control": (control(header.control), control(definition.control(fixture))),
        "move limit": (header.move_limit, definition.move_limit),
        "game": (position.game.name, variant.game),
    }
    for what, (found, right) in compared.items():
        if found != right:
            yield f"the {what} of the record: {found}, not {right}"
    if position.game.name == variant.game and position != position.game.read(definition.position(fixture)):
        yield "the record begins from another position"


def check_forfeits(definition: Definition, results: Sequence[GameResult]) -> list[str]:
    """Return a sentence for each forfeit that does not follow from the results before it, in the order of the store."""
    found = []
    played: list[GameResult] = []

    @cache
    def disqualified(games: int, interventions: int) -> dict[str, Disqualification]:
        then = replace(definition, interventions=definition.interventions[:interventions])
        return find_disqualified(then, effective_results(then, played[:games]))

    for game in results:
        if game.termination not in FORFEITED:
            played.append(game)
            continue
        moments = range(len(played), max(-1, len(played) - ATTEMPTS), -1)
        if not any(_follows(game, disqualified(games, game.interventions)) for games in moments):
            found.append(f"{_name(game)}: by the games before, nobody had to forfeit it")
    return found


def _follows(game: GameResult, out: Mapping[str, Disqualification]) -> bool:
    """Tell whether a game was forfeited as it has to be where some players are out."""
    kept = game.winner, game.termination, game.detail
    return not out.keys().isdisjoint(game.fixture.players) and forfeit(game.fixture, out)[2:5] == kept


def _impossible(definition: Definition, game: GameResult) -> str:
    """Return why a game that nobody forfeited cannot have been left out so; empty if it can."""
    if game.match is not None:
        return f"it is {game.termination}, and has a match all the same"
    if game.termination == SET_ASIDE:
        return "it was set aside, and somebody has won it" if game.winner is not None else ""
    losers = (0, 1) if game.winner is None else (1 - game.winner,)
    ways = BOTH_WAYS.get(game.termination, (game.termination,) * 2)
    missing = []
    for side in losers:
        name, is_absent = game.fixture.players[side], ways[side] == ABSENT
        if (entrant := definition.entrant(name)) is None:
            return f"{name} is a bot of the server's own, and cannot lose by absence"
        if entrant.connects and not is_absent:
            return f"{name} connects by itself, and cannot be {ways[side]}"
        if not entrant.connects and is_absent and len(losers) == 1:
            return f"{name} is a program, which the server starts, and cannot be absent"
        missing += [name] if entrant.connects else []
    right = missing_sentence(missing, definition.patience)
    is_right = len(missing) < len(losers) or game.detail == right
    return "" if is_right else f"the sentence is {game.detail!r} as kept, and has to be {right!r}"


def check_schedule(definition: Definition, results: Sequence[GameResult], plan: Plan, *, closed: bool) -> list[str]:
    """Return games that are not in the contest's schedule, and games without a result if it is over."""
    known = _fixtures(plan)
    found = []
    seen: set[Fixture] = set()

    @cache
    def earlier(interventions: int) -> set[Fixture]:
        then = replace(definition, interventions=definition.interventions[:interventions])
        kept = [game for game in results if game.interventions <= interventions]
        return _fixtures(plan_games(then, effective_results(then, kept)))

    for game in effective_results(definition, results):
        if game.termination in ANNULLED:
            continue
        if game.fixture in seen:
            found.append(f"{_name(game)}: this game has another result already")
        seen.add(game.fixture)
        # a game that began before an intervention lies no further than the contest had come then
        reached = [(done.stage, done.round) for done in definition.interventions[game.interventions :]]
        began_before = game.match is None or game.fixture[:2] <= min(reached, default=END)
        if game.fixture not in known and not (began_before and game.fixture in earlier(game.interventions)):
            found.append(f"{_name(game)}: there is no such game in the contest")
    if closed:
        found += [
            f"{' against '.join(fixture.players)} in round {fixture.round} of stage {fixture.stage + 1} has no result"
            for fixture in (*plan.due, *(game.fixture for game in plan.forfeited))
        ]
    return found


def _fixtures(plan: Plan) -> set[Fixture]:
    return {fixture for stage in plan.stages for fixture in stage.schedule.fixtures}


def fixture_of(definition: Definition, plan: Plan, text: str) -> Fixture | None:
    """Return the fixture that a record belongs to; None if it is no game of the contest."""
    try:
        header = verification.verify(text).header
    except BadRecord:
        return None
    matching = (one for one in _fixtures(plan) if not any(header_differences(definition, one, header.match, header)))
    return next(matching, None)


def _name(game: GameResult) -> str:
    players = " against ".join(game.fixture.players)
    return f"{players} in round {game.fixture.round}" if game.match is None else f"match {game.match}, {players}"
