"""The ladder as its pages and programs see it. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import msgspec

from engine.statistics.online import LadderPlayer, decayed
from server.league.ladder.definition import Listed
from server.league.ladder.store import CountedGame, ScoreAgainst, Standing, VersionInPlay

PROVISIONAL = 100.0
"""Whose rating is more uncertain than this, in Elo, has no rank yet."""

CHART_WIDTH, CHART_HEIGHT = 600.0, 160.0
"""Of the picture of ratings, in its own units."""

CHART_MARGIN = 25.0
"""Elo above the highest and below the lowest rating of the picture, at least."""

State = Literal["plays", "rests", "fixed", "left"]


class Row(msgspec.Struct, frozen=True):
    """A player in the standings."""

    name: str
    owner: str
    version: int
    rank: int | None
    """None: it is fixed, rests, has left, or its rating is too uncertain yet."""
    elo: float
    deviation: float
    """One standard deviation as of now: it grows while nothing is played."""
    games: int
    """Of the version in play."""
    last: datetime | None
    state: State
    sentence: str
    """Why it rests."""
    connected: bool
    """Whether it plays on its author's machine, and is connected now."""


class GameRow(msgspec.Struct, frozen=True):
    """A game that was counted."""

    match: int
    has_record: bool
    variant: str
    first: str
    second: str
    versions: tuple[int, int]
    score: float | None
    """Of the first player; None: it rates nobody."""
    termination: str
    ended: datetime


class Standings(msgspec.Struct, frozen=True):
    """The standings of the ladder."""

    players: tuple[Row, ...]
    left: tuple[Row, ...]
    """Who plays no more."""
    games: tuple[GameRow, ...]
    """The last ones."""
    today: int
    """Games within 24 hours."""


class VersionRow(NamedTuple):
    """A version of a player: what it has done."""

    version: int
    began: datetime
    start: float
    """The rating with which it began."""
    end: tuple[float, float] | None
    """Elo and deviation after its last game; None before the first one."""
    won: int
    drawn: int
    lost: int
    opponents: tuple[ScoreAgainst, ...]


class Chart(NamedTuple):
    """Ratings of a player after its last games, as a line."""

    points: str
    """As SVG has them."""
    starts: tuple[tuple[float, int], ...]
    """Where versions began: place from the left, and number."""
    low: float
    high: float
    """Elo at the bottom and at the top."""


def standing_rows(
    standings: Iterable[Standing], listed: Mapping[str, Listed], now: float
) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return the rows of those who are on the ladder, the strongest first, and of those who have left it.

    ``now`` is a Unix time.
    """
    here: list[Row] = []
    left: list[Row] = []
    rank = 0
    for one in standings:
        found = listed.get(one.name)
        rating = decayed(one.rating, now)
        state = _state(one, None if found is None else found.player)
        ranked = state == "plays" and rating.deviation <= PROVISIONAL
        rank += ranked
        row = Row(
            one.name,
            one.owner,
            one.version,
            rank if ranked else None,
            rating.elo,
            rating.deviation,
            rating.games,
            None if rating.last is None else datetime.fromtimestamp(rating.last, UTC),
            state,
            one.rests,
            found is not None and found.connects,
        )
        (left if state == "left" else here).append(row)
    return tuple(here), tuple(left)


def _state(one: Standing, player: LadderPlayer | None) -> State:
    if player is None:
        return "left"
    if player.anchor is not None:
        return "fixed"
    return "rests" if one.rests else "plays"


def game_row(counted: CountedGame) -> GameRow:
    """Return a game as a row."""
    game = counted.game
    date = datetime.fromtimestamp(counted.date, UTC)
    return GameRow(
        game.match,
        bool(counted.record),
        game.variant,
        *game.players,
        game.versions,
        counted.score,
        counted.termination,
        date,
    )


def version_rows(
    versions: Sequence[VersionInPlay],
    ends: Mapping[int, tuple[float, float]],
    opponents: Collection[ScoreAgainst],
) -> list[VersionRow]:
    """Return what each version has done, the newest first; of one that came back all its games together.

    ``ends`` are Elo and deviation of versions after their last games.
    """
    rows = {}
    for one in versions:
        against = tuple(score for score in opponents if score.version == one.version)
        won, drawn = sum(score.won for score in against), sum(score.drawn for score in against)
        lost = sum(score.lost for score in against)
        began, end = datetime.fromtimestamp(one.began, UTC), ends.get(one.version)
        rows[one.version] = VersionRow(one.version, began, one.elo, end, won, drawn, lost, against)
    return sorted(rows.values(), key=lambda row: -row.version)


def _side(name: str, game: CountedGame) -> int:
    """Return the side of a player in one of its games."""
    return 0 if game.game.players[0].lower() == name.lower() else 1


def chart(name: str, games: Sequence[CountedGame]) -> Chart | None:
    """Return the picture of a player's ratings after its last games, which come the newest first; None for too few."""
    rated = [game for game in reversed(games) if game.score is not None]
    if len(rated) < 2:
        return None
    sides = [_side(name, game) for game in rated]
    elo = [game.ratings[side][0] for game, side in zip(rated, sides, strict=True)]
    versions = [game.game.versions[side] for game, side in zip(rated, sides, strict=True)]
    starts = [n for n in range(1, len(rated)) if versions[n] != versions[n - 1]]
    low, high, last = min(elo) - CHART_MARGIN, max(elo) + CHART_MARGIN, len(rated) - 1
    points = " ".join(
        f"{CHART_WIDTH * place / last:.1f},{CHART_HEIGHT * (high - value) / (high - low):.1f}"
        for place, value in enumerate(elo)
    )
    return Chart(points, tuple((CHART_WIDTH * n / last, versions[n]) for n in starts), low, high)
