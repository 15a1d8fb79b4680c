"""Figures for those who watch over the server: they add up, always."""

from pathlib import Path

import trio
from hypothesis import given, strategies as st
from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock

from engine.games.interface import Termination
from engine.wire import messages as m
from server.match.stats import Histogram
from server.web.http.metrics_endpoint import exposition, serve_metrics
from tests.server.harness import ArenaHarness, open_arena, play
from tests.waiting import WAIT_SECONDS

Figures = dict[tuple[str, str], float]
"""By name, and reason or bound where there is one."""


def read(text: str) -> Figures:
    return {
        (sample.name, sample.labels.get("reason", sample.labels.get("le", ""))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figures(harness: ArenaHarness) -> Figures:
    return read(exposition(harness.arena, harness.rate_limiter)().decode())


def adds_up(found: Figures) -> bool:
    """Started is what is running, and what has ended for any reason."""
    ended = sum(value for (name, _), value in found.items() if name == "arena_matches_ended_total")
    return found["arena_matches_started_total", ""] == found["arena_matches_running", ""] + ended


@given(values=st.lists(st.integers(-5, 2**28), max_size=50))
def test_histogram_counts_every_value_below_each_bound(values: list[int]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    total = 0
    for power, count in enumerate(histogram.counts[:-1]):
        total += count
        assert total == sum(value <= (1 << power) - 1 for value in values)
    assert total + histogram.counts[-1] == len(values)
    assert histogram.sum == sum(max(0, value) for value in values)


async def test_figures_add_up_whatever_ends_the_matches(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path / "a") as harness:
        assert adds_up(figures(harness))
        reasons = [Termination.RESIGN, Termination.TIME, Termination.BAD_MOVE, Termination.SERVER_FAULT]
        for reason in reasons:
            ann, bob = await harness.begin()
            await play(ann, bob, "a4-b4")
            assert adds_up(figures(harness)) and figures(harness)["arena_matches_running", ""] == 1
            await bob.hear(m.Turn)
            if reason is Termination.RESIGN:
                await bob.say(m.Resign())
            elif reason is Termination.BAD_MOVE:
                await bob.say(m.Move(m.Text("z9")))
            elif reason is Termination.SERVER_FAULT:
                harness.arena.annul(next(iter(harness.arena.matches.values())), reason, "a fault")
            assert (await bob.hear(m.Result)).reason == reason
            assert adds_up(figures(harness))
            for client in (ann, bob):
                await client.ask(m.Quit(), m.Bye)
            await trio.sleep(0.01)
        found = figures(harness)
        assert {
            key[1]: value for key, value in found.items() if key[0] == "arena_matches_ended_total"
        } == dict.fromkeys(reasons, 1.0)
        assert found["arena_move_seconds_count", ""] == len(reasons) + 1
        assert found["arena_flag_lateness_seconds_count", ""] == 1
        await harness.pair()
        assert adds_up(figures(harness))
        folder = harness.die()
    async with open_arena(folder) as harness:
        found = figures(harness)
        assert found["arena_matches_started_total", ""] == found["arena_matches_running", ""] == 1
        harness.arena.suspend(harness.match(next(iter(harness.arena.matches))))
        assert adds_up(figures(harness))


async def test_answers_over_http(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness, trio.open_nursery() as nursery:
        port = await nursery.start(serve_metrics, harness.arena, harness.rate_limiter, 0)

        async def ask(request: bytes) -> tuple[int, str]:
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            with trio.fail_after(WAIT_SECONDS):
                await stream.send_all(request)
                answer = b""
                while more := await stream.receive_some():
                    answer += more
            await stream.aclose()
            head, _, body = answer.decode().partition("\r\n\r\n")
            version, status = head.split()[:2]
            assert version == "HTTP/1.1" and "connection: close" in head.lower()
            return int(status), body

        for path in ("/metrics", "/metrics?name=x"):
            status, body = await ask(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert status == 200 and adds_up(read(body))
            assert read(body)["process_open_fds", ""] > 0
        assert await ask(b"GET /health HTTP/1.0\n\n") == (200, "ok\n")
        assert await ask(b"HEAD /health HTTP/1.0\r\n\r\n") == (200, "")
        assert (await ask(b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))[0] == 404
        assert (await ask(b"POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))[0] == 405
        assert (await ask(b"\xff\xfe\n\n"))[0] == 400
        harness.arena.stopping = True
        assert await ask(b"GET /health HTTP/1.0\n\n") == (503, "stopping\n")
        nursery.cancel_scope.cancel()
