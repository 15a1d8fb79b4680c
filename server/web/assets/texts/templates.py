"""The visible texts of Jinja templates, found and put in another language before the template is compiled. Pure.

A text is written in English in the template, with expressions between its words: ``Match {{ number }}`` is the text
``Match {0}``. Statements (``{% if … %}``) and elements end a text. Words within an expression are not seen: there a
template says ``{{ t("…") }}``, or ``{{ count(n, "game") }}`` of a number with its noun.
"""

import re
from collections.abc import Callable, Iterator

PART = re.compile(
    r"(?P<kept>\{#.*?#\}|\{%.*?%\}|<code\b.*?</code>)"
    r"|(?P<tag><(?:\{\{.*?\}\}|\{%.*?%\}|[^>])*>)"
    r"|(?P<text>(?:\{\{.*?\}\}|[^<{]|\{(?![{%#]))+)",
    re.DOTALL,
)

ATTRIBUTE = re.compile(
    r'(?<=\s)(aria-label|title|placeholder|data-label)="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"', re.DOTALL
)

EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)

HOLE = re.compile(r"\{([0-9])\}")

LETTER = re.compile(r"[^\W\d_]")


def texts_of_template(source: str) -> Iterator[str]:
    """Yield the texts of a template, each in one line with ``{0}``, ``{1}`` and so on for its expressions."""
    found: list[str] = []

    def seen(text: str) -> str:
        found.append(text)
        return text

    translated_template(source, seen)
    yield from found


def translated_template(source: str, translate: Callable[[str], str]) -> str:
    """Return a template with its texts replaced."""

    def replaced(part: re.Match[str]) -> str:
        if part["tag"]:
            return ATTRIBUTE.sub(lambda found: f'{found[1]}="{_told(found[2], translate)}"', part["tag"])
        return part[0] if part["kept"] else _told(part["text"], translate)

    return PART.sub(replaced, source)


def _told(text: str, translate: Callable[[str], str]) -> str:
    """Return a text in another language, with the expressions and the blanks around it."""
    expressions = EXPRESSION.findall(text)
    pieces = EXPRESSION.split(text)
    if not any(map(LETTER.search, pieces)):
        return text
    form = "".join(f"{piece}{{{at}}}" for at, piece in enumerate(pieces))[: -len(f"{{{len(expressions)}}}")]
    words = translate(" ".join(form.split()))
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return before + HOLE.sub(lambda hole: expressions[int(hole[1])], words) + after
