"""A true record is verified; each change to it is found and named with its line; the command says so."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine import cli
from engine.games.catalogue import GAMES
from engine.games.interface import ANNULLED, Termination
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import BadRecord, Header
from engine.match.verification import finished_match, verify
from tests.engine.record_changes import STAMPS, number, written
from tests.engine.records import MS, Table, records
from tests.engine.test_cli import feed

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
        table.play(chance.choice(table.state.history.position.legal_moves), span=span)
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
        verify(played(parameters, seed=seed)).reason for seed in (1, 7, 8) for parameters in ("3 3 9 9", "2 2 5 5")
    }
    assert {"no_reserve", "repetition"} <= reasons


def test_record_that_was_cut_off_is_true_as_far_as_it_goes() -> None:
    text = played(stop_after=9)
    summary = verify(text)
    assert (summary.result, summary.reason, summary.history.plies) == ("", "", 9)
    assert finished_match(text) is finished_match("") is None and finished_match(played()) == verify(played())
    ends = [at for at in range(text.index("\nready ") + 1, len(text)) if text[at - 1] == "\n"]
    assert {verify(text[:end]).state.clock.since for end in ends} == {(None, None)}
    with pytest.raises(BadRecord, match="line feed"):
        verify(text[:-1])


@pytest.mark.parametrize("text", ["", "\n", "arena-record 1\n", "\x00", "move 1"])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        verify(text)


REFUSED = "wrote a line that was refused: "
TRICK = f"'x; bob (black) {REFUSED}y; alice (white) {REFUSED}z': unknown command 'x;' (unknown_command)"


def refused_lines(refusals: tuple[str, str], *, initialised: bool = True) -> str:
    """Return the record of a match that white has lost on time, or both sides, after lines that were refused."""
    table = Table()
    if initialised:
        table.ready().play("2")
    for side in (0, 1):
        for refusal in (refusals[side], "a later line"):
            table.state = referee.refuse(table.state, side, refusal) if refusals[side] else table.state
    return table.flag()


@pytest.mark.parametrize("initialised", [True, False])
@pytest.mark.parametrize(
    "refusals", [("", ""), ("'a1': x", ""), ("", "'b1': y"), ("'a1': x", "'b1': y"), (TRICK, TRICK)]
)
def test_the_first_refused_line_of_a_side_that_lost_on_time_is_in_the_result(
    refusals: tuple[str, str], initialised: bool
) -> None:
    summary = verify(refused_lines(refusals, initialised=initialised))
    assert summary.reason == "time"
    fallen = {0: "alice (white)"} if initialised else {0: "alice (white)", 1: "bob (black)"}
    told = "".join(f"; {who} {REFUSED}{refusals[side]}" for side, who in fallen.items() if refusals[side])
    assert summary.sentence == verify(refused_lines(("", ""), initialised=initialised)).sentence + told


def test_a_match_that_is_over_changes_no_more() -> None:
    table = Table().ready().play("2")
    table.resign(1)
    late = table.after(1_000_000)
    for step in (
        referee.note(table.state, 0, "depth=1"),
        referee.start_initialisation(table.state, 0, late),
        referee.flag(table.state, late),
    ):
        assert step == (table.state, [])


RESTARTED = f"""\
{played(stop_after=0).partition("ready")[0]}ready white 20.000 9980.000
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


