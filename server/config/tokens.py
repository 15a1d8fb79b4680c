"""Token files: lines ``name sha256`` of the players who may log in; ``#`` begins a comment.

The organiser's token has a file of its own, with its hash alone.
"""

import hmac
import os
import re
import secrets
from hashlib import sha256
from pathlib import Path

from engine.wire.words import NAME_PATTERN, NAME_RULE

HASH = "[0-9a-f]{64}"
"""A SHA-256 in hexadecimal."""

NOBODY = "0" * 64
"""Stands for the hash of a token where there is none; no token has it."""


class BadTokens(ValueError):
    """A token file that cannot be read; the sentence names the line."""


def read(path: Path) -> dict[str, str]:
    """Return name in lower case -> SHA-256 of the token, in hexadecimal. Raises `BadTokens` and OSError."""
    tokens: dict[str, str] = {}
    for number, words in enumerate(_lines(path), 1):
        if not words:
            continue
        if len(words) != 2 or not re.fullmatch(NAME_PATTERN, words[0]) or not re.fullmatch(HASH, words[1]):
            raise BadTokens(f"{path}, line {number}: expected a name and the SHA-256 of its token")
        if words[0].lower() in tokens:
            raise BadTokens(f"{path}, line {number}: {words[0]} has a token on an earlier line; remove one of them")
        tokens[words[0].lower()] = words[1]
    return tokens


def read_organiser(path: Path) -> str:
    """Return the SHA-256 of the organiser's token, in hexadecimal. Raises `BadTokens` and OSError."""
    words = [word for line in _lines(path) for word in line]
    if len(words) != 1 or not re.fullmatch(HASH, words[0]):
        raise BadTokens(f"{path}: expected the SHA-256 of the organiser's token, 64 hexadecimal digits, and no more")
    return words[0]


def _lines(path: Path) -> list[list[str]]:
    """Return the words of each line, without comments."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadTokens(f"{path}: it is no text in UTF-8") from None
    return [line.partition("#")[0].split() for line in text.splitlines()]


def hashed(token: str) -> str:
    """Return the SHA-256 of a token, in hexadecimal: all that is kept of it."""
    return sha256(token.encode()).hexdigest()


def fits(known: str, token: str) -> bool:
    """Tell whether a token has a hash, which is empty where nobody has one.

    The time that this takes tells neither the token nor whether there is one.
    """
    return hmac.compare_digest(known or NOBODY, hashed(token)) and bool(known)


def add(path: Path, name: str) -> str:
    """Make a token for a player, put its hash into the file, and return it. Raises `BadTokens` and OSError."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadTokens(f"a name is {NAME_RULE}; not {name!r}")
    if path.exists() and name.lower() in read(path):
        raise BadTokens(f"{path}: {name} has a token already; remove its line to make a new one")
    token = secrets.token_hex(16)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{name} {hashed(token)}\n")
    return token


def make_organiser(path: Path) -> str:
    """Make the organiser's token, put its hash into a file that is not there yet, and return it.

    Raises `BadTokens` and OSError.
    """
    token = secrets.token_hex(16)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BadTokens(f"{path} exists already; remove it to make another token") from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{hashed(token)}\n")
    return token
