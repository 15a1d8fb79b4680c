"""Source text as a sequence of normalised tokens: what is left when names, numbers, texts and layout are changed."""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import PurePosixPath
from time import monotonic
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Whitespace

LEXERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((".py", ".pyx"), "python"),
        **dict.fromkeys((".c", ".h"), "c"),
        **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
        **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
        **dict.fromkeys((".ts", ".mts"), "typescript"),
        ".java": "java",
        ".rs": "rust",
        ".go": "go",
        ".cs": "csharp",
        ".kt": "kotlin",
        ".scala": "scala",
        ".swift": "swift",
        ".hs": "haskell",
        ".ml": "ocaml",
        ".jl": "julia",
        ".lua": "lua",
        ".rb": "ruby",
        ".zig": "zig",
    }
)
"""Pygments' word for the language of a source file, by how its name ends."""


MAX_SECONDS = 20.0
"""Longest that reading a file may take: some lexers take time of its square for ten thousand empty lines, say."""


class ReadsTooLong(Exception):
    """A file whose tokens are not found in time."""


class Tokens(NamedTuple):
    """The tokens of a file: a code for each, the same for tokens that count as equal, and its line, from 1 on."""

    codes: NDArray[np.uint64]
    lines: NDArray[np.int32]


def is_source(path: str) -> bool:
    """Return whether a file is compared, by its name."""
    return PurePosixPath(path).suffix.lower() in LEXERS


def tokenize(path: str, text: str, clock: Callable[[], float] = monotonic) -> Tokens:
    """Return the tokens of a source file, whose name tells its language.

    All names count as equal, so do all numbers and all texts.
    Comments, preprocessor lines and white space do not count. Raises `ReadsTooLong`.
    """
    codes: list[int] = []
    lines: list[int] = []
    line, seen, text_code = 1, 0, _code("text")
    deadline = clock() + MAX_SECONDS
    for place, kind, value in _lexer(LEXERS[PurePosixPath(path).suffix.lower()]).get_tokens_unprocessed(text):
        if clock() > deadline:
            raise ReadsTooLong
        if not value or value.isspace() or kind in Comment or kind in String.Doc or kind in Whitespace:
            continue
        line += text.count("\n", seen, place)
        seen = place
        if kind in String:
            # a text that some lexers cut into pieces is one token
            words = [] if codes and codes[-1] == text_code else ["text"]
        elif kind in Number:
            words = ["number"]
        elif kind in Name:
            words = ["name"]
        elif kind in Keyword:
            words = value.split()
        elif kind in Punctuation:
            words = list(value)
        else:
            words = [value.strip()]
        for word in words:
            codes.append(_code(word))
            lines.append(line)
    return Tokens(np.array(codes, np.uint64), np.array(lines, np.int32))


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name)


@cache
def _code(word: str) -> int:
    """Return a number of 64 bits that stands for a word, the same in every run."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
