"""What the transposition table keeps, and that its size changes no result."""

from engine.search.memory import BUCKET_WORDS, ENTRY_WORDS, EXACT, LOWER, probe, remember
from engine.search.searcher import Searcher, SearchLimits, SearchResult
from tests.clocks import never
from tests.engine.search.searching import GIPF, random_positions


def test_bucket_keeps_the_deepest_and_the_latest() -> None:
    table = [0] * BUCKET_WORDS
    for key, depth in ((1, 5), (2, 3), (3, 2)):
        remember(table, key, 10 * key, EXACT, depth, key, 1)
    assert [probe(table, key) != 0 for key in (1, 2, 3)] == [True, False, True]
    remember(table, 4, -7, LOWER, 1, 9, 2)  # a later search drives out what an earlier one searched deeper
    assert [probe(table, key) != 0 for key in (1, 2, 3, 4)] == [True, False, False, True]
    assert table[ENTRY_WORDS] ^ table[ENTRY_WORDS + 1] == 1


def test_entry_that_two_threads_have_written_is_nobodys() -> None:
    table, other = [0] * BUCKET_WORDS, [0] * BUCKET_WORDS
    remember(table, 5, 10, EXACT, 3, 1, 1)
    remember(other, 9, -20, LOWER, 4, 2, 1)
    assert [probe(table, 5) != 0, probe(other, 9) != 0] == [True, True]
    table[1] = other[1]
    assert [probe(table, key) for key in (5, 9)] == [0, 0]


def test_the_part_of_the_table_in_use_grows() -> None:
    told: list[SearchResult] = []
    position = GIPF.start("3 3 9 9")
    searcher = Searcher(position.kernel(compile=False), megabytes=0.02)
    searcher.think(position, limits=SearchLimits(depth=5), clock=never, report=told.append)
    uses = [thought.table_use for thought in told]
    assert 0 < uses[0] < uses[-1] <= 1
    assert uses == sorted(uses)
    assert searcher.think(position, limits=SearchLimits(depth=1), clock=never).table_use < uses[-1]


def test_small_table_changes_no_result() -> None:
    for position in random_positions("2 3 6 6", 10, seed=4):
        scores = set()
        for megabytes in (0, 0.01, 1):
            searcher = Searcher(position.kernel(compile=False), megabytes=megabytes)
            scores.add(searcher.think(position, limits=SearchLimits(depth=4, exact=True), clock=never).score)
        assert len(scores) == 1
