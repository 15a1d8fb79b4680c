"""The pages of the ladder, for everybody.

- ``GET /ladder``: standings, activity and the last games; ``/ladder.json`` has the same for programs
- ``GET /ladder/BOT``: the rating of a player over time, and the results of each of its versions
- ``POST /ladder/BOT/again``: lets a bot that rests play again; for its author and organisers
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.statistics.online import DAY, decayed
from server.league.ladder.definition import NO_LADDER, LadderEntrant
from server.league.ladder.service import LadderService
from server.league.ladder.store import CountedGame, LadderStanding, ScoreAgainst, VersionInPlay
from server.league.pages.forms import Form, Identities, PlayerTabs, page
from server.web.answers import json_answer
from server.web.http.request import Refused

PROVISIONAL = 100.0
"""Deviation, in Elo, above which a player has no rank yet."""

CHART_WIDTH, CHART_HEIGHT = 600.0, 160.0
"""Size of the picture of ratings, in its own units."""

TICKS = (10, 20, 50, 100, 200, 500, 1000, 2000)
"""Elo between two lines of the picture: the first distance that needs no more than `MAX_TICKS` lines."""

MAX_TICKS = 6


def standing_rows(
    standings: Iterable[LadderStanding], listed: Mapping[str, LadderEntrant], now: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of those who are on the ladder, the strongest first, and of those who have left it.

    ``now`` is a Unix time.
    """
    here: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    rank = 0
    for one in standings:
        found = listed.get(one.name)
        rating, state = decayed(one.rating, now), "rests" if one.rests else "plays"
        if found is None or found.player.anchor is not None:
            state = "left" if found is None else "fixed"
        ranked = state == "plays" and rating.deviation <= PROVISIONAL
        rank += ranked
        row: dict[str, Any] = {
            "name": one.name,
            "owner": one.owner,
            "version": one.version,
            "rank": rank if ranked else None,
            "elo": rating.elo,
            "deviation": rating.deviation,  # as of now: it grows while nothing is played
            "games": rating.games,
            "last": None if rating.last is None else datetime.fromtimestamp(rating.last, UTC),
            "state": state,
            "sentence": one.rests,
            "connected": found is not None and found.connects,
        }
        (left if state == "left" else here).append(row)
    return here, left


def game_row(game: CountedGame) -> dict[str, Any]:
    """Return a game as a row; without a score it rates nobody."""
    first, second = game.result.fixture.players
    return {
        "match": game.result.match,
        "has_record": game.result.match is not None,
        "variant": game.variant,
        "first": first,
        "second": second,
        "versions": game.versions,
        "score": game.score,
        "termination": game.result.termination,
        "ended": datetime.fromtimestamp(game.date, UTC),
    }


def version_rows(
    versions: Sequence[VersionInPlay],
    ends: Mapping[int, tuple[float, float]],
    opponents: Collection[ScoreAgainst],
) -> list[dict[str, Any]]:
    """Return what each version has done, the newest first; of one that came back all its games together.

    ``ends`` are Elo and deviation of versions after their last games.
    """
    rows: dict[int, dict[str, Any]] = {}
    for one in versions:
        against = tuple(score for score in opponents if score.version == one.version)
        rows[one.version] = {
            "version": one.version,
            "began": datetime.fromtimestamp(one.began, UTC),
            "start": one.elo,
            "end": ends.get(one.version),
            "won": sum(score.won for score in against),
            "drawn": sum(score.drawn for score in against),
            "lost": sum(score.lost for score in against),
            "opponents": against,
        }
    return sorted(rows.values(), key=lambda row: -row["version"])


