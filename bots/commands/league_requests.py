"""Requests to the pages of a league, in the name of a bot: with its token, answered as JSON."""

import json
import os
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from cyclopts import Parameter

from bots.client.errors import ArenaError
from bots.commands.options import fail

ANSWER_SECONDS = 60.0

TOKEN = "ARENA_TOKEN"
"""The variable in which the token may stand, so that no list of processes shows it."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Entry:
    """Which bot of which league a command is about.

    Parameters
    ----------
    name
        The name of the bot, as on the page /me of the league.
    server
        The address of the league's pages.
    token
        The token of the bot, made on the page /me; the variable ARENA_TOKEN when left out.
    """

    name: str
    server: str = "http://127.0.0.1:8080"
    token: str | None = None


class League:
    """A league, as a bot's author uses it from the command line."""

    def __init__(self, entry: Entry) -> None:
        """Take which bot it is, and where; ends the command where there is no token."""
        self._token = entry.token or os.environ.get(TOKEN, "")
        if not self._token:
            fail(f"a league is asked with the token of a bot, which the page /me makes: --token, or {TOKEN}", 2)
        self.url = entry.server.rstrip("/")
        self._bot = f"{self.url}/bots/{quote(entry.name)}"

    def ask(self, path: str, data: bytes | None = None) -> dict[str, Any]:
        """Return the answer to a request below the page of the bot, a POST where it has data. Raises `ArenaError`."""
        headers = {"authorization": f"Bearer {self._token}", "accept": "application/json"}
        try:
            with urlopen(Request(f"{self._bot}/{path}", data, headers), timeout=ANSWER_SECONDS) as answer:
                told: dict[str, Any] = json.load(answer)
                return told
        except HTTPError as error:
            try:
                sentence = json.load(error)["error"]
            except (ValueError, KeyError, OSError):
                sentence = f"status {error.code}"
            raise ArenaError(f"the league has refused it: {sentence}") from None
        except (URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise ArenaError(f"no league at {self.url}: {reason}") from None
