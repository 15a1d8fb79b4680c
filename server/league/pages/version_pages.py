"""The pages of bots and their versions: sending one, watching its steps, choosing the version that plays.

- ``GET /bots/BOT``: the versions of a bot, and the form to send another one
- ``GET /bots/BOT/versions``: the same, for the token of the bot as JSON
- ``POST /bots/BOT/versions``: a form with a file, or, with ``Authorization: Bearer TOKEN``, the token of the bot, the
  file itself, named by ``?file=``
- ``GET /bots/BOT/versions/3``: its state and logs; for the token of the bot as JSON
- ``GET /bots/BOT/comparisons``: its comparisons as JSON, for the token of the bot; ``POST`` begins one, by the fields
  ``first``, ``second``, ``game``, ``params`` and ``games``; ``POST /bots/BOT/comparisons/7/cancel`` ends one
- ``POST /bots/BOT/versions/3/play`` and ``…/rest``: which version plays; ``…/delete`` deletes its files. A request with
  the token of the bot gets the version as JSON

The pages are for the bot's author; organisers may read them.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import TypeAlias

import msgspec
import trio
from python_multipart.exceptions import MultipartParseError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import GAMES, USUAL_GAME
from server.league.contests import Comparisons
from server.league.pages.forms import REFUSALS, Identities, Visit, check_form, page, read_form
from server.league.submissions.pipeline import Turns
from server.league.submissions.steps import LOG_BYTES
from server.league.submissions.upload import MAX_UPLOAD
from server.league.submissions.versions import LOGS, PASSED, State, Version, Versions
from server.web.answers import json_answer
from server.web.http.errors import Refused
from server.web.http.request import number_in, read_body

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

Change: TypeAlias = Callable[[Visit, Request, dict[str, str]], tuple[object, str]]
"""Changes something, in a thread; returns its JSON, and the path of its page. Raises one of `REFUSALS`."""


def said(version: Version) -> str:
    """Return the state of a version in words."""
    return "was refused, and deleted" if version.state == "deleted" and version.sentence else WORDS[version.state]


class VersionPages:
    """The handlers of these routes."""

    def __init__(self, identities: Identities, versions: Versions, turns: Turns, comparisons: Comparisons) -> None:
        """Take the sessions, the versions, the order in which they are tried, and the comparisons."""
        self._comparisons = comparisons
        self._turns = turns
        self._identities = identities
        self._versions = versions

    def routes(self) -> list[Route]:
        """Return the routes."""
        bot = "/bots/{bot}"
        one, comparisons = f"{bot}/versions/{{number:number}}", f"{bot}/comparisons"
        choices = {"play": self._versions.activate, "rest": self._versions.retire, "delete": self._versions.delete}
        changes: dict[str, Change] = {
            **{f"{one}/{name}": partial(self._choose, choice) for name, choice in choices.items()},
            comparisons: self._compare,
            f"{comparisons}/{{number:number}}/cancel": self._cancel,
        }
        return [
            Route(bot, self._bot, methods=["GET"]),
            Route(f"{bot}/versions", self._bot, methods=["GET"]),
            Route(f"{bot}/versions", self._send, methods=["POST"]),
            Route(one, self._version, methods=["GET"]),
            Route(comparisons, self._compared, methods=["GET"]),
            *(Route(path, self._changing(change), methods=["POST"]) for path, change in changes.items()),
        ]

    def _bot(self, request: Request) -> Response:
        return self._show(self._identities.visit(request), request.path_params["bot"])

    def _show(self, visit: Visit, bot: str, fault: str = "") -> Response:
        """Return the page of a bot; for its token, its versions as JSON."""
        versions = self._versions.of(bot)
        kept, most = self._versions.kept_bytes(visit.owner), self._versions.rules.quota_bytes
        if visit.identity is None:
            listed = [_told(version) for version in versions]
            return _json({"bot": bot, "kept_bytes": kept, "most_bytes": most, "versions": listed})
        told = {
            "identity": visit.identity,
            "owner": visit.owner,
            "bot": bot,
            "passed": [version for version in versions if version.state in PASSED],
            "games": GAMES,
            "versions": versions,
            "comparisons": self._comparisons.of(bot),
            "kept": kept,
            "most": most,
            "said": said,
            "megabytes": MAX_UPLOAD >> 20,
            "fault": fault,
        }
        return page("bots/bot", bot, told)

    def _version(self, request: Request) -> Response:
        visit = self._identities.visit(request)
        version = self._found(request)
        if visit.identity is None:
            return _json(self._with_log(version))
        told = {
            "identity": visit.identity,
            "version": version,
            "said": said,
            "logs": self._logs(version),
            "ahead": self._ahead(version),
        }
        return page("bots/version", f"{version.bot}, version {version.number}", told)

    def _compared(self, request: Request) -> Response:
        self._identities.visit(request)
        return _json({"comparisons": self._comparisons.of(request.path_params["bot"])})

    # changes

    def _changing(self, change: Change) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            visit = await trio.to_thread.run_sync(self._identities.visit, request)
            fields = await read_form(request)
            if visit.identity is not None:
                check_form(visit.identity, fields.get("form", ""))
            return await self._changed(visit, request, change, fields)

        return answer

    async def _changed(self, visit: Visit, request: Request, change: Change, fields: dict[str, str]) -> Response:
        """Change something; answer with its JSON for the token of the bot, else with a redirect to its page."""

        def changed() -> Response:
            try:
                value, place = change(visit, request, fields)
            except REFUSALS as error:
                if visit.identity is None:
                    raise Refused(409, str(error)) from None
                return self._show(visit, request.path_params["bot"], str(error))
            return _json(value) if visit.identity is None else RedirectResponse(place, 303)

        return await trio.to_thread.run_sync(changed)

    async def _send(self, request: Request) -> Response:
        visit = await trio.to_thread.run_sync(self._identities.visit, request)
        if visit.identity is None:
            name, data = request.query_params.get("file", "bot.zip"), await read_body(request, MAX_UPLOAD)
        else:
            signature, name, data = await _read_upload(request)
            check_form(visit.identity, signature)

        def add(visit: Visit, request: Request, _fields: dict[str, str]) -> tuple[object, str]:
            version = self._versions.add(visit.person, request.path_params["bot"], name, data)
            return self._with_log(version), version.page

        return await self._changed(visit, request, add, {})

    def _choose(
        self, choice: Callable[[Version, str], None], visit: Visit, request: Request, _fields: dict[str, str]
    ) -> tuple[object, str]:
        version = self._found(request)
        choice(version, visit.person.name)
        return _told(self._found(request)), f"/bots/{version.bot}"

    def _compare(self, visit: Visit, request: Request, fields: dict[str, str]) -> tuple[object, str]:
        first, second, games = (number_in(fields, name) for name in ("first", "second", "games"))
        asked = (first, second), fields.get("game", USUAL_GAME), fields.get("params", ""), games
        begun = self._comparisons.begin(visit.person, request.path_params["bot"], *asked)
        return begun, begun.page

    def _cancel(self, visit: Visit, request: Request, _fields: dict[str, str]) -> tuple[object, str]:
        bot, number = request.path_params["bot"], request.path_params["number"]
        self._comparisons.cancel(bot, number, visit.person.name)
        return {"contest": number}, f"/bots/{bot}"

    # versions

    def _found(self, request: Request) -> Version:
        bot, number = request.path_params["bot"], request.path_params["number"]
        version = self._versions.version(bot, number)
        if version is None:
            raise Refused(404, f"{bot} has no version {number}")
        return version

    def _with_log(self, version: Version) -> dict[str, object]:
        text = "\n".join(f"== {name}\n{log}" for name, log in self._logs(version))
        return {**_told(version), "log": text, "ahead": self._ahead(version)}

    def _ahead(self, version: Version) -> int | None:
        return self._turns.ahead(self._versions.under_way(), version)

    def _logs(self, version: Version) -> list[tuple[str, str]]:
        folder = self._versions.folder(version)
        found = [(name, folder / f"{name}.txt") for name in LOGS]
        return [
            (name, path.read_bytes()[:LOG_BYTES].decode(errors="replace")) for name, path in found if path.is_file()
        ]


async def _read_upload(request: Request) -> tuple[str, str, bytes]:
    """Return the signature of a form, the name of its file, and its bytes; raises `Refused`."""
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
        return sent, file.filename or "", await file.read()


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
