"""The counted games of a ladder, held against their records and against the ratings that follow from them."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from engine.match import verification
from engine.statistics.online import LadderPlayer, rate
from server.contest.fixtures import NOT_STARTED, Fixture, GameResult
from server.contest.store.store import FILE, LADDER, Store
from server.league.accounts import Accounts
from server.league.ladder.definition import read
from server.league.ladder.store import CountedGame, LadderStore
from server.storage.record_store import RecordStore


def result_of(
    match: int,
    players: tuple[str, str],
    score: float | None,
    detail: str = "",
    *,
    opening: int = 0,
    failed: int | None = None,
) -> GameResult:
    """Return a result with the score of the side that began; None: neither player could be started.

    The program of the side ``failed`` has crashed.
    """
    fixture = Fixture(0, 1, 0, 0, opening, players)
    if score is None:
        return GameResult(fixture, None, None, NOT_STARTED, detail)
    winner = None if score == 0.5 else round(1 - score)
    return GameResult(fixture, match, winner, "row" if failed is None else "crashed", detail, 5)


FILE_TEXT = """
time = { budget = 1000 }
games = [{ game = "mnk", params = "3 3 3" }]
"""


def count_result(
    data: Path, store: LadderStore, result: GameResult, players: Mapping[str, LadderPlayer], rests_after: int = 3
) -> list[str]:
    """Save a result of a ladder of one variant, and rate it; return the names of players who rest from now on."""
    with closing(Store(data / FILE)) as contests:
        contests.open_ladder(read(FILE_TEXT, data, str).contest, datetime.now(UTC))
        contests.finish(LADDER, result, "5a" if result.played else "")
    before = resting(store)
    store.rate_results(players, rests_after)
    return [name for name in resting(store) if name not in before]


def resting(store: LadderStore) -> list[str]:
    """Return the names of players who rest."""
    return [one.name for one in store.standings() if one.rests]


def running_matches(data: Path) -> set[int]:
    """Return the matches of the ladder that are being played, or were when their server died."""
    with closing(Store(data / FILE)) as store:
        return set(store.begun(LADDER))


def counted_games(data: Path) -> list[CountedGame]:
    """Return all games that are counted in a data directory, the first one first."""
    with closing(Accounts(data)) as accounts:
        return LadderStore(accounts, data).last_games(10**6)[::-1]


def check_counted(data: Path, before: Sequence[CountedGame], players: Mapping[str, LadderPlayer]) -> list[CountedGame]:
    """Hold what is counted against what was counted before, against the records, and against the ratings.

    ``players`` are the fixed points of the ladder.
    """
    games = counted_games(data)
    assert games[: len(before)] == before, "a counted game is lost or has changed"
    matches = [game.result.match for game in games if game.result.match is not None]
    assert len(set(matches)) == len(matches), "a game is counted twice"
    with closing(Store(data / FILE)) as contests:
        digests = contests.records(LADDER)
    for game in games[len(before) :]:
        _check_record(RecordStore(data), game.result, digests)
    with closing(Accounts(data)) as accounts:
        store = LadderStore(accounts, data)
        ratings = rate(store.each_game(), players, store.starts())
        found = {one.name: one.rating for one in store.standings()}
    assert {name: rating for name, rating in found.items() if rating.games} == {
        name: rating for name, rating in ratings.items() if rating.games
    }
    return games


def check_nothing_left(data: Path, games: Sequence[CountedGame], others: frozenset[int] = frozenset()) -> None:
    """Make sure that whatever was played to its end is counted, but for what a server has just left to the next.

    ``others`` are matches that do not belong to the ladder.
    """
    known = {game.result.match for game in games} | running_matches(data) | others
    for path in (data / "records").rglob("*.txt"):
        summary = verification.verify(path.read_text(encoding="utf-8"))
        assert summary.result in ("", "annulled") or summary.header.match in known, f"{path} is not counted"


def _check_record(records: RecordStore, result: GameResult, digests: Mapping[int, str]) -> None:
    if result.match is None:
        return
    text = records.read(result.match)
    assert text is not None and sha256(text.encode()).hexdigest() == digests[result.match]
    summary = verification.verify(text)
    assert summary.header.players == result.fixture.players
    assert result.winner == summary.winner
