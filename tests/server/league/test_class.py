"""A class that sends versions at once delays nobody's moves for long, and each version ends as it should."""

import os

import pytest

from tests.bench.school_class import UPLOADS, Class, measure
from tests.server.league.test_submissions import SEALED

MINUTES = float(os.environ.get("ARENA_CLASS_MINUTES", "2"))
"""How long the long form takes: at least one round."""


@SEALED
@pytest.mark.slow
def test_some_authors_send_versions_beside_a_match() -> None:
    size = Class(authors=3, an_hour=3600, browsers=3, matches=2, uploads=UPLOADS[1:])
    (found,) = measure(0, size, seconds=0.5)
    assert found.sent >= 2 and found.pages, "and each version has ended as it should"


@SEALED
@pytest.mark.campaign
def test_a_class_sends_versions_beside_matches() -> None:
    rounds = list(measure(60 * MINUTES, Class(), seconds=15.0))
    assert all(found.sent and found.pages for found in rounds)