def chart(name: str, games: Sequence[CountedGame]) -> dict[str, Any] | None:
    """Return the picture of a player's ratings after its last games, which come the newest first; None for too few."""
    rated = [game for game in reversed(games) if game.score is not None]
    if len(rated) < 2:
        return None
    sides = [0 if game.result.fixture.players[0].lower() == name.lower() else 1 for game in rated]
    elo = [game.ratings[side][0] for game, side in zip(rated, sides, strict=True)]
    versions = [game.versions[side] for game, side in zip(rated, sides, strict=True)]
    starts = [n for n in range(1, len(rated)) if versions[n] != versions[n - 1]]
    last = len(rated) - 1
    step = next((step for step in TICKS if max(elo) // step - min(elo) // step + 2 <= MAX_TICKS), TICKS[-1])
    ticks = [step * n for n in range(int(max(elo) // step) + 1, int(min(elo) // step) - 1, -1)]
    high, low = ticks[0], ticks[-1]
    points = " ".join(
        f"{CHART_WIDTH * place / last:.1f},{CHART_HEIGHT * (high - value) / (high - low):.1f}"
        for place, value in enumerate(elo)
    )
    places = [(CHART_WIDTH * n / last, versions[n]) for n in starts]
    lines = [(CHART_HEIGHT * (high - tick) / (high - low), tick) for tick in ticks]
    return {"points": points, "starts": places, "lines": lines, "games": len(rated)}


LAST_GAMES = 20
"""Games that pages list."""

CHARTED_GAMES = 300
"""Games after which the rating is drawn."""


class LadderPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, ladder: LadderService | None, tabs: PlayerTabs) -> None:
        """Take the sessions, the ladder, None where the server plays none, and the tabs of players."""
        self._tabs = tabs
        self._identities = identities
        self._ladder = ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/ladder", self._standings, methods=["GET"]),
            Route(
                "/ladder.json",
                lambda _: json_answer(msgspec.json.encode(_read_standings(self._found()))),
                methods=["GET"],
            ),
            Route("/ladder/{name}", self._player, methods=["GET"]),
            *self._identities.changes("/ladder/{name}", {"again": self._wake}),
        ]

    def _found(self) -> LadderService:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        return self._ladder

    def _standings(self, _request: Request) -> Response:
        if (ladder := self._ladder) is None:
            return page("ladder/none", "Ladder", current="/ladder")
        weights = ladder.definition.weights
        return page(
            "ladder/standings",
            "Ladder",
            told=_read_standings(ladder),
            running=sorted(ladder.running().items()),
            shares=[(variant, weight / sum(weights.values())) for variant, weight in weights.items()],
            control=ladder.definition.control,
            is_paused=ladder.is_paused,
            current="/ladder",
        )

    def _player(self, request: Request) -> Response:
        ladder, store = self._found(), self._found().store
        name = request.path_params["name"]
        if (found := store.standing(name)) is None:
            raise Refused(404, f"nobody called {name!r} has been on the ladder")
        identity = self._identities.find(request)
        games = store.last_games(CHARTED_GAMES, name)
        listed = ladder.listed().get(found.name)
        is_own = identity is not None and identity.may_change(found.owner)
        return page(
            "ladder/player",
            f"{found.name} on the ladder",
            identity=identity,
            tabs=self._tabs(found.name, identity),
            may_wake=bool(found.rests) and is_own,
            is_own=is_own,
            one=found,
            rating=decayed(found.rating, time.time()),
            fixed=listed is not None and listed.player.anchor is not None,
            left=listed is None,
            connected=listed is not None and listed.connects,
            versions=version_rows(store.versions(name), store.last_ratings(name), store.opponents(name)),
            chart=chart(found.name, games),
            games=[game_row(game) for game in games[:LAST_GAMES]],
            fault=self._identities.refusal(request),
            current="",
        )

    def _wake(self, form: Form) -> None:
        store, name = self._found().store, form.path["name"]
        if (found := store.standing(name)) is None or not form.identity.may_change(found.owner):
            raise Refused(403, "this is for the bot's author, and for organisers")
        store.wake(found.name, form.by)


def _read_standings(ladder: LadderService) -> dict[str, Any]:
    """Return the standings as of now; reads the database."""
    now, store = time.time(), ladder.store
    here, left = standing_rows(store.standings(), ladder.listed(), now)
    return {
        "players": here,
        "left": left,
        "games": list(map(game_row, store.last_games(LAST_GAMES))),
        "today": store.number_since(now - DAY),
    }
