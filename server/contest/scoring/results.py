"""Results of fixtures: from finished matches, by absence, and after the organiser's interventions."""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from engine.games.outcome import Termination
from engine.match.referee import State
from engine.wire.words import number_of
from server.contest.definition import Definition
from server.contest.fixtures import ABSENT, Fixture, GameResult
from server.contest.interventions import Intervention, Kind


def game_result(fixture: Fixture, state: State) -> GameResult:
    """Return the result of a fixture from its finished match."""
    outcome = state.outcome
    assert outcome is not None
    return GameResult(
        fixture,
        state.header.match,
        outcome.winner,
        str(outcome.termination),
        outcome.detail,
        state.history.plies,
        state.used,
        state.ready,
        state.gone,
    )


def absence_result(fixture: Fixture, missing: Collection[str], why: str, termination: str = ABSENT) -> GameResult:
    """Return the result of a game to which one or both players did not come; the termination says why."""
    here = [side for side, name in enumerate(fixture.players) if name not in missing]
    return GameResult(fixture, None, here[0] if here else None, termination, why)


def missing_sentence(names: Collection[str], patience: int) -> str:
    """Return the sentence that players have been missing for a number of seconds."""
    return f"{' and '.join(names)} had been missing for {number_of(patience, 'second')}"


def with_commands(definition: Definition) -> Definition:
    """Return a definition with the commands of the organiser's interventions, and those of versions of bots."""
    entrants = {entrant.name: entrant for entrant in definition.entrants}
    for done in definition.interventions:
        if done.kind is Kind.COMMAND:
            entrants[done.name] = replace(entrants[done.name], command=done.command)
        elif done.kind is Kind.VERSION:
            entrants[done.name] = replace(entrants[done.name], command=done.command, folder=done.folder)
    return replace(definition, entrants=tuple(entrants.values()))


def replayed_matches(definition: Definition) -> set[int | None]:
    """Return the matches that the organiser has annulled to replay their games."""
    return {done.match for done in definition.interventions if done.kind is Kind.REPLAY}


def effective_results(definition: Definition, games: Iterable[GameResult]) -> list[GameResult]:
    """Return all results after interventions: replayed games, and forfeits that were taken back, are annulled."""
    games = list(games)
    replayed = replayed_matches(definition)
    reinstated = [done for done in definition.interventions if done.kind is Kind.REINSTATE]
    if not replayed and not reinstated:
        return games
    found = []
    for game in games:
        if game.match is not None and game.match in replayed:
            sentence = f"annulled by the organiser and played again; it had ended with {game.termination}"
            game = game._replace(
                winner=None, termination=Termination.ORGANISER, detail=f"{sentence}: {game.detail}".rstrip(": ")
            )
        elif not game.played and any(_takes_back(definition, done, game) for done in reinstated):
            game = game._replace(
                winner=None, termination=Termination.ORGANISER, detail=f"taken back by the organiser: {game.detail}"
            )
        found.append(game)
    return found


def rests_on(definition: Definition, fixture: Fixture, begun: Iterable[Fixture]) -> str:
    """Return a clause about games that were paired by the result of a game; empty if there are none.

    Swiss rounds and those of a knockout follow from the round before, each stage from the one before, and games that
    break a tie from those that ended even.
    """
    begun = list(begun)
    if any(other.stage > fixture.stage for other in begun):
        return f"stage {fixture.stage + 2} has begun"
    if fixture.stage < 0:
        return ""
    stage = definition.stages[fixture.stage]
    if not stage.format.by_rounds:
        return ""
    here = [other for other in begun if other.stage == fixture.stage]
    last = max((other.round for other in here), default=0)
    if last > fixture.round:
        return f"round {fixture.round + 1} has begun"
    meeting = [
        other.pair for other in here if other.round == fixture.round and set(other.players) == set(fixture.players)
    ]
    if max(meeting, default=0) > max(fixture.pair, stage.pairs - 1):
        return "games that break the tie of its meeting have begun"
    return ""


def _takes_back(definition: Definition, done: Intervention, game: GameResult) -> bool:
    """Tell whether a reinstatement takes back a forfeit."""
    fixture = game.fixture
    if done.name not in fixture.players or game.interventions >= done.number or fixture.stage != done.stage:
        return False
    if game.points(fixture.players.index(done.name)) > 0:
        return False
    by_rounds = fixture.stage >= 0 and definition.stages[fixture.stage].format.by_rounds
    return not by_rounds or fixture.round == done.round
