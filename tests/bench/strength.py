"""Elo of a board's tables against evaluation by features, in duels at equal time.

`python -m tests.bench strength --pairs 100` plays so many pairs of games for each board. A board without tables of its
own evaluates by features itself: its row says how far chance goes.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOVE_MS = 20
"""Milliseconds per move, for both sides."""

PAIRS = 50
"""Pairs of games for each board."""

SEED = 1

RESULT = re.compile(r"^result A (?P<games>\S+ \S+ \S+) +elo (?P<elo>\S+) \+- (?P<margin>\S+)", re.MULTILINE)


BARS = {"4 4 15 15": 400.0, "3 3 12 12": 0.0, "5 4 20 20": 0.0}
"""Elo that the evaluation is to bring at least, by board."""


def run(pairs: int = PAIRS) -> None:
    """Print a row a board: the measured value with its 95 % interval, and its bar."""
    print(f"strength: present evaluation against features, {MOVE_MS} ms a move, {2 * pairs} games a board")
    with tempfile.TemporaryDirectory() as folder:
        features = Path(folder) / "features.json"
        features.write_text(json.dumps({"piece": 100}))
        for parameters, bar in BARS.items():
            command = [
                *(sys.executable, "-P", "-m", "engine", "duel", f"ms={MOVE_MS}", f"ms={MOVE_MS},weights={features}"),
                *("--params", parameters, "--games", str(2 * pairs), "--all-games", "--seed", str(SEED)),
            ]
            output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            found = RESULT.search(output)
            assert found is not None, f"this duel has no result: {output}"
            elo, margin = float(found["elo"]), float(found["margin"])
            verdict = "met" if elo - margin >= bar else "missed" if elo + margin < bar else "open"
            measured = f"{elo:+7.1f} +- {margin:.1f} Elo ({found['games']})"
            print(f"strength: gipf {parameters:10} {measured}   bar {bar:+.0f}: {verdict}", flush=True)
