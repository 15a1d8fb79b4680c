"""The programs of docs/learning.md, run as they stand there."""

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from bots.client import GameResult, play
from bots.random_bot import RandomBot
from engine.cli import run as engine_command
from tests.engine.records import records
from tests.server.process import ServerProcess

DOCUMENT = Path(__file__).parents[2] / "docs" / "learning.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PLAYS = [block for block in BLOCKS if "play(" in block]


def skip_what_is_not_installed(program: str) -> None:
    """Skip the test of a program that needs an extra."""
    if "pettingzoo_env" in program:
        pytest.importorskip("pettingzoo", reason="the extra pettingzoo is not installed")


def run(program: str) -> dict[str, Any]:
    """Run a program in the present folder, and return its names."""
    names: dict[str, Any] = {"__name__": "__main__", "network": lambda planes: 1 + planes.sum()}
    exec(compile(program, DOCUMENT.name, "exec"), names)
    return names


@pytest.mark.parametrize("number", [number for number, block in enumerate(BLOCKS) if block not in PLAYS])
def test_programs_run(
    number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = tmp_path / "17.txt"
    record.write_text(records()["won on the board"], encoding="utf-8")
    assert engine_command(["export", str(record), "--output", "moves.ndjson"]) == 0
    skip_what_is_not_installed(BLOCKS[number])
    names = run(BLOCKS[number])
    shown = capsys.readouterr().out
    if "won" in names:
        assert [row["move"] for row in names["won"]] == ["a1", "a2", "a3"]
    elif "game" in names:
        assert names["game"].agents == []
    else:
        assert shown.startswith("264 (6, 7, 7) ('own pieces', ") and shown.endswith("\n(1,)\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PLAYS)))
def test_programs_that_play_do_so_on_a_server(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    skip_what_is_not_installed(PLAYS[number])
    found = re.search(r'game="(\w+)", params="([\d ]+)"', PLAYS[number])
    assert found is not None
    results: list[GameResult] = []
    with ServerProcess(tmp_path / "data") as server:
        monkeypatch.setenv("ARENA_PORT", str(server.port))
        monkeypatch.setenv("ARENA_NAME", "learned")

        def oppose() -> None:
            results.extend(play(RandomBot(1), name="random", game=found[1], params=found[2], port=server.port))

        opponent = threading.Thread(target=oppose)
        opponent.start()
        try:
            run(PLAYS[number])
        except BaseException:
            server.kill()  # the opponent would wait for ever
            raise
        finally:
            opponent.join()
    assert results[0].reason not in ("bad_move", "resign", "crashed", "time")
