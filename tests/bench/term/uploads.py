"""What authors send in a term: the example bots in the languages of this machine, and bots that are broken."""

import random
import shutil
from pathlib import Path
from typing import NamedTuple

from tests.server.league.test_submissions import packed

EXAMPLES = Path(__file__).parents[3] / "bots" / "examples"


class Upload(NamedTuple):
    """A file that an author sends, and what has to become of it."""

    kind: str
    file: str
    data: bytes
    refused: str = ""
    """What stands in the sentence with which it is refused; empty: it passes."""
    log: str = ""
    """What stands in the logs of its steps."""
    at_the_door: bool = False
    """Whether it becomes no version at all."""


_LANGUAGES = (
    ("C", "c/bot.c", "cc"),
    ("C++", "cpp/bot.cpp", "c++"),
    ("Java", "java/Bot.java", "javac"),
    ("JavaScript", "javascript/bot.js", "node"),
    ("Rust", "rust/bot.rs", "rustc"),
    ("Go", "go/bot.go", "go"),
    ("Python", "python/bot.py", "python3"),
)
"""Example, and the program that builds or starts it."""

_PROGRAM = """
import os, time
from bots.client import play
from engine.games import moves

def choose(position, clocks):
    {body}

play(choose)
"""


def _python(body: str) -> bytes:
    return _PROGRAM.format(body=body).encode()


BROKEN = (
    Upload("does not build", "bot.c", b"int main( { return 0; }\n", "the build (cc", "error"),
    Upload("climbs out", "bot.zip", packed({"bot.py": "", "../../climbed.py": "x"}), "does not lie in its folder"),
    Upload("crashes at the start", "bot.py", b'raise SystemExit("no weights")\n', "conformance test", "no weights"),
    Upload("unpacks too large", "bot.zip", packed({"zeros": bytes(65 << 20)}), "at most 64 MB together"),
    Upload(
        "reads what it must not",
        "bot.zip",
        packed({"Makefile": "all:\n\tcat ../../../../league.sqlite3 ../upload\n", "bot.py": ""}),
        "the build (make) failed",
        "No such file",
    ),
    Upload("plays illegal moves", "bot.py", _python('return "a1-a9"'), "conformance test", "FAIL"),
    Upload("too large to send", "bot.zip", random.Random(1).randbytes(17 << 20), "at most 16 MB", at_the_door=True),
    Upload("too slow", "bot.py", _python("time.sleep(30)"), "conformance test", "FAIL"),
    Upload(
        "calls home",
        "bot.py",
        b"import socket\nsocket.create_connection(('192.0.2.1', 80), 2)\n",
        "conformance test",
        "unreachable",
    ),
)


def good() -> tuple[Upload, ...]:
    """Return the example bots whose languages this machine has, where sandboxes show them."""
    found = []
    for language, path, tool in _LANGUAGES:
        place = shutil.which(tool, path="/usr/local/bin:/usr/bin:/bin")
        if place is not None:
            found.append(Upload(language, Path(path).name, (EXAMPLES / path).read_bytes()))
    return tuple(found)


def changed(upload: Upload, word: str) -> Upload:
    """Return an upload of a source file with another comment at its end, so that each version has its own digest."""
    if upload.file.endswith(".zip"):
        return upload
    sign = "#" if upload.file.endswith(".py") else "//"
    return upload._replace(data=upload.data + f"{sign} {word}\n".encode())
