"""The pages of the ladder, which everybody may see.

- ``GET /ladder``: standings, activity and the last games; ``/ladder.json`` has the same for programs
- ``GET /ladder/BOT``: the rating of a player over time, and how each of its versions has fared
- ``POST /ladder/BOT/again``: lets a bot that rests play again; for its author and organisers
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.statistics.online import DAY, LadderPlayer, decayed
from server.league.accounts.people import ORGANISER
from server.league.ladder.definition import Listed
from server.league.ladder.service import LadderService
from server.league.ladder.store import CountedGame, ScoreAgainst, Standing, VersionInPlay
from server.league.ladder_control import NO_LADDER
from server.league.pages.forms import Identities, Identity, page
from server.web.answers import json_answer
from server.web.http.errors import Refused

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


LAST_GAMES = 20
"""Games that pages list."""

CHARTED_GAMES = 300
"""Games after which the rating is drawn."""


class LadderPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, ladder: LadderService | None) -> None:
        """Take what tells who asks, and the ladder, None where the server plays none."""
        self._identities = identities
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/ladder", self._standings, methods=["GET"]),
            Route("/ladder.json", self._json, methods=["GET"]),
            Route("/ladder/{name}", self._player, methods=["GET"]),
            Route("/ladder/{name}/again", self._again, methods=["POST"]),
        ]

    def _found(self) -> LadderService:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        return self._ladder

    async def _standings(self, request: Request) -> Response:
        ladder = self._ladder
        if ladder is None:
            return page("ladder/none", "Ladder", {}, current="/ladder")
        told = await trio.to_thread.run_sync(_read_standings, ladder)
        running = sorted(ladder.running().items())
        variants = ladder.definition.variants
        total = sum(one.weight for one in variants)
        shares = [(one.key, one.weight / total) for one in variants]
        values = {
            "told": told,
            "running": running,
            "shares": shares,
            "control": ladder.definition.control,
            "is_paused": ladder.is_paused,
        }
        return page("ladder/standings", "Ladder", values, current="/ladder")

    async def _json(self, _request: Request) -> Response:
        told = await trio.to_thread.run_sync(_read_standings, self._found())
        return json_answer(msgspec.json.encode(told))

    async def _player(self, request: Request) -> Response:
        ladder, store = self._found(), self._found().store
        name = request.path_params["name"]
        found = await trio.to_thread.run_sync(store.standing, name)
        if found is None:
            raise Refused(404, f"nobody called {name!r} has been on the ladder")
        identity = await self._identities.find(request)
        games = await trio.to_thread.run_sync(store.last_games, CHARTED_GAMES, name)
        versions = await trio.to_thread.run_sync(store.versions, name)
        opponents = await trio.to_thread.run_sync(store.opponents, name)
        ends = await trio.to_thread.run_sync(store.last_ratings, name)
        listed = await trio.to_thread.run_sync(ladder.listed)
        is_own = identity is not None and _may_wake(identity, found.owner)
        values = {
            "identity": identity,
            "may_wake": bool(found.rests) and is_own,
            "is_own": is_own,
            "one": found,
            "rating": decayed(found.rating, time.time()),
            "fixed": found.name in listed and listed[found.name].player.anchor is not None,
            "left": found.name not in listed,
            "connected": found.name in listed and listed[found.name].connects,
            "versions": version_rows(versions, ends, opponents),
            "chart": chart(found.name, games),
            "games": [game_row(game) for game in games[:LAST_GAMES]],
        }
        return page(
            "ladder/player",
            f"{found.name} on the ladder",
            values,
            current="/ladder",
        )

    async def _again(self, request: Request) -> Response:
        store = self._found().store
        identity, _ = await self._identities.require_form(request)
        found = await trio.to_thread.run_sync(store.standing, request.path_params["name"])
        if found is None or not _may_wake(identity, found.owner):
            raise Refused(403, "this is for the bot's author, and for organisers")
        await trio.to_thread.run_sync(store.wake, found.name, identity.person.name)
        return RedirectResponse(f"/ladder/{found.name}", 303)


def _may_wake(identity: Identity, owner: str) -> bool:
    return identity.person.role == ORGANISER or identity.person.name.lower() == owner.lower()


def _read_standings(ladder: LadderService) -> Standings:
    """Return the standings as of now; reads the database."""
    now, store = time.time(), ladder.store
    here, left = standing_rows(store.standings(), ladder.listed(), now)
    return Standings(
        here,
        left,
        tuple(game_row(game) for game in store.last_games(LAST_GAMES)),
        store.number_since(now - DAY),
    )
