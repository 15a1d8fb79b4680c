"""A program of an entrant: it talks on stdin and stdout, and plays by seed. Nothing but the standard library.

It ends by itself where its name is ``crash``, after some moves, plays nonsense where it is ``wrong``, and kills the
server where it is ``killer`` and begins; where it is ``stops``, it stops before it has said anything. A program that
imports this one may have a function ``attack``, which is called before the first move. While its folder
has a file ``hold`` it makes no move, and writes who has started it into a file ``held`` there.
"""

import os
import signal
import sys
import time
from hashlib import sha256

name = os.environ["ARENA_NAME"]


def say(line: str) -> None:
    print(line, flush=True)


def pick(told: list[str], moves: list[str]) -> str:
    """Choose by what has been played so far, like `tests.server.contest.runtime.bots.choose_by_seed`."""
    return moves[int.from_bytes(sha256(" ".join((name, *told)).encode()).digest()[:8], "big") % len(moves)]


told: list[str] = []
begins = False
if name == "stops":
    os.kill(os.getpid(), signal.SIGSTOP)
say(f"LOGIN {name} {os.environ['ARENA_TOKEN']}")
say(f"SEEK {os.environ['ARENA_GAME']}")
for line in sys.stdin:
    kind, _, rest = line.rstrip("\n").partition(" ")
    if kind == "BOARD":
        told = ["", *(sys.stdin.readline()[2:].rstrip("\n") for _ in range(int(rest)))]
        begins = True
        say("READY")
    elif kind == "MOVED":
        begins = False
        told.append(rest.split(" ", 4)[4])
    elif kind == "TURN":
        if attack := vars(sys.modules["__main__"]).pop("attack", None):
            attack()
        if name == "crash" and len(told) > 8:
            print("I cannot go on", file=sys.stderr)
            sys.exit(7)
        if name == "killer" and begins:
            os.kill(os.getppid(), signal.SIGKILL)
        while os.path.exists("hold"):
            with open("held", "w") as file:
                file.write(str(os.getppid()))
            time.sleep(0.02)
        say("MOVE nonsense" if name == "wrong" else "MOVES")
    elif kind == "MOVES":
        say("MOVE " + pick(told, [sys.stdin.readline()[2:].rstrip("\n") for _ in range(int(rest))]))
    elif kind in ("RESULT", "BYE"):
        break
