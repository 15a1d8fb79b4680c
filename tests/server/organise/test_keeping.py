"""What the database keeps for good."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from server.contest.definition import RoundRobin
from server.contest.fixtures import Finished, Fixture
from server.organise.store import FILE, Store
from tests.server.contest.played import contest

DATE = datetime(2026, 11, 22, tzinfo=UTC)
GAME = Finished(Fixture(0, 1, 0, 0, 0, ("a1", "a2")), 3, 0, "line")


def test_results_are_synced_before_they_stand(tmp_path: Path) -> None:
    """What is kept for good is synced with all before it (SQLite, PRAGMA synchronous: 2 is FULL), not what begins."""
    with closing(Store(tmp_path / FILE)) as store:
        modes: list[tuple[str, int]] = []

        def look(statement: str) -> None:
            if statement.startswith(("INSERT", "UPDATE")):
                modes.append((statement.split()[2], mode()))

        def mode() -> int:
            store._connection.set_trace_callback(None)
            found = int(store._connection.execute("PRAGMA synchronous").fetchone()[0])
            store._connection.set_trace_callback(look)
            return found

        store._connection.set_trace_callback(look)
        store.open_contest("", contest(2, RoundRobin()), DATE)
        store.begin(1, GAME.fixture, 3)
        store.finish(1, GAME, "0a" * 32)
        store._connection.set_trace_callback(None)
        assert dict(modes) == {"contests": 2, "entrants": 2, "pairings": 1, "games": 2}
        assert store.records(1) == {3: "0a" * 32}
        store.sync()
