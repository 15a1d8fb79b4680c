"""The catalogue of texts: for each language a folder, whose files give for an English text what it is there.

- ``pages.toml``: the texts of ``pages/NAME.html``, in a table for each; those of several pages, in the table ``all``
- ``scripts.toml``: the texts of scripts and of what the server makes as HTML; ``{0}`` stands for the first value
- ``further.toml``: more of these, of pages that few open, which alone load them (``shared/further_texts.js``), and of
  pages without scripts
- ``sentences.toml``: sentences of the server and the rules, which programs hear in English: ``{0}`` is any text,
  ``{0:word}`` one that is looked up by itself, ``{0:list}`` one with "or" between its parts, ``{0:number}`` a number or
  a length of time,
  and ``{0:sentence}`` one of these sentences, or a word
- ``refusals.toml``: more of these, by which something is refused: a script loads them when it hears the first one
- ``reports.toml``: a part: words and sentences of the report of a contest, as it is shown on a page
- ``german/server.toml``: a part: those of the templates that the server fills in, and of errors
"""

import json
import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from server.web.assets.texts.choice import USUAL
from server.web.assets.texts.markup import translated
from server.web.assets.texts.templates import translated_template

HOLE = re.compile(r"\{([0-9])(?::(word|list|number|sentence))?\}")

NUMBER = "[-+−±]?[0-9.½]+(?: (?:m?s|min|h))?"
"""A number, perhaps with a unit of time, which is the same in all languages."""

FOLDERS = {"de": "german"}
"""Where the languages other than English are."""


class Texts:
    """The texts of a language. A text that it does not have stays English."""

    def __init__(
        self,
        language: str,
        pages: dict[str, dict[str, str]],
        scripts: dict[str, str],
        sentences: dict[str, str],
    ) -> None:
        """Take what the files hold."""
        self.language = language
        self.pages, self.scripts, self.sentences = pages, scripts, sentences
        self._forms = [_Form(form, words) for form, words in sentences.items()]

    def __call__(self, text: str, *values: object) -> str:
        """Return a text with values in place of ``{0}``, ``{1}`` and so on."""
        return _filled(self.scripts.get(text, text), {str(at): str(value) for at, value in enumerate(values)})

    def count(self, number: int, one: str, many: str = "") -> str:
        """Return a number with its noun."""
        return f"{number} {self(one if number == 1 else many or f'{one}s')}"

    def word(self, page: str, text: str) -> str:
        """Return a text of a page."""
        everywhere = self.pages.get("all", {})
        return self.pages.get(page, {}).get(text) or everywhere.get(text, text)

    def page(self, page: str, markup: str) -> str:
        """Return the markup of a page in this language."""
        return translated(markup, lambda text: self.word(page, text)) if self.pages else markup

    def sentence(self, sentence: str) -> str:
        """Return a sentence of the server's in this language, as far as its form is known."""
        for form in self._forms:
            found = form.pattern.fullmatch(sentence) if form.longest in sentence else None
            if found is not None:
                told = zip(form.holes, found.groups(), strict=True)
                return _filled(form.words, {at: self._part(kind, text) for (at, kind), text in told})
        return sentence

    def _part(self, kind: str, text: str) -> str:
        """Return what stands in a hole of a sentence in this language."""
        if kind == "list":
            return self(" or ").join(text.split(" or "))
        if kind == "sentence":
            return self(self.sentence(text))
        if kind == "number":
            return text.replace(".", self("."))
        return self(text) if kind == "word" else text

    def template(self, source: str) -> str:
        """Return the source of a template in this language, before its expressions have values."""
        return translated_template(source, self)


@cache
def texts(language: str, *parts: str) -> Texts:
    """Return the texts of one of `server.web.assets.texts.choice.LANGUAGES`, those of parts among them, first first."""
    if language == USUAL:
        return Texts(language, {}, {}, {})
    words = _read(language, "scripts") | _read(language, "further")
    sentences = _read(language, "sentences") | _read(language, "refusals")
    for part in reversed(parts):
        more = _read(language, part)
        words, sentences = words | more["words"], more["sentences"] | sentences
    return Texts(language, _read(language, "pages"), words, sentences)


def modules(language: str) -> dict[str, bytes]:
    """Return the modules that scripts have their texts from, by their names: what each page needs, and what few do."""
    usual = {"texts": _read(language, "scripts"), "sentences": _read(language, "sentences")}
    more = {f"{language}-{name}": _read(language, name) for name in ("further", "refusals")}
    return {name: _module(told) for name, told in {language: usual, **more}.items()}


def _module(told: object) -> bytes:
    return f"export default {json.dumps(told, ensure_ascii=False, separators=(',', ':'))};\n".encode()


def _read(language: str, name: str) -> dict[str, Any]:
    file = files("server.web.assets.texts") / FOLDERS[language] / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


class _Form:
    """A form of sentences, and its words in a language."""

    def __init__(self, form: str, words: str) -> None:
        parts = HOLE.split(form)[::3]
        self.words = words
        self.holes = HOLE.findall(form)
        texts = [re.escape(parts[0])]
        for (_, kind), part in zip(self.holes, parts[1:], strict=True):
            texts += [f"({NUMBER if kind == 'number' else '.+?'})", re.escape(part)]
        self.pattern = re.compile("".join(texts), re.DOTALL)
        self.longest = max(parts, key=len)
        """What each such sentence holds: most forms are put aside by it, ten times as fast as by a match."""


def _filled(text: str, values: dict[str, str]) -> str:
    return HOLE.sub(lambda hole: values[hole[1]], text) if values else text
