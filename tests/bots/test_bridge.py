"""Programs on stdin and stdout that play through the bridge, well and badly."""

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bots.bridge import bridge, program
from bots.cli import main
from bots.client import connection
from engine.games.catalogue import GAMES
from engine.wire import messages as m
from tests.bots.fake import FakeServer
from tests.bots.piped_programs import PIPED
from tests.bots.scripts import QUIT, SEEK, login_of
from tests.bots.texts import BOARD, FIRST, SECOND, THIRD
from tests.server.contest.runtime.test_program import alive
from tests.server.process import wait_until
from tests.waiting import WAIT_SECONDS

LOGIN = login_of("bridge")
MATCH = f"< MATCH 17 gipf 4,4,15,15 white bob 60000 0 1000 secret\n{BOARD}\n"
READY = "> READY\n< START 59900 59800\n"
TURN = f"< TURN 59900 59800\n> MOVE {FIRST}\n< MOVED 1 white 59850 59800 {FIRST}\n"
LOST = "< RESULT 17 black resign 59850 59800 bridge (white) resigned\n> PING settled\n"
WON = "< RESULT 17 white resign 59850 59800 bob (black) resigned\n> PING settled\n"
AGAIN = "< PONG settled\n"
BEGIN = LOGIN + SEEK + MATCH

SAY = "import sys\ndef say(line): print(line, flush=True)\ndef hear(): return sys.stdin.readline().rstrip()\n"
NOTE = SAY + "import os\nnotes = open(os.environ['NOTES'], 'w', buffering=1)\ndef note(line): print(line, file=notes)\n"
PLAYER = f"""{NOTE}
for line in iter(hear, ""):
    note(line)
    if line.startswith("MATCH"): say("READY")
    elif line.startswith("TURN"): say("MOVE {FIRST}")
"""
READY_THEN = (
    SAY + 'while not hear().startswith("MATCH"): pass\nsay("READY")\nwhile not hear().startswith("TURN"): pass\n'
)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.01))
    monkeypatch.setattr(bridge, "GRACE_SECONDS", 0.1)


def bridged(
    capfd: pytest.CaptureFixture[str], source: str, *scripts: str, options: str = ""
) -> tuple[int, list[str], list[str]]:
    """Bridge a program in Python; return the status, what the program noted, and what the bridge said."""
    status = 0
    with (
        tempfile.NamedTemporaryFile("r") as notes,
        pytest.MonkeyPatch.context() as patch,
        FakeServer(*scripts) as server,
    ):
        patch.setenv("NOTES", notes.name)
        patch.delenv("PYTHONUNBUFFERED", raising=False)
        try:
            main(["bridge", "--port", str(server.port), *options.split(), "--", sys.executable, "-c", source])
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        noted = notes.read().splitlines()
    captured = capfd.readouterr()
    assert captured.out == ""
    return status, noted, captured.err.splitlines()


def test_a_match_in_the_lines_of_the_protocol(capfd: pytest.CaptureFixture[str]) -> None:
    moved = f"< MOVED 2 black 59850 59700 {SECOND}\n"
    status, noted, said = bridged(capfd, PLAYER, BEGIN + READY + TURN + moved + "< OPPONENT gone\n" + WON + QUIT)
    board = [line[2:] for line in BOARD.splitlines()]
    assert (status, noted) == (
        0,
        [
            "ARENA 1 arena-bot-bridge open",
            "WELCOME bridge",
            "SEEKING gipf",
            "MATCH 17 gipf 4,4,15,15 white bob 60000 0 1000 secret",
            *board,
            "START 59900 59800",
            "TURN 59900 59800",
            f"MOVED 1 white 59850 59800 {FIRST}",
            f"MOVED 2 black 59850 59700 {SECOND}",
            "OPPONENT gone",
            "RESULT 17 white resign 59850 59800 bob (black) resigned",
        ],
    )
    assert said[-1].startswith("match 17: won ")


NOTER = f"""{NOTE}
moves = iter(["{FIRST}", "{THIRD}"])
for line in iter(hear, ""):
    if line.startswith("MATCH"): say("READY")
    elif line.startswith("NOTICE"): note(line)
    elif line.startswith("MOVED 1"): say("NOTE that was it")
    elif line.startswith("TURN"): say("NOTE nodes=17\\nNOTE depth=deep\\nNOTE nodes=many\\nMOVE " + next(moves))
"""


