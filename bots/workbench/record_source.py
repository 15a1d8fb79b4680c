"""The record that a command line names: a file, a number in a data directory, standard input, or a page of a server."""

import json
import re
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from bots.client.errors import ArenaError
from engine.commands.inputs import MAX_BYTES, place_of, text_of
from engine.commands.program.output import Rejected
from engine.commands.usage_errors import explain_fault
from engine.record import BadRecord, Summary, verify

PAGE = re.compile(r"(https?://[^/?#]+)/match/([0-9]+)/?(?:[?#].*)?")
"""The page of a match; its record stands elsewhere on the server."""

URL_SECONDS = 30.0
"""After which a server that says nothing is given up."""

FOLDERS = ("records", "running")
"""Where a data directory has records of matches that are over, and of those that are not."""


def read_record(name: str, data: Path) -> tuple[str, Summary]:
    """Return the text of a record and what it says; raises `ArenaError`, which names the line that is not true.

    ``name`` is a file, - for standard input, the number of a match in the data directory, or the URL of a match's page
    or of its record.
    """
    place, text = _text(name, data)
    try:
        return text, verify(text)
    except BadRecord as error:
        raise ArenaError(f"{place}: {error}") from None


def _text(name: str, data: Path) -> tuple[str, str]:
    """Return what to call a record, and its text."""
    if name.startswith(("http://", "https://")):
        return name, _fetched(name)
    if name.isdecimal() and not Path(name).exists():
        name = _numbered(name, data)
    try:
        return place_of(name), text_of(name)
    except Rejected as error:
        raise ArenaError(str(error)) from None


def _numbered(number: str, data: Path) -> str:
    """Return the file of a match in a data directory."""
    for folder in FOLDERS:
        path = data / folder / f"{int(number)}.txt"
        if path.is_file():
            return str(path)
    if not data.is_dir():
        raise ArenaError(f"match {number} is looked for in the data directory {data}, which is not there; see --data")
    raise ArenaError(f"the data directory {data} has no match {number}")


def _sentence_in(answer: bytes) -> str:
    """Return what a server of ours says is wrong; empty where another one has answered."""
    try:
        said = json.loads(answer)["error"]
    except (ValueError, KeyError, TypeError):
        return ""
    return str(said)


def _fetched(url: str) -> str:
    """Return the text behind a URL; that of a match's page is its record."""
    page = PAGE.fullmatch(url)
    if page:
        url = f"{page[1]}/api/matches/{page[2]}/record"
    try:
        with urlopen(url, timeout=URL_SECONDS) as answer:
            content = bytes(answer.read(MAX_BYTES + 1))
    except HTTPError as error:
        with error:
            said = _sentence_in(error.read(MAX_BYTES))
        raise ArenaError(f"{url}: {said or f'the server answers {error}'}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise ArenaError(f"{url}: {explain_fault(reason) if isinstance(reason, Exception) else reason}") from None
    if len(content) > MAX_BYTES:
        raise ArenaError(f"{url}: longer than {MAX_BYTES} bytes, which is more than any record")
    return content.decode(errors="replace")
