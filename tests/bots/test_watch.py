"""The watching client: its knowledge of a match, its drawing of it, and whole matches from a script."""

import io
from typing import Any

import pytest
from inline_snapshot import snapshot
from rich.console import Console

from bots.bot import match_title
from bots.client import connection
from bots.client.errors import ArenaError, Refused, ServerFault
from bots.terminal import watch as watching
from bots.terminal.watch import WatchedMatch, clock, newest, render_match, watch
from engine.wire import messages as m
from tests.bots.fake import FakeServer
from tests.bots.texts import BOARD, FIRST, SECOND

WATCHING = m.Watching(17, "gipf", "4,4,15,15", "alice", "[red]bob[/red]", 60_000, 500, 1000)
MOVED_1 = m.Moved(1, "white", 59_000, 60_000, m.Text(FIRST))
MOVED_2 = m.Moved(2, "black", 59_000, 58_000, m.Text(SECOND))
NOTED = m.Noted(1, "white", m.Text("score=35 depth=7 pv=a5-b5_w:_b5_c5 text=in the book"))
RESULT = m.Result(17, "black", "time", 0, 58_000, m.Text("alice (white) ran out of time"))


def seen(*messages: m.Message) -> WatchedMatch:
    """Show messages, one a second from moment 101 on."""
    watched_match = WatchedMatch.begin(WATCHING, 100.0)
    for now, message in enumerate(messages, 101):
        watched_match = watched_match.after(message, float(now))
    return watched_match


BEGUN = m.Start(59_900, 59_800)


@pytest.mark.parametrize(
    ("messages", "now", "clocks", "turn"),
    [
        ((), 110.0, (60_000, 60_000), None),
        ((BEGUN,), 102.5, (58_400, 59_800), 0),
        ((BEGUN, MOVED_1), 103.0, (59_000, 59_000), 1),
        ((BEGUN,), 1000.0, (0, 59_800), 0),
        ((m.Start(50_000, 58_000), MOVED_1, MOVED_2, m.Pong()), 104.0, (50_000, 58_000), 0),
        ((BEGUN, MOVED_1, m.Pong()), 103.0, (59_000, 59_800), 1),
        ((BEGUN, MOVED_1, MOVED_2, RESULT), 1000.0, (0, 58_000), None),
        ((BEGUN, RESULT._replace(match=16)), 101.0, (59_900, 59_800), 0),
    ],
    ids=["preparing", "to move", "moved", "used up", "joined late", "joined early", "over", "result of another match"],
)
def test_clocks_of_a_watched_match(
    messages: tuple[m.Message, ...], now: float, clocks: tuple[int, int], turn: int | None
) -> None:
    watched_match = seen(*messages)
    assert (watched_match.clocks(now), watched_match.turn) == (clocks, turn)


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (RESULT, snapshot("alice ran out of time; [red]bob[/red] wins (alice (white) ran out of time)")),
        (
            m.Result(17, "white", "bad_move", 1, 1, m.Text("bob (black) played 'x', BAD_MOVE_x_IS_BAD: no move")),
            snapshot("[red]bob[/red] made an illegal move; alice wins (bob (black) played 'x', no move)"),
        ),
        (m.Result(17, "draw", "repetition", 1, 1, m.Text("")), snapshot("Draw: third repetition")),
        (m.Result(17, "annulled", "server_stop", 1, 1, m.Text("")), snapshot("Annulled: server stopped")),
    ],
)
def test_endings(result: m.Result, sentence: str) -> None:
    assert seen(result).ending() == sentence


def test_the_newest_running_match() -> None:
    lines = (
        "15 gipf 4,4,15,15 a b 60000 0 12 white no_reserve",
        "16 gipf 4,4,15,15 c d 60000 0 12 running",
        "17 gipf 4,4,15,15 e f 60000 0 0 preparing",
        "18 gipf 4,4,15,15 running g 60000 0 0 annulled server_stop",
        "",
        "x gipf 4,4,15,15 e f 60000 0 0 running",
    )
    listed = m.Matches(m.Block(lines))
    assert newest(listed, running=True) == 17
    assert newest(listed, above=17, running=True) is None
    assert newest(m.Matches(m.Block(())), running=True) is None


@pytest.mark.parametrize(("ms", "text"), [(0, "0.0 s"), (9_990, "9.9 s"), (60_000, "1:00"), (3_725_000, "1:02:05")])
def test_clocks_for_people(ms: int, text: str) -> None:
    assert clock(ms) == text


def test_times_of_a_match_for_people() -> None:
    assert match_title(WATCHING) == "match 17: GIPF 4 4 15 15, 60 s + 500 ms a move"
    exact = WATCHING._replace(budget=125_000, increment=1_250)
    assert match_title(exact).endswith(", 125 s + 1250 ms a move"), "what was set is told exactly"


def drawn(watched_match: WatchedMatch, width: int, height: int, now: float = 110.0) -> list[str]:
    """Draw a match; return the lines."""
    output = io.StringIO()
    Console(file=output, width=width, height=height).print(render_match(watched_match, now, height))
    return output.getvalue().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 18)])
@pytest.mark.parametrize("messages", [(), (BEGUN, *[MOVED_1] * 2, NOTED, RESULT)])
def test_a_scene_fits_the_terminal(width: int, height: int, messages: tuple[m.Message, ...]) -> None:
    lines = drawn(seen(*messages[:2], *messages[3:]), width, height)
    assert max(map(len, lines)) <= width
    assert len(lines) < height
    assert "[red]bob[/red] black" in "\n".join(lines)


