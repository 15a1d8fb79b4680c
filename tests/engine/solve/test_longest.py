"""The longest win of a variant, held against all its positions, and played to its end."""

import pytest

from engine.games.catalogue import start_of
from engine.games.gipf.position import GipfPosition
from engine.games.interface import Position, play
from engine.solve.tablebase import making
from engine.solve.tablebase.extent import extent
from engine.solve.tablebase.shipped import shipped
from engine.solve.tablebase.tablebase import tablebase_of
from engine.solve.tablebase.verification import all_places, layers_up_to, position_at


@pytest.mark.parametrize(("parameters", "plies"), [("2 2 4 4", 3), ("2 3 4 6", 13), ("2 3 5 5", 13)])
def test_no_win_takes_longer(parameters: str, plies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(making.GIVEN)
    start = start_of("gipf", parameters)
    kernel, tablebase = start.kernel(compile=False), tablebase_of(start)
    assert tablebase is not None
    found = tablebase.longest_win()
    assert found is not None and isinstance(found.position, GipfPosition)
    assert min(found.position.captured) >= 0
    layers, longest = shipped(kernel), 0
    for place in all_places(kernel, layers_up_to(extent(kernel))):
        state = position_at(kernel, place)
        judgement = None if state is None else layers.judgement(state)
        if judgement is not None and judgement.result > 0:
            longest = max(longest, judgement.plies)
    assert found.plies == longest == plies
    position: Position = found.position
    count = 0
    while position.verdict() is None:
        position = play(position, tablebase.values(position)[0].move)
        count += 1
    outcome = position.verdict()
    assert outcome is not None and (count, outcome.winner) == (plies, found.position.turn)


def test_where_nobody_wins_or_nothing_is_known_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    large = tablebase_of(start_of("gipf", "2 2 4 4"))
    assert large is None  # tests have no tablebases unless they ask for them
    monkeypatch.setenv(making.GIVEN, "/nowhere")
    missing = tablebase_of(start_of("gipf", "3 3 5 5"))
    assert missing is not None and missing.longest_win() is None
