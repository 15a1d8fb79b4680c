"""The type hints of the client library: mypy accepts a right bot, and names what is wrong in others."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAD = """
from bots.bot import Bot, Clocks
from bots.client import play
from engine.games.interface import Position, Child
from engine.search.searcher import best_move
"""

RIGHT = """
def by_text(position: Position, clocks: Clocks) -> str:
    own, other = position.turn, 1 - position.turn
    ahead = position.captured[other] - position.captured[own] + len(position.threats[own])
    fields: frozenset[str] = position.pieces[own]
    lines: tuple[int, ...] = position.lines[own]
    clocks.note(score=ahead, depth=1, text=f"{sorted(fields)} {lines} {position.mobility[own]}")
    return best_move(position, nodes=1000) if position.evaluate() > 0 else position.legal_moves[0]

def by_child(position: Position, clocks: Clocks) -> Child:
    return max(position.children(), key=lambda child: -child.position.evaluate())

class Third(Bot):
    def choose(self, position: Position, clocks: Clocks) -> str | Child:
        return by_text(position, clocks)

play(by_text)
play(by_child, name="ann", port=2754, budget=1000, opponent="bob")
print([result.score for result in play(Third(), games=2)])
"""

WRONG = {
    "returns-a-number": (
        "def choose(position: Position, clocks: Clocks) -> int:\n    return 7\nplay(choose)\n",
        'Argument 1 to "play" has incompatible type "Callable[[Position, Clocks], int]"; '
        'expected "Bot | Callable[[Position, Clocks], str | Child]"',
    ),
    "forgets-to-return": (
        "def choose(position: Position, clocks: Clocks) -> str:\n    position.legal_moves[0]\nplay(choose)\n",
        "Missing return statement",
    ),
    "takes-no-clocks": (
        "def choose(position: Position) -> str:\n    return position.legal_moves[0]\nplay(choose)\n",
        'Argument 1 to "play" has incompatible type "Callable[[Position], str]"',
    ),
    "overrides-with-nothing": (
        "class Mine(Bot):\n    def choose(self, position: Position, clocks: Clocks) -> None:\n        pass\n",
        'Return type "None" of "choose" incompatible with return type "str | Child" in supertype',
    ),
    "asks-for-what-is-not-there": (
        "def choose(position: Position, clocks: Clocks) -> str:\n    return position.stones[0]\n",
        '"Position" has no attribute "stones"',
    ),
    "gives-time-as-text": (
        'play(lambda position, clocks: position.legal_moves[0], budget="60000")\n',
        'Argument "budget" to "play" has incompatible type "str"; expected "int | None"',
    ),
}


@pytest.mark.slow
def test_mypy_accepts_a_right_bot_and_names_what_is_wrong_in_others(tmp_path: Path) -> None:
    """In one run, with the configuration and the cache of make lint."""
    files = {"right": RIGHT} | {name: source for name, (source, _) in WRONG.items()}
    for name, source in files.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(HEAD + source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *sorted(map(str, tmp_path.glob("*.py")))]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.stderr == ""
    said = dict.fromkeys(files, "")
    for line in found.stdout.splitlines():
        match = re.match(r".*?(\w+)\.py:\d+: (?:error|note): (.*)$", line)
        assert match is not None, line
        said[match[1].replace("_", "-")] += match[2] + "\n"
    assert said.pop("right") == ""
    for name, (_, sentence) in WRONG.items():
        assert sentence in said[name], (name, said[name])
