"""The conformance test: what it says about a bot without a fault, and about bots with one each."""

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from inline_snapshot import snapshot

from bots.check.bot_under_test import BotUnderTest, Fault, LostOnTime, Situation
from bots.check.run import NOT_THERE, SituationResult, as_json, as_junit, check, chosen, has_passed
from bots.check.situations import crossing_rows
from bots.cli import main
from tests.bots.standing import stand_still

ROGUE = Path(__file__).with_name("rogue.py")

TOKEN = re.compile("[0-9a-f]{8,}-?")


@pytest.fixture
def _standing(tmp_path: Path) -> Iterator[None]:
    """Let time stand still while the rogue is tried."""
    with pytest.MonkeyPatch.context() as patch, stand_still(patch, tmp_path):
        yield


def checked(
    situations: Sequence[Situation], command: Sequence[str] = (), game: str | None = None
) -> tuple[bool, list[str]]:
    """Test a bot in situations; return whether all was right, and what was said."""
    said: list[str] = []
    results = check(command, port=0, game=game, situations=situations, write=said.append, note=said.append)
    return has_passed(results), said


def tried(fault: str, words: str = "", game: str | None = None) -> tuple[bool, list[str]]:
    """Try the rogue bot; return whether all was right, and what was said."""
    return checked(chosen(words), [sys.executable, str(ROGUE), fault, "{host}", "{port}", "{name}"], game)


@pytest.mark.slow
@pytest.mark.usefixtures("_standing")
@pytest.mark.parametrize(("fault", "words"), [("none", ""), ("seeks any", "plays the")])
def test_a_bot_without_a_fault(fault: str, words: str) -> None:
    right, said = tried(fault, words)
    assert right, "\n".join(said)
    assert said[-1] == f"{len(chosen(words))} ok, 0 FAIL"


@pytest.mark.slow
@pytest.mark.usefixtures("_standing")
@pytest.mark.parametrize(
    "variant", ["mnk params=1,1,1", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("arrows", "morris"))]
)
def test_a_bot_without_a_fault_passes_in_every_game_though_a_move_ends_it(variant: str) -> None:
    right, said = tried(f"seeks {variant}")
    assert right and said[-1] == "24 ok, 0 FAIL, 3 skip", "\n".join(said)


