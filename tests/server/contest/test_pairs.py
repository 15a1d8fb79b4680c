"""Pairs: every two players meet in pairs of games, until a number of games or a sequential test ends that."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio

from engine.match.clock import TimeControl
from engine.statistics.elo import MAX_ELO
from server.contest.contest_file import BadContest
from server.contest.definition import Definition, DrawnOpenings, Entrant, Sandbox, Stage, Variant
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.openings import BadOpening
from server.contest.formats.round_robin import Pairs
from server.contest.hosts.game_worker import private_arena
from server.contest.plan import Present, plan
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import Runner
from server.contest.store.store import Store
from tests.server.contest.played import better_wins, by_seed, contest, final_plan, play
from tests.server.contest.runtime.bots import read_definition
from tests.waiting import BUILD_SECONDS

DICE = Path(__file__).parent / "runtime" / "dice.py"


def first_loses(fixture: Fixture) -> GameResult:
    return GameResult(fixture, 1, 1 - fixture.players.index("a1"), "line")


def test_every_two_players_meet_in_as_many_games_as_asked_for() -> None:
    definition = contest(3, Pairs(8), variants=2)
    games = play(definition, by_seed(1))
    assert len(games) == 3 * 8
    fixtures = [game.fixture for game in games]
    assert [one.swapped for one in fixtures[::2]] == fixtures[1::2]
    assert final_plan(definition, games).final is False


def test_the_test_ends_the_match_at_the_same_pair_however_many_games_run() -> None:
    lengths = set()
    for at_once in (1, 2, 5):
        games = play(contest(2, Pairs(200, 0, 100)), better_wins, at_once=at_once)
        decided = final_plan(contest(2, Pairs(200, 0, 100)), games)
        assert decided.final
        lengths.add(len(decided.stages[0].schedule.fixtures))
    assert len(lengths) == 1 and max(lengths) < 100
    lost = play(contest(2, Pairs(200, 0, 100)), first_loses)
    assert len(lost) < 100


def test_games_that_are_played_when_the_test_decides_end_nothing_later() -> None:
    definition = contest(2, Pairs(200, 0, 100))
    games = play(definition, better_wins)
    behind = plan(contest(2, Pairs(200)), []).due
    assert plan(definition, games, Present(frozenset({behind[-1]}))).over


@pytest.mark.parametrize("wrong", ["elo0 = 5", "elo0 = 5\nelo1 = 5", f"elo0 = 5\nelo1 = {MAX_ELO + 1}", ""])
def test_a_wrong_test_is_refused(wrong: str) -> None:
    third = "" if wrong else ', { name = "c" }'
    stage = f'format = "pairs"\ngames = 4\n{wrong or "elo0 = 0.0" + chr(10) + "elo1 = 5.0"}'
    text = f"""name = "x"\ntime = {{ budget = 1000 }}\nentrants = [{{ name = "a" }}, {{ name = "b" }}{third}]
games = [{{ game = "mnk" }}]\n[[stages]]\n{stage}\n"""
    with pytest.raises(BadContest, match=r"elo|test"):
        read_definition(text)


def drawn(plies: int = 2, games: int = 6) -> Definition:
    return Definition(
        name="match",
        entrants=tuple(Entrant(name, (sys.executable, str(DICE))) for name in ("one", "other")),
        variants=(Variant("mnk", "3 3 3", drawn=DrawnOpenings(plies, 7)),),
        stages=(Stage(Pairs(games), TimeControl(60_000_000)),),
        cores=4,
        sandbox=Sandbox.NONE,
    )


def test_openings_are_drawn_again_as_they_were() -> None:
    variant = drawn().variants[0]
    positions = [variant.position(number) for number in range(200)]
    assert len(set(positions)) == 72, "with two plies there are so many"
    assert positions[72:144] == positions[:72] and variant.number(100) == 101
    assert [variant.position(number) for number in range(5)] == positions[:5]
    with pytest.raises(BadOpening, match="goes on after"):
        drawn(plies=9).variants[0].position(0)


async def test_a_contest_is_played_in_a_private_arena_and_goes_on_in_another_one(tmp_path: Path) -> None:
    kept: list[GameResult] = []
    with closing(Store(tmp_path / "results.sqlite3")) as store:
        contest = store.open_contest("match", drawn(), datetime.now(UTC))

        async def hold(name: str, games: int) -> None:
            stopped = trio.CancelScope()

            def keep(game: GameResult) -> None:
                kept.append(game)
                if len(kept) == games:
                    stopped.cancel()

            async with private_arena(tmp_path / name, "test", store.last_match()) as (arena, _, seats):
                with stopped:
                    await Runner(Ledger(contest, store, arena.record_store, seats, keep), arena, seats).run()

        with trio.fail_after(BUILD_SECONDS):
            await hold("first", 2)
            assert store.contest(contest).closed is None
            await hold("second", 100)
        assert store.contest(contest).closed is not None
        games = [game for game in store.games(contest) if game.plies]
        assert {game.fixture.opening for game in games} == {0, 1, 2}
    assert len({game.match for game in kept}) == len(kept) >= 6
