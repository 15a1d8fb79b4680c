"""``arena-bot review``: where records come from, and what is printed."""

import io
import json
import signal
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from inline_snapshot import snapshot

from bots.workbench import review as review_text
from engine.match import review as review_module
from tests.bots.test_cli import run
from tests.engine.records import Table

TEXT = Table("mnk", "3 3 3").ready().play("b2", "a1", "c1", "a3", "a2", "c2", "b3", "b1", "c3").text
NODES = ("--nodes", "100")


@pytest.fixture(autouse=True)
def _much_for_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tic-tac-toe be solved, without a search of many nodes."""
    monkeypatch.setattr(review_module, "SOLVER_SHARE", 1)


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "drawn.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


@pytest.fixture
def site() -> Iterator[str]:
    """A server that has match 17 as `arena-server` has it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            there = self.path == "/api/matches/17/record"
            answer = '{"error":"there is no match 18 here"}' if "/matches/" in self.path else "<h1>Not Found</h1>"
            self.send_response(200 if there else 404)
            self.end_headers()
            self.wfile.write((TEXT if there else answer).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_each_move_takes_a_line_and_each_side_one(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, error = run(capsys, "review", record, *NODES)
    lines = output.splitlines()
    assert (status, error) == (0, "")
    assert lines[0].startswith("m,n,k 3 3 3: alice (first) against bob (second), 2026-")
    assert lines[2].split() == ["ply", "side", "move", "best", "best", "is", "move", "is", "loss"]
    assert lines[5].split() == ["3", "first", "c1", "=", "draw", "draw", "0"]
    assert lines[8].split() == ["6", "second", "c2", "=", "draw", "draw", "0"]
    assert lines[-2] == "alice (first): 5 moves, 5 the best; average loss 0.0"
    assert lines[-1] == "bob (second): 4 moves, 4 the best; average loss 0.0"
    assert len(lines) == 3 + 9 + 2


def test_marks_stand_beside_the_move_and_in_the_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Table("mnk", "3 3 3").ready().play("b2", "a1", "c1", "b3", "a3").text
    (tmp_path / "lost.txt").write_text(text, encoding="utf-8")
    status, output, _ = run(capsys, "review", str(tmp_path / "lost.txt"), *NODES)
    lines = output.splitlines()
    assert status == 0
    assert lines[6].split() == ["4", "second", "b3", "a3", "draw", "loss", "2", "blunder"]
    assert lines[7].split() == ["5", "first", "a3", "=", "win", "1", "win", "1", "0"]
    assert lines[-1] == "bob (second): 2 moves, 1 the best; average loss 0.0 in 1 of them; blunder at 4"


@pytest.mark.slow
def test_the_same_as_json(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, error = run(capsys, "review", record, *NODES, "--json", "-")
    told = json.loads(output)
    assert status == 0 and error.startswith("m,n,k 3 3 3: ")
    assert (told["report"], told["match"], told["game"], told["params"]) == ("review", 17, "mnk", "3 3 3")
    assert told["nodes"] == 100 and [side["name"] for side in told["sides"]] == ["alice", "bob"]
    assert [move["move"] for move in told["moves"]][:3] == ["b2", "a1", "c1"]
    assert told["moves"][8] == {
        "ply": 9, "side": "first", "move": "c3", "worth": {"result": "draw", "plies": None}, "best": "c3",
        "best_worth": {"result": "draw", "plies": None}, "line": ["c3"], "loss": 0, "marks": [],
    }  # fmt: skip


def test_a_record_is_named_in_every_way(
    tmp_path: Path, site: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data" / "records").mkdir(parents=True)
    (tmp_path / "data" / "records" / "17.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    few = ("--nodes", "1")
    data = ("--data", str(tmp_path / "data"))
    told = [run(capsys, "review", name, *few, *data) for name in ("17", "-", f"{site}/match/17", f"{site}/match/17#9")]
    assert {status for status, _, _ in told} == {0}
    assert len({output for _, output, _ in told}) == 1


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("match/18", snapshot("arena-bot: SITE/api/matches/18/record: there is no match 18 here")),
        ("nothing", snapshot("arena-bot: SITE/nothing: the server answers HTTP Error 404: Not Found")),
    ],
)
def test_what_a_site_has_not_is_named(page: str, sentence: str, site: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, error = run(capsys, "review", f"{site}/{page}")
    assert (status, output) == (2, "")
    assert error.rstrip().replace(site, "SITE") == sentence


def test_an_interrupt_ends_a_review_at_once_unless_it_is_ignored(
    record: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def line(*_: object) -> str:
        seen.append(signal.getsignal(signal.SIGINT))
        return ""

    monkeypatch.setattr(review_text, "line", line)
    before = signal.getsignal(signal.SIGINT)
    try:
        for handler in (signal.default_int_handler, signal.SIG_IGN):
            signal.signal(signal.SIGINT, handler)
            assert run(capsys, "review", record, "--nodes", "1")[0] == 0
            assert signal.getsignal(signal.SIGINT) == handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIG_DFL] * 9 + [signal.SIG_IGN] * 9
