import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.match import verification
from tests.protocol.running import DOCUMENT, serving
from tests.waiting import WAIT_SECONDS

BOT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_smallest_bot_plays_a_match_against_itself_and_stops_at_an_error(tmp_path: Path) -> None:
    (source,) = BOT.findall(DOCUMENT.read_text(encoding="utf-8"))
    program = tmp_path / "bot.py"
    program.write_text(source, encoding="utf-8")
    with serving(tmp_path) as server:
        command = [sys.executable, str(program), "127.0.0.1", str(server.port)]
        options = ["params=3,3,9,9", "budget=60000"]
        with (
            subprocess.Popen([*command, "alice", *options], stdout=subprocess.PIPE, text=True) as alice,
            subprocess.Popen([*command, "bob", *options], stdout=subprocess.PIPE, text=True) as bob,
        ):
            printed = [process.communicate(timeout=2 * WAIT_SECONDS)[0] for process in (alice, bob)]
        refused = subprocess.check_output([*command, "alice", "budget=1"], text=True, timeout=WAIT_SECONDS)
    assert refused.splitlines()[-1].startswith("ERROR bad_time ")
    assert (alice.returncode, bob.returncode) == (0, 0)
    results = [next(line for line in text.splitlines() if line.startswith("RESULT")) for text in printed]
    assert results[0] == results[1]
    assert all(text.splitlines()[-1] == "BYE quit goodbye" for text in printed)
    summary = verification.verify((tmp_path / "data" / "records" / "1.txt").read_text(encoding="utf-8"))
    assert results[0].split()[2:4] == [summary.result, summary.reason]
    assert sorted(summary.header.players) == ["alice", "bob"]
