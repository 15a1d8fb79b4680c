"""Processes that compile the same at the same time do so once: a lock per folder of compiled code."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from engine.compiling import code_cache
from engine.compiling.binding import can_compile, specialise
from engine.compiling.code_cache import folder_lock
from tests.waiting import BUILD_SECONDS

pytestmark = pytest.mark.timeout(BUILD_SECONDS)

fcntl = pytest.importorskip("fcntl")


def is_locked(folder: Path) -> bool:
    """Tell whether another file descriptor, as of another process, would have to wait."""
    with (folder / "lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_a_lock_is_held_as_long_as_its_body_runs_and_can_be_nested(tmp_path: Path) -> None:
    with folder_lock(tmp_path):
        with folder_lock(tmp_path):
            assert is_locked(tmp_path)
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o200, (
        "programs in sandboxes read the folder, and lock nothing"
    )


def test_an_error_unlocks_and_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="of the body"), folder_lock(tmp_path):
        raise OSError("of the body")
    assert not is_locked(tmp_path)


def test_another_process_waits_for_the_lock(tmp_path: Path) -> None:
    """It says each time that it was refused the lock, and at last that it has it."""
    code = f"""
import fcntl
from pathlib import Path
from engine.compiling.code_cache import folder_lock

lock = fcntl.flock

def told(*arguments):
    try:
        lock(*arguments)
    except BlockingIOError:
        print("refused", flush=True)
        raise

fcntl.flock = told
with folder_lock(Path({str(tmp_path)!r})):
    print("held")
"""
    with folder_lock(tmp_path):
        process = subprocess.Popen([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "refused\n"
    *refused, last = process.communicate(timeout=BUILD_SECONDS)[0].split()
    assert set(refused) <= {"refused"}
    assert last == "held"


def test_a_process_that_holds_a_lock_for_too_long_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each function that is called for the first time asks for the lock of its folder, and a folder has dozens."""
    monkeypatch.setattr(code_cache, "MAX_WAIT_SECONDS", 5 * code_cache.POLL_SECONDS)
    asked = []
    lock = fcntl.flock

    def counted(file: BinaryIO, operation: int) -> None:
        asked.append(operation)
        lock(file, operation)

    with (tmp_path / "lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(fcntl, "flock", counted)
        with folder_lock(tmp_path):
            assert len(asked) == 5
        with folder_lock(tmp_path):
            assert len(asked) == 5


def test_where_no_lock_can_be_made_there_is_none(tmp_path: Path) -> None:
    entered = False
    with folder_lock(tmp_path / "missing"):
        entered = True
    assert entered and not (tmp_path / "missing").exists()


def called(number: int) -> int:
    return number + 1


def calling(number: int) -> int:
    return called(called(number))


@pytest.mark.slow
@pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")
def test_what_is_compiled_is_compiled_under_the_lock_of_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second call of a compiled function takes no lock, nor does the first one where the disk has its code."""
    locked: list[Path] = []
    folders: list[Path | None] = []
    folder_of = code_cache.folder_of

    @contextmanager
    def watched(folder: Path) -> Iterator[None]:
        locked.append(folder)
        with folder_lock(folder):
            yield

    def noted(fingerprints: Iterable[str]) -> Path | None:
        folders.append(folder_of(fingerprints))
        return folders[-1]

    monkeypatch.setattr(code_cache, "folder_lock", watched)
    monkeypatch.setattr(code_cache, "folder_of", noted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (compiled,) = specialise((calling,), "lock", {}, compile=True)
    assert locked == []
    assert compiled(3) == 5
    assert folders[0] is not None
    assert locked == folders
    assert compiled(4) == 6
    assert locked == folders
    (again,) = specialise((calling,), "lock", {}, compile=True)
    assert again(3) == 5 and locked == folders[:1]
