from pathlib import Path

import pytest

from engine.record import verify
from tests.engine.records import Table
from tests.protocol.running import DOCUMENT
from tests.protocol.transcripts import EXPLAINED, HEARD, SAID, Transcript, read, replay, without_load, without_stalls

TRANSCRIPTS = read(DOCUMENT.read_text(encoding="utf-8"))


# each takes a server of its own: the quick one shows a match from its first line to its last
QUICK = "16.2"


@pytest.mark.parametrize(
    "transcript",
    [
        pytest.param(one, id=one.title, marks=[] if one.title.startswith(QUICK) else [pytest.mark.slow])
        for one in TRANSCRIPTS
    ],
)
def test_what_is_written_happens(transcript: Transcript, tmp_path: Path) -> None:
    """Where it is the server that is right, ``python -m tests.protocol.transcripts --write`` corrects protocol.md."""
    assert replay(transcript, tmp_path) == list(transcript.lines)


def test_all_transcripts_are_found() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert len(TRANSCRIPTS) == text.count("\n```transcript") >= 9
    for transcript in TRANSCRIPTS:
        for line in transcript.lines:
            assert line.startswith("# ") or any(form.fullmatch(line) for form in (SAID, HEARD, EXPLAINED)), line


def test_a_stall_that_a_record_tells_of_is_left_out_and_not_counted() -> None:
    lines = ["PONG", "RECORD 1 4", "| arena-record 1", "| stall 28.110 95.250", "| move 1", "| result", "BYE"]
    assert without_stalls(lines) == ["PONG", "RECORD 1 3", "| arena-record 1", "| move 1", "| result", "BYE"]


@pytest.mark.parametrize("plies", [None, 0, 1])
def test_a_stall_changes_nothing_that_is_compared(plies: int | None) -> None:
    """Where both flags fall, what was not charged stands in the middle of the sentence."""
    quiet, busy = (Table() if plies is None else Table().ready().play(*["1"] * plies) for _ in range(2))
    stalled = verify(busy.stall(20, 300).flag()).sentence
    assert "were not charged" in stalled
    assert without_load(stalled) == without_load(verify(quiet.flag()).sentence)
