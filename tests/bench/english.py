"""How plain the words of the repository are: length of sentences, and sentences that begin with a free relative.

``python -m tests.bench.english`` prints a line for each document and for the docstrings of each package.
``--list`` also prints each sentence that begins with one of `RELATIVES` or has more than `LONG_WORDS` words.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

RELATIVES = ("Who", "What", "Whoever", "Those", "Of", "Whose", "That of")
"""Beginnings of sentences that a reader has to decode."""

LONG_WORDS = 25
"""Words in a sentence, beyond which it holds two thoughts."""

DOCUMENTS = [ROOT / "README.md", ROOT / "protocol.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PACKAGES = ("engine", "server", "bots", "tests")


def paragraphs_of_document(text: str) -> Iterator[str]:
    """Yield the prose of a Markdown document: paragraphs, list items and cells, without code, links and headings."""
    text = re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(    .*|#.*|!\[.*|---+)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        if block.lstrip().startswith("|"):
            for row in block.strip().splitlines():
                yield from (cell.strip() for cell in row.strip("| ").split("|"))
        else:
            yield re.sub(r"^\s*(?:[-*]|\d+\.) ", "", block).replace("**", "").replace("\n", " ").strip()


def docstrings(source: str) -> Iterator[str]:
    """Yield the paragraphs of a module's docstrings, and of the strings that describe its constants."""
    for node in ast.walk(ast.parse(source)):
        for child in ast.iter_child_nodes(node):
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(text := child.value.value, str)
            ):
                yield from (re.sub(r"\s+", " ", each).strip() for each in re.split(r"\n\s*\n|\n\s*- ", text))


def sentences(paragraphs: Iterator[str]) -> Iterator[str]:
    """Yield the sentences of paragraphs that have a verb's length: three words at least."""
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`(])", paragraph):
            if len(sentence.split()) >= 3:
                yield sentence


def main() -> None:
    texts = {
        path.relative_to(ROOT).as_posix(): list(sentences(paragraphs_of_document(path.read_text("utf-8"))))
        for path in DOCUMENTS
    }
    for package in PACKAGES:
        sources = [path.read_text("utf-8") for path in sorted((ROOT / package).rglob("*.py"))]
        texts[f"docstrings of {package}"] = [one for source in sources for one in sentences(docstrings(source))]
    print(f"{'':34}{'sentences':>10}{'mean words':>12}{f'over {LONG_WORDS}':>9}{'relatives':>11}")
    for name, found in texts.items():
        counts = [len(sentence.split()) for sentence in found]
        begin = [sentence for sentence in found if re.match(rf"(?:{'|'.join(RELATIVES)})\b(?! course)", sentence)]
        long = [sentence for sentence in found if len(sentence.split()) > LONG_WORDS]
        mean = sum(counts) / len(counts)
        print(f"{name:34}{len(found):>10}{mean:>12.1f}{len(long):>9}{len(begin):>11}")
        if "--list" in sys.argv[1:]:
            print(*(f"    {sentence}" for sentence in [*begin, *long]), sep="\n")


if __name__ == "__main__":
    main()
