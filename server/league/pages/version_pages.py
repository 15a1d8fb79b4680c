"""The pages of bots and their versions: sending one, watching its steps, choosing which one plays.

- ``GET /bots/BOT``: the versions of a bot, and the form to send another one
- ``GET /bots/BOT/versions``: the same, for the token of the bot as JSON
- ``POST /bots/BOT/versions``: a form with a file, or, with ``Authorization: Bearer TOKEN``, the token of the bot, the
  file itself, whose name is ``?file=``
- ``GET /bots/BOT/versions/3``: its state and logs; as JSON to who asks for that
- ``GET /bots/BOT/comparisons``: its comparisons as JSON, for the token of the bot; ``POST`` begins one, by the fields
  ``first``, ``second``, ``game``, ``params`` and ``games``; ``POST /bots/BOT/comparisons/7/cancel`` ends one
- ``POST /bots/BOT/versions/3/play`` and ``…/rest``: which version plays; ``…/delete`` deletes its files. They are
  forms, or requests with the token of the bot, which are told the version as JSON

They are for the bot's author, and organisers look at them.
"""

import math
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from functools import partial
from typing import NamedTuple

import msgspec
import trio
from python_multipart.exceptions import MultipartParseError
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, USUAL_GAME
from server.league.accounts.people import NotAllowed, Person
from server.league.comparisons import Comparison, Comparisons
from server.league.pages.identity import BotAccess, Identity, Visit, check_form
from server.league.pages.rendering import page
from server.league.submissions.pipeline import Outlook, Turns
from server.league.submissions.steps import LOG_BYTES
from server.league.submissions.unpacking import MAX_UPLOAD
from server.league.submissions.versions import LOGS, State, Version, Versions
from server.web.http.answers import json_answer
from server.web.http.errors import Refused
from server.web.http.request_body import read_body

FORM_BYTES = 64 * 1024
"""Of a form beside its file."""

PIECE_BYTES = 64 * 1024
"""So much of a form is taken apart at a time."""

NUMBER_DIGITS = 6

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
"""What is said of a version in each state."""


def said(version: Version) -> str:
    """Return what is said of a version, as behind "it"; the sentence follows that it may have."""
    return "was refused, and deleted" if version.state == "deleted" and version.sentence else WORDS[version.state]


def minutes_of(outlook: Outlook) -> int | None:
    """Return in about how many minutes it is a version's turn, rounded up; None where that is not known."""
    return None if outlook.seconds is None else math.ceil(outlook.seconds / 60)


class Told(msgspec.Struct, frozen=True):
    """A version as JSON."""

    bot: str
    version: int
    received: datetime
    file: str
    state: State
    sentence: str
    """Why it was refused."""
    is_under_way: bool
    sha256: str
    page: str


class ToldWithLog(Told, frozen=True):
    """A version as JSON, with the logs of its steps."""

    log: str
    ahead: int | None
    """Versions of others and of its own author whose turn comes before; None where it does not wait."""
    minutes: int | None
    """Until its turn, as far as that is known."""


class Listed(NamedTuple):
    """A version in the list of a bot."""

    version: Version
    bytes: int
    """On the disk."""


class ToldList(msgspec.Struct, frozen=True):
    """The versions of a bot as JSON, the newest first."""

    bot: str
    kept_bytes: int
    """On the disk, of all versions of the bot's author."""
    most_bytes: int
    """So many they may have."""
    versions: list[Told]


