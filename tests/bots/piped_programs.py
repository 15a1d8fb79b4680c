"""Programs on stdin and stdout that whoever starts programs has to play with: the bridge and contests alike."""

import re
from pathlib import Path

DOCUMENT = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
DOCUMENTED = next(
    block
    for block in re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    if "input().split()" in block
)

LOGS_IN = """
import os, sys

def say(*words): print(*words, flush=True)
def hear(*kinds):
    for line in sys.stdin:
        kind, _, rest = line.strip().partition(" ")
        if kind in kinds: return kind, rest
    sys.exit("the input has ended")

hear("ARENA")
say("LOGIN", os.environ["ARENA_NAME"], os.environ["ARENA_TOKEN"])
assert hear("WELCOME", "ERROR") == ("WELCOME", os.environ["ARENA_NAME"])
say("SEEK", os.environ["ARENA_GAME"])
hear("SEEKING")
hear("MATCH")
say("READY")
while True:
    kind, rest = hear("TURN", "RESULT")
    if kind == "RESULT": break
    say("MOVES")
    hear("MOVES")
    _, move = hear("|")
    say("MOVE", move)
say("QUIT")
"""
"""Written for a network: it logs in and seeks, and waits for the answers."""

SPEAKS_FIRST = """
import os, sys

def say(*words): print(*words, flush=True)
say("login", os.environ["ARENA_NAME"])
say("seek any")
for line in sys.stdin:
    if line.startswith("MATCH"): say("READY\\nREADY")
    elif line.startswith("TURN"): say("BOARD\\nMOVES")
    elif line.startswith("MOVES"): say("MOVE", next(sys.stdin)[2:].strip())
    elif line.startswith("RESULT"): break
"""
"""Says everything before it has read anything, and asks for what it does not need."""

LIBRARY = """
from bots.client import play

def choose(position, clocks):
    print("what is printed goes to stderr:", position.legal_moves[0])
    return position.legal_moves[0]

play(choose, opponent="bob", report=lambda line: None)
"""
"""The client library on pipes, with a bot that prints."""

PIPED = {"library": LIBRARY, "documented": DOCUMENTED, "logs-in": LOGS_IN, "speaks-first": SPEAKS_FIRST}
