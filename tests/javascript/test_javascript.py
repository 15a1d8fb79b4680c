"""Scripts of the pages are checked where node is there, and where it is not, one line says so."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.javascript import __main__ as javascript


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def only(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name in programs else None)


@pytest.mark.parametrize(
    ("programs", "why"),
    [((), "there is no node on this machine"), (("node",), "there is no npm on this machine")],
)
def test_without_node_one_line_says_why_nothing_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], programs: tuple[str, ...], why: str
) -> None:
    only(monkeypatch, *programs)
    javascript.main()
    assert capsys.readouterr().out == f"the scripts of the pages are not checked: {why}\n"


def test_without_a_network_one_line_says_why_nothing_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    only(monkeypatch, "node", "npm")

    def npm(command: list[str], **_options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "npm error ENOTFOUND\nnpm error no network\n")

    monkeypatch.setattr(subprocess, "run", npm)
    javascript.main()
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "npm error ENOTFOUND npm error no network" in said
    assert not list((tmp_path / "gipf-arena").iterdir()), "what is half installed is gone"


@pytest.mark.parametrize("statuses", [(0, 0), (2, 0), (0, 1), (1, 1)])
def test_what_either_program_finds_fails_the_check(monkeypatch: pytest.MonkeyPatch, statuses: tuple[int, int]) -> None:
    only(monkeypatch, "node", "npm")
    commands: list[list[str]] = []

    def run(command: list[str], cwd: Path | str, **_options: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if command[0] == "npm":
            (Path(cwd) / "node_modules" / ".bin").mkdir(parents=True)
            return subprocess.CompletedProcess(command, 0, "", "")
        return subprocess.CompletedProcess(command, statuses[Path(command[0]).name == "biome"], "", "")

    monkeypatch.setattr(subprocess, "run", run)
    for programs in (["npm", "tsc", "biome"], ["tsc", "biome"]):  # the second time from the cache
        commands.clear()
        with pytest.raises(SystemExit) as ended:
            javascript.main()
        assert bool(ended.value.code) == any(statuses)
        assert [Path(command[0]).name for command in commands] == programs