def test_what_a_scene_shows() -> None:
    second = m.Noted(2, "black", m.Text("speed=9 from a later version"))
    text = "\n".join(drawn(seen(BEGUN, MOVED_1, NOTED, second), 120, 24, 104.2))
    title = "match 17: GIPF 4 4 15 15, 60 s + 500 ms a move"
    notes = "score +0.35; depth 7; pv a5-b5 w: b5 c5: in the book", "speed=9 from a later version"
    state = "● alice white 59.0 s", "57.8 s  ◀ to move", "[●]", f"1 white {FIRST}", "11 in reserve, 0 captured"
    for part in (title, *notes, *state):
        assert part in text
    assert "[red]bob[/red] wins" in "\n".join(drawn(seen(BEGUN, MOVED_1, RESULT), 120, 24))


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
alice resigned at move 3; bob wins (alice (white) resigned)
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


NOTE_BEFORE_RESULT = "< NOTED 2 black score=-35 depth=7 text=lost\n< RESULT"
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
            LIST + WATCH + REST.replace("< RESULT", NOTE_BEFORE_RESULT),
            {},
            OUTPUT.replace("white: 11 in", "   2 black noted: score -0.35; depth 7: lost\nwhite: 11 in"),
        ),
        (LIST + OVER + LIST + WATCH + REST, {}, OUTPUT),
        (LIST + WATCH + REST + RECORD, {"record": True}, f"{OUTPUT}arena-record 1\n{LONG}\n"),
        (
            LIST + WATCH + REST + NO_RECORD,
            {"record": True},
            OUTPUT + "the server says: there is no record of match 17 (unknown_match)\n",
        ),
    ],
    ids=["newest", "number", "notes", "ends before it is watched", "record", "no record"],
)
def test_a_match_is_printed_line_by_line(script: str, options: dict[str, Any], printed: str) -> None:
    assert watched(HELLO + script + QUIT, **options) == printed


def test_live_in_a_terminal() -> None:
    output = watched(HELLO + LIST + WATCH + REST + QUIT, terminal=True)
    for part in ("match 17: GIPF 4 4 15 15, 60 s", "alice", "alice resigned at move 3; bob wins (alice"):
        assert part in output


def test_following_from_match_to_match() -> None:
    later = LIST.replace("17", "18") + (WATCH + REST).replace("17", "18", 2).replace("RESULT 17", "RESULT 18")
    script = HELLO + LIST + WATCH + REST + LIST + later + NONE_RUNS + "> LIST\n< BYE stopping the server is stopped\n"
    output = io.StringIO()
    console = Console(file=output, width=80)
    with FakeServer(script + "> QUIT") as server, pytest.raises(Refused) as stopped:
        watch(None, host="127.0.0.1", port=server.port, follow=True, console=console)
    assert stopped.value.code == "stopping"
    assert [line for line in output.getvalue().splitlines() if line.startswith(("match", "waiting"))] == snapshot(
        [
            "match 17: GIPF 4 4 15 15, 60 s, white: alice, black: bob",
            "waiting for a match to begin",
            "match 18: GIPF 4 4 15 15, 60 s, white: alice, black: bob",
            "waiting for a match to begin",
        ]
    )


def test_coming_back() -> None:
    output = watched(HELLO + LIST + WATCH + "drop", HELLO + WATCH + REST + QUIT)
    assert output.endswith(OUTPUT)
    assert output.removesuffix(OUTPUT).splitlines()[-1] == snapshot(
        "the server closed the connection; trying to come back"
    )


WATCH_UNKNOWN = "> WATCH 17\n< WATCHING 17 {} alice bob 60000 0 1000\n> PING\n" + QUIT


@pytest.mark.parametrize(
    ("error", "script", "match", "sentence"),
    [
        (Refused, OVER + QUIT, 17, snapshot("the server says: match 17 is not running (unknown_match)")),
        (
            ServerFault,
            WATCH_UNKNOWN.format("halma 8"),
            17,
            snapshot("the match cannot be followed: the game 'halma' is unknown here"),
        ),
        (
            ServerFault,
            WATCH_UNKNOWN.format("gipf 1,1,1,1"),
            17,
            snapshot("the match cannot be followed: S is 1, but boards have sides of 2 to 12 fields"),
        ),
        (
            ArenaError,
            LIST + WATCH + "drop",
            None,
            snapshot("the server closed the connection; the server could not be reached again"),
        ),
    ],
)
def test_a_match_cannot_be_watched(
    error: type[ArenaError], script: str, match: int | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MIN_RECONNECT_SECONDS", 0.05)
    with pytest.raises(error) as caught:
        watched(HELLO + script, match=match)
    assert str(caught.value) == sentence


MARKUP = ("[bold red]no[/bold red]", "[link=http://example.org]here[/link]", "[/]", ":pile_of_poo:")
CONTROL = ("\x1b[31mred", "a\x07b", "\u202egpj.exe", "\x9b2J", "\u200b")


@pytest.mark.parametrize("text", MARKUP)
@pytest.mark.parametrize("terminal", [False, True])
def test_markup_is_no_markup(text: str, terminal: bool) -> None:
    rest = REST.replace("alice (white) resigned", f"alice {text}")
    output = watched(HELLO + LIST + WATCH + rest + QUIT, terminal=terminal)
    assert f"alice {text}" in output
    if not terminal:
        assert "\x1b" not in output


@pytest.mark.parametrize("text", CONTROL)
@pytest.mark.parametrize("terminal", [False, True])
def test_what_steers_a_terminal_ends_the_session(text: str, terminal: bool) -> None:
    rest = REST.replace("alice (white) resigned", f"alice {text}")
    with pytest.raises(ServerFault, match=r"U\+[0-9A-F]{4}, cannot be printed") as caught:
        watched(HELLO + LIST + WATCH + rest, terminal=terminal)
    assert str(caught.value).isprintable()
