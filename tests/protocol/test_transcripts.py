from pathlib import Path

import pytest

from tests.protocol.running import DOCUMENT
from tests.protocol.transcripts import EXPLAINED, HEARD, SAID, Transcript, read, replay

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
    """Where it is the server that is right, ``python -m tests.protocol.transcripts`` corrects protocol.md."""
    assert replay(transcript, tmp_path) == list(transcript.lines)


def test_all_transcripts_are_found() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert len(TRANSCRIPTS) == text.count("\n```transcript") >= 9
    for transcript in TRANSCRIPTS:
        for line in transcript.lines:
            assert line.startswith("# ") or any(form.fullmatch(line) for form in (SAID, HEARD, EXPLAINED)), line
