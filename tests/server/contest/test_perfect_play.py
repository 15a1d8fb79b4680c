"""What the moves of a contest's games have cost: looked up when it is over, kept, summed up, and reported."""

from pathlib import Path

import msgspec
import pytest
import trio

from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.record.exact_cost import MoveCost
from engine.solve.tablebase import making, tablebase
from server.contest.definition import Definition, RoundRobin, Variant
from server.contest.fixtures import Finished, Fixture
from server.contest.report.render.page import page
from server.contest.report.render.text import perfect_play as as_table
from server.contest.scoring.perfect_play import GameCosts, PerfectPlay, PerfectPlayer, ThrownAway, perfect_play
from server.contest.store.folders import folder_of
from server.contest.store.move_cost_process import costs_of_games
from server.contest.store.move_costs import FILE, CostsOfGame, Wanted, append, kept_costs, look_up_costs
from tests.engine.records import Table
from tests.engine.solve.test_tablebase import solve_layers
from tests.server.contest.played import contest
from tests.server.contest.report.samples import sample_report
from tests.server.contest.report.test_page import Reader

WON, HELD, THROWN = MoveCost(1, 1, 2), MoveCost(0, 0, 0), MoveCost(0, -1, 0)
MOVES = ("a3-b3 w: b3 c3", "d1-d2")
"""Of GIPF 2 2 4 4: the first one keeps the draw, the second one throws it away."""


def game(match: int | None, first: str, second: str) -> Finished:
    return Finished(Fixture(0, 1, 0, 0, 0, (first, second)), match, 0, "stuck", plies=2)


def solved_contest() -> Definition:
    start = start_of("gipf", "2 2 4 4")
    return msgspec.structs.replace(
        contest(2, RoundRobin()), variants=(Variant("gipf", start.parameters, (start.text(),)),)
    )


def test_costs_are_summed_up_for_each_player_and_what_was_thrown_away_is_listed() -> None:
    games = [game(1, "ann", "bob"), game(2, "bob", "ann"), game(3, "ann", "bob"), game(None, "ann", "bob")]
    costs: dict[int, GameCosts] = {1: [(0, HELD), (1, THROWN)], 2: [(0, WON), (1, None), (0, MoveCost(1, 0, 0))]}
    assert perfect_play(games, costs) == PerfectPlay(
        games=2,
        played=3,
        players=(
            PerfectPlayer(name="ann", games=2, moves=1, kept=1, wasted=0, wins_lost=0, draws_lost=0),
            PerfectPlayer(name="bob", games=2, moves=3, kept=1, wasted=2, wins_lost=1, draws_lost=1),
        ),
        thrown_away=(
            ThrownAway(match=1, ply=2, name="bob", opponent="ann", words="threw away the draw"),
            ThrownAway(match=2, ply=3, name="bob", opponent="ann", words="threw away the win"),
        ),
    )
    assert perfect_play(games, {}) is None


def test_what_a_crash_has_cut_off_says_nothing_and_stands_in_nobodys_way(tmp_path: Path) -> None:
    append(tmp_path, 3, CostsOfGame(17, 1, (WON, None)))
    path = folder_of(tmp_path, 3) / FILE
    path.write_bytes(path.read_bytes() + b'{"match":18,"fir')
    append(tmp_path, 3, CostsOfGame(19, 0, (THROWN,)))
    assert kept_costs(tmp_path, 3) == {17: [(1, WON), (0, None)], 19: [(0, THROWN)]}
    assert kept_costs(tmp_path, 4) == {}


@pytest.mark.slow
def test_a_process_looks_up_the_games_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(making.GIVEN)
    (tmp_path / "records").mkdir()
    text = Table("gipf", "2 2 4 4").ready().play(*MOVES).text
    for match in (5, 6):
        (tmp_path / "records" / f"{match}.txt").write_text(text, encoding="utf-8")
    append(tmp_path, 3, CostsOfGame(5, 0, (WON,)))
    definition, games = solved_contest(), [game(match, "a1", "a2") for match in (5, 6, 7)]
    games = [one._replace(fixture=one.fixture._replace(pair=number)) for number, one in enumerate(games)]
    told: list[str] = []
    assert trio.run(look_up_costs, tmp_path, 3, definition, games, lambda: told.append("begun"))
    assert kept_costs(tmp_path, 3) == {5: [(0, WON)], 6: [(0, HELD), (1, THROWN)]}
    assert not trio.run(look_up_costs, tmp_path, 3, definition, games[:2], lambda: told.append("begun"))
    assert told == ["begun"]


def test_a_tablebase_that_is_missing_is_made_once_after_what_is_there_was_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(making.GIVEN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for module in (making, tablebase):
        monkeypatch.setattr(module, "takes_shipped", lambda _start: False)
    monkeypatch.setattr(tablebase, "can_compile", lambda: True)
    folder = making.folder()
    assert folder is not None
    made = []

    def make(position: Position) -> None:
        made.append(position.parameters)
        solve_layers(position.parameters, (4, 4), folder)

    monkeypatch.setattr(tablebase, "make", make)
    folder.mkdir(parents=True)
    solve_layers("2 2 4 4", (4, 4), folder)
    (tmp_path / "records").mkdir()
    variants = {5: "2 3 4 4", 6: "2 2 4 4", 7: "2 3 4 4", 8: "3 4 18 18"}
    for match, parameters in variants.items():
        text = Table("gipf", parameters).ready().play(MOVES[0]).text
        (tmp_path / "records" / f"{match}.txt").write_text(text, encoding="utf-8")
    found = costs_of_games(Wanted(str(tmp_path), 3, tuple(variants)))
    assert (next(found).match, made) == (6, [])
    assert [costs.match for costs in found] == [5, 7]
    assert made == ["2 3 4 4"]


def test_only_variants_that_a_tablebase_can_have_as_a_whole_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(making.GIVEN)
    start = start_of("gipf", "3 4 18 18")
    large = msgspec.structs.replace(
        contest(2, RoundRobin()), variants=(Variant("gipf", start.parameters, (start.text(),)),)
    )
    assert not trio.run(look_up_costs, tmp_path, 3, large, [game(5, "a1", "a2")])


def test_nothing_is_looked_up_where_no_tablebase_can_be(tmp_path: Path) -> None:
    assert not trio.run(look_up_costs, tmp_path, 3, solved_contest(), [game(5, "a1", "a2")])


def test_a_report_has_a_table_and_the_moves_that_changed_a_result() -> None:
    found = perfect_play([game(1, "a1", "<a2>")], {1: [(0, HELD), (1, THROWN)]})
    assert found is not None
    report = msgspec.structs.replace(sample_report(3, RoundRobin()), perfect_play=found)
    read = Reader(page(report))
    assert "perfect_play" in read.ids
    words = " ".join(" ".join(read.texts).split())
    for part in ("1 of 1 game that counts", "<a2> 1 1 0 (0 %) 0 – 1", "threw away the draw"):
        assert part in words
    assert "perfect_play" not in Reader(page(sample_report(3, RoundRobin()))).ids
    assert as_table(found) is not None
