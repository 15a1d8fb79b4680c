"""Answers of bots, good ones and failures, against a server that plays from a script; and their notes."""

import json
import math
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bots.bot import Bot, Clocks, MatchMessage
from bots.client import BadChoice, BotFailed, play
from bots.client.errors import MAX_LINES, describe_failure, failure_lines
from bots.client.session import MAX_PV_BYTES, cut_note, make_note
from engine.games.interface import Child, Position
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, read_note, write_note
from engine.wire.messages import Match, Moved
from tests.bots.fake import FakeServer
from tests.bots.scripts import (
    CRASHED,
    FIRST_TURN,
    LOGIN,
    MATCH,
    MOVED_1,
    MOVED_2,
    PLAYING,
    QUIT,
    RESULT,
    SEEK,
    START,
    TURN,
    Failing,
    failing,
    scripted,
)
from tests.bots.texts import FIRST, THIRD
from tests.server.process import wait_until
from tests.waiting import WAIT_SECONDS

pytestmark = pytest.mark.usefixtures("short_pauses")


def without_line(sentence: str) -> str:
    """Replace the number of a line in a file, which changes with the file."""
    return re.sub(r"line \d+", "line N", sentence)


def test_an_exception_is_shown_and_the_server_told(capsys: pytest.CaptureFixture[str]) -> None:
    line = Failing.choose.__code__.co_firstlineno + 2
    said = CRASHED.replace(
        "*", f"the bot failed to choose a move (scripts.py, line {line}, in choose): RuntimeError: I am lost"
    )
    error, reported = failing(BotFailed, Failing(), LOGIN + SEEK + MATCH + PLAYING + TURN + said + QUIT)
    assert f"> {error}\n" == said.splitlines(keepends=True)[1].replace("CRASHED ", "")
    assert isinstance(error.__cause__, RuntimeError)
    assert reported[1] == f"match 17 is lost: {error}"
    shown = capsys.readouterr().err
    assert "Traceback" in shown and 'raise RuntimeError("I am lost")' in shown
    assert shown.count("  File ") == 1, "the client library's own lines are left out"


def test_what_is_said_of_a_failure_fits_a_line() -> None:
    class Talkative(Bot):
        def choose(self, position: Position, clocks: Clocks) -> str:
            raise RuntimeError("\N{SNOWMAN}\u2028\x1b" * 1000)

    line = Talkative.choose.__code__.co_firstlineno + 1
    short = f"the bot failed to choose a move (test_failing_bots.py, line {line}, in choose): RuntimeError: "
    said = CRASHED.replace("*", short + ("\N{SNOWMAN}  " * 100)[: 199 - len(short)] + "…")
    failing(BotFailed, Talkative(), LOGIN + SEEK + MATCH + PLAYING + TURN + said + QUIT)


def test_what_an_exception_says_in_many_lines_and_its_notes_take_one_line() -> None:
    error = ValueError("wrong field:\n  e9\n")
    error.add_note("in the opening")
    assert describe_failure("to choose a move", error) == snapshot(
        "the bot failed to choose a move: ValueError: wrong field: e9"
    )


def test_the_traceback_is_sent_for_the_authors_log() -> None:
    with FakeServer(LOGIN + SEEK + MATCH + PLAYING + TURN + CRASHED + QUIT) as server, pytest.raises(BotFailed):
        play(Failing(), port=server.port, name="newcomer", report=lambda line: None)
    sent = [line for line in server.said if line.startswith("STDERR ")]
    assert sent[0].startswith("STDERR | Traceback ")
    assert sent[-2:] == ['STDERR |     raise RuntimeError("I am lost")', "STDERR | RuntimeError: I am lost"]


def test_of_a_long_failure_the_end_is_sent_in_lines_of_the_protocol() -> None:
    error = RuntimeError("\n".join(f"{number}\x1b" + "\N{SNOWMAN}" * 500 for number in range(500)))
    lines = failure_lines(error)
    assert len(lines) == MAX_LINES and lines[-1].startswith("499 ")
    assert all(len(f"STDERR | {line}".encode()) <= REQUEST_BYTES and line.isprintable() for line in lines)


