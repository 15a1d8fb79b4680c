"""Pictures of matches: a position as PNG, a match as animated GIF, and the cards that sites show with a link to a page.

What is drawn is asked for from the processes that answer the page for playing (`server.web.play.pictures`).
"""

import re
from typing import NamedTuple, Protocol

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, variant_title
from engine.record import readable
from engine.wire.words import NAME_PATTERN, number_of
from server.arena.arena import Arena
from server.ops.workers.question_loop import OK
from server.storage.record_store import RecordStore
from server.web.http.answers import JSON
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA
from server.web.http.numbers import query_number
from server.web.play.pictures import MEDIA_TYPES, PictureQuestion
from server.web.play.routes import Playing
from server.web.replay.records import record_text
from server.web.views.contests import Entry
from server.web.views.preview import contest_lines

MAX_WORDS = 200
"""Characters of a line in a picture."""

CARD_GAME = "gipf"
"""The game whose first position stands on cards that are about no single game."""


MOVE_WORDS, RESULT_WORDS = 6, 6
"""Words before the move in a line ``move`` of a record, and before the sentence in the line ``result``."""


class Shown(NamedTuple):
    """A match as pictures show it."""

    result: str
    """The side that has won, ``draw`` or ``annulled``; empty while it is played."""
    lines: tuple[str, ...]
    """The game, how it stands, and how long it is."""
    question: PictureQuestion

    def title(self) -> str:
        """Return the players and the result."""
        result = self.result if self.result in ("", "draw", "annulled") else f"{self.result} wins"
        return " – ".join(self.question.players) + (f": {result}" if result else "")


class Contests(Protocol):
    """Knows the contests."""

    async def entries(self) -> list[Entry]:
        """Return those with a report."""


class Pictures:
    """The handlers of these routes."""

    def __init__(self, arena: Arena, record_store: RecordStore, playing: Playing, contests: Contests) -> None:
        """Take the arena, its records, what draws positions, and what knows contests."""
        self._arena = arena
        self._record_store = record_store
        self._playing = playing
        self._contests = contests

    def routes(self) -> list[Route]:
        """Return the routes of the pictures."""
        return [
            Route("/api/matches/{number:number}/position.png", self._position),
            Route("/api/matches/{number:number}/match.gif", self._animation),
            Route("/card/match/{number:number}.png", self._match_card),
            Route("/card/contest/{number:number}.png", self._contest_card),
            Route("/card/player/{name}.png", self._player_card),
        ]

    async def shown(self, number: int) -> Shown:
        """Return what there is to show of a match; raises `Refused`."""
        match = self._arena.find_match(number)
        if match is None:
            text = await record_text(self._arena, self._record_store, number)
            try:
                return await trio.to_thread.run_sync(shown_record, text)
            except ValueError as error:
                raise Refused(422, f"the record of match {number} is not whole: {error}") from None
        state = match.public
        history, outcome, game = state.history, state.outcome, state.history.start.game.name
        result = "" if outcome is None else outcome.result(state.sides)
        sentence = "being played" if outcome is None else outcome.detail
        start, players = history.start, match.header.players
        return _shown(game, start.parameters, players, start.text(), history.moves, result, sentence)

    async def entry(self, number: int) -> Entry:
        """Return what there is to show of a contest; raises `Refused`."""
        found = next((entry for entry in await self._contests.entries() if entry.contest == number), None)
        if found is None:
            raise Refused(404, f"there is no report of a contest {number} here")
        return found

    async def _animation(self, request: Request) -> Response:
        number = request.path_params["number"]
        shown = await self.shown(number)
        if not shown.result:
            raise Refused(409, f"match {number} is being played; its animation can be had when it is over")
        question = msgspec.structs.replace(shown.question, night=_night(request), lines=shown.lines[1:2])
        return await self._drawn("gif", question, request)

    async def _position(self, request: Request) -> Response:
        question = (await self.shown(request.path_params["number"])).question
        plies = len(question.moves)
        ply, scale = query_number(request, "ply", plies), query_number(request, "scale", 1)
        if ply > plies:
            raise Refused(400, f"ply is {ply}, but there {'is' if plies == 1 else 'are'} {number_of(plies, 'move')}")
        if not 1 <= scale <= 3:
            raise Refused(400, f"scale is {scale}, but it has to be 1, 2 or 3")
        asked = msgspec.structs.replace(question, moves=question.moves[:ply], scale=scale, night=_night(request))
        return await self._drawn("png", asked, request)

    async def _match_card(self, request: Request) -> Response:
        shown = await self.shown(request.path_params["number"])
        return await self._drawn("card", msgspec.structs.replace(shown.question, lines=shown.lines), request)

    async def _contest_card(self, request: Request) -> Response:
        entry = await self.entry(request.path_params["number"])
        return await self._drawn("card", _card(entry.name, contest_lines(entry)), request)

    async def _player_card(self, request: Request) -> Response:
        name = request.path_params["name"]
        if not re.fullmatch(NAME_PATTERN, name):
            raise Refused(404, "there is no player of that name")
        return await self._drawn("card", _card(name, ("games and ratings", "on gipf-arena")), request)

    async def _drawn(self, kind: str, question: PictureQuestion, request: Request) -> Response:
        status, drawn = await self._playing.ask(kind, msgspec.json.encode(question), request.scope[QUOTA])
        if status != OK:
            return Response(drawn, status, media_type=JSON)
        return Response(drawn, media_type=MEDIA_TYPES[kind], headers={"cache-control": "no-cache"})


def shown_record(text: str) -> Shown:
    """Read a record, which the server has verified when it was written; raises ValueError where it is not whole."""
    lines = text.splitlines()
    body = next((number for number, line in enumerate(lines) if line == "position"), None)
    if body is None or not lines[-1].startswith("result "):
        raise ValueError("the record has no position or no result")
    fields = [line.partition(" ") for line in lines[:body]]
    head = {name: value for name, _, value in fields}
    players = [value for _, _, value in fields[4:6]]  # behind the names of the game's sides
    position = [line[2:] for line in lines[body + 1 :] if line.startswith("| ")]
    moves = tuple(line.split(" ", MOVE_WORDS)[MOVE_WORDS] for line in lines[body + 1 :] if line.startswith("move "))
    _, result, _, _, _, _, *sentence = lines[-1].split(" ", RESULT_WORDS)
    try:
        names = players[0], players[1]
        start = "\n".join(position) + "\n"
        return _shown(head["game"], head["parameters"], names, start, moves, result, "".join(sentence))
    except (KeyError, IndexError) as error:
        raise ValueError(f"the record is not whole: {error!r}") from None


def _shown(
    game: str,
    parameters: str,
    players: tuple[str, str],
    start: str,
    moves: tuple[str, ...],
    result: str,
    sentence: str,
) -> Shown:
    question = PictureQuestion(game=game, start=start, moves=moves, players=players)
    lines = (variant_title(f"{game} {parameters}"), readable(sentence), number_of(len(moves), "move"))
    return Shown(result, tuple(line[:MAX_WORDS] for line in lines), question)


def _card(name: str, lines: tuple[str, ...]) -> PictureQuestion:
    parameters = GAMES[CARD_GAME].default_parameters
    cut = tuple(line[:MAX_WORDS] for line in lines)
    return PictureQuestion(game=CARD_GAME, parameters=parameters, players=(name[:MAX_WORDS], ""), lines=cut)


def _night(request: Request) -> bool:
    theme = request.query_params.get("theme", "light")
    if theme not in ("light", "dark"):
        raise Refused(400, "theme is light or dark")
    return theme == "dark"