class VersionPages:
    """The handlers of these routes."""

    def __init__(self, access: BotAccess, versions: Versions, turns: Turns, comparisons: Comparisons) -> None:
        """Take what tells who asks, the versions, which one is tried when, and the comparisons."""
        self._comparisons = comparisons
        self._turns = turns
        self._access = access
        self._versions = versions

    def routes(self) -> list[Route]:
        """Return the routes."""
        one = "/bots/{bot}/versions/{number:number}"
        changes = {"play": self._versions.activate, "rest": self._versions.retire, "delete": self._versions.delete}
        return [
            Route("/bots/{bot}", self._bot, methods=["GET"]),
            Route("/bots/{bot}/versions", self._bot, methods=["GET"]),
            Route("/bots/{bot}/versions", self._send, methods=["POST"]),
            Route(one, self._version, methods=["GET"]),
            Route("/bots/{bot}/comparisons", self._compared, methods=["GET"]),
            Route("/bots/{bot}/comparisons", self._compare, methods=["POST"]),
            Route("/bots/{bot}/comparisons/{number:number}/cancel", self._cancel, methods=["POST"]),
            *(
                Route(f"{one}/{name}", partial(self._choose, change), methods=["POST"])
                for name, change in changes.items()
            ),
        ]

    async def _bot(self, request: Request) -> Response:
        return await self._show(await self._access.visit(request), request.path_params["bot"])

    async def _show(self, visit: Visit, bot: str, *, fault: str = "") -> Response:
        """Return the page of a bot; to who shows its token its versions as JSON."""
        kept, versions = await trio.to_thread.run_sync(self._kept, visit.owner, bot)
        if visit.identity is None:
            listed = ToldList(bot, kept, self._versions.rules.quota_bytes, [_told(version) for version, _ in versions])
            return json_answer(msgspec.json.encode(listed))
        told = {
            "identity": visit.identity,
            "owner": visit.owner,
            "bot": bot,
            "passed": [version for version, _ in versions if version.state in ("active", "retired")],
            "games": GAMES,
            "versions": versions,
            "comparisons": await trio.to_thread.run_sync(self._comparisons.of, bot),
            "kept": kept,
            "most": self._versions.rules.quota_bytes,
            "said": said,
            "megabytes": MAX_UPLOAD >> 20,
            "fault": fault,
        }
        status = 400 if fault else 200
        return page("bots/bot", bot, told, current="/me", status=status)

    def _kept(self, owner: Person, bot: str) -> tuple[int, list[Listed]]:
        """Return what the versions of a person take, and those of one bot."""
        listed = [Listed(version, self._versions.size(version)) for version in self._versions.of(bot)]
        return self._versions.kept_bytes(owner), listed

    async def _send(self, request: Request) -> Response:
        bot = request.path_params["bot"]
        visit = await self._access.visit(request)
        if visit.identity is None:
            name, data = request.query_params.get("file", "bot.zip"), await read_body(request, MAX_UPLOAD)
        else:
            name, data = await self._file(request, visit.identity)
        try:
            version = await trio.to_thread.run_sync(self._versions.add, visit.person, bot, name, data)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, bot, fault=str(error))
        if visit.identity is None:
            return json_answer(msgspec.json.encode(await self._with_log(version)))
        return RedirectResponse(f"/bots/{version.bot}/versions/{version.number}", 303)

    async def _version(self, request: Request) -> Response:
        visit = await self._access.visit(request)
        version = self._found(request)
        if visit.identity is None:
            return json_answer(msgspec.json.encode(await self._with_log(version)))
        logs = await trio.to_thread.run_sync(self._logs, version)
        outlook = await self._outlook(version)
        told = {
            "identity": visit.identity,
            "version": version,
            "said": said,
            "logs": logs,
            "outlook": outlook,
            "minutes": None if outlook is None else minutes_of(outlook),
        }
        title = f"{version.bot}, version {version.number}"
        response = page("bots/version", title, told, current="/me")
        if version.is_under_way:
            response.headers["refresh"] = "3"
        return response

    async def _choose(self, change: Callable[[Version, str], None], request: Request) -> Response:
        visit = await self._access.visit(request)
        if visit.identity is not None:
            await self._access.form(request, visit)
        version = self._found(request)
        try:
            await trio.to_thread.run_sync(change, version, visit.person.name)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, version.bot, fault=str(error))
        if visit.identity is None:
            return json_answer(msgspec.json.encode(_told(self._found(request))))
        return RedirectResponse(f"/bots/{version.bot}", 303)

    async def _compared(self, request: Request) -> Response:
        await self._access.visit(request)
        found = await trio.to_thread.run_sync(self._comparisons.of, request.path_params["bot"])
        return json_answer(msgspec.json.encode({"comparisons": found}))

    async def _compare(self, request: Request) -> Response:
        visit, bot = await self._access.visit(request), request.path_params["bot"]
        fields = await self._access.form(request, visit)

        def begin() -> Comparison:
            numbers = _number(fields, "first"), _number(fields, "second")
            game, parameters = fields.get("game", USUAL_GAME), fields.get("params", "")
            return self._comparisons.begin(visit.person, bot, numbers, game, parameters, _number(fields, "games"))

        try:
            begun = await trio.to_thread.run_sync(begin)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, bot, fault=str(error))
        return json_answer(msgspec.json.encode(begun)) if visit.identity is None else RedirectResponse(begun.page, 303)

    async def _cancel(self, request: Request) -> Response:
        visit, bot = await self._access.visit(request), request.path_params["bot"]
        await self._access.form(request, visit)
        cancel = partial(self._comparisons.cancel, bot, request.path_params["number"], visit.person.name)
        try:
            await trio.to_thread.run_sync(cancel)
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, bot, fault=str(error))
        return RedirectResponse(f"/bots/{bot}", 303)

    def _found(self, request: Request) -> Version:
        bot, number = request.path_params["bot"], request.path_params["number"]
        version = self._versions.version(bot, number)
        if version is None:
            raise Refused(404, f"{bot} has no version {number}")
        return version

    async def _file(self, request: Request, identity: Identity) -> tuple[str, bytes]:
        """Return the name and the bytes of the file of a form."""
        body = await read_body(request, MAX_UPLOAD + FORM_BYTES)

        async def stream() -> AsyncGenerator[bytes, None]:
            for begin in range(0, len(body), PIECE_BYTES):  # each takes the event loop a moment
                yield body[begin : begin + PIECE_BYTES]
                await trio.lowlevel.checkpoint()

        try:
            form = await MultiPartParser(request.headers, stream(), max_files=1, max_fields=5).parse()
        except (MultiPartException, MultipartParseError, KeyError, AssertionError):
            raise Refused(400, "the form cannot be read; it holds a file") from None
        try:
            sent, file = form.get("form"), form.get("file")
            check_form(identity, sent if isinstance(sent, str) else "")
            if file is None or isinstance(file, str):
                raise Refused(400, "the form holds no file")
            return file.filename or "", await file.read()
        finally:
            await form.close()

    async def _with_log(self, version: Version) -> ToldWithLog:
        logs = await trio.to_thread.run_sync(self._logs, version)
        text = "\n".join(f"== {name}\n{log}" for name, log in logs)
        found = await self._outlook(version)
        ahead, minutes = (None, None) if found is None else (found.ahead, minutes_of(found))
        return ToldWithLog(**msgspec.structs.asdict(_told(version)), log=text, ahead=ahead, minutes=minutes)

    async def _outlook(self, version: Version) -> Outlook | None:
        """Return what a version has before it; None where it does not wait."""
        if version.state != "waiting":
            return None
        return self._turns.outlook(await trio.to_thread.run_sync(self._versions.under_way), version)

    def _logs(self, version: Version) -> list[tuple[str, str]]:
        folder = self._versions.folder(version)
        found = [(name, folder / f"{name}.txt") for name in LOGS]
        return [
            (name, path.read_bytes()[:LOG_BYTES].decode(errors="replace")) for name, path in found if path.is_file()
        ]


def _told(version: Version) -> Told:
    where = f"/bots/{version.bot}/versions/{version.number}"
    return Told(
        version.bot,
        version.number,
        version.received,
        version.file,
        version.state,
        version.sentence,
        version.is_under_way,
        version.sha256,
        where,
    )


def _number(fields: dict[str, str], name: str) -> int:
    text = fields.get(name, "")
    if not text.isdecimal() or len(text) > NUMBER_DIGITS:
        raise NotAllowed(f"{name} is a number, and not {text!r}")
    return int(text)
