"""The pages of bots: sending a version, watching its steps, choosing the version that plays, and the ladder.

- ``GET /bots/BOT``: the versions of a bot, and the form to send another one
- ``GET /bots/BOT/versions``: the same, for the token of the bot as JSON
- ``POST /bots/BOT/versions``: a form with a file, or, with ``Authorization: Bearer TOKEN``, the token of the bot, the
  file itself, named by ``?file=``
- ``GET /bots/BOT/versions/3``: its state and logs; for the token of the bot as JSON
- ``GET /bots/BOT/comparisons``: its comparisons as JSON, for the token of the bot; ``POST`` begins one, by the fields
  ``first``, ``second``, ``game``, ``params`` and ``games``; ``POST /bots/BOT/comparisons/7/cancel`` ends one
- ``POST /bots/BOT/versions/3/play`` and ``…/rest``: which version plays; ``…/delete`` deletes its files. A request with
  the token of the bot gets the version as JSON
- ``GET /ladder``: standings, activity and the last games; ``/ladder.json`` has the same for programs
- ``GET /ladder/BOT``: the rating of a player over time, and the results of each of its versions
- ``POST /ladder/BOT/again``: lets a bot that rests play again; for its author and organisers

The pages of versions are for the bot's author; organisers may read them. Everybody may read the pages of the ladder.
"""

import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec
import trio
from python_multipart.exceptions import MultipartParseError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, USUAL_GAME
from engine.statistics.online import DAY, LadderPlayer, decayed
from server.league.accounts import Accounts, Right
from server.league.contests import Comparisons
from server.league.ladder.definition import NO_LADDER, Listed
from server.league.ladder.service import LadderService
from server.league.ladder.store import CountedGame, LadderStore, ScoreAgainst, Standing, VersionInPlay
from server.league.pages.forms import Change, Form, Identities, Identity, page
from server.league.submissions.pipeline import Turns
from server.league.submissions.upload import MAX_UPLOAD
from server.league.submissions.versions import LOG, PASSED, State, Version, Versions
from server.web.answers import json_answer
from server.web.http.request import Refused, read_body

FORM_BYTES = 64 * 1024
"""Of a form beside its file."""

PIECE_BYTES = 64 * 1024
"""Bytes of a form that are parsed at a time: more would hold up the event loop."""

WORDS: dict[State, str] = {
    "waiting": "waits for its turn",
    "building": "is being built",
    "checking": "takes the conformance test",
    "qualifying": "plays its first games",
    "active": "plays",
    "retired": "has passed, and rests",
    "refused": "was refused",
    "deleted": "was deleted",
}
"""The states of a version in words."""


PlayerTabs: TypeAlias = Callable[[str, Identity | None], dict[str, str]]
"""Returns the titles of the pages of a player that a person may read, by their paths, in a thread."""


def player_tabs(accounts: Accounts, ladder: LadderStore | None, name: str, identity: Identity | None) -> dict[str, str]:
    """Return the pages of a player: games, rating on the ladder, and, for its author and organisers, versions."""
    path = quote(name, safe="")
    tabs = {f"/player/{path}": "Games"}
    if ladder is not None and ladder.standing(name) is not None:
        tabs[f"/ladder/{path}"] = "Ladder"
    owner = accounts.owner(name)
    if owner is not None and identity is not None and _may_change(identity, owner.name):
        tabs[f"/bots/{path}"] = "Versions"
    return tabs


