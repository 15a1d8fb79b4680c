"""Effects of the organiser's interventions on results, games and commands, without a server."""

from datetime import UTC, datetime
from typing import Any

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.games.interface import Termination
from server.contest.fixtures import FORFEIT, QUALIFICATION, Fixture, GameResult, Intervention, Kind
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.scoring import (
    absence_result,
    effective_results,
    find_disqualified,
    missing_sentence,
    rests_on,
    with_commands,
)
from tests.server.contest.played import CONTROL, contest

DATE = datetime(2026, 11, 22, tzinfo=UTC)
DEFINITION = contest(4, RoundRobin(), Swiss(3), Knockout(control=CONTROL), advance=4)
LEAGUE, SWISS, KNOCKOUT = 0, 1, 2


def done(kind: Kind, number: int = 3, **fields: Any) -> Intervention:
    return Intervention(number, DATE, kind, **fields)


def fixture(stage: int, round: int = 1, pair: int = 0, players: tuple[str, str] = ("a1", "a2")) -> Fixture:
    return Fixture(stage, round, 0, pair, 0, players)


def results(*interventions: Intervention, games: list[GameResult]) -> list[GameResult]:
    return effective_results(replace(DEFINITION, interventions=interventions), games)


def test_a_replayed_game_is_annulled_and_no_other() -> None:
    games = [GameResult(fixture(LEAGUE), 7, 0, "line", "three"), GameResult(fixture(LEAGUE, 2), 8, 1, "line")]
    games.append(GameResult(fixture(LEAGUE, 3), None, 1, FORFEIT))
    replayed, *others = results(done(Kind.REPLAY, match=7), games=games)
    assert others == games[1:]
    assert (replayed.match, replayed.winner, replayed.termination) == (7, None, Termination.ORGANISER)
    assert replayed.detail == snapshot("annulled by the organiser and played again; it had ended with line: three")
    assert results(done(Kind.PAUSE), games=games) == games
    assert results(done(Kind.REPLAY, match=8), games=games)[1].detail == snapshot(
        "annulled by the organiser and played again; it had ended with line"
    )


@pytest.mark.parametrize(
    ("changes", "is_taken_back"),
    [
        ({}, True),
        ({"name": "a2"}, False),  # it had won by the forfeit
        ({"name": "a3"}, False),
        ({"number": 2}, False),  # an earlier reinstatement than the game
        ({"number": 1}, False),
        ({"stage": SWISS}, False),
    ],
)
def test_a_reinstatement_takes_back_forfeits_of_its_stage(changes: dict[str, Any], is_taken_back: bool) -> None:
    lost = GameResult(fixture(LEAGUE, 2), None, 1, FORFEIT, "out", interventions=2)
    played = GameResult(fixture(LEAGUE, 3), 9, 1, "line", interventions=2)
    reinstated = done(Kind.REINSTATE, **{"name": "a1", "stage": LEAGUE, **changes})
    forfeit, kept = results(reinstated, games=[lost, played])
    assert kept == played
    if is_taken_back:
        assert (forfeit.winner, forfeit.termination) == (None, Termination.ORGANISER)
        assert forfeit.detail == snapshot("taken back by the organiser: out")
    else:
        assert forfeit == lost


def test_of_rounds_the_one_that_is_played_alone_is_taken_back() -> None:
    games = [GameResult(fixture(SWISS, round), None, 1, FORFEIT) for round in (1, 2)]
    reinstated = done(Kind.REINSTATE, name="a1", stage=SWISS, round=2)
    assert [game.termination for game in results(reinstated, games=games)] == [FORFEIT, Termination.ORGANISER]
    qualifying = GameResult(fixture(QUALIFICATION, 1), None, 1, FORFEIT)
    reinstated = done(Kind.REINSTATE, name="a1", stage=QUALIFICATION)
    assert results(reinstated, games=[qualifying])[0].termination == Termination.ORGANISER


@pytest.mark.parametrize(
    ("one", "begun", "clause"),
    [
        (fixture(LEAGUE), [], ""),
        (fixture(LEAGUE), [fixture(LEAGUE, 2)], ""),
        (fixture(LEAGUE), [fixture(SWISS)], "stage 2 has begun"),
        (fixture(QUALIFICATION), [fixture(LEAGUE)], "stage 1 has begun"),
        (fixture(QUALIFICATION), [fixture(QUALIFICATION, 9)], ""),
        (fixture(SWISS), [fixture(LEAGUE, 9), fixture(SWISS, 1, 3, ("a3", "a4"))], ""),
        (fixture(SWISS), [fixture(SWISS, 2)], "round 2 has begun"),
        (fixture(SWISS, 2), [fixture(SWISS, 1, 1), fixture(SWISS, 2)], ""),
        (fixture(KNOCKOUT), [fixture(KNOCKOUT, 1, 0, ("a2", "a1"))], ""),
        (
            fixture(KNOCKOUT),
            [fixture(KNOCKOUT, 1, 1, ("a2", "a1"))],
            "games that break the tie of its meeting have begun",
        ),
        (fixture(KNOCKOUT, 1, 1), [fixture(KNOCKOUT, 1, 1)], ""),
        (fixture(KNOCKOUT), [fixture(KNOCKOUT, 1, 1, ("a1", "a3"))], ""),
    ],
)
def test_no_game_is_replayed_on_which_others_rest(one: Fixture, begun: list[Fixture], clause: str) -> None:
    assert rests_on(DEFINITION, one, begun) == clause


def test_commands_and_versions_hold_from_the_last_one_on() -> None:
    made = with_commands(
        replace(
            DEFINITION,
            interventions=(
                done(Kind.COMMAND, name="a2", command=("old",), folder="/no"),
                done(Kind.COMMAND, name="a2", command=("new", "-x"), folder="/no"),
                done(Kind.VERSION, name="a3", command=("bot",), folder="/versions/3"),
                done(Kind.WITHDRAW, name="a4", command=("none",)),
            ),
        )
    )
    assert [(one.name, one.command, one.folder) for one in made.entrants] == [
        ("a1", (), ""), ("a2", ("new", "-x"), ""), ("a3", ("bot",), "/versions/3"), ("a4", (), "")
    ]  # fmt: skip


def test_players_that_are_missing_lose() -> None:
    one = absence_result(fixture(LEAGUE), {"a1"}, missing_sentence(["a1"], 1))
    assert (one.winner, one.detail) == (1, snapshot("a1 had been missing for 1 second"))
    assert absence_result(fixture(LEAGUE), {"a2"}, "").winner == 0
    both = absence_result(fixture(LEAGUE), {"a1", "a2"}, missing_sentence(["a1", "a2"], 60))
    assert (both.winner, both.detail) == (None, snapshot("a1 and a2 had been missing for 60 seconds"))


def test_who_is_withdrawn_is_out_without_blame() -> None:
    definition = replace(DEFINITION, interventions=(done(Kind.WITHDRAW, name="a4"),))
    (out,) = find_disqualified(definition, []).values()
    assert (out.name, out.evidence, out.withdrawn) == ("a4", (), True)
