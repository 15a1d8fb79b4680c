import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match.clock import TimeControl
from server.contest.definition import (
    Adjudication,
    Definition,
    Entrant,
    Format,
    Interrupted,
    Qualification,
    Seeding,
    Stage,
    Variant,
    definition_text,
    read_definition,
)
from server.contest.formats.knockout import Knockout
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, RoundRobin
from server.contest.formats.swiss import Swiss
from tests.server.contest.runtime.test_store import names, numbers, small, texts

controls = st.builds(TimeControl, numbers, numbers)
formats: st.SearchStrategy[Format] = st.one_of(
    st.builds(RoundRobin, small),
    st.builds(Swiss, small),
    st.builds(Gauntlet, st.lists(names).map(tuple), small),
    st.builds(Knockout, tie_breaks=small, control=controls),
    st.builds(Ladder, small, small),
)
definitions_of_all_kinds = st.builds(
    Definition,
    name=texts,
    seed=numbers,
    entrants=st.lists(st.builds(Entrant, names, st.lists(texts).map(tuple), texts), max_size=3).map(tuple),
    variants=st.lists(st.builds(Variant, names, texts, st.lists(texts).map(tuple)), max_size=3).map(tuple),
    stages=st.lists(st.builds(Stage, formats, controls, small, small), max_size=3).map(tuple),
    move_limit=small,
    time_losses=small,
    seeding=st.sampled_from(Seeding),
    interrupted=st.sampled_from(Interrupted),
    games_at_once=small,
    cores=small,
    qualification=st.none() | st.builds(Qualification, st.lists(names).map(tuple), controls, small, small, small),
    adjudication=st.none() | st.builds(Adjudication, small, st.floats(0, 1e6), small),
    patience=small,
    folder=texts,
    start_seconds=small,
    live_notes=st.booleans(),
)


@settings(max_examples=20)
@given(definitions_of_all_kinds)
def test_any_definition_comes_back_as_it_was(definition: Definition) -> None:
    again = read_definition(definition_text(definition))
    assert again == definition
    assert [type(stage.format) for stage in again.stages] == [type(stage.format) for stage in definition.stages]


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[1]", '["Autumn",7,[],[],[[]],1,1]', '["Autumn",7,[],[],[["x",[]]],1,1]']
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_definition(text)
