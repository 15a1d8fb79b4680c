"""Running games whose position is proven end: matches over memory streams, in real time, with real processes."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.match import verification
from engine.wire import messages as m
from server.contest.definition import Adjudication
from server.contest.runtime import adjudication
from server.contest.runtime.adjudication import Adjudicator
from tests.server.harness import ArenaHarness, Client, open_arena, play, ready, until
from tests.waiting import WAIT_SECONDS

RULES = Adjudication(from_ply=0, seconds=600.0, megabytes=64)

PROVER = """
import json, os, pathlib, select, sys
folder, wanted = pathlib.Path(sys.argv[1]), None
def keep(name, line):
    with (folder / name).open("a") as file: file.write(f"{line}\\n")
def say(text):
    print(f"200 {len(text.encode())}", text, sep="\\n", end="", flush=True)
keep("processes", os.getpid())
say("")
read = b""
while True:
    if select.select([0], [], [], 0.005)[0]:
        data = os.read(0, 65536)
        if not data: break
        read += data
        while b"\\n" in read:
            head, _, rest = read.partition(b"\\n")
            kind, length = head.decode().split()
            if len(rest) < int(length): break
            line, read = rest[:int(length)].decode(), rest[int(length):]
            keep("given-up" if kind == "stop" else "questions", line)
            if kind == "prove": wanted = folder / f"answer-{json.loads(line)['text'].split()[4]}"
            elif wanted: wanted = say("null")
    if wanted and wanted.exists(): wanted = say(wanted.read_text())
