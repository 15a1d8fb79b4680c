"""What of /etc a sandbox shows is one copy where it can be made, and as much where it cannot."""

import shutil
import tempfile
import time
from pathlib import Path

import pytest

from server.contest.programs.sandbox import bubblewrap


@pytest.fixture
def etc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    etc = tmp_path / "etc"
    files = {"hosts": "here", "shadow": "secret", "ssl/openssl.cnf": "ciphers", "ssl/private/key": "secret"}
    for name, text in files.items():
        (etc / name).parent.mkdir(parents=True, exist_ok=True)
        (etc / name).write_text(text)
    (etc / "alternatives").mkdir()
    (etc / "alternatives" / "java").symlink_to("/usr/lib/jvm/bin/java")
    (etc / "localtime").symlink_to(etc / "hosts")
    monkeypatch.setattr(bubblewrap, "ETC", etc)
    return etc


def test_a_copy_has_what_programs_need_and_nothing_else(etc: Path, tmp_path: Path) -> None:
    bind, copy, at = bubblewrap.system_settings(tmp_path / "cache" / "new")
    assert (bind, at) == ("--ro-bind", str(etc))
    found = {str(path.relative_to(copy)) for path in Path(copy).rglob("*") if not path.is_dir()}
    assert found == {"hosts", "ssl/openssl.cnf", "alternatives/java", "localtime"}
    assert (Path(copy) / "alternatives" / "java").readlink() == Path("/usr/lib/jvm/bin/java")
    assert not (Path(copy) / "localtime").is_symlink(), "what it leads to may not be there in a sandbox"
    assert (Path(copy) / "localtime").read_text() == "here"
    assert bubblewrap.system_settings(tmp_path / "cache" / "new") == (bind, copy, at)
    (etc / "hosts").write_text("elsewhere")
    _, other, _ = bubblewrap.system_settings(tmp_path / "cache" / "new")
    assert (Path(other) / "hosts").read_text() == "elsewhere"


def test_a_copy_is_removed_when_another_one_is_made_and_it_is_old(
    etc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first, _ = bubblewrap.system_settings(tmp_path / "cache")
    (etc / "hosts").write_text("elsewhere")
    _, second, _ = bubblewrap.system_settings(tmp_path / "cache")
    assert Path(first).is_dir(), "a process may still show it"
    later = time.time() + bubblewrap.KEEP_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert bubblewrap.system_settings(tmp_path / "cache")[1] == second and Path(first).is_dir()
    (etc / "hosts").write_text("nowhere")
    monkeypatch.setattr(time, "time", lambda: later)
    bubblewrap.system_settings(tmp_path / "cache")
    assert not Path(first).exists() and not Path(second).exists()


@pytest.mark.parametrize("fails", ["mkdtemp", "copy"])
def test_where_none_can_be_made_each_is_shown_by_itself(
    etc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile if fails == "mkdtemp" else shutil, fails, full)
    words = bubblewrap.system_settings(tmp_path / "cache")
    shown = ("alternatives", "hosts", "localtime", "ssl/openssl.cnf")
    assert words == tuple(word for name in shown for word in ("--ro-bind", f"{etc}/{name}", f"{etc}/{name}"))
    assert not list((tmp_path / "cache").iterdir()), "nothing is left of a copy that is not whole"
