"""The text of a side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.duel.engine_config import MOST, BadEngineConfig, EngineConfig, read, usual_jobs
from engine.levels import MAX_LEVEL
from engine.search.memory import MAX_DEPTH

NUMBERS = st.none() | st.integers(1, MOST)
WORDS = st.text("abc./-_ =0", min_size=1).map(str.strip).filter(bool)


@given(
    side=st.builds(
        EngineConfig,
        nodes=NUMBERS,
        ms=st.none(),
        depth=st.integers(1, MAX_DEPTH),
        level=st.none() | st.integers(1, MAX_LEVEL),
        table=NUMBERS,
        threads=st.none() | st.integers(1, 256),
        exact=st.booleans(),
        weights=st.just("") | WORDS,
    )
)
def test_text_is_read_back(side: EngineConfig) -> None:
    assert read(str(side)) == side


def test_options_come_in_any_order_and_with_blanks() -> None:
    side = read(" table = 16 , exact ,nodes=5000")
    assert side == EngineConfig(nodes=5000, table=16, exact=True)
    assert str(side) == "nodes=5000,table=16,exact"
    assert read("level=9") == EngineConfig(level=9) and read("level=10,ms=5") == EngineConfig(level=10, ms=5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "'' is no option; the options are nodes, ms, depth, level, table, threads, exact, weights",
        ),
        ("nodes=5,", "'' is no option"),
        ("speed=5", "'speed=5' is no option"),
        ("Nodes=5", "'Nodes=5' is no option"),
        ("nodes=5,nodes=6", "nodes is given twice"),
        ("nodes", "nodes needs a value: nodes=5000"),
        ("nodes=", "nodes needs a value"),
        ("nodes=0", "nodes is '0', but it has to be a whole number from 1 to 1000000000"),
        ("nodes=-1", "nodes is '-1'"),
        ("nodes=1e3", "nodes is '1e3'"),
        ("nodes=５", "nodes is '５'"),
        ("ms=1.5", "ms is '1.5'"),
        ("depth=65", "from 1 to 64"),
        ("depth=4,table=0", "table is '0'"),
        ("nodes=5,exact=1", "exact takes no value"),
        ("table=16,exact", "nothing ends its thinking: give it nodes=, ms=, depth=, or a lower level="),
        ("level=10", "nothing ends its thinking"),
        ("level=11", "level is '11', but it has to be a whole number from 1 to 10"),
        ("nodes=5,weights=", "weights needs a value: weights=tables.json"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(BadEngineConfig) as caught:
        read(text)
    assert sentence in str(caught.value)


def test_as_many_games_at_a_time_as_threads_fit_on_the_cores() -> None:
    one, two, three = read("ms=20"), read("ms=20,threads=2"), read("nodes=5000,threads=3")
    assert [usual_jobs((one, one), cores) for cores in (1, 2, 8)] == [1, 2, 8]
    assert [usual_jobs((one, two), cores) for cores in (1, 2, 8)] == [1, 1, 4]
    assert usual_jobs((three, two), 8) == 2