@pytest.mark.usefixtures("_standing")
@pytest.mark.parametrize(
    ("fault", "words", "named"),
    [
        (
            "does not start",
            "logs in",
            snapshot(
                [
                    "the bot: ended by itself, with exit status 3, before it had connected",
                    "right would be: to connect, and to say LOGIN",
                    "says protocol.md, section 4 (Requests)",
                ]
            ),
        ),
        (
            "says nothing",
            "logs in",
            snapshot(
                ["the bot: said nothing for 10 s", "right would be: LOGIN", "says protocol.md, section 4 (Requests)"]
            ),
        ),
        (
            "has no name",
            "logs in",
            snapshot(
                [
                    "the bot: said 'LOGIN no/name': 'no/name' is no name",
                    "right would be: a name of 1 to 32 letters, digits, and any of _ . - behind the first",
                    "says protocol.md, section 4 (Requests)",
                ]
            ),
        ),
        (
            "seeks gipf colour=red",
            "logs in",
            snapshot(
                [
                    "the bot: said 'SEEK gipf colour=red': colour is white or black, not 'red'",
                    "right would be: params=, budget=, increment=, colour= (white or black), opponent= (a name), or no option at all",
                    "says protocol.md, section 7 (Pairing)",
                ]
            ),
        ),
        (
            "reads no version",
            "version",
            snapshot(
                [
                    "the bot: went on with 'LOGIN subject' after 'ARENA 2 …'",
                    "right would be: to say so to its user, and to leave",
                    "says protocol.md, section 2.5 (Versions)",
                ]
            ),
        ),
        (
            "insists",
            "LOGIN is refused",
            snapshot(
                [
                    "the bot: said LOGIN 21 times in 2 s, although ERROR name_taken answered each",
                    "right would be: to leave, or to pause before it tries again",
                    "says protocol.md, section 1.8 (Common mistakes)",
                ]
            ),
        ),
        (
            "insists",
            "SEEK is refused",
            snapshot(
                [
                    "the bot: said SEEK 21 times in 2 s, although ERROR too_many answered each",
                    "right would be: to leave, or to pause before it tries again",
                    "says protocol.md, section 1.8 (Common mistakes)",
                ]
            ),
        ),
        (
            "knows all kinds",
            "unknown kinds",
            snapshot(
                [
                    "the bot: closed the connection",
                    "right would be: to ignore lines of a kind that it does not know",
                    "says protocol.md, section 2.4 (What clients must ignore)",
                ]
            ),
        ),
        (
            "has short lines",
            "65536",
            snapshot(
                [
                    "the bot: closed the connection in the middle of a match",
                    "right would be: to stay, or to give up by RESIGN",
                    "says protocol.md, section 1.8 (Common mistakes)",
                ]
            ),
        ),
        (
            "is never ready",
            "side that begins",
            snapshot(
                [
                    "the bot: used up its clock (5000 ms for the match)",
                    "in the position:",
                    "right would be: READY while its clock lasts",
                    "says protocol.md, section 8 (Matches)",
                ]
            ),
        ),
        (
            "says hello",
            "side that begins",
            snapshot(
                [
                    "the bot: said 'HELLO': unknown command 'HELLO'; one of LOGIN, RESUME, SEEK, CANCEL, READY, MOVE, NOTE, RESIGN, CRASHED, STDERR, BOARD, MOVES, LIST, WATCH, UNWATCH, RECORD, LOG, PING, PONG, HELP, QUIT, ORGANISE, ANNUL, DISMISS is expected",
                    "right would be: a request of protocol.md; nothing else is said, nor are the server's lines echoed",
                    "says protocol.md, section 4 (Requests)",
                ]
            ),
        ),
        (
            "hangs up",
            "side that begins",
            snapshot(
                [
                    "the bot: closed the connection in the middle of a match",
                    "right would be: to stay, or to give up by RESIGN",
                    "says protocol.md, section 1.8 (Common mistakes)",
                ]
            ),
        ),
        (
            "never moves",
            "side that begins",
            snapshot(
                [
                    "the bot: used up its clock (5000 ms for the match)",
                    "in the position:",
                    "right would be: MOVE while its clock lasts",
                    "says protocol.md, section 9 (Clocks)",
                ]
            ),
        ),
        (
            "resigns",
            "side that begins",
            snapshot(
                [
                    "the bot: said 'RESIGN'",
                    "in the position:",
                    "right would be: MOVE while its clock lasts, so that this could be tried",
                    "says protocol.md, section 9 (Clocks)",
                ]
            ),
        ),
        (
            "crashes",
            "side that begins",
            snapshot(
                [
                    "the bot: said 'CRASHED ValueError: no move'",
                    "in the position:",
                    "right would be: MOVE while its clock lasts, so that this could be tried",
                    "says protocol.md, section 9 (Clocks)",
                ]
            ),
        ),
        (
            "notes what is none",
            "side that begins",
            snapshot(
                [
                    "the bot: said 'NOTE depth=deep': depth is a whole number of 1 to 12 digits, not 'deep'",
                    "right would be: a note as in NOTE score=35 depth=7 nodes=120345 pv=a3-b3,c5-c4 text=in the book",
                    "says protocol.md, section 8.1 (Notes)",
                ]
            ),
        ),
        (
            "notes at length",
            "side that begins",
            snapshot(
                [
                    "the bot: said '(line_too_long)': a line has at most 1024 bytes before its LF; this one was left out",
                    "right would be: a note as in NOTE score=35 depth=7 nodes=120345 pv=a3-b3,c5-c4 text=in the book",
                    "says protocol.md, section 8.1 (Notes)",
                ]
            ),
        ),
        (
            "plays what is not legal",
            "side that begins",
            snapshot(
                [
                    "the bot: said 'MOVE a1-a1': a1 is a dot; a push goes onto a field of the board",
                    "in the position:",
                    "right would be: one of the 42 legal moves of white: 'a4-b5', 'a5-b5', 'b6-b5', …",
                    "says protocol.md, section 8 (Matches)",
                ]
            ),
        ),
        (
            "moves on START",
            "on TURN only",
            snapshot(
                [
                    "the bot: said 'MOVE a1-b2': MOVE is for your own turn, between TURN and MOVE",
                    "right would be: to wait for TURN, and to say MOVE once for each",
                    "says protocol.md, section 3 (States)",
                ]
            ),
        ),
        (
            "moves on MOVED",
            "on TURN only",
            snapshot(
                [
                    "the bot: said 'MOVE a1-b2': MOVE is for your own turn, between TURN and MOVE",
                    "right would be: to wait for TURN, and to say MOVE once for each",
                    "says protocol.md, section 3 (States)",
                ]
            ),
        ),
        (
            "moves again and again",
            "on TURN only",
            snapshot(
                [
                    "the bot: said 'MOVE d8-e8': MOVE is for your own turn, between TURN and MOVE",
                    "right would be: to wait for TURN, and to say MOVE once for each",
                    "says protocol.md, section 3 (States)",
                ]
            ),
        ),
        (
            "knows one start",
            "BOARD shows",
            snapshot(
                [
                    "the bot: said 'MOVE a3-b3 w: b3 c3': 'w: b3 c3' names no row of that colour; no row is to be collected",
                    "in the position:",
                    "right would be: one of the 18 legal moves of black: 'a2-b3', 'a3-b3', 'b4-b3', …",
                    "says protocol.md, section 8 (Matches)",
                ]
            ),
        ),
        (
            "leaves choices out",
            "its own crossing",
            snapshot(
                [
                    "the bot: said 'MOVE a3-b3': rows of white cross and one must be chosen: w: b3 d2 or w: c4 c2 or w: b2 d3",
                    "in the position:",
                    "right would be: one of the 18 legal moves of white: 'a3-b3 w: b3 d2', 'a3-b3 w: c4 c2', 'a3-b3 w: b2 d3', …",
                    "says protocol.md, section 8 (Matches)",
                ]
            ),
        ),
        (
            "leaves choices out",
            "opponent's crossing",
            snapshot(
                [
                    "the bot: said 'MOVE a3-b3': rows of black cross and one must be chosen: b: c4 c2 or b: b2 d3",
                    "in the position:",
                    "right would be: one of the 12 legal moves of white: 'a3-b3 b: c4 c2', 'a3-b3 b: b2 d3', 'c5-c4 b: b3 d2', …",
                    "says protocol.md, section 8 (Matches)",
                ]
            ),
        ),
        (
            "rests after a match",
            "match after match",
            snapshot(
                [
                    "the bot: said nothing for 10 s",
                    "right would be: SEEK, or QUIT",
                    "says protocol.md, section 4 (Requests)",
                ]
            ),
        ),
        pytest.param(
            "is slow",
            "with a second",
            snapshot(
                [
                    "the bot: used up its clock (1000 ms for the match)",
                    "in the position:",
                    "right would be: MOVE while its clock lasts",
                    "says protocol.md, section 9 (Clocks)",
                ]
            ),
            marks=pytest.mark.slow,
        ),
        (
            "quits at an error",
            "MOVE is refused",
            snapshot(
                [
                    "the bot: closed the connection in the middle of a match",
                    "right would be: to stay, or to give up by RESIGN",
                    "says protocol.md, section 1.8 (Common mistakes)",
                ]
            ),
        ),
        (
            "does not hear refusals",
            "MOVE is refused",
            snapshot(
                [
                    "the bot: used up its clock (5000 ms for the match)",
                    "in the position:",
                    "right would be: a MOVE, RESIGN or CRASHED",
                    "says protocol.md, section 6 (Errors)",
                ]
            ),
        ),
        (
            "does not come back",
            "resumes a match while it prepares",
            snapshot(
                [
                    "the bot: ended by itself, with exit status 0, when its connection was lost",
                    "right would be: RESUME 1 TOKEN over a new connection",
                    "says protocol.md, section 11 (Reconnecting)",
                ]
            ),
        ),
        (
            "stays away",
            "resumes a match while it waits",
            snapshot(
                [
                    "the bot: did not come back within 10 s after its connection was lost",
                    "right would be: RESUME 1 TOKEN over a new connection",
                    "says protocol.md, section 11 (Reconnecting)",
                ]
            ),
        ),
        pytest.param(
            "forgets its token",
            "resumes a match while it waits",
            snapshot(
                [
                    "the bot: said 'RESUME 1 TOKEN': match 1 is not to be resumed with this token",
                    "right would be: RESUME 1 TOKEN over a new connection",
                    "says protocol.md, section 11 (Reconnecting)",
                ]
            ),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "begins anew",
            "resumes a match while it thinks",
            snapshot(
                [
                    "the bot: ended by itself, with exit status 1, when its connection was lost",
                    "right would be: RESUME 1 TOKEN over a new connection",
                    "says protocol.md, section 11 (Reconnecting)",
                ]
            ),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "floods",
            "side that begins",
            snapshot(
                [
                    "the bot: said 10001 lines in a match",
                    "right would be: a few for each turn",
                    "says protocol.md, section 14 (Limits)",
                ]
            ),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_fault_is_named(fault: str, words: str, named: list[str]) -> None:
    right, said = tried(fault, words)
    assert not right and said[-1].endswith(" FAIL")
    failed = next(at for at, line in enumerate(said) if line.startswith("FAIL  "))
    assert words.lower() in said[failed].lower()
    lines = takewhile(lambda line: line.startswith("      "), said[failed + 1 :])
    assert [TOKEN.sub("TOKEN", line[6:]) for line in lines if line[6] != " "] == named, "boards are left out"


@pytest.mark.usefixtures("_standing")
def test_a_bot_that_takes_a_read_for_a_line_fails() -> None:
    """Where it fails depends on how the system cuts the bytes into reads."""
    right, _ = tried("takes a read for a line", "in pieces")
    assert not right


@pytest.mark.usefixtures("_standing")
def test_another_game_than_the_one_to_be_checked() -> None:
    _, said = tried("none", "logs in", "morris")
    assert said[1:3] == snapshot(
        ["      the bot: said 'SEEK gipf'", "      right would be: SEEK morris, the game to be checked"]
    )


def test_crossing_rows_have_to_be_chosen_in_every_move() -> None:
    for owner in (0, 1):
        for turn in (0, 1):
            position = crossing_rows(owner, turn)
            assert position.turn == turn
            assert all(f" {'wb'[owner]}: " in move for move in position.legal_moves)


RESULTS = [
    SituationResult("logs in", "passed", 0.25),
    SituationResult("moves", "failed", 1.5, Fault("said 'MOVE a1'", "MOVE a2", "8", position="2 3 9 9\n W")),
    SituationResult("forced", "skipped", 0, reason="none forced"),
    SituationResult("returns", "failed", 0, reason="not there"),
]


def test_results_as_json_hold_all_that_is_known() -> None:
    written = json.loads(as_json("./bot", RESULTS))
    assert {name: written[name] for name in ("report", "bot", "passed", "failed", "skipped")} == {
        "report": "check", "bot": "./bot", "passed": 1, "failed": 2, "skipped": 1,
    }  # fmt: skip
    assert written["situations"] == [
        {"title": "logs in", "outcome": "passed", "seconds": 0.25},
        {"title": "moves", "outcome": "failed", "seconds": 1.5, "did": "said 'MOVE a1'", "right": "MOVE a2",
         "section": "8", "position": "2 3 9 9\n W"},
        {"title": "forced", "outcome": "skipped", "seconds": 0, "reason": "none forced"},
        {"title": "returns", "outcome": "failed", "seconds": 0, "reason": "not there"},
    ]  # fmt: skip


def test_results_as_junit_hold_a_test_a_situation() -> None:
    (suite,) = ElementTree.fromstring(as_junit("./bot", RESULTS))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "2", "1")
    assert [inner.get("message") for case in suite for inner in case] == [
        "said 'MOVE a1'", "none forced", "not there",
    ]  # fmt: skip
    assert "".join(suite[1].itertext()).strip().splitlines() == snapshot(
        [
            "the bot: said 'MOVE a1'",
            "in the position:",
            "  2 3 9 9",
            "   W",
            "right would be: MOVE a2",
            "says protocol.md, section 8 (Matches)",
        ]
    )


@pytest.mark.usefixtures("_standing")
def test_reports_are_written_of_all_situations_also_where_the_bot_does_not_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "check.xml"
    options = ["--only", "logs in", "--json", "-", "--junit", str(report)]
    with pytest.raises(SystemExit) as leaving:
        main(["check", *options, "--", sys.executable, str(ROGUE), "does not start", "{host}", "{port}", "{name}"])
    assert leaving.value.code == 1
    said = capsys.readouterr()
    written = json.loads(said.out)
    assert shlex.split(written["bot"])[2:] == ["does not start", "{host}", "{port}", "{name}"]
    assert [one["title"] for one in written["situations"]] == [situation.title for situation in chosen("logs in")]
    assert (written["passed"], written["failed"]) == (0, len(chosen("logs in")))
    assert NOT_THERE in said.err
    assert f'failures="{len(chosen("logs in"))}"' in report.read_text(encoding="utf-8")


def test_what_cannot_be_built_is_not_tried_and_the_report_tells(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "check.json"
    build = f"{shlex.quote(sys.executable)} -c 'print(5); raise SystemExit(3)'"
    with pytest.raises(SystemExit) as leaving:
        main(["check", "--build", build, "--json", str(file), "--", "./nobody"])
    shown = capfd.readouterr()
    assert leaving.value.code == 1
    assert shown.out == f"FAIL the build: {build} ended with status 3\n" and shown.err == "5\n"
    written = json.loads(file.read_text())
    assert written["build"] == {"command": build, "status": 3}
    assert (written["passed"], written["failed"]) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "fails", "tries", "passes", "again"),
    [
        (LostOnTime, 0, 1, True, snapshot([])),
        (
            LostOnTime,
            2,
            3,
            True,
            snapshot(
                [
                    "keeps its time: the bot used up its clock (500 ms for the match); tried again, 2 of 3",
                    "keeps its time: the bot used up its clock (500 ms for the match); tried again, 3 of 3",
                ]
            ),
        ),
        (
            LostOnTime,
            3,
            3,
            False,
            snapshot(
                [
                    "keeps its time: the bot used up its clock (500 ms for the match); tried again, 2 of 3",
                    "keeps its time: the bot used up its clock (500 ms for the match); tried again, 3 of 3",
                ]
            ),
        ),
        (Fault, 1, 1, False, snapshot([])),
    ],
)
def test_a_short_clock_alone_is_tried_again(
    kind: type[Fault], fails: int, tries: int, passes: bool, again: list[str]
) -> None:
    faults = iter([kind("used up its clock (500 ms for the match)", "to move in time", "9")] * fails)
    calls: list[int] = []

    def play(_bot: BotUnderTest) -> None:
        calls.append(1)
        for fault in faults:
            raise fault

    right, said = checked([Situation("keeps its time", play, tries=3)])
    assert (right, len(calls)) == (passes, tries)
    assert said[: tries - 1] == again
