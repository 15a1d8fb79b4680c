import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import TimeControl
from server.contest.definition import (
    Adjudication,
    Bounds,
    Definition,
    Entrant,
    Format,
    Gauntlet,
    Interrupted,
    Knockout,
    Ladder,
    Qualification,
    RoundRobin,
    Sandbox,
    Seeding,
    Stage,
    Swiss,
    Variant,
)
from server.contest.store import definition_text

WHOLE = (
    '["Autumn",7,[["ann",[],"0a",""],["bob",["./bob","-x"],"","d"]],'
    '[["mnk","4 4 3",["one","two"]],["morris","",["three"]]],'
    '[["gauntlet",[["ann"],1],[60000000,100000],1,0],["knockout",[3,[1000000,10000]],[5000000,0],2,2],'
    '["ladder",[1000,5400],[60000000,100000],1,0]],400,2,"chance","replay",6,4,[["random"],[2000000,0],1,2,2],'
    '[20,0.5,256],30,"/c",5,"none",[512,256,1024,64,64,9],["lib"]]'
)
"""As the version of 2026-11-22, b47500c, has written it."""

names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_.-]{0,31}\Z")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**63 - 1)
small = st.integers(0, 1000)
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
        name="Autumn",
        seed=7,
        entrants=(Entrant("ann", (), "ab"), Entrant("bob", ("./bob", "-x"))),
        variants=(Variant("mnk", "3 3 3", ("one", "two")),),
        stages=(
            Stage(Swiss(4), TimeControl(60_000_000)),
            Stage(Gauntlet(("ann",), 2), TimeControl(1, 2), 3),
            Stage(Knockout(tie_breaks=4, control=TimeControl(5, 6)), TimeControl(7, 8), 1, 4),
            Stage(Ladder(0, 3600), TimeControl(1, 2)),
            Stage(RoundRobin(), TimeControl(1, 2)),
        ),
        move_limit=400,
        time_losses=3,
        seeding=Seeding.CHANCE,
        interrupted=Interrupted.REPLAY,
        cores=2,
        qualification=Qualification(("random",), TimeControl(5_000_000), 1, 2, 1),
        adjudication=Adjudication(10, 1.5, 256),
    )
    written = msgspec.json.decode(definition_text.encode(definition))
    assert [entrant[:3] for entrant in written[2]] == msgspec.json.decode(text)[2]
    assert written[:2] + written[3:13] == msgspec.json.decode(text)[:2] + msgspec.json.decode(text)[3:]
    assert definition_text.decode(text) == definition
    short = text[: text.index(',"chance"')] + "]"
    assert definition_text.decode(short).qualification is None, "fields behind may be missing"


def test_a_whole_definition_is_written_as_the_versions_before_have_written_it() -> None:
    """A contest is recognised by this text: with another one a server would refuse its own contest as changed."""
    assert definition_text.encode(definition_text.decode(WHOLE)) == WHOLE
    assert definition_text.decode(WHOLE) == Definition(
        name="Autumn",
        seed=7,
        entrants=(Entrant("ann", (), "0a"), Entrant("bob", ("./bob", "-x"), "", "d")),
        variants=(Variant("mnk", "4 4 3", ("one", "two")), Variant("morris", "", ("three",))),
        stages=(
            Stage(Gauntlet(("ann",)), TimeControl(60_000_000, 100_000)),
            Stage(Knockout(tie_breaks=3, control=TimeControl(1_000_000, 10_000)), TimeControl(5_000_000), 2, 2),
            Stage(Ladder(1000, 5400), TimeControl(60_000_000, 100_000)),
        ),
        move_limit=400,
        time_losses=2,
        seeding=Seeding.CHANCE,
        interrupted=Interrupted.REPLAY,
        games_at_once=6,
        cores=4,
        qualification=Qualification(("random",), TimeControl(2_000_000), bad_moves=2),
        adjudication=Adjudication(20, 0.5),
        patience=30,
        folder="/c",
        start_seconds=5,
        sandbox=Sandbox.NONE,
        bounds=Bounds(memory=512, cpu_seconds=9),
        visible=("lib",),
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[1]", '["Autumn",7,[],[],[[]],1,1]', '["Autumn",7,[],[],[["x",[]]],1,1]']
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        definition_text.decode(text)
