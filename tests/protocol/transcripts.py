"""Transcripts: sessions of clients, written down line by line, and replayed against a server of their own.

They stand in protocol.md and in ``sessions/``. The words behind ``transcript`` are options of ``arena-server serve``
with a file: ``--tokens``, ``--organiser`` or ``--ladder``.

- ``alice> `` is a line that alice sends, ``alice< `` a line that she receives; each client has a connection of its own.
- ``# `` begins an event, ``-- `` an explanation; it stands before all lines that come with the next request.
- Lines to several clients are shown in blocks, one client after the other. Between two clients there is no order.
- Placeholders: ``<version>`` of the server, ``<games>`` its games, ``<ms>`` a clock in milliseconds,
  ``<time>`` a time of a record, ``<span>`` a rounded time such as 12.4 s, ``<date>``,
  ``<alice-token>`` the token of alice's MATCH, ``<alice-secret>`` the token with which she logs in.

``python -m tests.protocol.transcripts`` puts the server's answers into the documents. It takes only requests, events
and explanations from there.
"""

import re
import shlex
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import trio

from engine.games.catalogue import GAMES
from server.config import tokens
from server.league.accounts import AUTHOR, Accounts
from server.league.ladder.definition import read_file as read_ladder
from tests.protocol.running import DOCUMENT, Client, serving, serving_here
from tests.server.process import ServerProcess

