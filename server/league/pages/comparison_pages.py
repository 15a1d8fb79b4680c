"""The pages of comparisons: asking for a match between two versions of a bot, and seeing what comes out.

- ``GET /bots/BOT/comparisons``: those of a bot, and which ones wait
- ``POST /bots/BOT/comparisons``: ask for one: fields ``first``, ``second``, ``game``, ``params`` and ``games``
- ``GET /bots/BOT/comparisons/3``: its score, and its games
- ``GET /bots/BOT/comparisons/3/records/7``: the record of a game, as a file
- ``POST /bots/BOT/comparisons/3/cancel``: play no more of its games
- ``POST /bots/BOT/comparisons/3/delete``: delete its records, which count in the author's quota; the result stays

They are for the bot's author, and organisers look at them. Who shows the token of the bot is told JSON.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.contest.report import formatting
from server.league.accounts.people import NotAllowed
from server.league.comparisons.comparisons import RECORDS, REPORT, Comparison, Comparisons, ComparisonState, Result
from server.league.pages.bot_access import BotAccess, Visit
from server.league.pages.rendering import page
from server.ops.typed_json import decode
from server.storage.record_store import SUFFIX
from server.web.http.answers import json_answer
from server.web.http.errors import Refused

USUAL_GAMES = "20"
"""Of a comparison whose form says nothing."""

NUMBER_DIGITS = 6

WORDS: dict[ComparisonState, str] = {
    "waiting": "waits for its turn",
    "playing": "is being played",
    "over": "is over",
    "failed": "could not be played",
    "cancelled": "was cancelled",
}
"""What is said of a comparison in each state."""


class ComparedGame(msgspec.Struct, frozen=True):
    """A game, as the report of a match has it."""

    number: int
    players: tuple[str, str]
    points: tuple[float, float]
    sentence: str
    plies: int


class ComparedGames(msgspec.Struct, frozen=True):
    """What is read of the report of a match."""

    games: tuple[ComparedGame, ...]


class ToldComparison(msgspec.Struct, frozen=True):
    """A comparison as JSON."""

    bot: str
    comparison: int
    first: int
    second: int
    game: str
    params: str
    games: int
    games_played: int
    state: ComparisonState
    sentence: str
    is_left: bool
    result: Result | None
    """Seen from the first version."""
    summary: str
    page: str


class ToldComparisons(msgspec.Struct, frozen=True):
    """The comparisons of a bot as JSON, the newest first."""

    bot: str
    comparisons: list[ToldComparison]


class Shown(NamedTuple):
    """A comparison as a page shows it."""

    comparison: Comparison
    played: int
    summary: str


class ComparisonPages:
    """The handlers of these routes."""

    def __init__(self, access: BotAccess, comparisons: Comparisons) -> None:
        """Take what tells who asks, and the comparisons."""
        self._access = access
        self._comparisons = comparisons

    def routes(self) -> list[Route]:
        """Return the routes."""
        one = "/bots/{bot}/comparisons/{number:number}"
        return [
            Route("/bots/{bot}/comparisons", self._list, methods=["GET"]),
            Route("/bots/{bot}/comparisons", self._ask, methods=["POST"]),
            Route(one, self._one, methods=["GET"]),
            Route(f"{one}/records/{{game:number}}", self._record, methods=["GET"]),
            Route(f"{one}/cancel", self._cancel, methods=["POST"]),
            Route(f"{one}/delete", self._delete, methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        return await self._show(self._access.visit(request), request.path_params["bot"])

    async def _show(self, visit: Visit, bot: str, *, fault: str = "") -> Response:
        shown = await trio.to_thread.run_sync(self._shown, bot)
        if visit.identity is None:
            return json_answer(msgspec.json.encode(ToldComparisons(bot, [_told(one) for one in shown])))
        told = {
            "identity": visit.identity,
            "bot": bot,
            "shown": shown,
            "queue": self._comparisons.left(),
            "words": WORDS,
            "fault": fault,
        }
        status = 400 if fault else 200
        return page(
            "bots/comparisons",
            f"Comparisons of {bot}",
            told,
            current="/me",
            status=status,
        )

    async def _ask(self, request: Request) -> Response:
        visit, bot = self._access.visit(request), request.path_params["bot"]
        fields = await self._access.form(request, visit)
        try:
            numbers = _number(fields, "first"), _number(fields, "second")
            games = _number(fields, "games", USUAL_GAMES)
            game, parameters = fields.get("game", "gipf"), fields.get("params", "")
            ask = partial(self._comparisons.ask, visit.person, bot, numbers, game, parameters, games)
            comparison = await trio.to_thread.run_sync(ask)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, bot, fault=str(error))
        return self._answer(visit, comparison)

    async def _cancel(self, request: Request) -> Response:
        return await self._end(request, self._comparisons.cancel)

    async def _delete(self, request: Request) -> Response:
        return await self._end(request, self._comparisons.delete_records)

    async def _end(self, request: Request, work: Callable[[Comparison, str], None]) -> Response:
        visit = self._access.visit(request)
        await self._access.form(request, visit)
        try:
            await trio.to_thread.run_sync(work, self._found(request), visit.person.name)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, request.path_params["bot"], fault=str(error))
        return self._answer(visit, self._found(request))

    def _answer(self, visit: Visit, comparison: Comparison) -> Response:
        if visit.identity is None:
            return json_answer(msgspec.json.encode(_told(self._shown_one(comparison))))
        return RedirectResponse(_path(comparison), 303)

    async def _one(self, request: Request) -> Response:
        visit = self._access.visit(request)
        shown = await trio.to_thread.run_sync(self._shown_one, self._found(request))
        if visit.identity is None:
            return json_answer(msgspec.json.encode(_told(shown)))
        comparison = shown.comparison
        games = await trio.to_thread.run_sync(self._games, comparison)
        told = {"identity": visit.identity, "shown": shown, "words": WORDS, "games": games}
        title = f"{comparison.bot}, comparison {comparison.number}"
        response = page("bots/comparison", title, told, current="/me")
        if comparison.is_left:
            response.headers["refresh"] = "5"
        return response

    async def _record(self, request: Request) -> Response:
        self._access.visit(request)
        comparison, game = self._found(request), request.path_params["game"]
        path = self._comparisons.folder(comparison) / RECORDS / f"{game}{SUFFIX}"
        try:
            text = await trio.Path(path).read_bytes()
        except FileNotFoundError:
            raise Refused(404, f"there is no record of game {game}") from None
        name = f"{comparison.bot}-{comparison.first}-{comparison.second}-game-{game}{SUFFIX}"
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "private"}
        return Response(text, 200, headers, "text/plain")

    def _found(self, request: Request) -> Comparison:
        bot, number = request.path_params["bot"], request.path_params["number"]
        comparison = self._comparisons.comparison(bot, number)
        if comparison is None:
            raise Refused(404, f"{bot} has no comparison {number}")
        return comparison

    def _shown(self, bot: str) -> list[Shown]:
        return [self._shown_one(comparison) for comparison in self._comparisons.of(bot)]

    def _shown_one(self, comparison: Comparison) -> Shown:
        return Shown(comparison, self._comparisons.games_played(comparison), summary(comparison))

    def _games(self, comparison: Comparison) -> tuple[ComparedGame, ...]:
        """Return the games of a comparison that is over; nothing where its files are gone."""
        path = self._comparisons.folder(comparison) / REPORT
        if comparison.result is None or not path.is_file():
            return ()
        return decode(path.read_bytes(), type=ComparedGames).games


def summary(comparison: Comparison) -> str:
    """Return the result in a sentence, seen from the first version; empty until there is one."""
    found = comparison.result
    if found is None:
        return ""
    score = f"{100 * found.score:.1f} % for version {comparison.first}"
    counts = f"{found.wins} won, {found.draws} drawn, {found.losses} lost"
    if found.elo is None:
        return f"{score}: {counts}"
    if found.elo_margin_95 is None:
        return f"{score}: {counts}; all pairs of games have ended alike, which tells no interval"
    low, high = (formatting.elo(found.elo + reach) for reach in (-found.elo_margin_95, found.elo_margin_95))
    return f"{score}: {counts}; {formatting.elo(found.elo)} Elo, with 95 % between {low} and {high}"


def _path(comparison: Comparison) -> str:
    return f"/bots/{comparison.bot}/comparisons/{comparison.number}"


def _told(shown: Shown) -> ToldComparison:
    comparison = shown.comparison
    return ToldComparison(
        bot=comparison.bot,
        comparison=comparison.number,
        first=comparison.first,
        second=comparison.second,
        game=comparison.game,
        params=comparison.parameters,
        games=comparison.games,
        games_played=shown.played,
        state=comparison.state,
        sentence=comparison.sentence,
        is_left=comparison.is_left,
        result=comparison.result,
        summary=shown.summary,
        page=_path(comparison),
    )


def _number(fields: dict[str, str], name: str, usual: str = "") -> int:
    text = fields.get(name, usual)
    if not text.isdecimal() or len(text) > NUMBER_DIGITS:
        raise NotAllowed(f"{name} is a number, and not {text!r}")
    return int(text)
