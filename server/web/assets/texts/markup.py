"""The visible texts of markup: of elements, and of attributes that are shown or said. Pure.

It is made for the pages' own files, which hold neither scripts nor comments.
"""

import re
from collections.abc import Callable, Iterator

TEXT = re.compile(
    r"(?P<kept>(?<=<code>)[^<]+)|(?<=>)(?P<text>[^<]+)(?=<)"
    r'|(?<=\s)(?P<name>aria-label|title|placeholder)="(?P<value>[^"]*)"'
)

LETTER = re.compile(r"[^\W\d_]")


def texts_of(markup: str) -> Iterator[str]:
    """Yield the texts that hold letters, each in one line; code is left out."""
    for found in TEXT.finditer(markup):
        text = found["value"] if found["text"] is None else found["text"]
        if text and LETTER.search(text):
            yield " ".join(text.split())


def translated(markup: str, translate: Callable[[str], str]) -> str:
    """Return markup with its texts replaced, each of which is given in one line."""

    def replaced(found: re.Match[str]) -> str:
        if found["kept"]:
            return found[0]
        text = found["value"] if found["text"] is None else found["text"]
        if not LETTER.search(text):
            return found[0]
        words = translate(" ".join(text.split()))
        if found["text"] is None:
            return f'{found["name"]}="{words}"'
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return before + words + after

    return TEXT.sub(replaced, markup)
