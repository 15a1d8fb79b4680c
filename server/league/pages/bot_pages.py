"""The pages of bots: sending a version, watching its steps, and choosing the version that plays.

- ``GET /bots/BOT``: the versions of a bot, and the form to send another one
- ``GET /bots/BOT/versions``: the same, for the token of the bot as JSON
- ``POST /bots/BOT/versions``: a form with a file, or, with ``Authorization: Bearer TOKEN``, the token of the bot, the
  file itself, named by ``?file=``
- ``GET /bots/BOT/versions/3``: its state and logs; for the token of the bot as JSON
- ``GET /bots/BOT/comparisons``: its comparisons as JSON, for the token of the bot; ``POST`` begins one, by the fields
  ``first``, ``second``, ``game``, ``params`` and ``games``
- ``POST /bots/BOT/versions/3/play`` and ``…/rest``: which version plays; ``…/delete`` deletes its files. A request with
  the token of the bot gets the version as JSON

They are for the bot's author; organisers may read them.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from typing import Any
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
from server.league.accounts import Accounts
from server.league.contests import Comparisons
from server.league.ladder.store import LadderStore
from server.league.pages.forms import Change, Form, Identities, Identity, PlayerTabs, page
from server.league.submissions.upload import MAX_UPLOAD
from server.league.submissions.versions import LOG, PASSED, State, Version, Versions
from server.web.answers import json_answer
from server.web.http.request import Refused, read_body

FORM_BYTES = 64 * 1024
"""Bytes of a form beside its file."""

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


def player_tabs(accounts: Accounts, ladder: LadderStore | None, name: str, identity: Identity | None) -> dict[str, str]:
    """Return the pages of a player: games, rating on the ladder, and, for its author and organisers, versions."""
    path = quote(name, safe="")
    tabs = {f"/player/{path}": "Games"}
    if ladder is not None and ladder.standing(name) is not None:
        tabs[f"/ladder/{path}"] = "Ladder"
    if (owner := accounts.owner(name)) is not None and identity is not None and identity.may_change(owner.name):
        tabs[f"/bots/{path}"] = "Versions"
    return tabs


class VersionPages:
    """The handlers of these routes."""

    def __init__(
        self,
        accounts: Accounts,
        identities: Identities,
        versions: Versions,
        comparisons: Comparisons,
        tabs: PlayerTabs,
    ) -> None:
        """Take the accounts, the sessions, the versions, the comparisons, and the tabs."""
        self._tabs = tabs
        self._accounts = accounts
        self._comparisons = comparisons
        self._identities = identities
        self._versions = versions

    def routes(self) -> list[Route]:
        """Return the routes."""
        changes: dict[str, Change] = {
            "versions/{number:number}/play": partial(self._choose, self._versions.activate),
            "versions/{number:number}/rest": partial(self._choose, self._versions.retire),
            "versions/{number:number}/delete": partial(self._choose, self._versions.delete),
            "comparisons": self._compare,
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
        kept, most = self._versions.kept_bytes(owner), self._versions.rules.quota << 20
        if identity.by_token:
            listed = [_told(version) for version in versions]
            return _json({"bot": bot, "kept_bytes": kept, "most_bytes": most, "versions": listed})
        return page(
            "bots/bot",
            bot,
            identity=identity,
            owner=owner,
            tabs=self._tabs(bot, identity),
            bot=bot,
            passed=[version for version in versions if version.state in PASSED],
            games=GAMES,
            versions=versions,
            comparisons=self._comparisons.of(bot),
            kept=kept,
            most=most,
            words=WORDS,
            megabytes=MAX_UPLOAD >> 20,
            fault=self._identities.refusal(request),
            current="",
        )

    def _version(self, request: Request) -> Response:
        identity = self._identities.author(request)
        version = self._found(request.path_params)
        if identity.by_token:
            return _json({**_told(version), "log": self._log(version)})
        return page(
            "bots/version",
            f"{version.bot}, version {version.number}",
            identity=identity,
            version=version,
            words=WORDS,
            log=self._log(version),
        )

    def _compared(self, request: Request) -> Response:
        self._identities.author(request)
        return _json({"comparisons": self._comparisons.of(request.path_params["bot"])})

    # changes

    def _send(self, form: Form) -> Response:
        version = self._versions.add(form.identity.person, form.path["bot"], form.fields["name"], form.fields["data"])
        return _answer(form, {**_told(version), "log": self._log(version)}, version.page)

    def _choose(self, choice: Callable[[Version, str], None], form: Form) -> Response:
        version = self._found(form.path)
        choice(version, form.by)
        return _answer(form, _told(self._found(form.path)), f"/bots/{version.bot}")

    def _compare(self, form: Form) -> Response:
        numbers, games = (form.number("first"), form.number("second")), form.number("games")
        asked = numbers, form.text("game") or USUAL_GAME, form.text("params"), games
        begun = self._comparisons.begin(form.identity.person, form.path["bot"], *asked)
        return _answer(form, begun, begun.page)

    # versions

    def _found(self, path: Mapping[str, Any]) -> Version:
        bot, number = path["bot"], path["number"]
        if (version := self._versions.version(bot, number)) is None:
            raise Refused(404, f"there is no version {number} of {bot}")
        return version

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
