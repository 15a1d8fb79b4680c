"""Detection of files in a bot's folder that shadow modules of the arena, after a failed import."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bots.client.errors import HiddenModule
from bots.client.failures import show_in_one_line

OURS = frozenset({"bots", "engine"})
"""Packages of the arena that a bot imports."""

NEEDED = OURS | sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "cyclopts", "rich"}
"""Modules that importing the client library may need."""


@contextmanager
def explained_imports() -> Iterator[None]:
    """Raise `HiddenModule` for an import that fails because a file of the program shadows a module."""
    try:
        yield
    except Exception as error:
        found = hidden(Path(sys.path[0] if sys.path else "").absolute(), f"{error}")
        if not found:
            raise
        show_in_one_line()
        raise HiddenModule(f"{_sentence(found)} ({type(error).__name__}: {error})") from error


def hidden(folder: Path, error: str = "") -> list[Path]:
    """Return the files and packages in a folder that hide modules which are needed: those that an error names, or all.

    The arena's own packages hide nothing, nor does what cannot be read.
    """
    if folder == Path(__file__).parent.parent:
        return []
    try:
        candidates = sorted(
            path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
        )
    except OSError:
        return []
    found = [path for path in candidates if path.stem in NEEDED]
    named = [path for path in found if re.search(rf"\b{re.escape(path.stem)}\b", error)]
    return named or found


def hides_us(folder: Path) -> str:
    """Return a sentence on the files in a folder that hide the arena's own packages; empty where there are none."""
    found = [path for path in hidden(folder) if path.stem in OURS]
    return _sentence(found) if found else ""


def _sentence(found: list[Path]) -> str:
    names = " and ".join(f"{path} hides the module {path.stem!r}" for path in found)
    return f"{names}, which the arena's client library needs: rename {'it' if len(found) == 1 else 'them'}"
