"""The notes of bots: what is sent of them; nothing of them fails a bot."""

import math
from collections.abc import Callable

import pytest

from bots.bot import Bot, Clocks
from bots.client.answers import MAX_PV_BYTES, NoteSender, make_note
from engine.games.interface import Position
from engine.wire.coding import REQUEST_BYTES
from engine.wire.fields import Note, read_note
from engine.wire.messages import Match
from tests.bots.scripts import (
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
    scripted,
)
from tests.bots.texts import FIRST, THIRD

pytestmark = pytest.mark.usefixtures("short_pauses")

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
            self.note(pv=[next(position.successors())], score=1.0005)
            return FIRST

        def told(self, message: object) -> None:
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
    assert reported.count("a note is left out: 16 notes have come since your last move") == 1


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"score": math.nan}, "score is a number as in 35, -35 or 0.125, not 'nan'"),
        ({"score": 10**9}, "score is a number as in 35, -35 or 0.125, not '1000000000'"),
        ({"depth": "deep"}, "invalid literal for int() with base 10: 'deep'"),
        ({"depth": -1}, "depth is a whole number of 1 to 12 digits, not '-1'"),
        ({"nodes": 10**12}, "nodes is a whole number of 1 to 12 digits, not '1000000000000'"),
        ({"pv": 3}, "'int' object is not iterable"),
    ],
)
def test_what_is_wrong_with_a_note_is_reported_and_the_bot_plays_on(said: dict[str, object], sentence: str) -> None:
    def twice(_bot: Noter, clocks: Clocks) -> None:
        for _ in range(2):
            clocks.note(**said)  # type: ignore[arg-type]

    _, reported = scripted(Noter(twice), BEGIN + TURN + MOVE_1 + MOVED_1 + RESULT + QUIT)
    assert reported.count(f"a note is left out: {sentence}") == 1


def test_notes_are_cut_to_a_line() -> None:
    pv, snow = ["a3-b3 w: b3 c3"] * 100, "\N{SNOWMAN}\x1b" * 1000

    def long(_bot: Noter, clocks: Clocks) -> None:
        clocks.note(depth=3, pv=pv, text=snow)

    sent: list[str] = []
    script = BEGIN + TURN + "> NOTE ply=1 depth=3 pv=a3-b3_w:_b3_c3,*\n" + MOVE_1 + MOVED_1
    scripted(Noter(long), script + RESULT + QUIT)
    sender = NoteSender(lambda message: sent.append(str(message[0])), sent.append)
    sender.take(1, pv=pv, text=snow)
    sender.take(1, text="x" * 5000)
    first, second = sent
    for content in (first, second):
        assert len(f"NOTE {content}".encode()) in range(REQUEST_BYTES - 6, REQUEST_BYTES + 1)
        assert read_note(content).text.endswith("…")
    assert len(",".join(read_note(first).pv).encode()) <= MAX_PV_BYTES


def test_a_note_names_its_own_move() -> None:
    assert make_note(3, depth=1) == Note(3, depth=1)
    assert make_note(3, ply=1, score=-0.0) == Note(1, score=0.0)
