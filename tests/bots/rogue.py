"""A bot that plays by the protocol, but for the one fault that it is started with.

``python rogue.py FAULT HOST PORT NAME``; the fault ``none`` is none. To the pipe that ROGUE_REPORTS names it
reports what takes its time (`tests.bots.standing`).
"""

import os
import random
import socket
import sys
import time

ATTEMPTS = 1000
"""To come back: so many that whoever has started this bot ends it before."""

fault, host, port, name = sys.argv[1:]
chance = random.Random(1)
reports = os.open(os.environ["ROGUE_REPORTS"], os.O_WRONLY)
resume = ""
thinking = False
server: socket.socket
said = 0


def report(*words: object) -> None:
    os.write(reports, (" ".join(map(str, words)) + "\n").encode())


def stall() -> None:
    """Do nothing until somebody ends this process."""
    report("stalls", said)
    while True:
        time.sleep(60)


def say(line: str) -> None:
    global said
    data = f"{line}\n".encode()
    server.sendall(data)
    said += len(data)


def lines_of(connection: socket.socket):  # type: ignore[no-untyped-def]
    """Yield the lines that come."""
    rest, count = b"", 0
    while True:
        report("waits", connection.getsockname()[1], count, said)
        data = connection.recv(512)
        if not data:
            return
        count += len(data)
        if fault == "takes a read for a line":
            yield from data.decode(errors="replace").splitlines()
            continue
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            yield line.decode()
        if fault == "has short lines" and len(rest) > 4096:
            sys.exit("a line is too long")


SEEK = fault.replace("seeks", "SEEK") if fault.startswith("seeks ") else "SEEK gipf"

ON_TURN = {
    "resigns": ["RESIGN"],
    "crashes": ["STDERR |     raise ValueError", "CRASHED ValueError: no move"],
    "notes what is none": ["NOTE depth=deep"],
    "notes at length": ["NOTE " + "x" * 1024],
    "floods": ["PING"] * 11_000,
}
"""Lines that the bot sends before it asks for the moves, by its fault."""


def move_of(moves: list[str]) -> str:
    wrong = {
        "plays what is not legal": "a1-a1",
        "leaves choices out": moves[0].partition(" ")[0],
        "knows one start": "a3-b3 w: b3 c3",
    }
    return wrong.get(fault) or chance.choice(moves)


def talk(connection: socket.socket) -> None:
    global resume, thinking, said
    thinking, said = False, 0
    lines = lines_of(connection)
    for line in lines:
        kind, *fields = line.split() or [""]
        match kind:
            case "ARENA":
                if fields[0] != "1" and fault != "reads no version":
                    sys.exit("another version")
                if fault == "says nothing":
                    stall()
                if fault == "forgets its token" and resume:
                    resume = resume[:-1] + "-"
                say(resume or f"LOGIN {'no/name' if fault == 'has no name' else name}")
            case "WELCOME" if not resume:
                say(SEEK)
            case "MATCH":
                resume = f"RESUME {fields[0]} {fields[-1]}"
                if fault == "says hello":
                    say("HELLO")
                if fault == "hangs up":
                    connection.close()
                    stall()
                if fault != "is never ready":
                    say("READY")
            case "START" if fault == "moves on START":
                say("MOVE a1-b2")
            case "MOVED" if fault == "moves on MOVED":
                say("MOVE a1-b2")
            case "MOVED":
                thinking = False
            case "TURN":
                thinking = True
                if fault == "never moves":
                    stall()
                if fault == "is slow":
                    report("rests", 0.3)
                say("\n".join([*ON_TURN.get(fault, ()), "MOVES"]))
            case "MOVES":
                say("NOTE depth=1 pv=a1 text=why not")
                move = move_of([next(lines)[2:] for _ in range(int(fields[0]))])
                say("\n".join([f"MOVE {move}"] * (9 if fault == "moves again and again" else 1)))
            case "RESULT":
                resume, thinking = "", False
                if fault == "rests after a match":
                    stall()
                say(SEEK)
            case "ERROR":
                refused(fields[0])
            case "BYE":
                sys.exit(0)
            case "NEWS" | "WEATHER" | "LETTER" if fault == "knows all kinds":
                sys.exit(f"unknown: {line[:20]}")


def refused(code: str) -> None:
    global resume
    if fault == "quits at an error":
        say("QUIT")
    elif code in ("wrong_state", "not_your_turn") or fault == "does not hear refusals":
        pass
    elif thinking:
        say("RESIGN")
    elif resume:
        resume = ""
        say(f"LOGIN {name}")
    elif fault == "insists":
        say(SEEK if code in ("too_many", "stopping", "bad_time") else f"LOGIN {name}")
    else:
        sys.exit(f"refused: {code}")


if fault == "does not start":
    sys.exit(3)
report("starts")
for _ in range(ATTEMPTS):
    try:
        with socket.create_connection((host, int(port))) as server:
            talk(server)
    except OSError:
        pass
    if fault == "does not come back" or not resume:
        break
    if fault == "stays away":
        stall()
    if fault == "begins anew":
        resume = ""
    time.sleep(0.2)
