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
from collections.abc import AsyncGenerator, Awaitable, Callable
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
from server.league.comparisons import Comparisons
from server.league.pages.forms import Identities, Identity, Visit, check_form, page
from server.league.submissions.pipeline import Outlook, Turns
from server.league.submissions.steps import LOG_BYTES
from server.league.submissions.upload import MAX_UPLOAD
from server.league.submissions.versions import LOGS, State, Version, Versions
from server.web.answers import json_answer
from server.web.http.errors import Refused
from server.web.http.request import number_in, read_body

FORM_BYTES = 64 * 1024
"""Of a form beside its file."""

PIECE_BYTES = 64 * 1024
"""So much of a form is taken apart at a time."""

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


class Listed(NamedTuple):
    """A version in the list of a bot."""

    version: Version
    bytes: int
    """On the disk."""


class VersionPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, versions: Versions, turns: Turns, comparisons: Comparisons) -> None:
        """Take what tells who asks, the versions, which one is tried when, and the comparisons."""
        self._comparisons = comparisons
        self._turns = turns
        self._identities = identities
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
        return await self._show(await self._identities.visit(request), request.path_params["bot"])

    async def _show(self, visit: Visit, bot: str, *, fault: str = "") -> Response:
        """Return the page of a bot; to who shows its token its versions as JSON."""
        kept, versions = await trio.to_thread.run_sync(self._kept, visit.owner, bot)
        if visit.identity is None:
            most, listed = self._versions.rules.quota_bytes, [_told(version) for version, _ in versions]
            return _json({"bot": bot, "kept_bytes": kept, "most_bytes": most, "versions": listed})
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
        return page("bots/bot", bot, told)

    def _kept(self, owner: Person, bot: str) -> tuple[int, list[Listed]]:
        """Return what the versions of a person take, and those of one bot."""
        listed = [Listed(version, self._versions.size(version)) for version in self._versions.of(bot)]
        return self._versions.kept_bytes(owner), listed

    async def _send(self, request: Request) -> Response:
        bot = request.path_params["bot"]
        visit = await self._identities.visit(request)
        if visit.identity is None:
            name, data = request.query_params.get("file", "bot.zip"), await read_body(request, MAX_UPLOAD)
        else:
            name, data = await self._file(request, visit.identity)

        async def send() -> tuple[object, str]:
            version = await trio.to_thread.run_sync(self._versions.add, visit.person, bot, name, data)
            return await self._with_log(version), f"/bots/{version.bot}/versions/{version.number}"

        return await self._change(visit, bot, send)

    async def _change(self, visit: Visit, bot: str, change: Callable[[], Awaitable[tuple[object, str]]]) -> Response:
        """Change something, and answer with its JSON for the token of the bot, else by a way to its page."""
        try:
            value, place = await change()
        except NotAllowed as error:
            if visit.identity is None:
                raise Refused(409, str(error)) from None
            return await self._show(visit, bot, fault=str(error))
        return _json(value) if visit.identity is None else RedirectResponse(place, 303)

    async def _version(self, request: Request) -> Response:
        visit = await self._identities.visit(request)
        version = self._found(request)
        if visit.identity is None:
            return _json(await self._with_log(version))
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
        return page("bots/version", title, told)

    async def _choose(self, change: Callable[[Version, str], None], request: Request) -> Response:
        visit = await self._identities.visit(request)
        if visit.identity is not None:
            await self._identities.form(request, visit.identity)
        version = self._found(request)

        async def choose() -> tuple[object, str]:
            await trio.to_thread.run_sync(change, version, visit.person.name)
            return _told(self._found(request)), f"/bots/{version.bot}"

        return await self._change(visit, version.bot, choose)

    async def _compared(self, request: Request) -> Response:
        await self._identities.visit(request)
        found = await trio.to_thread.run_sync(self._comparisons.of, request.path_params["bot"])
        return _json({"comparisons": found})

    async def _compare(self, request: Request) -> Response:
        visit, bot = await self._identities.visit(request), request.path_params["bot"]
        fields = await self._identities.form(request, visit.identity)

        first, second, games = (number_in(fields, name) for name in ("first", "second", "games"))
        asked = (first, second), fields.get("game", USUAL_GAME), fields.get("params", ""), games

        async def begin() -> tuple[object, str]:
            begun = await trio.to_thread.run_sync(self._comparisons.begin, visit.person, bot, *asked)
            return begun, begun.page

        return await self._change(visit, bot, begin)

    async def _cancel(self, request: Request) -> Response:
        visit, bot = await self._identities.visit(request), request.path_params["bot"]
        await self._identities.form(request, visit.identity)
        number = request.path_params["number"]

        async def cancel() -> tuple[object, str]:
            await trio.to_thread.run_sync(self._comparisons.cancel, bot, number, visit.person.name)
            return {"contest": number}, f"/bots/{bot}"

        return await self._change(visit, bot, cancel)

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

    async def _with_log(self, version: Version) -> dict[str, object]:
        logs = await trio.to_thread.run_sync(self._logs, version)
        text = "\n".join(f"== {name}\n{log}" for name, log in logs)
        found = await self._outlook(version)
        ahead, minutes = (None, None) if found is None else (found.ahead, minutes_of(found))
        return {**_told(version), "log": text, "ahead": ahead, "minutes": minutes}

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
        "page": f"/bots/{version.bot}/versions/{version.number}",
    }


def _json(value: object) -> Response:
    return json_answer(msgspec.json.encode(value))