"""
"""Answers what stands in a file, when it is there; its name has the reserve of the first side."""


@asynccontextmanager
async def adjudicated(harness: ArenaHarness, adjudicator: Adjudicator) -> AsyncIterator[None]:
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(adjudicator.run, lambda: [harness.match(number) for number in harness.arena.matches])
            yield
            nursery.cancel_scope.cancel()


def by_hand(folder: Path, rules: Adjudication = RULES) -> Adjudicator:
    return Adjudicator(rules, (sys.executable, "-c", PROVER, str(folder)))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def answer(folder: Path, reserve: int, text: str) -> None:
    """Let positions with so much in reserve be answered."""
    (folder / "answer").write_text(text)
    (folder / "answer").rename(folder / f"answer-{reserve}")


async def asked(folder: Path, number: int) -> None:
    await until(lambda: len(lines(folder / "questions")) >= number)


async def test_a_game_ends_with_the_win_that_solving_proves(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,5,4 budget=86400000")
        async with adjudicated(harness, Adjudicator(RULES)):
            await ready(ann, bob)
            for client in (ann, bob):
                result = await client.hear(m.Result)
                assert (result.result, result.reason) == ("white", "adjudicated")
                assert result.sentence == "ann (white) wins in 3 plies, adjudicated by the server's exact solver"
        summary = verification.verify(harness.record())
        assert (summary.result, summary.reason) == ("white", "adjudicated")
        assert harness.arena.matches == {}


async def test_a_game_ends_with_the_draw_that_solving_proves_but_not_while_initialising(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,3 budget=86400000", game="mnk")
        async with adjudicated(harness, Adjudicator(RULES)):
            await ann.say(m.Ready())
            await trio.sleep(3 * adjudication.LOOK_SECONDS)
            assert harness.arena.matches
            result = await bob.ask(m.Ready(), m.Result)
        assert (result.result, result.reason) == ("draw", "adjudicated")
        assert verification.verify(harness.record()).result == "draw"


async def test_positions_are_looked_at_from_a_ply_on_and_an_answer_that_comes_too_late_is_dropped(
    tmp_path: Path,
) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, by_hand(tmp_path, replace(RULES, from_ply=1))):
            await ready(ann, bob)
            await trio.sleep(3 * adjudication.LOOK_SECONDS)
            assert not (tmp_path / "processes").exists()
            await play(ann, bob, "a1-b2")  # 5 6 in reserve
            await asked(tmp_path, 1)
            await play(bob, ann, "a1-b2")  # 5 5
            await play(ann, bob, "a1-b2")  # 4 5
            answer(tmp_path, 5, '{"winner":1,"plies":2,"exact":true}')
            await asked(tmp_path, 2)
            assert [line.split("\\n")[1] for line in lines(tmp_path / "questions")] == ["5 6 B", "4 5 B"]
            assert harness.arena.matches
            answer(tmp_path, 4, '{"winner":0,"plies":7}')
            result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("white", "adjudicated")
        assert result.sentence == "ann (white) wins within 7 plies, adjudicated by the server's exact solver"
        assert verification.verify(harness.record()).history.plies == 3


async def test_a_position_that_does_not_stand_any_more_holds_up_no_other_match(tmp_path: Path) -> None:
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, by_hand(tmp_path)):
            await ready(ann, bob)
            await asked(tmp_path, 1)
            await play(ann, bob, "a1-b2")
            await asked(tmp_path, 2)
            await bob.say(m.Resign())
            await until(lambda: len(lines(tmp_path / "given-up")) >= 2)
        assert len(lines(tmp_path / "processes")) == 1


async def test_matches_are_taken_in_turn_and_a_position_is_solved_once(tmp_path: Path) -> None:
    async with open_arena(tmp_path / "data") as harness:

        async def begin(number: int, params: str) -> tuple[Client, Client]:
            first, second = await harness.connect(f"a{number}"), await harness.connect(f"b{number}")
            await first.say(m.Seek("gipf", m.Text(f"params={params} colour=white budget=86400000")))
            await second.say(m.Seek("gipf", m.Text(f"params={params}")))
            await ready(first, second)
            return first, second

        async with adjudicated(harness, by_hand(tmp_path)):
            answer(tmp_path, 6, "null")
            pairs = []
            for number, params in enumerate(("3,3,9,9", "3,3,9,8", "3,3,8,9"), 1):
                pairs.append(await begin(number, params))
                await asked(tmp_path, number)
            await play(*pairs[1], "a1-b2")
            await play(*pairs[0], "a1-b2")
            answer(tmp_path, 5, "null")
            await asked(tmp_path, 5)
            await play(*await begin(4, "3,3,9,9"), "a1-b2")
            await trio.sleep(3 * adjudication.LOOK_SECONDS)
        assert len(harness.arena.matches) == 4
        questions = [line.split('"text":"')[1].split("\\n")[:2] for line in lines(tmp_path / "questions")]
        first = [["3 3 9 9", "6 6 W"], ["3 3 9 8", "6 5 W"], ["3 3 8 9", "5 6 W"]]
        assert questions == [*first, ["3 3 9 9", "5 6 B"], ["3 3 9 8", "5 5 B"]]
        assert len(lines(tmp_path / "processes")) == 1


@pytest.mark.parametrize("how", ["killed", "talks nonsense", "hangs"])
async def test_a_process_that_fails_is_started_again_for_the_next_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "hangs":
        monkeypatch.setattr(adjudication, "HANG_SECONDS", 0.0)
    async with open_arena(tmp_path / "data") as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, by_hand(tmp_path, replace(RULES, seconds=0.3))):
            await ready(ann, bob)
            if how == "hangs":
                with capture_logs() as logs:
                    await until(lambda: logs)
                assert logs[0]["event"] == "proof_process_failed"
                monkeypatch.undo()
            else:
                await asked(tmp_path, 1)
            if how == "killed":
                os.kill(int(lines(tmp_path / "processes")[0]), signal.SIGKILL)
            elif how == "talks nonsense":
                answer(tmp_path, 6, '{"winner":"ann"}')
            await play(ann, bob, "a1-b2")
            answer(tmp_path, 5, '{"winner":0,"plies":3,"exact":true}')
            assert (await bob.hear(m.Result)).reason == "adjudicated"
        for process in map(int, lines(tmp_path / "processes")):
            with pytest.raises(ProcessLookupError):
                os.kill(process, 0)
        assert how == "hangs" or len(lines(tmp_path / "processes")) == 2


async def test_a_contest_goes_on_where_no_position_can_be_proven(tmp_path: Path) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=86400000")
        async with adjudicated(harness, Adjudicator(RULES, ("/no/such/program",))):
            await ready(ann, bob)
            await trio.sleep(3 * adjudication.LOOK_SECONDS)
            await play(ann, bob, "a1-b2")
            assert harness.arena.matches