class VersionPages:
    """The handlers of these routes."""

    def __init__(
        self,
        accounts: Accounts,
        identities: Identities,
        versions: Versions,
        turns: Turns,
        comparisons: Comparisons,
        tabs: PlayerTabs,
    ) -> None:
        """Take the accounts, the sessions, the versions, the order of their turns, the comparisons, and the tabs."""
        self._tabs = tabs
        self._accounts = accounts
        self._comparisons = comparisons
        self._turns = turns
        self._identities = identities
        self._versions = versions

    def routes(self) -> list[Route]:
        """Return the routes."""
        changes: dict[str, Change] = {
            "versions/{number:number}/play": partial(self._choose, self._versions.activate),
            "versions/{number:number}/rest": partial(self._choose, self._versions.retire),
            "versions/{number:number}/delete": partial(self._choose, self._versions.delete),
            "comparisons": self._compare,
            "comparisons/{number:number}/cancel": self._cancel,
        }
        bot, identities = "/bots/{bot}", self._identities
        return [
            Route(bot, self._bot, methods=["GET"]),
            Route(f"{bot}/versions", self._bot, methods=["GET"]),
            Route(f"{bot}/versions/{{number:number}}", self._version, methods=["GET"]),
            Route(f"{bot}/comparisons", self._compared, methods=["GET"]),
            *identities.changes(bot, {"versions": self._send}, identities.author, _read_upload),
            *identities.changes(bot, changes, identities.author),
        ]

    def _bot(self, request: Request) -> Response:
        """Return the page of a bot; for its token, its versions as JSON."""
        identity, bot = self._identities.author(request), request.path_params["bot"]
        owner = self._accounts.owner(bot) or identity.person
        versions = self._versions.of(bot)
        kept, most = self._versions.kept_bytes(owner), self._versions.rules.quota_bytes
        if identity.by_token:
            listed = [_told(version) for version in versions]
            return _json({"bot": bot, "kept_bytes": kept, "most_bytes": most, "versions": listed})
        told = {
            "identity": identity,
            "owner": owner,
            "tabs": self._tabs(bot, identity),
            "bot": bot,
            "passed": [version for version in versions if version.state in PASSED],
            "games": GAMES,
            "versions": versions,
            "comparisons": self._comparisons.of(bot),
            "kept": kept,
            "most": most,
            "words": WORDS,
            "megabytes": MAX_UPLOAD >> 20,
            "fault": self._identities.refusal(request),
        }
        return page("bots/bot", bot, told, current="")

    def _version(self, request: Request) -> Response:
        identity = self._identities.author(request)
        version = self._found(request.path_params)
        if identity.by_token:
            return _json(self._with_log(version))
        told = {
            "identity": identity,
            "version": version,
            "words": WORDS,
            "log": self._log(version),
            "ahead": self._ahead(version),
        }
        return page("bots/version", f"{version.bot}, version {version.number}", told)

    def _compared(self, request: Request) -> Response:
        self._identities.author(request)
        return _json({"comparisons": self._comparisons.of(request.path_params["bot"])})

    # changes

    def _send(self, form: Form) -> Response:
        version = self._versions.add(form.identity.person, form.path["bot"], form.fields["name"], form.fields["data"])
        return _answer(form, self._with_log(version), version.page)

    def _choose(self, choice: Callable[[Version, str], None], form: Form) -> Response:
        version = self._found(form.path)
        choice(version, form.by)
        return _answer(form, _told(self._found(form.path)), f"/bots/{version.bot}")

    def _compare(self, form: Form) -> Response:
        numbers, games = (form.number("first"), form.number("second")), form.number("games")
        asked = numbers, form.text("game") or USUAL_GAME, form.text("params"), games
        begun = self._comparisons.begin(form.identity.person, form.path["bot"], *asked)
        return _answer(form, begun, begun.page)

    def _cancel(self, form: Form) -> Response:
        self._comparisons.cancel(form.path["bot"], form.path["number"], form.by)
        return _answer(form, {"contest": form.path["number"]}, f"/bots/{form.path['bot']}")

    # versions

    def _found(self, path: Mapping[str, Any]) -> Version:
        bot, number = path["bot"], path["number"]
        version = self._versions.version(bot, number)
        if version is None:
            raise Refused(404, f"{bot} has no version {number}")
        return version

    def _with_log(self, version: Version) -> dict[str, object]:
        return {**_told(version), "log": self._log(version), "ahead": self._ahead(version)}

    def _ahead(self, version: Version) -> int | None:
        return self._turns.ahead(self._versions.under_way(), version)

    def _log(self, version: Version) -> str:
        path = self._versions.folder(version) / LOG
        return path.read_text(errors="replace") if path.is_file() else ""


async def _read_upload(request: Request) -> dict[str, Any]:
    """Return the name and the data of an uploaded file, with the signature of its form, if any; raises `Refused`."""
    if not request.headers.get("content-type", "").startswith("multipart/"):
        return {"name": request.query_params.get("file", "bot.zip"), "data": await read_body(request, MAX_UPLOAD)}
    body = await read_body(request, MAX_UPLOAD + FORM_BYTES)

    async def stream() -> AsyncGenerator[bytes, None]:
        for begin in range(0, len(body), PIECE_BYTES):
            yield body[begin : begin + PIECE_BYTES]
            await trio.lowlevel.checkpoint()

    try:
        form = await MultiPartParser(request.headers, stream(), max_files=1, max_fields=5).parse()
    except (MultiPartException, MultipartParseError, KeyError, AssertionError):
        raise Refused(400, "the form cannot be read; it holds a file") from None
    sent, file = form.get("form", ""), form.get("file")
    if not isinstance(sent, str) or not isinstance(file, UploadFile):
        raise Refused(400, "the form holds no file")
    with file.file:
        return {"form": sent, "name": file.filename or "", "data": await file.read()}


