"""What a spectator knows of a match, and how it is drawn."""

import io

import pytest
from rich.console import Console

from bots.bot import match_title
from bots.terminal.watch import WatchedMatch, clock, newest, render_match
from engine.wire import messages as m
from tests.bots.texts import FIRST, SECOND

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
        (RESULT, "[red]bob[/red] (black) wins, time: alice (white) ran out of time"),
        (m.Result(17, "draw", "repetition", 1, 1, m.Text("")), "draw, repetition"),
        (m.Result(17, "annulled", "server_stop", 1, 1, m.Text("")), "annulled, server_stop"),
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
    notes = "score 35; depth 7; pv a5-b5 w: b5 c5: in the book", "speed=9 from a later version"
    state = "● alice white 59.0 s", "57.8 s  ◀ to move", "[●]", f"1 white {FIRST}", "11 in reserve, 0 captured"
    for part in (title, *notes, *state):
        assert part in text
    assert "[red]bob[/red] (black) wins" in "\n".join(drawn(seen(BEGUN, MOVED_1, RESULT), 120, 24))
