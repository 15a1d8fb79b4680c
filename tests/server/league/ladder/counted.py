"""The counted games of a ladder, held against their records and against the ratings that follow from them."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from engine.match import verification
from engine.statistics.online import LadderPlayer, rate
from server.league.accounts.accounts import Accounts
from server.league.ladder.store import CountedGame, LadderStore
from server.storage.record_store import RecordStore


def counted_games(data: Path) -> list[CountedGame]:
    """Return all games that are counted in a data directory, the first one first."""
    with closing(Accounts(data)) as accounts:
        return LadderStore(accounts).last_games(10**6)[::-1]


def check_counted(data: Path, before: Sequence[CountedGame], players: Mapping[str, LadderPlayer]) -> list[CountedGame]:
    """Hold what is counted against what was counted before, against the records, and against the ratings.

    ``players`` are the fixed points of the ladder.
    """
    games = counted_games(data)
    assert games[: len(before)] == before, "a counted game is lost or has changed"
    assert len({game.ended.game.match for game in games}) == len(games), "a game is counted twice"
    for game in games[len(before) :]:
        _check_record(RecordStore(data), game)
    with closing(Accounts(data)) as accounts:
        store = LadderStore(accounts)
        ratings = rate(store.games(), players, store.starts())
        found = {one.name: one.rating for one in store.standings()}
    assert {name: rating for name, rating in found.items() if rating.games} == {
        name: rating for name, rating in ratings.items() if rating.games
    }
    return games


def check_nothing_left(data: Path, games: Sequence[CountedGame], others: frozenset[int] = frozenset()) -> None:
    """Make sure that whatever was played to its end is counted, but for what a server has just left to the next.

    ``others`` are matches that do not belong to the ladder.
    """
    with closing(Accounts(data)) as accounts:
        waiting = {game.match for game in LadderStore(accounts).begun()}
    known = {game.ended.game.match for game in games} | waiting | others
    for path in (data / "records").rglob("*.txt"):
        summary = verification.verify(path.read_text(encoding="utf-8"))
        assert summary.result in ("", "annulled") or summary.header.match in known, f"{path} is not counted"


def _check_record(records: RecordStore, game: CountedGame) -> None:
    ended = game.ended
    text = records.read(ended.game.match)
    if not ended.record:
        assert text is None
        return
    assert text is not None and sha256(text.encode()).hexdigest() == ended.record
    summary = verification.verify(text)
    assert summary.header.players == ended.game.players
    assert ended.score == {0: 1.0, 1: 0.0, None: 0.5}[summary.winner]
