"""The server as a process, over real sockets, in real time."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.match import verification
from engine.wire import messages as m
from tests.server.process import ServerProcess, pair, run_program
from tests.waiting import WAIT_SECONDS


@contextmanager
def hangup(handler: signal.Handlers) -> Iterator[None]:
    """Let servers inherit a handler of SIGHUP. Tests that run under nohup ignore the signal."""
    before = signal.signal(signal.SIGHUP, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
def test_matches_over_sockets_then_an_orderly_stop_by_ctrl_c_also_under_nohup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under ``python -OO``, which the interpreter reads from its environment, too."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    with hangup(signal.SIG_IGN), ServerProcess(tmp_path) as server:
        with pair(server.port, "params=2,3,5,5 budget=60000") as (ann, _):
            server.process.send_signal(signal.SIGHUP)
            assert ann.ask(m.Move(m.Text("a1-b2")), m.Result).reason == "dead_lock"
        with pair(server.port) as (ann, bob):
            ann.say(m.Move(m.Text("a5-b5")))
            assert bob.hear(m.Moved).move == "a5-b5"
            bob.hear(m.Turn)
            assert server.stop(signal.SIGINT) == 0
            assert bob.hear(m.Result).reason == "server_stop"
            assert ann.hear(m.Bye).reason == "stopping"
    for number, reason in ((1, "dead_lock"), (2, "server_stop")):
        assert verification.verify((tmp_path / "records" / f"{number}.txt").read_text()).reason == reason
    assert "number=1" in server.log and "reason=dead_lock" in server.log


@pytest.mark.slow
def test_a_hangup_stops_the_server_in_order_and_grace_lets_running_matches_end(tmp_path: Path) -> None:
    with (
        hangup(signal.SIG_DFL),
        ServerProcess(tmp_path, "--grace", "600") as server,
        pair(server.port) as (ann, bob),
    ):
        server.process.send_signal(signal.SIGHUP)
        assert "signal=SIGHUP" in server.logs("event=server_stopping")
        ann.say(m.Resign())
        assert bob.hear(m.Result).reason == "resign"
        assert server.process.wait(WAIT_SECONDS) == 0


@pytest.mark.slow
def test_demonstration_ends_with_a_verified_record(tmp_path: Path) -> None:
    words = ("demo", "--first", "random", "--second", "random", "--budget", "5000")
    done = run_program("server", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Verified: " in done.stdout
    players = verification.verify((tmp_path / "demo-record.txt").read_text()).header.players
    assert sorted(players) == ["random", "random.2"]
