import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import TimeControl
from server.contest.definition import (
    Adjudication,
    Definition,
    Entrant,
    Format,
    Gauntlet,
    Interrupted,
    Knockout,
    Ladder,
    Qualification,
    RoundRobin,
    Seeding,
    Stage,
    Swiss,
    Variant,
)
from server.contest.store import definition_text

names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_.-]{0,31}\Z")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**63 - 1)
small = st.integers(0, 1000)
controls = st.builds(TimeControl, numbers, numbers)
formats: st.SearchStrategy[Format] = st.one_of(
    st.builds(RoundRobin, small),
    st.builds(Swiss, small),
    st.builds(Gauntlet, st.lists(names).map(tuple), small),
    st.builds(Knockout, small, controls),
    st.builds(Ladder, small, small),
)
definitions_of_all_kinds = st.builds(
    Definition,
    texts,
    numbers,
    st.lists(st.builds(Entrant, names, st.lists(texts).map(tuple), texts), max_size=3).map(tuple),
    st.lists(st.builds(Variant, names, texts, st.lists(texts).map(tuple)), max_size=3).map(tuple),
    st.lists(st.builds(Stage, formats, controls, small, small), max_size=3).map(tuple),
    small,
    small,
    st.sampled_from(Seeding),
    st.sampled_from(Interrupted),
    small,
    small,
    st.none() | st.builds(Qualification, st.lists(names).map(tuple), controls, small, small, small),
    st.none() | st.builds(Adjudication, small, st.floats(0, 1e6), small),
    small,
    texts,
    small,
    interventions=st.just(()),
)


@settings(max_examples=40)
@given(definitions_of_all_kinds)
def test_any_definition_comes_back_as_it_was(definition: Definition) -> None:
    again = definition_text.decode(definition_text.encode(definition))
    assert again == definition
    assert [type(stage.format) for stage in again.stages] == [type(stage.format) for stage in definition.stages]


def test_definitions_that_were_stored_can_still_be_read() -> None:
    """Fields may come behind those here; whoever has to change this text has to write a migration of stores."""
    text = (
        '["Autumn",7,[["ann",[],"ab"],["bob",["./bob","-x"],""]],[["mnk","3 3 3",["one","two"]]],'
        '[["swiss",[4],[60000000,0],1,0],["gauntlet",[["ann"],2],[1,2],3,0],["knockout",[4,[5,6]],[7,8],1,4],'
        '["ladder",[0,3600],[1,2],1,0],["round-robin",[1],[1,2],1,0]],400,3,"chance","replay",0,2,'
        '[["random"],[5000000,0],1,2,1],[10,1.5,256]]'
    )
    definition = Definition(
        "Autumn",
        7,
        (Entrant("ann", (), "ab"), Entrant("bob", ("./bob", "-x"))),
        (Variant("mnk", "3 3 3", ("one", "two")),),
        (
            Stage(Swiss(4), TimeControl(60_000_000)),
            Stage(Gauntlet(("ann",), 2), TimeControl(1, 2), 3),
            Stage(Knockout(4, TimeControl(5, 6)), TimeControl(7, 8), 1, 4),
            Stage(Ladder(0, 3600), TimeControl(1, 2)),
            Stage(RoundRobin(), TimeControl(1, 2)),
        ),
        400,
        3,
        Seeding.CHANCE,
        Interrupted.REPLAY,
        0,
        2,
        Qualification(("random",), TimeControl(5_000_000), 1, 2, 1),
        Adjudication(10, 1.5, 256),
    )
    written = msgspec.json.decode(definition_text.encode(definition))
    assert [entrant[:3] for entrant in written[2]] == msgspec.json.decode(text)[2]
    assert written[:2] + written[3:13] == msgspec.json.decode(text)[:2] + msgspec.json.decode(text)[3:]
    assert definition_text.decode(text) == definition
    short = text[: text.index(',"chance"')] + "]"
    assert definition_text.decode(short).qualification is None, "fields behind may be missing"


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[1]", '["Autumn",7,[],[],[[]],1,1]', '["Autumn",7,[],[],[["x",[]]],1,1]']
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        definition_text.decode(text)
