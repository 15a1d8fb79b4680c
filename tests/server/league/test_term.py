"""A term of a small class, from the opening of the arena to a final that verifies, with kills of the server in it."""

import os
from pathlib import Path

import pytest

from tests.bench.term import Term, hold
from tests.server.league.test_submissions import SEALED

MINUTES = float(os.environ.get("ARENA_TERM_MINUTES", "3"))
"""From the opening to the deadline of the final."""


@SEALED
@pytest.mark.campaign
def test_a_term_loses_nothing_and_its_final_verifies(tmp_path: Path) -> None:
    found = hold(tmp_path, Term(60 * MINUTES, authors=4, rounds_of_final=2))
    assert found.kills and found.games and found.final_games