def test_notes_of_a_program(capfd: pytest.CaptureFixture[str]) -> None:
    first = f"< TURN 59900 59800\n> NOTE ply=1 nodes=17\n> MOVE {FIRST}\n< MOVED 1 white 59850 59800 {FIRST}\n"
    later = "> NOTE ply=*\n> NOTE ply=3 nodes=17\n"  # about the move before, or the next one, as it comes
    second = f"< MOVED 2 black 59850 59700 {SECOND}\n< TURN 59850 59700\n{later}> MOVE {THIRD}\n"
    script = BEGIN + READY + first + second + f"< MOVED 3 white 59840 59700 {THIRD}\n" + WON + QUIT
    status, noticed, shown = bridged(capfd, NOTER, script)
    assert status == 0, shown
    assert [line.split()[:3] for line in noticed] == [["NOTICE", "bad_arguments", "depth"]]


@pytest.mark.parametrize("program", [pytest.param(one, marks=[pytest.mark.slow] * (one == "library")) for one in PIPED])
def test_programs_that_contests_play_with_too(program: str, capfd: pytest.CaptureFixture[str]) -> None:
    turn = f"< TURN 59900 59800\n> MOVE *\n< MOVED 1 white 59850 59800 {FIRST}\n"
    status, _, said = bridged(capfd, PIPED[program], BEGIN + READY + turn + WON + QUIT)
    printed = [f"what is printed goes to stderr: {FIRST}"] if program == "library" else []
    assert (status, said[1:-1]) == (0, printed), said


def test_what_the_bridge_answers_itself(capfd: pytest.CaptureFixture[str]) -> None:
    source = f"""{NOTE}
say("ORGANISE x\\nlogin nobody\\nSEEK morris")
for line in iter(hear, "|    W _ _ B"): note(line)
for line in iter(hear, "|    W _ _ B"): note(line)
say("READY\\nPING  a  b\\nLIST\\nMOVE {FIRST}\\nNONSENSE\\nREADY now")
for line in iter(hear, "TURN 59900 59800"): note(line)
say("BOARD\\nMOVES\\nHELP\\nMOVE {FIRST}")
for line in iter(hear, "| QUIT"): note(line)
"""
    turn = TURN.replace("> MOVE", "> STDERR | [refused: 'LIST': *\n> MOVE")
    status, noted, said = bridged(capfd, source, BEGIN + READY + turn + WON + QUIT)
    assert status == 0
    assert noted.count("WELCOME bridge") == noted.count("SEEKING gipf") == 1
    answers = [line for line in noted if line.startswith(("PONG", "ERROR", "MOVES", "HELP"))]
    assert [line.split()[:2] for line in answers] == [
        ["ERROR", "wrong_state"],
        ["PONG", "a"],
        ["ERROR", "wrong_state"],
        ["ERROR", "not_your_turn"],
        ["ERROR", "unknown_command"],
        ["ERROR", "bad_arguments"],
        ["MOVES", "42"],
        ["HELP", str(len(m.REQUESTS))],
    ]
    assert noted.count("BOARD 9") == 2
    assert f"| {FIRST}" in noted
    (refused, *_) = [line for line in said if "refused" in line]
    assert refused == snapshot(
        "a line of the program's is refused: ORGANISE: ORGANISE is not for a program that plays on stdin and stdout (wrong_state)"
    )


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("sys.exit(3)", "the program ended by itself, with exit status 3"),
        ("import os; os.kill(os.getpid(), 11)", "the program was ended by the signal SIGSEGV"),
        ("import os, time; os.close(1); time.sleep(60)", "the program closed its standard output"),
        ("say('QUIT'); hear()", "the program said QUIT"),
        ("say('CRASHED by a bug'); hear()", "the program said CRASHED by a bug"),
        (
            "while True: print('x' * 1000)",
            "the program wrote 100 lines that cannot be accepted; the last one: "
            + repr("x" * 59 + "…")
            + ": unknown command ",
        ),
        ("while True: say('PING ' + 'x' * 900)", "the program "),
        ("while True: sys.stdout.write('x' * 1000)", "the program wrote "),
        (
            "while True: say('thinking')",
            "the program wrote 100 lines that cannot be accepted; the last one: 'thinking'",
        ),
        ("sys.stdout.buffer.write(b'\\xff\\n' * 100); say(''); hear()", "the program wrote 100 lines that cannot be"),
    ],
)
@pytest.mark.slow
def test_a_program_that_fails_on_its_turn(source: str, sentence: str, capfd: pytest.CaptureFixture[str]) -> None:
    script = BEGIN + READY + f"< TURN 59900 59800\n> CRASHED {sentence[:150]}*\n" + LOST + QUIT
    status, _, said = bridged(capfd, READY_THEN + source, script)
    assert status == 1
    assert said[-3].startswith(f"match 17 is lost: {sentence}")
    assert said[-1].startswith(f"arena-bot: {sentence}")


