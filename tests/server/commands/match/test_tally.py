"""What the games of a match come to."""

import pytest

from engine.games.outcome import Termination
from engine.statistics.elo import Decision, Sprt, estimate
from server.commands.match.tally import Tally, played_game
from server.contest.fixtures import GameResult
from server.contest.scoring.game_result import absence_result
from tests.server.commands.match.made import game, setup


def test_a_row_has_results_pairs_time_and_causes() -> None:
    tally = Tally(("ann", "bob"), None)
    for each in (game(1, "ann"), game(2, "ann"), game(3, None), game(4, "bob", "time"), game(5, "ann", "crashed")):
        tally.add(each)
    ann, bob = tally.rows()
    assert (ann.wins, ann.draws, ann.losses, ann.points, ann.score) == (3, 1, 1, 3.5, 0.7)
    assert (bob.wins, bob.draws, bob.losses, bob.points) == (1, 1, 3, 1.5)
    assert ann.counts == (0, 1, 0, 0, 1), "the fifth game has no other one of its pair yet"
    assert bob.counts == ann.counts[::-1]
    assert ann.estimate == estimate(ann.counts)
    assert dict(ann.causes) == {"time": 1} and dict(bob.causes) == {"board": 2, "crashed": 1}
    assert [(fault.number, fault.cause) for fault in ann.faults] == [(4, "time")]
    assert [(fault.number, fault.sentence) for fault in bob.faults] == [(5, "sentence 5")]
    assert (ann.moves, ann.used_ms) == (3 + 2 + 3 + 2 + 3, 30.0 + 10 + 30 + 10 + 30)
    assert ann.ms_a_move == pytest.approx(110 / 13)


def test_the_test_takes_pairs_in_the_order_of_the_schedule_however_games_end() -> None:
    test = Sprt(0, 300)
    in_order, mixed = Tally(("ann", "bob"), test), Tally(("ann", "bob"), test)
    games = [game(number, None if number % 5 == 0 else "ann") for number in range(1, 61)]
    for each in games:
        in_order.add(each)
    for each in games[::-1]:
        mixed.add(each)
    assert in_order.pairs.decision is mixed.pairs.decision is Decision.H1
    assert in_order.rows() == mixed.rows() and in_order.pairs.ratio == mixed.pairs.ratio >= test.upper
    assert in_order.count == len(in_order.games) == 2 * in_order.pairs.pairs < 60, "what came after does not count"


def test_players_of_a_round_robin_are_measured_against_all_others() -> None:
    made = setup(("ann", "bob", "carol"), games=2)
    tally = Tally(made.names, None)
    for number, fixture in enumerate(made.fixtures, 1):
        winner = min(fixture.players)
        points = (float(fixture.players[0] == winner), float(fixture.players[1] == winner))
        tally.add(game(number, winner, players=fixture.players, points=points))
    assert [(row.name, row.wins, row.losses, row.counts) for row in tally.rows()] == [
        ("ann", 4, 0, (0, 0, 0, 0, 2)),
        ("bob", 2, 2, (1, 0, 0, 0, 1)),
        ("carol", 0, 4, (2, 0, 0, 0, 0)),
    ]


def test_a_finished_game_is_counted_with_cause_sentence_and_moves() -> None:
    made = setup()
    fixture = made.fixtures[0]
    definition = made.game_definition(fixture, made.opening(fixture))
    over = GameResult(fixture, 4, 1, Termination.CRASHED, "ann crashed", 5, (1500, 2500))
    played = played_game(definition, 1, over, first_to_move=0)
    assert (played.players, played.points, played.causes) == (("ann", "bob"), (0.0, 1.0), ("crashed", ""))
    assert (played.sentence, played.moves, played.used_ms) == ("ann crashed", (3, 2), (1.5, 2.5))
    assert played_game(definition, 1, over, first_to_move=1).moves == (2, 3)
    late = GameResult(fixture, 4, 0, Termination.TIME, "the clock of second ran out", 4, (0, 1_010_000))
    assert played_game(definition, 1, late, 0).causes == ("", "time")
    missing = absence_result(fixture, fixture.players, "neither came", "not_started")
    assert played_game(definition, 1, missing, 0).points == (0.0, 0.0)
    tally = Tally(made.names, None)
    tally.add(played_game(definition, 1, missing, 0))
    assert [(row.losses, len(row.faults)) for row in tally.rows()] == [(1, 1), (1, 1)]