FENCE = re.compile(r"^```transcript(?P<options>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)

DOCUMENTS = [DOCUMENT, *sorted(Path(__file__).with_name("sessions").glob("*.md"))]

SAID = re.compile(r"(?P<who>\w+)> (?P<line>.*)")
HEARD = re.compile(r"(?P<who>\w+)< ?(?P<line>.*)")
EXPLAINED = re.compile(r"-- (?P<sentence>.*)")
BREAKS = re.compile(r"# (?P<who>\w+): the connection breaks")
CLOSED = "# {}: the server closes the connection"
STOPPED = "# the server is stopped"
DIES = "# the server dies, and is started again"

ORGANISER = "organiser"
"""Name of the client with the organiser's token. All other clients have tokens of players."""

LADDER = """
sandbox = "none"
time = { budget = 60_000 }
[[games]]
game = "mnk"
params = "3 3 3"
"""
"""The ladder of a transcript with the option ``--ladder``. Each client that logs in by a token has an author there."""

CLOCK_FIELDS = {"START": (1, 2), "TURN": (1, 2), "MOVED": (3, 4), "RESULT": (4, 5)}
"""Where clocks stand among the words of a line."""

QUIET_SECONDS = 1.0
"""How long to wait after a remark where nothing says what is to come."""


class Transcript(NamedTuple):
    title: str
    options: tuple[str, ...]
    lines: tuple[str, ...]


def read(text: str) -> list[Transcript]:
    """Find the transcripts of a document, in order."""
    found = []
    for fence in FENCE.finditer(text):
        title = HEADING.findall(text[: fence.start()])[-1]
        found.append(Transcript(title, tuple(shlex.split(fence["options"])), tuple(fence["body"].splitlines())))
    return found


async def replay(transcript: Transcript, folder: Path) -> list[str]:
    """Do what clients do in a transcript; return its lines with the lines that the clients really hear."""
    files = {name.removeprefix("--"): folder / file for name, file in zip(*[iter(transcript.options)] * 2, strict=True)}
    names = sorted(set(re.findall(r"<(\w+)-secret>", "\n".join(transcript.lines))))
    secrets = _authors(folder, files["ladder"], names) if "ladder" in files else {}
    for name in names:
        if name == ORGANISER:
            secrets[name] = tokens.make_organiser(files["organiser"])
        elif name not in secrets:
            secrets[name] = tokens.add(files["tokens"], name)
    if {STOPPED, DIES} & {*transcript.lines}:
        with serving(folder, *transcript.options) as server:
            return await trio.to_thread.run_sync(_perform, transcript, secrets, server.port, server)
    readers = {"tokens": tokens.read, "organiser": tokens.read_organiser, "ladder": read_ladder}
    settings: dict[str, Any] = {name: readers[name](file) for name, file in files.items()}
    async with serving_here(folder / "data", **settings) as port:
        return await trio.to_thread.run_sync(_perform, transcript, secrets, port)


def _perform(
    transcript: Transcript, secrets: dict[str, str], port: int, server: ServerProcess | None = None
) -> list[str]:
    """Do what clients do, and return what they hear. A server process is also stopped and killed."""
    stage = _Stage(port, secrets)
    for at, line in enumerate(transcript.lines):
        said, breaks = SAID.fullmatch(line), BREAKS.fullmatch(line)
        if said:
            stage.say(said["who"], said["line"])
        elif breaks:
            stage.break_off(breaks["who"])
        elif server and line == STOPPED:
            server.stop()
        elif server and line == DIES:
            server.kill()
            server.start()
            server.wait()
            stage.end()
        elif EXPLAINED.fullmatch(line):
            stage.script.append(line)
        if line.startswith("#") and line not in map(CLOSED.format, stage.names):
            stage.script.append(line)
            stage.listen(_next_to_hear(transcript.lines[at + 1 :]))
    stage.end()
    return stage.script


def _authors(folder: Path, ladder: Path, bots: list[str]) -> dict[str, str]:
    """Write the file of a ladder, and make an author for each bot; return the tokens of the bots."""
    ladder.write_text(LADDER, encoding="utf-8")
    secrets = {}
    (folder / "data").mkdir()
    with closing(Accounts(folder / "data")) as accounts:
        for bot in bots:
            accounts.redeem(accounts.invite(f"author-of-{bot}", AUTHOR, "test"), "")
            person = accounts.person(f"author-of-{bot}")
            assert person is not None
            secrets[bot] = accounts.make_token(person, bot)
    return secrets


def _next_to_hear(lines: tuple[str, ...]) -> str:
    """Name who hears something before anybody says something, if it is known."""
    heard = HEARD.fullmatch(lines[0]) if lines else None
    return heard["who"] if heard else ""


class _Stage:
    """The clients of a transcript, and what was written down of them."""

    def __init__(self, port: int, secrets: dict[str, str]) -> None:
        self.script: list[str] = []
        self.names: list[str] = []
        self._port = port
        self._clients: dict[str, Client] = {}
        self._secrets = secrets
        self._tokens: dict[str, str] = {}
        self._fences = 0

    def say(self, who: str, line: str) -> None:
        if who not in self._clients:
            self._clients[who] = Client(self._port)
            if who not in self.names:
                self.names.append(who)
            self._write(who)
        self.script.append(f"{who}> {line}")
        for kind, known in (("secret", self._secrets), ("token", self._tokens)):
            line = re.sub(rf"<(\w+)-{kind}>", lambda place, known=known: known[place[1]], line)  # type: ignore[misc]
        self._clients[who].say(line)
        self._write_all(first=who)

    def break_off(self, who: str) -> None:
        self._clients.pop(who).close()

    def listen(self, who: str) -> None:
        """Write down what comes by itself; wait for it where somebody is known to hear something."""
        if who in self._clients:
            self._clients[who].wait()
        else:
            time.sleep(QUIET_SECONDS)
        self._write_all()

    def end(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _write_all(self, first: str = "") -> None:
        for who in sorted(self.names, key=lambda name: name != first):
            if who in self._clients:
                self._write(who)

    def _write(self, who: str) -> None:
        self._fences += 1
        client = self._clients[who]
        heard = without_stalls(client.hear(f"fence-{self._fences}"))
        self.script += [f"{who}< {self._plain(who, line)}" for line in heard]
        if client.closed:
            self.script.append(CLOSED.format(who))
            self._clients.pop(who).close()

    def _plain(self, who: str, line: str) -> str:
        """Put placeholders where lines differ from time to time; their form is checked by that."""
        words = line.split(" ")
        for at in CLOCK_FIELDS.get(words[0], ()):
            words[at] = re.sub(r"^[1-9][0-9]*$", "<ms>", words[at])
        if words[0] == "MATCH" and re.fullmatch("[0-9a-f]{32}", words[-1]):
            self._tokens[who], words[-1] = words[-1], f"<{who}-token>"
        line = " ".join(words)
        if words[0] == "ARENA" or line.startswith("| server "):
            line = re.sub(r"(?<= gipf-arena/)[0-9][0-9a-z.+]*", "<version>", line)
        line = line.replace(", ".join(GAMES), "<games>")
        if re.match(r"\| (ready|move|refused|gone|back|restarted|runs|resigned|unanswered|result) ", line):
            line = re.sub(r"(?<= )-?[0-9]+\.[0-9]{3}(?= |$)", "<time>", line)
        line = re.sub(r"^(\| started )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", r"\1<date>", line)
        line = re.sub(r"^(\| signature )[A-Za-z0-9+/]{86}==$", r"\1<signature>", line)
        return without_load(line)


def without_stalls(lines: Iterable[str]) -> list[str]:
    """Leave out of records the lines on stalls of the server, which a machine under load has, and do not count them."""
    kept: list[str] = []
    for line in lines:
        if re.match(r"\| stall ", line):
            head = max(at for at, one in enumerate(kept) if one.startswith("RECORD "))
            words, _, count = kept[head].rpartition(" ")
            kept[head] = f"{words} {int(count) - 1}"
        else:
            kept.append(line)
    return kept


def without_load(line: str) -> str:
    """Leave out of a line what the load of a machine puts into it: times, and of each side what was not charged."""
    line = re.sub(r"\bwait [0-9.]+ (ms|s|min|h) until its clocks ", "wait <span> until its clocks ", line)
    if "ran out of time" not in line:
        return line
    line = re.sub(r"; [0-9.]+ (ms|s|min|h) were not charged, for stalls of the server and lag", "", line)
    return re.sub(r"(?<!budget of )(?<![0-9.])[0-9]+(\.[0-9]+)? (ms|s|min|h)\b", "<span>", line)


def main() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for fence, transcript in reversed(list(zip(FENCE.finditer(text), read(text), strict=True))):
            with tempfile.TemporaryDirectory() as folder:
                body = "".join(f"{line}\n" for line in trio.run(replay, transcript, Path(folder)))
            text = text[: fence.start("body")] + body + text[fence.end("body") :]
        document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
