from pathlib import Path

import pytest

from tests.protocol.transcripts import DOCUMENTS, EXPLAINED, HEARD, SAID, Transcript, read, replay

TRANSCRIPTS = [one for document in DOCUMENTS for one in read(document.read_text(encoding="utf-8"))]

# the fast test: a match from its first line to its last
QUICK = "Row choices"


@pytest.mark.parametrize(
    "transcript",
    [pytest.param(one, id=one.title, marks=[] if one.title == QUICK else [pytest.mark.slow]) for one in TRANSCRIPTS],
)
async def test_what_is_written_happens(transcript: Transcript, tmp_path: Path) -> None:
    """Where it is the server that is right, ``python -m tests.protocol.transcripts`` corrects the document."""
    assert await replay(transcript, tmp_path) == list(transcript.lines)


def test_transcripts_are_complete() -> None:
    assert len(TRANSCRIPTS) == len(DOCUMENTS) + 1  # one for each session, two in protocol.md
    for transcript in TRANSCRIPTS:
        for line in transcript.lines:
            assert line.startswith("# ") or any(form.fullmatch(line) for form in (SAID, HEARD, EXPLAINED)), line
