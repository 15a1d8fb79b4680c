from pathlib import Path

import pytest

from tests.protocol.running import DOCUMENT
from tests.protocol.transcripts import EXPLAINED, HEARD, SAID, Transcript, read, replay

TRANSCRIPTS = read(DOCUMENT.read_text(encoding="utf-8"))


# what takes its time: a flag that falls, and a server that starts again
TIMED = ("16.4", "16.9")


@pytest.mark.parametrize(
    "transcript",
    [
        pytest.param(one, id=one.title, marks=[pytest.mark.slow] if one.title.startswith(TIMED) else [])
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
