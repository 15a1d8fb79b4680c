"""What a spectator knows of a match, and how it is drawn."""

import io

import pytest
from rich.console import Console

from bots.client.formatting import clock, time_control
from bots.terminal.display import WatchedMatch, newest, render_match
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


def test_both_clocks_stand_while_the_sides_get_ready() -> None:
    assert seen().clocks(110.0) == (60_000, 60_000)
    assert seen().turn is None


def test_the_clock_of_the_side_to_move_runs() -> None:
    watched_match = seen(m.Start(59_900, 59_800))
    assert watched_match.turn == 0
    assert watched_match.clocks(102.5) == (58_400, 59_800)
    assert watched_match.after(MOVED_1, 102.5).clocks(103.5) == (59_000, 59_000)


def test_no_clock_falls_below_nothing() -> None:
    assert seen(m.Start(59_900, 59_800)).clocks(1000.0) == (0, 59_800)


def test_whoever_comes_later_sees_what_the_clocks_show_now() -> None:
    watched_match = seen(m.Start(50_000, 58_000), MOVED_1, MOVED_2, m.Pong())
    assert watched_match.clocks(watched_match.since) == (50_000, 58_000)


def test_moves_that_are_played_before_the_pong_count() -> None:
    watched_match = seen(m.Start(59_900, 59_800), MOVED_1, m.Pong())
    assert watched_match.clocks(watched_match.since) == (59_000, 59_800)


def test_the_end_stops_the_clocks() -> None:
    watched_match = seen(m.Start(59_900, 59_800), MOVED_1, MOVED_2, RESULT)
    assert watched_match.turn is None
    assert watched_match.clocks(1000.0) == (0, 58_000)
    assert watched_match.ending() == "[red]bob[/red] (black) wins, time: alice (white) ran out of time"


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (m.Result(17, "draw", "repetition", 1, 1, m.Text("")), "drawn, repetition"),
        (m.Result(17, "annulled", "server_stop", 1, 1, m.Text("")), "annulled, server_stop"),
    ],
)
def test_endings_without_a_winner(result: m.Result, sentence: str) -> None:
    assert seen(result).ending() == sentence


def test_the_result_of_another_match_does_not_count() -> None:
    assert seen(RESULT._replace(match=16)).result is None


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


def test_time_controls_for_people() -> None:
    assert time_control(60_000, 0) == "60 s"
    assert time_control(1_500, 250) == "1.5 s + 250 ms a move"
    assert time_control(125_000, 1_250) == "125 s + 1250 ms a move", "what was set is told exactly"


def drawn(watched_match: WatchedMatch, width: int, height: int, now: float = 110.0) -> list[str]:
    """Draw a match; return the lines."""
    output = io.StringIO()
    Console(file=output, width=width, height=height).print(render_match(watched_match, now, width, height))
    return output.getvalue().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40), (60, 24)])
@pytest.mark.parametrize(
    "messages", [(), (m.Start(1, 1),), (m.Start(1, 1), MOVED_1), (m.Start(1, 1), MOVED_1, NOTED, RESULT)]
)
def test_a_scene_fits_the_terminal(width: int, height: int, messages: tuple[m.Message, ...]) -> None:
    lines = drawn(seen(*messages), width, height)
    assert max(map(len, lines)) <= width
    assert len(lines) < height
    assert "[red]bob[/red] black" in "\n".join(lines)


def test_what_a_scene_shows() -> None:
    text = "\n".join(drawn(seen(m.Start(59_900, 59_800), MOVED_1), 80, 24, 103.0))
    title = "match 17 · GIPF 4 4 15 15 · 60 s + 500 ms a move"
    for part in (title, "● alice white", "59.0 s", "◀ to move", "[●]", FIRST):
        assert part in text
    assert "11 in reserve, 0 captured" in text
    assert f"last move: 1 white {FIRST}" in text


def test_a_scene_shows_the_last_note_of_each_side() -> None:
    second = m.Noted(2, "black", m.Text("speed=9 from a later version"))
    text = "\n".join(drawn(seen(m.Start(1, 1), MOVED_1, MOVED_2, NOTED, second, RESULT), 160, 24))
    assert "score 35; depth 7; pv a5-b5 w: b5 c5: in the book" in text
    assert "speed=9 from a later version" in text