JUDGED = "< TURN 59900 59800\n> MOVE e2 to e4\n< RESULT 17 black bad_move 59850 59800 so it is\n> PING settled\n"
NEVER_READY = "the program did not say READY in the 50 ms that it had"
LATE_MOVE = "the program did not say a MOVE in the 20 ms that it had"
NO_MOVE = "'a1': unknown command 'a1'; a move is a line MOVE and the move (unknown_command)"
LATE = "< TURN 20 59800\n< RESULT 17 black time 0 59800 too late\n> PING settled\n"
LATER, LATER_MOVE = LATE.replace(" 20 ", " 1000 "), LATE_MOVE.replace(" 20 ", " 1000 ")


@pytest.mark.parametrize(
    ("source", "script", "status", "said"),
    [
        (
            READY_THEN + 'say("MOVE e2 to e4")\nwhile hear(): pass',
            BEGIN + READY + JUDGED,
            0,
            "match 17: lost as white against bob (bad_move: so it is)",
        ),
        (
            READY_THEN + 'say("RESIGN")\nwhile hear(): pass',
            BEGIN + READY + "< TURN 59900 59800\n> RESIGN\n" + LOST,
            0,
            "match 17: lost as white against bob (resign: bridge (white) resigned)",
        ),
        (
            "raise SystemExit(4)",
            BEGIN + "> CRASHED *\n" + LOST,
            1,
            "arena-bot: the program ended by itself, with exit status 4",
        ),
        (
            SAY + "while hear(): pass",
            BEGIN.replace("60000", "50") + f"> CRASHED {NEVER_READY}\n" + LOST,
            1,
            f"arena-bot: {NEVER_READY}",
        ),
        (
            READY_THEN + "import time; time.sleep(60)",
            BEGIN + READY + LATE,
            1,
            f"arena-bot: {LATE_MOVE}",
        ),
        pytest.param(
            READY_THEN + "say('a1\\nb1'); import time; time.sleep(60)",
            BEGIN + READY + LATER.replace("\n< RES", f"\n> STDERR | [refused: {NO_MOVE}]\n> STDERR *\n< RES"),
            1,
            f"arena-bot: {LATER_MOVE}; it wrote a line that was refused: {NO_MOVE}",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            READY_THEN + "print('MOVE a1', end='', flush=True); import time; time.sleep(60)",
            BEGIN + READY + LATER.replace("> PING", "> STDERR *\n> PING"),
            1,
            f"arena-bot: {LATER_MOVE}; it wrote a line that was refused: "
            "'MOVE a1': this line has no end: each line ends with LF (bad_line)",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["illegal move", "resigns", "ends before READY", "is never ready", "hangs", "says no MOVE", "ends no line"],
)
def test_a_match_of_a_program_ends(
    source: str, script: str, status: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    ended, _, shown = bridged(capfd, source, script + QUIT)
    assert (ended, shown[-1]) == (status, said)


def test_the_program_is_started_when_a_server_is_there(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["bridge", "--port", "1", "--", sys.executable, "-c", f"open({str(tmp_path / 'started')!r}, 'w')"])
    assert not (tmp_path / "started").exists()


def test_a_program_that_cannot_be_started(capfd: pytest.CaptureFixture[str]) -> None:
    with FakeServer(LOGIN + QUIT) as server, pytest.raises(SystemExit):
        main(["bridge", "--port", str(server.port), "--", "no-such-program"])
    assert capfd.readouterr().err.strip() == snapshot(
        "arena-bot: the program no-such-program cannot be started: No such file or directory"
    )


def test_a_program_that_does_not_read(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MAX_WAITING_BYTES", 1000)
    source = READY_THEN + "import time; say(('PING ' + 'x' * 1000 + chr(10)) * 200); time.sleep(60)"
    script = BEGIN + READY + "< TURN 59900 59800\n> CRASHED the program does not read*\n" + LOST + QUIT
    status, _, said = bridged(capfd, source, script)
    assert status == 1
    assert re.sub(r"\d+", "N", said[-1]) == snapshot(
        "arena-bot: the program does not read: N bytes wait on its standard input"
    )


def test_after_a_lost_connection_the_program_goes_on_as_if_nothing_had_been(capfd: pytest.CaptureFixture[str]) -> None:
    first = BEGIN + READY + TURN + "drop"
    second = f"""
        < ARENA 1 gipf-arena/0.1.0 open
        > RESUME 17 secret
        < WELCOME bridge
        {MATCH}
        < START 59900 59800
        < MOVED 1 white 59850 59800 {FIRST}
        < MOVED 2 black 59850 59700 {SECOND}
        > PING settled
        < PONG settled
    """
    status, noted, _ = bridged(capfd, PLAYER, first, second + WON + QUIT)
    assert status == 0
    kinds = [line.partition(" ")[0] for line in noted if not line.startswith("|")]
    assert kinds == ["ARENA", "WELCOME", "SEEKING", "MATCH", "BOARD", "START", "TURN", "MOVED", "MOVED", "RESULT"]


def test_a_program_that_ends_after_a_match_is_started_for_the_next(capfd: pytest.CaptureFixture[str]) -> None:
    source = READY_THEN + f'say("MOVE {FIRST}")\nwhile not hear().startswith("RESULT"): pass'
    match = MATCH + READY + TURN + WON
    script = LOGIN + SEEK + match + AGAIN + SEEK + match.replace("17", "18") + QUIT
    status, _, said = bridged(capfd, source, script, options="--games 2")
    assert (status, len(said)) == (0, 4)


def test_a_program_that_fails_is_started_again_but_not_for_ever(capfd: pytest.CaptureFixture[str]) -> None:
    script = BEGIN + "> CRASHED *\n" + LOST + QUIT
    status, _, said = bridged(capfd, "pass", script, script, script, options="--games 0")
    assert status == 1
    assert said[3::4] == snapshot(
        [
            "the program is started again",
            "the program is started again",
            "arena-bot: the program ended by itself, with exit status 0",
        ]
    )


@pytest.mark.slow
def test_what_a_program_has_started_ends_with_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = f"""{PLAYER.partition("for")[0]}
import subprocess, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "60"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
while not hear().startswith("MATCH"): pass
say("READY")
while hear(): pass
import time; time.sleep(60)
"""
    status, _, _ = bridged(capfd, source, BEGIN + READY + WON + QUIT)
    assert status == 0
    wait_until(lambda: not alive(int((tmp_path / "pid").read_text())))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_bridge_that_is_ended_resigns_and_ends_the_program(number: int, status: int, tmp_path: Path) -> None:
    number_of = "import os; open({0!r} + '.new', 'w').write(str(os.getpid())); os.rename({0!r} + '.new', {0!r})\n"
    source = f"{READY_THEN}{number_of.format(str(tmp_path / 'pid'))}hear()"  # written once it is on turn
    with FakeServer(BEGIN + READY + "< TURN 59900 59800\n> RESIGN\n> QUIT\n") as server:
        command = [
            sys.executable,
            "-m",
            "bots",
            "bridge",
            "--port",
            str(server.port),
            "--",
            sys.executable,
            "-c",
            source,
        ]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_until((tmp_path / "pid").exists)
        process.send_signal(number)
        assert process.wait(WAIT_SECONDS) == status
    wait_until(lambda: not alive(int((tmp_path / "pid").read_text())))


# The dialect of arrows.

ARROWS_BOARD = "\n".join(f"< | {line}" for line in GAMES["arrows"].start("4 5").text().splitlines())
ARROWS = f"""{LOGIN}
> SEEK arrows
< SEEKING arrows
< MATCH 17 arrows 4,5 first bob 60000 0 1000 secret
< BOARD 4
{ARROWS_BOARD}
> READY
< START 59900 59800
"""
MODULE = f"""{NOTE}
for line in iter(sys.stdin.readline, ""):
    note(line.rstrip())
    if line.startswith("turn"): say(ANSWERS.pop(0))
"""


def test_arrows_in_the_terms_of_the_contest(capfd: pytest.CaptureFixture[str]) -> None:
    play = """
        < TURN 59900 59800
        > MOVE 2
        < MOVED 1 first 59850 59800 2
        < MOVED 2 second 59850 59700 6
        < TURN 59850 59700
        > MOVE 4
        < MOVED 3 first 59850 59700 4
    """
    source = MODULE.replace("ANSWERS", "answers").replace("for", "answers = ['2', ' 4 \\n9']\nfor", 1)
    status, noted, _ = bridged(capfd, source, ARROWS + play + WON + QUIT, options="--dialect arrows")
    assert (status, noted) == (
        0,
        ["InitGame 60.000", "4 5", "1 1", "4 5", "2 6", "", "turn 255 59.900", "turn 6 59.850"],
    )


@pytest.mark.parametrize(
    ("answer", "said", "status"),
    [("255", "RESIGN", 0), ("9", "MOVE 9", 0), ("up", "MOVE up", 0), ("'\\x01'", "CRASHED *", 1)],
)
def test_other_answers(answer: str, said: str, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    script = ARROWS + f"< TURN 59900 59800\n> {said}\n" + LOST + QUIT
    source = MODULE.replace("say(ANSWERS.pop(0))", f"say({answer})" if "'" in answer else f"say({answer!r})")
    assert bridged(capfd, source, script, options="--dialect arrows")[0] == status
