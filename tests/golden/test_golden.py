"""Reports, ratings and verdicts of stored games stay as they are; `tests.golden.__main__` writes them anew."""

from pathlib import Path

import pytest

from server.contest.export import verify_export
from tests.golden import computed


@pytest.mark.parametrize("contest", computed.CONTESTS)
def test_a_stored_contest_has_the_report_that_it_had(contest: str) -> None:
    for name, text in computed.contest_texts(contest).items():
        path = computed.FOLDER / "contests" / contest / name
        if path.exists():
            assert text == path.read_bytes().decode(), path


def test_a_stored_ladder_has_the_ratings_that_it_had() -> None:
    assert computed.ladder_ratings() == (computed.FOLDER / "ladder" / "ratings.txt").read_text()


@pytest.mark.parametrize("record", computed.RECORDS, ids=lambda path: path.stem)
def test_a_stored_record_is_shown_and_accounted_for_as_it_was(record: Path) -> None:
    assert computed.record_text(record.name) == record.with_suffix(".txt").read_text()


@pytest.mark.slow
def test_a_stored_export_is_verified() -> None:
    found = verify_export((computed.FOLDER / "export.zip").read_bytes())
    assert (found.contest, found.verdict.sentence) == ("golden", "verified: 24 games")