class Hanging(Bot):
    """Does not return from a method before that is reported."""

    def __init__(self, at: str) -> None:
        self.at = at
        self.reported: list[str] = []
        self.is_reported = threading.Event()

    def report(self, line: str) -> None:
        self.reported.append(line)
        if "lost on time" in line:
            self.is_reported.set()

    def hang(self, method: str) -> None:
        assert method != self.at or self.is_reported.wait(WAIT_SECONDS), "the watchdog does not report"

    def prepare(self, match: Match) -> None:
        self.hang("prepare")

    def handle_message(self, message: MatchMessage) -> None:
        if isinstance(message, Moved) and message.side == "black":
            self.hang("handle_message")

    def choose(self, position: Position, clocks: Clocks) -> str:
        self.hang("choose")
        return position.legal_moves[0]


LATE = "< RESULT 17 black time 0 59800 newcomer (white) ran out of time\n> PING settled\n"


@pytest.mark.parametrize(
    ("at", "script", "sentence"),
    [
        (
            "prepare",
            MATCH.replace("60000", "100") + "> READY\n" + LATE,
            snapshot(
                "match 17 is lost on time: prepare has not returned in the 100 ms that it had, and stands in test_failing_bots.py, line N, in hang"
            ),
        ),
        (
            "choose",
            MATCH + PLAYING + f"< TURN 100 59800\n> MOVE {FIRST}\n" + LATE,
            snapshot(
                "match 17 is lost on time: choose has not returned in the 100 ms that it had, and stands in test_failing_bots.py, line N, in hang"
            ),
        ),
        (
            "handle_message",
            MATCH + PLAYING + FIRST_TURN + MOVED_1 + MOVED_2.replace("59850", "150") + LATE,
            snapshot(
                "match 17 is lost on time: handle_message has not returned in the 150 ms that it had, and stands in test_failing_bots.py, line N, in hang"
            ),
        ),
    ],
)
def test_a_method_that_does_not_return_is_reported_where_it_stands(
    at: str, script: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = Hanging(at)
    with FakeServer(LOGIN + SEEK + script + QUIT) as server:
        play(bot, port=server.port, name="newcomer", report=bot.report)
    (said,) = [line for line in bot.reported if "lost on time: " in line]
    assert without_line(said) == sentence
    logged = [line.removeprefix("STDERR | ") for line in server.said if line.startswith("STDERR ")]
    assert logged[0].startswith("Stack ") and logged[-1] == said
    assert f'self.hang("{at}")' in "".join(logged) and logged[1].endswith(f", in {at}"), (
        "the library's lines are left out"
    )
    assert f'self.hang("{at}")' in capsys.readouterr().err


LOOPING = """
from bots.client import play

def choose(position, clocks):
    while True:
        pass

play(choose, name="newcomer", port={port})
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_program_that_loops_says_where_and_resigns_when_it_is_told_to_end(
    number: signal.Signals, tmp_path: Path
) -> None:
    program = tmp_path / "mybot.py"
    logged = "match 17 is lost on time: choose "
    script = LOGIN + SEEK + MATCH + PLAYING + "< TURN 50 59800\n> RESIGN\n> QUIT\n"
    with FakeServer(script) as server:
        program.write_text(LOOPING.format(port=server.port), encoding="utf-8")
        bot = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.PIPE, text=True)
        wait_until(lambda: any(line.startswith(f"STDERR | {logged}") for line in server.said))
        bot.send_signal(number)
        shown = bot.communicate(timeout=WAIT_SECONDS)[1]
    assert bot.returncode == (143 if number == signal.SIGTERM else -signal.SIGINT)
    assert logged in shown and "Traceback" not in shown


OVER = "< RESULT 17 black time 0 59800 newcomer (white) ran out of time\n> PING settled\n> QUIT\n"


@pytest.mark.slow
@pytest.mark.parametrize("body", ["pass", "time.sleep(60)"])
def test_a_loop_ends_with_its_match(body: str, tmp_path: Path) -> None:
    program = tmp_path / "mybot.py"
    with FakeServer(LOGIN + SEEK + MATCH + PLAYING + "< TURN 50 59800\n" + OVER) as server:
        program.write_text("import time\n" + LOOPING.format(port=server.port).replace("pass", body), encoding="utf-8")
        done = subprocess.run([sys.executable, str(program)], stderr=subprocess.PIPE, text=True, timeout=WAIT_SECONDS)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert "match 17: lost " in done.stderr
    assert not any(line.startswith(("RESIGN", "CRASHED")) for line in server.said)


DEAF = """
import bots.client.watchdog as watchdog

def choose():
    while True:
        try:
            while True:
                pass
        except KeyboardInterrupt:
            print("interrupted")

def call(dog):
    with dog.watching("choose", 1):
        choose()

watchdog.END_SECONDS = 0.2
with watchdog.Watchdog(call.__code__, lambda sentence, stack: None, lambda: True) as dog:
    call(dog)
"""


@pytest.mark.slow
def test_a_process_ends_whose_bot_cannot_be_interrupted() -> None:
    done = subprocess.run([sys.executable, "-u", "-c", DEAF], capture_output=True, text=True, timeout=WAIT_SECONDS)
    assert done.returncode == 1
    assert done.stdout == "interrupted\n"
    assert done.stderr.strip() == snapshot("choose does not end: this process ends")


FINISHED = PLAYING + FIRST_TURN + MOVED_1 + RESULT


@pytest.mark.parametrize(
    ("at", "script", "said"),
    [
        (
            "prepare",
            CRASHED,
            snapshot("the bot failed to prepare (scripts.py, line N, in prepare): RuntimeError: my book is missing"),
        ),
        (
            "handle_message",
            "> READY\n" + START + CRASHED,
            snapshot(
                "the bot failed to handle a message (scripts.py, line N, in handle_message): RuntimeError: I am deaf"
            ),
        ),
        (
            "finished",
            FINISHED,
            snapshot("the bot failed after the match (scripts.py, line N, in finished): RuntimeError: I cannot write"),
        ),
    ],
)
def test_a_failure_outside_a_turn(at: str, script: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    error, _ = failing(BotFailed, Failing(at=at), LOGIN + SEEK + MATCH + script + QUIT)
    assert without_line(str(error)) == said
    assert str(error).rpartition(": ")[2] in capsys.readouterr().err


BAD_MOVE = """
> MOVE a1-b9
< RESULT 17 black bad_move 59850 59800 newcomer (white) played 'a1-b9', BAD_MOVE_b9_IS_WRONG_INDEX: no field
> PING settled
"""


@pytest.mark.parametrize(
    ("choice", "script", "sentence"),
    [
        (
            "a1-b9",
            BAD_MOVE,
            snapshot(
                "the bot chose 'a1-b9', which is no legal move: 'b9' names no field or dot of a board of side 4; a move is written a1-b2"
            ),
        ),
        (
            "",
            CRASHED,
            snapshot(
                "the bot chose '', which is no legal move: '' names no field or dot of a board of side 4; a move is written a1-b2"
            ),
        ),
        (
            "a1-b2\nRESIGN",
            CRASHED,
            snapshot(
                "the bot chose 'a1-b2\\nRESIGN', which is no legal move: 'RESIGN' names no row of that colour; no row is to be collected"
            ),
        ),
        (
            "a" * 2000,
            CRASHED,
            snapshot(
                "the bot chose 'a…a', which is no legal move: 'a…a' names no field or dot of a board of side 4; a move is written a1-b2"
            ),
        ),
    ],
)
def test_an_illegal_choice_is_named_and_sent_where_it_fits_a_line(choice: str, script: str, sentence: str) -> None:
    error, reported = failing(BadChoice, Failing(choice), LOGIN + SEEK + MATCH + PLAYING + TURN + script + QUIT)
    assert str(error).replace("a" * 2000, "a…a") == sentence
    assert reported[1] == f"match 17 is lost: {error}"


def test_what_is_no_move_is_named() -> None:
    error, _ = failing(BadChoice, Failing([FIRST]), LOGIN + SEEK + MATCH + PLAYING + TURN + CRASHED + QUIT)
    assert str(error) == snapshot(
        "the bot returned ['a4-b5'] (list); a move is text, as in 'a4-b5', or one of position.children()"
    )


def test_a_child_is_as_good_as_its_move() -> None:
    def choose(position: Position, clocks: Clocks) -> Child:
        return next(each for each in position.children() if each.move == FIRST)

    results, _ = scripted(choose, LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + RESULT + QUIT)
    assert results[0].history.moves == (FIRST,)


def test_a_bot_can_carry_on_after_a_failure() -> None:
    first = MATCH + PLAYING + TURN + CRASHED + "< PONG settled\n"
    second = (MATCH + PLAYING + TURN + CRASHED).replace("17", "18")
    results, _ = scripted(Failing(), LOGIN + SEEK + first + SEEK + second + QUIT, games=2, carry_on=True)
    assert [result.score for result in results] == [0.0, 0.0]


def test_the_place_of_a_failure_is_the_authors_own_line() -> None:
    """Not that of a library which the bot has called, nor of the engine."""

    class Careless(Bot):
        def prepare(self, match: Match) -> None:
            json.loads("{")

        def choose(self, position: Position, clocks: Clocks) -> str:
            return position.child("a1-a9").move

    for at, place, script in ((Careless.prepare, "prepare", ""), (Careless.choose, "choose", PLAYING + TURN)):
        bot = Careless()
        if place == "choose":
            bot.prepare = Bot.prepare.__get__(bot)  # type: ignore[method-assign]
        error, _ = failing(BotFailed, bot, LOGIN + SEEK + MATCH + script + CRASHED + QUIT)
        where = f"(test_failing_bots.py, line {at.__code__.co_firstlineno + 1}, in {place})"
        assert where in str(error)


def test_a_bot_that_ends_its_process_has_crashed() -> None:
    class Leaving(Bot):
        def choose(self, position: Position, clocks: Clocks) -> str:
            sys.exit("no licence")

    line = Leaving.choose.__code__.co_firstlineno + 1
    said = f"the bot failed and ended (test_failing_bots.py, line {line}, in choose): SystemExit: no licence"
    with (
        FakeServer(LOGIN + SEEK + MATCH + PLAYING + TURN + f"> CRASHED {said}\n" + QUIT) as server,
        pytest.raises(SystemExit),
    ):
        play(Leaving(), port=server.port, name="newcomer", report=lambda line: None)


def test_an_interrupted_bot_resigns() -> None:
    class Interrupted(Bot):
        def choose(self, position: Position, clocks: Clocks) -> str:
            raise KeyboardInterrupt

    script = LOGIN + SEEK + MATCH + PLAYING + TURN + "> RESIGN\n" + QUIT
    with FakeServer(script) as server, pytest.raises(KeyboardInterrupt):
        play(Interrupted(), port=server.port, name="newcomer", report=lambda line: None)


BEGIN = LOGIN + SEEK + MATCH + PLAYING
MOVE_1 = f"> MOVE {FIRST}\n"
SECOND_TURN = "< TURN 59850 59700\n"
MOVE_3 = f"> MOVE {THIRD}\n< MOVED 3 white 59840 59700 {THIRD}\n"


class Noter(Bot):
    """Plays the first legal moves, and notes something before."""

    def __init__(self, note: Callable[["Noter", Clocks], None]) -> None:
        self.say = note

    def choose(self, position: Position, clocks: Clocks) -> str:
        self.say(self, clocks)
        return [FIRST, "", THIRD][self.history.plies]


def by_the_clock(bot: Noter, clocks: Clocks) -> None:
    clocks.note(score=-35, depth=7, nodes=120_345, pv=["a3-b3 w: b3 c3", "c5-c4"], text="in the\nbook ")


def test_a_note_is_sent_before_the_move() -> None:
    note = "NOTE ply={} score=-35 depth=7 nodes=120345 pv=a3-b3_w:_b3_c3,c5-c4 text=in the book\n"
    first = TURN + f"> {note.format(1)}{MOVE_1}" + MOVED_1 + MOVED_2
    second = SECOND_TURN + f"> {note.format(3)}" + MOVE_3
    _, reported = scripted(Noter(by_the_clock), BEGIN + first + second + RESULT + QUIT)
    assert not any("note" in line for line in reported)


def test_a_bot_notes_in_any_method() -> None:
    class Talkative(Bot):
        def prepare(self, match: Match) -> None:
            self.note(text="warm")

        def choose(self, position: Position, clocks: Clocks) -> str:
            self.note(pv=[next(position.children())], score=1.0005)
            return FIRST

        def handle_message(self, message: object) -> None:
            self.note(depth=self.history.plies)

    bot = Talkative()
    bot.note(text="before any match")
    begin = LOGIN + SEEK + MATCH + "> NOTE ply=1 text=warm\n" + "> READY\n"
    start = START + "> NOTE ply=1 depth=0\n"
    turn = TURN + f"> NOTE ply=1 score=1 pv={FIRST}\n" + MOVE_1 + MOVED_1 + "> NOTE ply=1 depth=1\n"
    opponents = MOVED_2 + "> NOTE ply=3 depth=2\n"
    scripted(bot, begin + start + turn + opponents + RESULT + QUIT)
    bot.note(text="after all matches")


def test_what_the_server_leaves_out_is_reported_once() -> None:
    notice = "< NOTICE too_many 16 notes have come since your last move\n"
    first = TURN + "> NOTE ply=1 *\n" + MOVE_1 + notice + notice + MOVED_1
    _, reported = scripted(Noter(by_the_clock), BEGIN + first + RESULT + QUIT)
    assert [line for line in reported if "note" in line] == snapshot(
        ["a note is left out: 16 notes have come since your last move"]
    )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"score": math.nan}, snapshot("a note is left out: score is a number as in 35, -35 or 0.125, not 'nan'")),
        ({"score": 10**9}, snapshot("a note is left out: score is a number as in 35, -35 or 0.125, not '1000000000'")),
        ({"score": "high"}, snapshot("a note is left out: score: could not convert string to float: 'high'")),
        ({"depth": "deep"}, snapshot("a note is left out: depth: invalid literal for int() with base 10: 'deep'")),
        ({"depth": -1}, snapshot("a note is left out: depth is a whole number of 1 to 12 digits, not '-1'")),
        (
            {"nodes": 10**12},
            snapshot("a note is left out: nodes is a whole number of 1 to 12 digits, not '1000000000000'"),
        ),
        ({"pv": 3}, snapshot("a note is left out: pv: 'int' object is not iterable")),
    ],
)
def test_what_is_wrong_with_a_note_is_reported_and_the_bot_plays_on(said: dict[str, object], sentence: str) -> None:
    def twice(_bot: Noter, clocks: Clocks) -> None:
        for _ in range(2):
            clocks.note(**said)  # type: ignore[arg-type]

    _, reported = scripted(Noter(twice), BEGIN + TURN + MOVE_1 + MOVED_1 + RESULT + QUIT)
    (left_out,) = [line for line in reported if "note" in line]
    assert left_out == sentence


def test_notes_are_cut_to_a_line() -> None:
    pv, snow = ["a3-b3 w: b3 c3"] * 100, "\N{SNOWMAN}\x1b" * 1000

    def long(_bot: Noter, clocks: Clocks) -> None:
        clocks.note(depth=3, pv=pv, text=snow)

    script = BEGIN + TURN + "> NOTE ply=1 depth=3 pv=a3-b3_w:_b3_c3,*\n" + MOVE_1 + MOVED_1
    scripted(Noter(long), script + RESULT + QUIT)
    first = write_note(cut_note(make_note(1, pv=pv, text=snow)))
    second = write_note(cut_note(make_note(1, text="x" * 5000)))
    for content in (first, second):
        assert len(f"NOTE {content}".encode()) in range(REQUEST_BYTES - 6, REQUEST_BYTES + 1)
        assert read_note(content).text.endswith("…")
    assert len(",".join(read_note(first).pv).encode()) <= MAX_PV_BYTES


def test_a_note_names_its_own_move() -> None:
    assert make_note(3, depth=1) == Note(3, depth=1)
    assert make_note(3, ply=1, score=-0.0) == Note(1, score=0.0)
