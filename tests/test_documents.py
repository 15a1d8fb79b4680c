"""References in the documents exist: modules, names, files and headings."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "server", "bots")
FOLDERS = (*PACKAGES, "tests", "docs")
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

DOTTED = re.compile(r"`((?:engine|server|bots|tests)(?:\.(?!(?:py|toml)`)\w+)+)`")
MEMBER = re.compile(r"`([A-Z]\w*[a-z]\w*)\.([a-z_]\w*)(?:\(\))?`")
FILE = re.compile(r"`([\w./-]+)`")
PLACEHOLDERS = ("NAME", "GAME")
"""Words in paths that stand for any name."""


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def without_blocks(document: Path) -> str:
    """Return the text of a document but for its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text_of(document), flags=re.MULTILINE | re.DOTALL)


@cache
def exists(dotted: str) -> bool:
    """Tell whether a dotted name is a module, or something that a module, or a class in it, has."""
    owner, _, name = dotted.rpartition(".")
    try:
        found = resolve_name(owner)
        return hasattr(found, name) or name in getattr(found, "__annotations__", {}) or bool(resolve_name(dotted))
    except (ImportError, AttributeError):
        return False


def is_there(pattern: str, folder: Path = ROOT) -> bool:
    """Tell whether a folder has a file or folder of a path, in which placeholders stand for anything."""
    for word in PLACEHOLDERS:
        pattern = re.sub(rf"\b{word}\b", "*", pattern)
    return any(folder.glob(pattern.rstrip("/")))


def anchors(document: Path) -> set[str]:
    """Return what links can name of a document: its headings in lower case, with hyphens for spaces."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def rooms() -> Iterator[tuple[str, str]]:
    """Yield the folders and modules in the tree of the architecture, each with the package that it belongs to."""
    (tree,) = re.findall(r"^```\n(server/.*?)^```$", text_of(ARCHITECTURE), re.MULTILINE | re.DOTALL)
    package = ""
    for line in tree.splitlines():
        if named := re.match(r"(\w+)/", line):
            package = named[1]
        elif line and not line.startswith(" "):
            package = ""
        for name in re.findall(r"(?<![\w/])(\w+(?:/|\.py))(?=[\s,:)]|$)", line):
            if name != f"{package}/":
                yield package, name


def test_modules_and_what_they_have_are_called_by_names_that_exist() -> None:
    """In documents, docstrings and comments."""
    named = [
        (path.relative_to(ROOT), name) for path in [*DOCUMENTS, *SOURCES] for name in DOTTED.findall(text_of(path))
    ]
    assert [(str(path), name) for path, name in named if not exists(name)] == []
    assert len(named) > 100


@pytest.mark.slow
def test_members_that_documents_name_exist() -> None:
    sources = [text_of(path) for path in SOURCES]
    count = 0
    for document in DOCUMENTS:
        for owner, member in MEMBER.findall(text_of(document)):
            defining = [text for text in sources if re.search(rf"^class {owner}\b", text, re.MULTILINE)]
            assert any(re.search(rf"\b{member}\b", text) for text in defining), f"{document.name}: {owner}.{member}"
            count += 1
    assert count > 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_of_the_repository_that_documents_name_exist(document: Path) -> None:
    """By their paths from the root; tests, and in the architecture modules, also by the end of their paths."""
    missing = []
    for name in FILE.findall(text_of(document)):
        if name.split("/")[0] in FOLDERS and "/" in name:
            if not is_there(name):
                missing.append(name)
        elif re.fullmatch(r"test_\w+\.py", name):
            if not is_there(f"tests/**/{name}"):
                missing.append(name)
        elif (
            document == ARCHITECTURE and name.endswith(".py") and not any(is_there(f"{p}/**/{name}") for p in PACKAGES)
        ):
            missing.append(name)
    assert missing == []


def test_rooms_of_the_architecture_exist() -> None:
    named = list(rooms())
    assert [room for room in named if not is_there(f"**/{room[1]}", ROOT / room[0])] == []
    assert {package for package, _ in named} >= set(PACKAGES)
    assert len(named) > 50


def test_every_link_leads_to_a_file_and_to_a_heading() -> None:
    links = [
        (document, target, anchor)
        for document in DOCUMENTS
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", text_of(document))
    ]
    assert len(links) > 20 and any(anchor for _, _, anchor in links)
    for document, target, anchor in links:
        place = document.parent / target if target else document
        assert place.exists(), f"{document.name}: {target}"
        assert not anchor or anchor in anchors(place), f"{document.name}: {target}#{anchor}"
