"""A true record is verified; each single change to it is found and named with its line."""

import random
from collections.abc import Callable

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import moves
from engine.games.outcome import Termination
from engine.match.clock import TimeControl
from engine.match.reader import BadRecord
from engine.match.record import Header
from engine.match.verification import verify
from tests.engine.records import MS, Table

ENDS = ["bad_move", "resign", "crashed", "time", "adjudicated", "server_stop"]


def played(
    parameters: str = "3 3 9 9", *, seed: int = 1, budget: int = 10_000_000, stop_after: int = 1000, end: str = ""
) -> str:
    """Return the record of a random game that the referee led, ended by ``end`` where the board does not."""
    chance = random.Random(seed)
    position, control = GAMES["gipf"].start(parameters), TimeControl(budget, 1_500)
    header = Header(7, position, ("ann", "bob"), control, 60, "gipf-arena/test", "2026-01-02T03:04:05.678Z")
    table = Table(header=header).ready(chance.randrange(5_000) / MS, chance.randrange(5_000) / MS)
    while table.state.outcome is None and table.state.history.plies < stop_after:
        if table.state.history.plies == 5:
            table.drop(0, 0.001)
        span = (3 + chance.randrange(300) + chance.randrange(40_000)) / MS
        table.play(chance.choice(moves(table.state.history.position)), span=span)
    turn = table.state.history.position.turn
    ends: dict[str, Callable[[], object]] = {
        "bad_move": lambda: table.play("a1-a9", span=1.234),
        "resign": lambda: table.resign(1 - turn),
        "crashed": lambda: table.say_crashed(1 - turn),
        "time": table.flag,
        "adjudicated": lambda: table.adjudicate(1 - turn),
        "server_stop": lambda: table.annul(Termination.SERVER_STOP, "the server was stopped"),
    }
    if end and table.state.outcome is None:
        ends[end]()
    return table.text


def test_records_of_whole_games_are_true() -> None:
    reasons = {
        verify(played(parameters, seed=seed)).reason for seed in range(12) for parameters in ("3 3 9 9", "2 2 5 5")
    }
    assert {"no_reserve", "repetition"} <= reasons


def test_record_that_was_cut_off_is_true_as_far_as_it_goes() -> None:
    summary = verify(played(stop_after=9))
    assert (summary.result, summary.reason, summary.history.plies) == ("", "", 9)


@pytest.mark.parametrize("text", ["", "\n", "arena-record 1\n", "\x00", "move 1"])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        verify(text)


RESTARTED = """\
ready white 20.000 9980.000
restarted 70.000
back black 90.000
runs black 90.010
gone black 90.500
restarted 90.600
restarted 500.000
back black 510.000
runs black 510.040
ready black 520.040 9970.000
back white 525.000
move 1 white 530.000 540.000 9971.500 a1-b2
restarted 9000.000
back black 9001.000
move 2 black 9010.000 9011.000 9970.500 a3-b4
unanswered white 9011.500
result annulled server_stop 9013.000 9970.000 9970.500 the server was stopped
"""
"""Black is charged 20 ms up to the first restart, nothing up to the others, and 10 ms from the last ``runs`` on."""


def restarted() -> str:
    return "".join(played(stop_after=0).partition("ready")[:1]) + RESTARTED


def test_clocks_are_recomputed_over_restarts() -> None:
    text = restarted()
    summary = verify(text)
    assert summary.left == (9_970_000, 9_970_500)
    cut = text[: text.index("ready black")]
    assert verify(cut).left == (9_980_000, 9_980_000)
    assert verify(cut).state.ready == (True, False)
    assert verify(cut + "back white 700.000\n").latest == 700_000


def test_a_game_can_be_adjudicated_while_it_is_played_and_only_then() -> None:
    text = played(stop_after=9)
    assert text.splitlines()[-1].startswith("move 9 white ")
    sent = verify(text).state.stamp
    white, black = (f"{left // 1000}.{left % 1000:03}" for left in verify(text).left)
    told = f"unanswered black {sent // 1000}.{sent % 1000:03}\n"
    later = f"{sent // 1000 + 5}.{sent % 1000:03} {white}"
    charged = f"{int(black[:-4]) - 5}{black[-4:]}"
    for result in ("white", "black", "draw"):
        # the server may not have sent TURN yet, or may be waiting for black after a restart
        assert verify(f"{text}result {result} adjudicated {later} {black} so it is\n").result == result
        assert verify(f"{text}{told}result {result} adjudicated {later} {charged} so it is\n").result == result
    late = f"{sent // 1000 + 99_999}.{sent % 1000:03} {white}"
    for lines, sentence in [
        (
            f"result annulled adjudicated {later} {black}\n",
            "this line is written 'result draw adjudicated ",
        ),
        (
            f"{told}result white adjudicated {late} 0.000\n",
            "this line is written 'result white time ",
        ),
        (
            f"resigned white {later.split()[0]}\nresult black adjudicated {later} {black}\n",
            "this line is written 'result black resign ",
        ),
    ]:
        with pytest.raises(BadRecord, match=sentence):
            verify(text + lines)
    with pytest.raises(BadRecord, match="while it is played"):
        verify(played(stop_after=0).partition("ready")[0] + "result draw adjudicated 0.000 10000.000 10000.000\n")
