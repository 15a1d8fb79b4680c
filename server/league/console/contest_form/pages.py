"""The pages on which a contest is written.

- ``GET /organise/new``, ``/organise/new?from=3``: a contest in fields, perhaps a copy of another one, which is shown as
  text where the fields cannot say all of it
- ``POST /organise/new``: the fields, or the field ``text`` with a contest file; ``do`` says what to do with them:
  ``check`` them, ``begin`` the contest, ``add-game``, ``add-stage``, or go on with the ``text`` that they make
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from engine.games.catalogue import TITLES, USUAL_GAME
from server.arena.arena import Arena
from server.contest.contest_file import BadContest
from server.contest.definition import MAX_ENTRANTS
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import ORGANISER
from server.league.console.contest_form.choices import choices
from server.league.console.contest_form.faults import ENTRANTS, Fault, fault_of
from server.league.console.contest_form.fields import (
    FORMATS,
    GAMES,
    STAGES,
    Fields,
    new_fields,
    numbered,
    rows,
    with_defaults,
)
from server.league.console.contest_form.filling import fill, kept_entrants
from server.league.console.contest_form.writing import write
from server.league.console.new_contest import Checked, Earlier, check_new, earlier_contest, load_of, open_contest
from server.league.pages.identity import Identities, Identity
from server.league.pages.rendering import page
from server.league.submissions.versions import Versions
from server.web.http.errors import Refused
from server.web.http.numbers import query_number

PATH = "/organise/new"

FORM_BYTES = 256 * 1024
"""Largest form: the file of a contest of 500 entrants, encoded."""

MAX_FIELDS = 4 * MAX_ENTRANTS
"""Most fields of a form: one for each entrant, and some dozens for each game and stage."""

MAX_HERE = 200
"""Most players who are here that can be chosen; others are typed."""

NOT_OF_CONTEST = ("form", "from", "do")
"""Fields that say nothing of the contest."""

ADDED = {"add-game": (GAMES, "game", USUAL_GAME), "add-stage": (STAGES, "format", next(iter(FORMATS)))}
"""What buttons add, with the first field of it and its value."""

NO_FAULT = Fault("", "")


class Copied(NamedTuple):
    """The contest that another one is a copy of."""

    number: int
    """0 where it is no copy."""
    earlier: Earlier | None


class ContestFormPages:
    """The handlers of these routes."""

    def __init__(self, accounts: Accounts, identities: Identities, versions: Versions, arena: Arena) -> None:
        """Take the accounts, what tells who asks, versions of bots, and the arena."""
        self._accounts = accounts
        self._identities = identities
        self._versions = versions
        self._arena = arena
        self._data = arena.settings.data

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route(PATH, self._new, methods=["GET"]), Route(PATH, self._write, methods=["POST"])]

    async def _new(self, request: Request) -> Response:
        identity = self._identities.require(request, ORGANISER)
        copied = await self._copied(query_number(request, "from", 0))
        if copied.earlier is None:
            return self._show(identity, copied, new_fields(self._bots()[:MAX_ENTRANTS]))
        text = copied.earlier.text
        fields = await _in_thread(partial(fill, text, load_of(copied.earlier)))
        if fields is None:
            return _show_text(identity, copied, text, is_more=True)
        return self._show(identity, copied, fields)

    async def _write(self, request: Request) -> Response:
        identity = self._identities.require(request, ORGANISER)
        sent = await self._identities.form(request, identity, FORM_BYTES, MAX_FIELDS)
        sent = {name: value.replace("\r\n", "\n") for name, value in sent.items()}
        copied = await self._copied(_number(sent.get("from", "0")))
        do = sent.get("do", "")
        if "text" in sent:
            return await self._take_text(identity, copied, sent["text"], do)
        fields = numbered({name: value for name, value in sent.items() if name not in NOT_OF_CONTEST})
        if do in ADDED:
            several, key, value = ADDED[do]
            added = f"{several}.{len(rows(fields, several)) + 1}.{key}"
            return self._show(identity, copied, {**fields, added: value}, focus=added)
        text = _text(fields, copied)
        if do == "text":
            return _show_text(identity, copied, text)
        try:
            checked = await self._check(text, copied)
        except BadContest as error:
            return self._show(identity, copied, fields, fault=fault_of(str(error), fields))
        if do != "begin":
            return self._show(identity, copied, fields, checked=checked)
        return await self._begin(identity, text, checked)

    async def _take_text(self, identity: Identity, copied: Copied, text: str, do: str) -> Response:
        try:
            checked = await self._check(text, copied)
        except BadContest as error:
            return _show_text(identity, copied, text, fault=str(error))
        if do != "begin":
            return _show_text(identity, copied, text, checked=checked)
        return await self._begin(identity, text, checked)

    async def _check(self, text: str, copied: Copied) -> Checked:
        return await _in_thread(partial(check_new, self._data, self._accounts, text, copied.earlier))

    async def _begin(self, identity: Identity, text: str, checked: Checked) -> Response:
        work = partial(open_contest, self._data, self._accounts, text, checked.definition, identity.person.name)
        return RedirectResponse(f"/organise/contest/{await _in_thread(work)}", 303)

    async def _copied(self, number: int) -> Copied:
        try:
            return Copied(number, await _in_thread(partial(earlier_contest, self._data, number)) if number else None)
        except KeyError:
            raise Refused(404, f"there is no contest {number}") from None

    def _bots(self) -> list[str]:
        return [version.bot for version in self._versions.active()]

    def _show(
        self,
        identity: Identity,
        copied: Copied,
        fields: Fields,
        *,
        fault: Fault = NO_FAULT,
        checked: Checked | None = None,
        focus: str = "",
    ) -> Response:
        """Return the page with the fields; ``focus`` is the one that is typed in next, if not the wrong one."""
        earlier = () if copied.earlier is None else copied.earlier.definition.entrants
        here = [self._arena.sessions[key].name for key in sorted(self._arena.sessions)[:MAX_HERE]]
        values = {
            "identity": identity,
            "fields": with_defaults(fields),
            "choices": choices(earlier, self._bots(), here, fields),
            "games": rows(fields, GAMES),
            "stages": rows(fields, STAGES),
            "titles": TITLES,
            "formats": {word: word.replace("-", " ").capitalize() for word in FORMATS},
            "entrants": ENTRANTS,
            "fault": fault,
            "focus": fault.field or focus,
            "text": _text(fields, copied),
            "copied": copied.number,
            "checked": checked,
        }
        return _page("organise/contest_form", identity, values, is_wrong=bool(fault.sentence))


def _show_text(
    identity: Identity,
    copied: Copied,
    text: str,
    *,
    fault: str = "",
    checked: Checked | None = None,
    is_more: bool = False,
) -> Response:
    """Return the page with the text of a contest file; ``is_more``: the fields cannot say all of it."""
    values = {"identity": identity, "text": text, "copied": copied.number, "fault": fault, "checked": checked}
    return _page("organise/contest_text", identity, {**values, "is_more": is_more}, is_wrong=bool(fault))


def _page(template: str, identity: Identity, values: Mapping[str, object], *, is_wrong: bool) -> Response:
    status = 400 if is_wrong else 200
    return page(template, "New contest", {**values}, current="/me", status=status)


def _text(fields: Fields, copied: Copied) -> str:
    return write(fields, kept_entrants(None if copied.earlier is None else copied.earlier.definition))


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 15:
        raise Refused(400, "from is a number of 1 to 15 digits")
    return int(text)


_in_thread = trio.to_thread.run_sync