def _answer(form: Form, value: object, place: str) -> Response:
    """Answer a change with JSON for the token of the bot, else with a redirect to a page."""
    return _json(value) if form.identity.by_token else RedirectResponse(place, 303)


def _told(version: Version) -> dict[str, object]:
    """Return a version as JSON has it."""
    return {
        "bot": version.bot,
        "version": version.number,
        "received": version.received,
        "file": version.file,
        "state": version.state,
        "sentence": version.sentence,
        "is_under_way": version.is_under_way,
        "sha256": version.sha256,
        "page": version.page,
    }


def _json(value: object) -> Response:
    return json_answer(msgspec.json.encode(value))


PROVISIONAL = 100.0
"""Whose rating is more uncertain than this, in Elo, has no rank yet."""

CHART_WIDTH, CHART_HEIGHT = 600.0, 160.0
"""Of the picture of ratings, in its own units."""

TICKS = (10, 20, 50, 100, 200, 500, 1000, 2000)
"""Elo between two lines of the picture: the first distance that needs no more than `MAX_TICKS` lines."""

MAX_TICKS = 6


def standing_rows(
    standings: Iterable[Standing], listed: Mapping[str, Listed], now: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of those who are on the ladder, the strongest first, and of those who have left it.

    ``now`` is a Unix time.
    """
    here: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    rank = 0
    for one in standings:
        found = listed.get(one.name)
        rating = decayed(one.rating, now)
        state = _state(one, None if found is None else found.player)
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


def _state(one: Standing, player: LadderPlayer | None) -> str:
    if player is None:
        return "left"
    if player.anchor is not None:
        return "fixed"
    return "rests" if one.rests else "plays"


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
            Route("/ladder.json", self._json, methods=["GET"]),
            Route("/ladder/{name}", self._player, methods=["GET"]),
            *self._identities.changes("/ladder/{name}", {"again": self._wake}),
        ]

    def _found(self) -> LadderService:
        if self._ladder is None:
            raise Refused(404, NO_LADDER)
        return self._ladder

    def _standings(self, _request: Request) -> Response:
        ladder = self._ladder
        if ladder is None:
            return page("ladder/none", "Ladder", {}, current="/ladder")
        weights = ladder.definition.weights
        values = {
            "told": _read_standings(ladder),
            "running": sorted(ladder.running().items()),
            "shares": [(variant, weight / sum(weights.values())) for variant, weight in weights.items()],
            "control": ladder.definition.control,
            "is_paused": ladder.is_paused,
        }
        return page("ladder/standings", "Ladder", values, current="/ladder")

    def _json(self, _request: Request) -> Response:
        return json_answer(msgspec.json.encode(_read_standings(self._found())))

    def _player(self, request: Request) -> Response:
        ladder, store = self._found(), self._found().store
        name = request.path_params["name"]
        found = store.standing(name)
        if found is None:
            raise Refused(404, f"nobody called {name!r} has been on the ladder")
        identity = self._identities.find(request)
        games = store.last_games(CHARTED_GAMES, name)
        listed = ladder.listed().get(found.name)
        is_own = identity is not None and _may_change(identity, found.owner)
        values = {
            "identity": identity,
            "tabs": self._tabs(found.name, identity),
            "may_wake": bool(found.rests) and is_own,
            "is_own": is_own,
            "one": found,
            "rating": decayed(found.rating, time.time()),
            "fixed": listed is not None and listed.player.anchor is not None,
            "left": listed is None,
            "connected": listed is not None and listed.connects,
            "versions": version_rows(store.versions(name), store.last_ratings(name), store.opponents(name)),
            "chart": chart(found.name, games),
            "games": [game_row(game) for game in games[:LAST_GAMES]],
            "fault": self._identities.refusal(request),
        }
        return page("ladder/player", f"{found.name} on the ladder", values, current="")

    def _wake(self, form: Form) -> None:
        store, name = self._found().store, form.path["name"]
        found = store.standing(name)
        if found is None or not _may_change(form.identity, found.owner):
            raise Refused(403, "this is for the bot's author, and for organisers")
        store.wake(found.name, form.by)


def _may_change(identity: Identity, owner: str) -> bool:
    """Return whether a person is the author of a bot, or an organiser."""
    return identity.person.may(Right.ORGANISE) or identity.person.name.lower() == owner.lower()


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
