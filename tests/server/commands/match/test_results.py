"""The results of a match: its table and test, and JSON and JUnit for scripts."""

import json
from xml.etree import ElementTree

import pytest
from inline_snapshot import snapshot

from engine.statistics.elo import Sprt, estimate
from server.commands.match.results import (
    MatchProgress,
    MatchTally,
    as_json,
    as_junit,
    fault_lines,
    table,
)
from tests.server.commands.match.made import game, setup

TEST = Sprt(0, 300)


def progress(
    *results: str | None,
    test: Sprt | None = None,
    games: int = 8,
    cause: str = "board",
    moves: tuple[int, int] = (3, 2),
) -> MatchProgress:
    tally = MatchTally(("ann", "bob"), test)
    for number, winner in enumerate(results, 1):
        tally.add(game(number, winner, cause, moves=moves))
    return MatchProgress(tally, games)


def test_the_table_has_a_line_a_player() -> None:
    now = progress("ann", "ann", None, "bob", cause="time")
    assert table(now, None) == snapshot(
        [
            "player  games  won  drawn  lost   score  Elo    95 %  ms a move  lost by",
            "ann         4    2      1     1  62.5 %  +89  +- 786        8.0  time 1",
            "bob         4    1      1     2  37.5 %  -89  +- 786        8.0  time 2",
            "4 of 8 games",
        ]
    )


def test_the_table_tells_what_the_test_says() -> None:
    now = progress("ann", "ann", test=TEST)
    assert table(now, TEST)[-2:] == snapshot(["SPRT 0 to 300 Elo: LLR 0.53 (-2.94 to 2.94), open", "2 of 8 games"])
    now = progress(*["ann"] * 60, test=TEST, games=60)
    assert table(now, TEST)[-2] == snapshot(
        "SPRT 0 to 300 Elo: LLR 3.18 (-2.94 to 2.94), H1: ann is stronger than bob by more than 0 Elo"
    )
    assert now.is_complete
    assert table(progress(*["bob"] * 60, test=TEST, games=100), TEST)[-2] == snapshot(
        "SPRT 0 to 300 Elo: LLR -3.60 (-2.94 to 2.94), H0: ann is not stronger than bob by 300 Elo"
    )


def test_the_last_losses_by_a_fault_are_told_one_by_one() -> None:
    now = progress("ann", "bob", "ann", "ann", "ann", cause="crashed")
    now.tally.add(game(6, "ann", "crashed", match=9))
    assert list(fault_lines(now.tally.rows())) == snapshot(
        [
            "ann lost 1 game by its own fault; the last:",
            "  game 2: crashed: sentence 2",
            "bob lost 5 games by its own fault; the last:",
            "  game 4: crashed: sentence 4",
            "  game 5: crashed: sentence 5",
            "  game 6 (match 9 in its record and logs): crashed: sentence 6",
        ]
    )


def test_json_has_setting_table_test_and_games() -> None:
    now = progress("ann", "ann", test=TEST)
    found = json.loads(as_json(setup(test=TEST), now, 4))
    assert (found["report"], found["status"], found["complete"], found["games_planned"]) == ("match", 4, False, 8)
    assert found["setting"]["players"][0] == {"name": "ann", "command": "./ann", "digest": ""}
    ann = found["players"][0]
    assert (ann["name"], ann["wins"], ann["losses"], ann["pairs_by_points"]) == ("ann", 2, 0, [0, 0, 0, 0, 1])
    assert ann["elo"] > 1000
    assert ann["elo_margin_95"] is None, "JSON has no infinity"
    assert (found["sprt"]["decision"], found["sprt"]["pairs"], found["sprt"]["elo1"]) == ("open", 1, 300)
    assert [one["number"] for one in found["games"]] == [1, 2]


def outcomes(text: str) -> dict[str, str]:
    cases = ElementTree.fromstring(text).iter("testcase")
    return {case.get("name", ""): "failed" if case.find("failure") is not None else "passed" for case in cases}


def test_junit_fails_where_the_exit_status_does() -> None:
    played, strength, faults = (
        "the match is played to its end",
        "ann is stronger than bob (SPRT 0 to 300 Elo)",
        "ann loses no game by a fault",
    )
    whole = progress(*["ann"] * 60, test=TEST, games=60)
    made = setup(test=TEST)
    assert outcomes(as_junit(made, whole, strict=True)) == {played: "passed", strength: "passed", faults: "passed"}
    undecided = progress("ann", "bob", test=TEST, games=2, cause="time")
    found = outcomes(as_junit(made, undecided, strict=True))
    assert found == {played: "passed", strength: "failed", faults: "failed"}
    assert outcomes(as_junit(setup(), progress("bob", cause="time"), strict=False)) == {played: "failed"}


def test_a_row_has_results_pairs_time_and_causes() -> None:
    tally = MatchTally(("ann", "bob"), None)
    for each in (game(1, "ann"), game(2, "ann"), game(3, None), game(4, "bob", "time"), game(5, "ann", "crashed")):
        tally.add(each)
    ann, bob = tally.rows()
    assert (ann.wins, ann.draws, ann.losses, ann.score) == (3, 1, 1, 0.7)
    assert (bob.wins, bob.draws, bob.losses, bob.score) == (1, 1, 3, 0.3)
    assert ann.pairs_by_points == (0, 1, 0, 0, 1), "the fifth game has no other one of its pair yet"
    assert bob.pairs_by_points == ann.pairs_by_points[::-1]
    assert (ann.elo, ann.elo_margin_95, ann.los) == estimate(ann.pairs_by_points)
    assert dict(ann.losses_by_cause) == {"time": 1} and dict(bob.losses_by_cause) == {"board": 2, "crashed": 1}
    assert [(fault.number, fault.cause) for fault in ann.faults] == [(4, "time")]
    assert [(fault.number, fault.sentence) for fault in bob.faults] == [(5, "sentence 5")]
    # in the second match, the first player made no move
    assert [row.ms_a_move for row in (ann, *progress("bob", moves=(0, 2)).tally.rows())] == pytest.approx(
        [110 / 13, 0, 5]
    )


def test_players_of_a_round_robin_are_measured_against_all_others_and_the_best_one_stands_first() -> None:
    made = setup(("carol", "ann", "bob"), games=2)
    tally = MatchTally(made.names, None)
    for number, fixture in enumerate(made.fixtures, 1):
        winner = min(fixture.players)
        points = (float(fixture.players[0] == winner), float(fixture.players[1] == winner))
        tally.add(game(number, winner, players=fixture.players, points=points))
    assert [(row.name, row.wins, row.losses, row.pairs_by_points) for row in tally.rows()] == [
        ("carol", 0, 4, (2, 0, 0, 0, 0)),
        ("ann", 4, 0, (0, 0, 0, 0, 2)),
        ("bob", 2, 2, (1, 0, 0, 0, 1)),
    ]
    assert [line.split()[0] for line in table(MatchProgress(tally, 6), None)[1:4]] == ["ann", "bob", "carol"]
