"""What a NOTE says: every note comes back as it was, and what is none is refused by the word that is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire.codes import Code, ProtocolError
from engine.wire.fields import Note, read_note, write_note
from tests.engine.wire.samples import more, numbers, texts, words

moves = st.one_of(
    st.sampled_from(["a5-b5 b: e5 h2", "0 7 22", "d4"]),
    words.filter(lambda word: not {"_", ","} & set(word)),
)
notes = st.builds(
    Note,
    st.none() | numbers,
    st.none() | st.integers(-(10**12) + 1, 10**12 - 1).map(lambda thousandths: thousandths / 1000),
    st.none() | numbers,
    st.none() | numbers,
    st.lists(moves, max_size=4).map(tuple),
    texts,
)


@pytest.mark.slow("interpreted")
@more
@given(notes)
def test_notes_come_back_as_they_were(note: Note) -> None:
    written = write_note(note)
    if note[1:] == Note()[1:]:
        with pytest.raises(ProtocolError, match="a note says something"):
            read_note(written)
        return
    assert read_note(written) == note
    assert written.isprintable() and written == written.strip()


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("score=35", Note(score=35.0)),
        ("text=a  b=c", Note(text="a  b=c")),
        ("in the book, depth=3", Note(text="in the book, depth=3")),
        ("nodes=007  depth=1 why not", Note(depth=1, nodes=7, text="why not")),
        ("ply=3 score=-0.000 pv=a3-b3_w:_b3_c3,c5-c4", Note(ply=3, score=0.0, pv=("a3-b3 w: b3 c3", "c5-c4"))),
        ("score=1.250 text=", Note(score=1.25)),
    ],
)
def test_notes_are_read(content: str, note: Note) -> None:
    assert read_note(content) == note


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("dept=7", "'dept=7' is no field of NOTE; these are ply=…, score=…, depth=…, nodes=…, pv=…, text=…"),
        ("depth=-1", "depth is a whole number of 1 to 12 digits, not '-1'"),
        ("nodes=²", "nodes is a whole number of 1 to 12 digits, not '²'"),
        ("score=nan", "score is a number as in 35, -35 or 0.125, not 'nan'"),
        ("score=1e5", "not '1e5'"),
        ("pv=a1,,b2", "pv is moves with commas between them, as in a3-b3,c5-c4, not 'a1,,b2'"),
        ("pv=_", "not '_'"),
        ("depth=1 depth=2", "depth is given twice"),
        ("ply=3", "a note says something"),
        ("text=", "a note says something"),
    ],
)
def test_what_is_wrong_with_a_note(content: str, part: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_note(content)
    assert caught.value.code == Code.BAD_ARGUMENTS
    assert part in str(caught.value)


def test_a_note_for_people() -> None:
    note = Note(3, -0.5, 7, 1_234_567, ("a3-b3 w: b3 c3", "c5-c4"), "in the book")
    assert str(note) == "score -0.5; depth 7; 1,234,567 nodes; pv a3-b3 w: b3 c3, c5-c4: in the book"
    assert str(Note(nodes=1)) == "1 node"
    assert str(Note(text="why")) == "why"
