"""The watching client against a server that plays from a script."""

import io
from typing import Any

import pytest
from rich.console import Console

from bots.client import connection
from bots.client.errors import ArenaError, Refused, ServerFault
from bots.terminal import watch as watching
from bots.terminal.watch import watch
from tests.bots.fake import FakeServer
from tests.bots.texts import BOARD, FIRST, SECOND

HELLO = "< ARENA 1 gipf-arena/0.1.0 open\n"
LIST = """
> LIST
< MATCHES 2
< | 16 gipf 4,4,15,15 a b 60000 0 12 white no_reserve
< | 17 gipf 4,4,15,15 alice bob 60000 0 1 running
"""
NONE_RUNS = """
> LIST
< MATCHES 1
< | 16 gipf 4,4,15,15 a b 60000 0 12 white no_reserve
"""
WATCH = f"""
> WATCH 17
< WATCHING 17 gipf 4,4,15,15 alice bob 60000 0 1000
{BOARD}
< START 59000 58000
< MOVED 1 white 59100 58000 {FIRST}
> PING
< PONG
"""
REST = f"""
< MOVED 2 black 59100 57000 {SECOND}
< RESULT 17 black resign 59000 57000 alice (white) resigned
"""
QUIT = """
> QUIT
< BYE quit goodbye
"""
OUTPUT = f"""match 17: GIPF 4 4 15 15, 60 s, white: alice, black: bob
play begins
   1 white {FIRST}  (white 59.1 s, black 58.0 s)
   2 black {SECOND}  (white 59.1 s, black 57.0 s)
white: 11 in reserve, 0 captured; black: 11 in reserve, 0 captured
bob (black) wins, resign: alice (white) resigned
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(watching, "FRAME_SECONDS", 0.01)
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.01))


def watched(*scripts: str, match: int | None = None, terminal: bool = False, **options: Any) -> str:
    """Watch on a scripted server; return what was printed."""
    output = io.StringIO()
    console = Console(file=output, force_terminal=terminal, width=80, height=24, legacy_windows=False)
    with FakeServer(*scripts) as server:
        watch(match, host="127.0.0.1", port=server.port, console=console, **options)
    return output.getvalue()


NOTED = "< NOTED 2 black score=-35 depth=7 text=lost\n< RESULT"
OVER = "> WATCH 17\n< ERROR unknown_match match 17 is not running\n"
LONG = "[this] line stays" + 20 * " as it is"
RECORD = f"> RECORD 17\n< RECORD 17 2\n< | arena-record 1\n< | {LONG}\n"
NO_RECORD = "> RECORD 17\n< ERROR unknown_match there is no record of match 17\n"


@pytest.mark.parametrize(
    ("script", "options", "printed"),
    [
        (LIST + WATCH + REST, {}, OUTPUT),
        (WATCH + REST, {"match": 17}, OUTPUT),
        (
            LIST + WATCH + REST.replace("< RESULT", NOTED),
            {},
            OUTPUT.replace("white: 11 in", "   2 black noted: score -35; depth 7: lost\nwhite: 11 in"),
        ),
        (NONE_RUNS + NONE_RUNS + LIST + WATCH + REST, {"wait": True}, "waiting for a match to begin\n" + OUTPUT),
        (LIST + OVER + LIST + WATCH + REST, {}, OUTPUT),
        (LIST + WATCH + REST + RECORD, {"record": True}, f"{OUTPUT}arena-record 1\n{LONG}\n"),
        (
            LIST + WATCH + REST + NO_RECORD,
            {"record": True},
            OUTPUT + "the server says: there is no record of match 17 (unknown_match)\n",
        ),
    ],
    ids=["newest", "number", "notes", "wait", "ends before it is watched", "record", "no record"],
)
def test_a_match_is_printed_line_by_line(script: str, options: dict[str, Any], printed: str) -> None:
    assert watched(HELLO + script + QUIT, **options) == printed


def test_live_in_a_terminal() -> None:
    output = watched(HELLO + LIST + WATCH + REST + QUIT, terminal=True)
    for part in ("match 17: GIPF 4 4 15 15, 60 s", "alice", "bob (black) wins, resign: alice (white) resigned"):
        assert part in output


def test_following_from_match_to_match() -> None:
    later = LIST.replace("17", "18") + (WATCH + REST).replace("17", "18", 2).replace("RESULT 17", "RESULT 18")
    script = HELLO + LIST + WATCH + REST + LIST + later + NONE_RUNS + "> LIST\n< BYE stopping the server is stopped\n"
    output = io.StringIO()
    console = Console(file=output, width=80)
    with FakeServer(script + "> QUIT") as server, pytest.raises(Refused, match="the server is stopped"):
        watch(None, host="127.0.0.1", port=server.port, follow=True, console=console)
    assert [line for line in output.getvalue().splitlines() if line.startswith(("match", "waiting"))] == [
        "match 17: GIPF 4 4 15 15, 60 s, white: alice, black: bob",
        "waiting for a match to begin",
        "match 18: GIPF 4 4 15 15, 60 s, white: alice, black: bob",
        "waiting for a match to begin",
    ]


def test_coming_back() -> None:
    output = watched(HELLO + LIST + WATCH + "drop", HELLO + WATCH + REST + QUIT)
    assert output.endswith(OUTPUT)
    assert "the server closed the connection; trying to come back\n" in output


WATCH_UNKNOWN = "> WATCH 17\n< WATCHING 17 {} alice bob 60000 0 1000\n> PING\n" + QUIT


@pytest.mark.parametrize(
    ("error", "script", "match", "sentence"),
    [
        (ArenaError, NONE_RUNS + QUIT, None, "no match is running; --wait waits for one"),
        (Refused, OVER + QUIT, 17, "the server says: match 17 is not running"),
        (ServerFault, WATCH_UNKNOWN.format("halma 8"), 17, "the game 'halma' is unknown here"),
        (ServerFault, WATCH_UNKNOWN.format("gipf 1,1,1,1"), 17, "the match cannot be followed: S is 1"),
        (ArenaError, LIST + WATCH + "drop", None, "could not be reached again"),
    ],
)
def test_a_match_cannot_be_watched(
    error: type[ArenaError], script: str, match: int | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MIN_RECONNECT_SECONDS", 0.05)
    with pytest.raises(error, match=sentence):
        watched(HELLO + script, match=match)
