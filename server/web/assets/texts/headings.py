"""The words of a contest's report on a page: headings, heads of columns, labels, and sentences. Pure.

The report is made in English, for the disk and for pages alike (`server.contest.report`); entrants' names stand between
its words, so only elements that never hold a name by itself are looked at, and sentences by their form.
"""

import re

from server.web.assets.texts.catalogue import Texts
from server.web.assets.texts.choice import USUAL

WORDS = re.compile(
    r'(?P<before><(?:th scope="col"|dt|h2|h3|abbr|summary|strong|a class="button"|li><a href="#|td class="centre"'
    r'|td class="words"|(?:p|td|span) class="(?:left |against )?(?:said|played|marks?|side nobody)")[^>]*>'
    r'|data-label=")'
    r'(?P<words>[^<"]+)'
)
"""Elements and attributes of which a heading or a label is all that they have."""

SENTENCES = re.compile(
    r'(?P<before><(?:caption|title|li|p|span|td)(?: [^>]*)?>|(?<=\s)(?:title|aria-label)=")(?P<words>[^<"]+)'
)
"""Those that hold a sentence, or a reason and a sentence behind a colon. No form of a sentence is that of a name."""

POINT = re.compile(
    r"(?<=[0-9])\.(?=[0-9]+ (?:%|s|ms)(?![a-z]))|(?<=[+−][0-9])\.(?=[0-9])"
    r'|(?P<cell><td(?: data-label="[^"]*")?>[0-9]+)\.(?=[0-9]+</td>)'
)
"""The decimal point of a figure, which has a unit or a sign, or is all that a cell holds."""


def in_language(markup: str, words: Texts) -> str:
    """Return the markup of a report's part in a language, of which these are the texts of reports."""
    if words.language == USUAL:
        return markup

    def heading(found: re.Match[str]) -> str:
        return found["before"] + _around(found["words"], words)

    def sentence(found: re.Match[str]) -> str:
        text = " ".join(found["words"].split())
        if " " not in text and found["before"].endswith(">"):  # a name or a figure, as most cells hold
            return found[0]
        reason, colon, rest = text.partition(": ")
        if colon and words(reason) != reason:
            return f"{found['before']}{words(reason)}: {words(words.sentence(rest))}"
        told = words.sentence(text)
        return found["before"] + (found["words"] if told == text else _with_blanks(found["words"], told))

    bare = markup.replace("&#39;", "'")  # as the catalogue has it; attributes stand in double quotes
    told = WORDS.sub(heading, SENTENCES.sub(sentence, bare))
    return POINT.sub(lambda found: (found["cell"] or "") + words("."), told)


def _with_blanks(text: str, told: str) -> str:
    """Return what a text is in a language with a blank at either end where the text has one."""
    return f"{' ' if text[:1].isspace() else ''}{told}{' ' if text[-1:].isspace() else ''}"


def _around(text: str, words: Texts) -> str:
    """Return a text in a language with the blanks around it."""
    bare = text.strip()
    told = words(bare)
    return text.replace(bare, words.sentence(bare) if told == bare else told, 1)
