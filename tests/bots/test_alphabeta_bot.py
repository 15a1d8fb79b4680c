"""The alpha-beta bot and the random one. A bot that is not warmed searches interpreted: nothing is compiled here."""

from typing import Any

import pytest

from bots.alphabeta_bot import AlphaBetaBot
from bots.bot import Clocks
from bots.random_bot import RandomBot
from engine.games.catalogue import GAMES, start_of
from engine.games.interface import History, Position
from engine.search import searcher
from engine.search.searcher import HistoryKeys, SearchLimits, SearchResult, key_of
from engine.wire.messages import Match

CLOCKS = Clocks(60_000, 60_000, 0)


def test_without_time_for_a_search_the_first_move_is_played() -> None:
    position = start_of("gipf", "6 4 20 20")
    bot = AlphaBetaBot()
    bot.history = History.begin(position)
    assert bot.choose(position, Clocks(1, 60_000, 0)) == position.legal_moves[0]


class Recorded:
    """Stands for a searcher: remembers what it was asked, and thinks for as long as it is told to."""

    asked: list[tuple[list[int], SearchLimits]]
    waits: list[float]
    milliseconds = 10.0
    nodes = 1000
    is_compiled = True

    def __init__(self, _position: Position, *, megabytes: float, threads: int, tablebase: object) -> None:
        self.megabytes = megabytes

    def start_compiling(self) -> None:
        """Nothing is compiled."""

    def use_compiled_code(self) -> None:
        """There is none to come."""

    def wait_for_code(self, seconds: float) -> None:
        self.waits.append(seconds)

    def think(self, position: Position, earlier: list[int], limits: SearchLimits, **_options: Any) -> SearchResult:
        self.asked.append((list(earlier), limits))
        return SearchResult((0,), 0, 1, self.nodes, self.milliseconds / 1000)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> type[Recorded]:
    monkeypatch.setattr(Recorded, "asked", [], raising=False)
    monkeypatch.setattr(Recorded, "waits", [], raising=False)
    monkeypatch.setattr(searcher, "AdaptiveSearcher", Recorded)
    return Recorded


def asked_at(bot: AlphaBetaBot, *clocks: int) -> None:
    """Ask a bot for the moves of one side, with that much time left."""
    history = History.begin(start_of("gipf", "4 4 15 15"))
    for left in clocks:
        bot.history = history
        bot.choose(history.position, Clocks(left, 60_000, 0))
        for _ in range(2):
            history = history.after(history.position.legal_moves[0])


def test_bounds_are_kept_to(recorded: type[Recorded]) -> None:
    asked_at(AlphaBetaBot(nodes=500), 60_000)
    assert recorded.asked[0][1].nodes == 500


def test_a_level_is_searched_at_with_the_number_of_the_match_and_no_bound_that_depends_on_the_machine(
    recorded: type[Recorded],
) -> None:
    bot = AlphaBetaBot(level=3)
    bot.history = History.begin(start_of("gipf", "4 4 15 15"))
    bot.prepare(Match(17, "gipf", "4,4,15,15", "white", "ann", 60_000, 0, 1000, "token"))
    asked_at(bot, 60_000, 59_990)
    for _, limits in recorded.asked:
        assert (limits.level, limits.seed, limits.nodes) == (3, 17, None)
        assert limits.hard_ms is not None and limits.hard_ms > 1000


@pytest.mark.parametrize(("level", "waits"), [(1, []), (6, []), (7, [6.0]), (9, [6.0]), (10, [])])
def test_a_level_waits_for_the_compiler_where_it_looks_at_many_positions_and_nothing_else_does(
    recorded: type[Recorded], level: int, waits: list[float]
) -> None:
    bot = AlphaBetaBot(level=level)
    bot.history = History.begin(start_of("gipf", "4 4 15 15"))
    bot.prepare(Match(17, "gipf", "4,4,15,15", "white", "ann", 60_000, 0, 1000, "token"))
    assert recorded.waits == waits


def test_a_limit_of_time_becomes_one_of_nodes(recorded: type[Recorded]) -> None:
    asked_at(AlphaBetaBot(), 60_000, 59_990)
    first, second = (limits for _, limits in recorded.asked)
    assert first.nodes is None
    assert second.hard_ms is not None and second.nodes == int(100 * second.hard_ms)


def test_interpreted_search_looks_at_the_clock_itself(
    recorded: type[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its speed says nothing of the nodes that compiled search, which may take over at any time, can look at."""
    monkeypatch.setattr(Recorded, "is_compiled", False)
    asked_at(AlphaBetaBot(), 60_000, 59_990)
    assert [limits.nodes for _, limits in recorded.asked] == [None, None]


@pytest.mark.parametrize(
    ("clocks", "is_learnt"),
    [((60_000, 59_888, 59_776, 59_664), True), ((60_000, 59_988, 56_976, 56_964), False)],
    ids=["100 ms more for each move", "one accident"],
)
def test_the_usual_overhead_of_moves_is_learnt(
    clocks: tuple[int, ...], is_learnt: bool, recorded: type[Recorded]
) -> None:
    asked_at(AlphaBetaBot(), 60_000, 59_988, 59_976, 59_964)
    asked_at(AlphaBetaBot(), *clocks)
    plain, other = recorded.asked[3][1].hard_ms, recorded.asked[7][1].hard_ms
    assert plain is not None and other is not None
    assert (other < 0.9 * plain) == is_learnt


def test_a_bot_searches_again_after_two_moves_that_took_long(
    recorded: type[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that was busy for a moment once made it play the first legal move to the end of the match."""
    monkeypatch.setattr(Recorded, "is_compiled", False)
    asked_at(AlphaBetaBot(), 15_000, 12_990, 10_980, 10_970, 10_960, 10_950)
    assert len(recorded.asked) == 5, "one move is made without a search"


def test_earlier_positions_are_known_by_their_keys(recorded: type[Recorded]) -> None:
    bot = AlphaBetaBot()
    asked_at(bot, 60_000, 60_000, 60_000)
    asked_at(bot, 60_000, 60_000)
    assert [len(earlier) for earlier, _ in recorded.asked] == [0, 2, 4, 0, 2]


def test_keys_are_those_of_the_positions() -> None:
    keys = HistoryKeys()
    position = start_of("gipf", "3 3 9 9")
    history = History.begin(position)
    expected: list[int] = []
    for _ in range(6):
        assert keys.before(history) == expected
        expected.append(key_of(history.position))
        history = history.after(history.position.legal_moves[-1])
    other = History.begin(position).after(position.legal_moves[1])
    assert keys.before(other) == expected[:1]


def played(seed: int, game: str, parameters: str, plies: int = 120) -> tuple[str, ...]:
    """Let a random bot play against itself; every move has to be legal."""
    bot = RandomBot(seed)
    history = History.begin(GAMES[game].start(parameters))
    while history.outcome(plies) is None:
        history = history.after(bot.choose(history.position, CLOCKS))
    return history.moves


def test_a_seed_names_a_game() -> None:
    assert played(7, "gipf", "4 4 15 15") == played(7, "gipf", "4 4 15 15")
    assert played(7, "gipf", "4 4 15 15") != played(8, "gipf", "4 4 15 15")
