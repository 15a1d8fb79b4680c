"""Who may log in: a file of names and hashed tokens, ``name sha256`` a line; ``#`` begins a comment."""

import re
import secrets
from hashlib import sha256
from pathlib import Path

from server.settings import NAME_PATTERN


class BadTokens(ValueError):
    """A token file that cannot be read; the sentence names the line."""


def read(path: Path) -> dict[str, str]:
    """Return name in lower case -> SHA-256 of the token, in hexadecimal. Raises `BadTokens` and OSError."""
    tokens: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not re.fullmatch(NAME_PATTERN, words[0]) or not re.fullmatch("[0-9a-f]{64}", words[1]):
            raise BadTokens(f"{path}, line {number}: expected a name and the SHA-256 of its token")
        if words[0].lower() in tokens:
            raise BadTokens(f"{path}, line {number}: {words[0]} stands there already")
        tokens[words[0].lower()] = words[1]
    return tokens


def add(path: Path, name: str) -> str:
    """Make a token for a player, put its hash into the file, and return it. Raises `BadTokens` and OSError."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadTokens(f"a name is 1 to 32 letters, digits, and any of _ . - behind the first; not {name!r}")
    if path.exists() and name.lower() in read(path):
        raise BadTokens(f"{path}: {name} has a token already; take its line out to make a new one")
    token = secrets.token_urlsafe(16)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{name} {sha256(token.encode()).hexdigest()}\n")
    return token
