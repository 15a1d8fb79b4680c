import re
import sys
from pathlib import Path

import pytest
import trio

from engine.match import verification
from tests.protocol.running import DOCUMENT, serving_here
from tests.waiting import WAIT_SECONDS

BOT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
async def test_the_smallest_bot_plays_a_match_against_itself_and_stops_at_an_error(tmp_path: Path) -> None:
    (source,) = BOT.findall(DOCUMENT.read_text(encoding="utf-8"))
    program = tmp_path / "bot.py"
    program.write_text(source, encoding="utf-8")
    printed: dict[str, str] = {}
    async with serving_here(tmp_path / "data") as port:

        async def play(name: str, *options: str) -> None:
            command = [sys.executable, str(program), "127.0.0.1", str(port), name, *options]
            with trio.fail_after(2 * WAIT_SECONDS):
                printed[name] = (await trio.run_process(command, capture_stdout=True)).stdout.decode()

        async with trio.open_nursery() as bots:
            for name in ("alice", "bob"):
                bots.start_soon(play, name, "params=3,3,9,9", "budget=60000")
        await play("carl", "budget=1")
    assert printed.pop("carl").splitlines()[-1].startswith("ERROR bad_time ")
    results = {next(line for line in text.splitlines() if line.startswith("RESULT")) for text in printed.values()}
    assert len(results) == 1
    assert all(text.splitlines()[-1] == "BYE quit goodbye" for text in printed.values())
    summary = verification.verify((tmp_path / "data" / "records" / "1.txt").read_text(encoding="utf-8"))
    assert results.pop().split()[2:4] == [summary.result, summary.reason]
    assert sorted(summary.header.players) == ["alice", "bob"]
