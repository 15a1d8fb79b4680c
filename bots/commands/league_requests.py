"""Requests to the pages of a league, in the name of a bot: with its token, answered as JSON."""

import json
import os
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from bots.client.errors import ArenaError
from bots.commands.options import fail

ANSWER_SECONDS = 60.0

TOKEN = "ARENA_TOKEN"
"""The variable in which the token may stand, so that no list of processes shows it."""


class League:
    """A league, as a bot's author uses it from the command line."""

    def __init__(self, server: str, bot: str, token: str | None) -> None:
        """Take the address of the league's pages; ends the command where there is no token."""
        self._token = token or os.environ.get(TOKEN, "")
        if not self._token:
            fail(f"a league is asked with the token of a bot, which the page /me makes: --token, or {TOKEN}", 2)
        self.url = server.rstrip("/")
        self._bot = f"{self.url}/bots/{quote(bot)}"

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