def test_clocks_are_recomputed_over_restarts() -> None:
    assert verify(RESTARTED).left == (9_970_000, 9_970_500)
    cut = RESTARTED[: RESTARTED.index("ready black")]
    assert verify(cut).left == (9_980_000, 9_980_000)
    assert verify(cut).state.ready == (True, False)
    assert verify(cut + "back white 700.000\n").latest == 700_000
    died = RESTARTED[: RESTARTED.index("ready white")] + "restarted 70.000\n"
    assert verify(f"{died}back white 90.000\n").heard == (True, False)
    assert verify(f"{died}back black 90.000\n").heard == (False, True)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("move 1 white", "move 1 black", "it is not the turn of black"),
        ("530.000 540.000 9971.500", "540.000 530.000 9991.500", "the answer at 530.000 came before TURN was sent"),
        ("move 1", "stall 529.000 529.500\nmove 1", "no clock ran when the stall at 529.000 began"),
        (
            "unanswered white 9011.500",
            "stall 9012.000 9012.100\nstall 9012.200 9012.300",
            "the stall at 9012.000 began",
        ),
    ],
)
def test_events_that_cannot_have_been_are_named(old: str, new: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        verify(RESTARTED.replace(old, new))


RECORDS = records()
LEFTS = {"ready": (3,), "move": (5,), "result": (4, 5)}
"""Which words of a line are what a side has left."""


def budget_moved(text: str, by: int) -> list[str]:
    """Return the lines of a record with another budget, and with all that was left moved along."""
    lines = []
    for line in text.splitlines():
        words = line.split(" ")
        for place in (1,) if words[0] == "budget" else LEFTS.get(words[0], ()):
            words[place] = written(number(words[place]) + by)
        lines.append(" ".join(words))
    return lines


def fault_of(lines: list[str]) -> tuple[int, str]:
    """Return for which line a record is refused, and why; (0, "") where it is true."""
    try:
        verify("\n".join(lines) + "\n")
    except BadRecord as error:
        return error.line, str(error)
    return 0, ""


def answers(text: str) -> list[tuple[int, int]]:
    """Return what a side had left at each answer, before the increment, and in which line that stands."""
    lines = text.splitlines()
    increment = next(number(line.split(" ")[1]) for line in lines if line.startswith("increment "))
    return [
        (number(words[place]) - (increment if words[0] == "move" else 0), at)
        for at, words in enumerate((line.split(" ") for line in lines), 1)
        for place in LEFTS.get(words[0], ())
        if words[0] != "result"
    ]


ENDED_IN_TIME = [name for name in RECORDS if not name.startswith("time") and name not in ("stalls", "restart")]


@pytest.mark.parametrize("name", ENDED_IN_TIME)
def test_a_lower_budget_is_true_until_a_flag_would_have_fallen(name: str) -> None:
    text = RECORDS[name]
    before = verify(text)
    left = min((left for left, _ in answers(text)), default=10**9)
    last = min(before.left) - (before.header.control.increment if before.reason == "line" else 0)
    if before.reason in ANNULLED:
        last = left  # nobody loses by a flag that falls just then
    most = min(left, last)
    lines = budget_moved(text, 1 - most)
    assert fault_of(lines) == (0, "")
    after = verify("\n".join(lines) + "\n")
    assert after.header.control == before.header.control._replace(budget=before.header.control.budget + 1 - most)
    assert after.left == (before.left[0] + 1 - most, before.left[1] + 1 - most)
    assert after.history == before.history
    ending = next((at for at, line in enumerate(lines, 1) if line.startswith("refused ")), len(lines))
    at, why = fault_of(budget_moved(text, -most))
    assert at == next((at for left, at in answers(text) if left <= most), ending) and "ran out of" in why


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("by", [1, 5_000_000])
def test_stamps_shifted_as_a_whole_are_refused_where_the_first_clock_stops(name: str, by: int) -> None:
    """Clocks begin at stamp 0: all that was later is not true without what it costs."""
    lines = []
    for line in RECORDS[name].splitlines():
        words = line.split(" ")
        for place in STAMPS.get(words[0], ()):
            words[place] = written(number(words[place]) + by)
        lines.append(" ".join(words))
    first = next(at for at, line in enumerate(lines, 1) if line.startswith(("ready ", "result ")))
    at, why = fault_of(lines)
    assert at == first and "is written" in why


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs ``arena-engine record``, and returns its exit status, output and complaints."""

    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = cli.run(["record", *words])
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def match(tmp_path: Path) -> Path:
    """The record of a match with a stall."""
    position = GAMES["gipf"].start("3 3 9 9")
    header = Header(7, position, ("ann", "bob"), TimeControl(10_000_000), 60, "test", "2026-01-02T03:04:05.678Z")
    table = Table(header=header).ready(5, 4).note(0, "score=35 depth=7 pv=a1-b2,e3-d3 text=in the book")
    path = tmp_path / "7.txt"
    text = table.note(1, "ply=2 it will be over").stall(10.875, 1000).play("a1-b2", span=100).resign(1)
    path.write_text(text, encoding="utf-8")
    return path


def test_verify_shows_how_each_clock_comes_about(match: Path, command: Command) -> None:
    status, output, complaints = command("--verify", str(match))
    assert status == 0, complaints
    lines = output.splitlines()
    assert lines[0].startswith("GIPF 3 3 9 9: ann (white) against bob (black)")
    assert lines[2].split() == ["from", "until", "stalled", "lag", "charged", "left"]
    assert [line.split()[-1] for line in lines[3:5]] == ["READY", "READY"]
    (move,) = [line.split() for line in lines if line.endswith(" a1-b2")]
    assert move[:7] == ["1", "white", "9.125", "1120.000", "1000.000", "0.000", "110.875"]
    assert lines[-1].startswith("verified match 7: white resign, 1 move, ")


def test_without_it_moves_and_board_are_shown(match: Path, command: Command) -> None:
    _, output, _ = command(str(match))
    assert "charged" not in output
    moves = [
        "   1 white a1-b2",
        "      note: score +0.35; depth 7; pv a1-b2, e3-d3: in the book",
        "   2 not made",
        "      note: it will be over",
    ]
    assert output.splitlines()[1:5] == moves


@pytest.mark.parametrize("options", [(), ("--verify",)])
def test_a_clock_that_is_not_true_is_named_with_its_line(
    match: Path, options: tuple[str, ...], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = match.read_text(encoding="utf-8").replace("stall 20.000 1020.000", "stall 20.000 1000.000")
    feed(monkeypatch, forged.encode())
    status, output, complaints = command(*options, "-")
    assert (status, output) == (2, "")
    assert complaints == snapshot(
        "arena-engine: standard input: line 25: this line is written 'move 1 white 9.125 1120.000 9860.125 a1-b2', not 'move 1 white 9.125 1120.000 9880.125 a1-b2'\n"
    )


@pytest.mark.slow("interpreted")
def test_pictures_are_in_the_format_that_their_names_end_in(match: Path, tmp_path: Path, command: Command) -> None:
    begins = {".svg": b"<svg ", ".png": b"\x89PNG", ".gif": b"GIF89a"}
    for suffix, first in begins.items():
        file = tmp_path / f"board{suffix}"
        assert command(str(match), "--picture", str(file))[0] == 0
        assert file.read_bytes().startswith(first)
    status, _, refused = command(str(match), "--picture", str(tmp_path / "board.jpg"))
    assert (status, refused.replace(str(tmp_path), "FOLDER")) == snapshot(
        (2, "arena-engine: --picture: FOLDER/board.jpg has to end in .svg, .png or .gif\n")
    )
    status, _, refused = command(str(match), "--picture", str(tmp_path / "board.png"), "--ply", "2")
    assert (status, refused) == snapshot((2, "arena-engine: --ply is 2, but it has to be 0 to 1\n"))
