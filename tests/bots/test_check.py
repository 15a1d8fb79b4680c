"""The conformance test: what it says about a bot without a fault, and about bots with one each."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bots.check.bot_under_test import BotUnderTest, Fault, LostOnTime, Situation
from bots.check.run import SituationResult, as_json, as_junit, check, chosen, has_passed
from bots.check.situations import SITUATIONS, crossing_rows
from bots.cli import main
from tests.bots.standing import stand_still

ROGUE = Path(__file__).with_name("rogue.py")


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
@pytest.mark.parametrize("fault", ["none", "seeks any"])
def test_a_bot_without_a_fault(fault: str) -> None:
    right, said = tried(fault)
    assert right, "\n".join(said)
    assert said[-1] == f"{len(SITUATIONS)} ok, 0 FAIL"


@pytest.mark.usefixtures("_standing")
@pytest.mark.parametrize(
    ("fault", "words", "did", "section"),
    [
        ("does not start", "logs in", "ended by itself, with exit status 3, before it had connected", "4"),
        ("says nothing", "logs in", "said nothing for 10 s", "4"),
        ("has no name", "logs in", "said 'LOGIN no/name'", "4"),
        ("seeks red", "logs in", "said 'SEEK gipf colour=red'", "7"),
        ("reads no version", "version", "went on with 'LOGIN subject'", "2.5"),
        ("takes a read for a line", "in pieces", "", ""),
        ("insists", "LOGIN is refused", "said LOGIN 21 times", "1.8"),
        ("insists", "SEEK is refused", "said SEEK 21 times", "1.8"),
        ("knows all kinds", "unknown kinds", "closed the connection", "2.4"),
        ("has short lines", "65536", "closed the connection in the middle of a match", "1.8"),
        ("is never ready", "side that begins", "used up its clock (5000 ms for the match)", "8"),
        ("says hello", "side that begins", "said 'HELLO'", "4"),
        ("hangs up", "side that begins", "closed the connection in the middle of a match", "1.8"),
        ("never moves", "side that begins", "used up its clock", "9"),
        ("resigns", "side that begins", "said 'RESIGN'", "9"),
        ("crashes", "side that begins", "said 'CRASHED ValueError: no move'", "9"),
        ("notes what is none", "side that begins", "said 'NOTE depth=deep': depth is a whole number", "8.1"),
        ("notes at length", "side that begins", "said '(line_too_long)': a line has at most 1024 bytes", "8.1"),
        ("plays what is not legal", "side that begins", "said 'MOVE a1-a1': ", "8"),
        ("moves on START", "on TURN only", "said 'MOVE a1-b2'", "3"),
        ("moves on MOVED", "on TURN only", "said 'MOVE a1-b2'", "3"),
        ("moves again and again", "on TURN only", "said 'MOVE ", "3"),
        ("knows one start", "BOARD shows", "said 'MOVE a3-b3 w: b3 c3': ", "8"),
        ("leaves choices out", "its own crossing", "said 'MOVE a3-b3': ", "8"),
        ("leaves choices out", "opponent's crossing", "said 'MOVE a3-b3': ", "8"),
        ("rests after a match", "match after match", "said nothing for 10 s", "4"),
        ("is slow", "with a second", "used up its clock (1000 ms for the match)", "9"),
        ("quits at an error", "MOVE is refused", "closed the connection in the middle of a match", "1.8"),
        ("does not hear refusals", "MOVE is refused", "used up its clock", "6"),
        (
            "does not come back",
            "resumes a match while it prepares",
            "ended by itself, with exit status 0, when its connection was lost",
            "11",
        ),
        ("stays away", "resumes a match while it waits", "did not come back within 10 s", "11"),
        ("forgets its token", "resumes a match while it waits", "said 'RESUME ", "11"),
        ("begins anew", "resumes a match while it thinks", "", "11"),
        ("floods", "side that begins", "said 10001 lines in a match", "14"),
    ],
)
def test_a_fault_is_named(fault: str, words: str, did: str, section: str) -> None:
    right, said = tried(fault, words)
    assert not right
    failed = next(at for at, line in enumerate(said) if line.startswith("FAIL  "))
    assert words.lower() in said[failed].lower()
    assert f"the bot: {did}" in said[failed + 1]
    where = f"says protocol.md, section {section} (" if section else "says protocol.md, section "
    assert any(where in line for line in said), "\n".join(said)
    assert said[-1].endswith(" FAIL")


@pytest.mark.usefixtures("_standing")
def test_an_illegal_move_is_shown_with_its_position_and_what_is_right() -> None:
    _, said = tried("leaves choices out", "its own crossing")
    assert said[0] == "FAIL  chooses among its own crossing rows"
    assert said[2:6] == ["      in the position:", "        2 3 9 9", "        3 9 W", "         W W"]
    assert said[8] == (
        "      right would be: one of the 18 legal moves of white: "
        "'a3-b3 w: b3 d2', 'a3-b3 w: c4 c2', 'a3-b3 w: b2 d3', …"
    )


@pytest.mark.usefixtures("_standing")
def test_another_game_than_the_one_to_be_checked() -> None:
    _, said = tried("none", "logs in", "morris")
    assert said[1:3] == [
        "      the bot: said 'SEEK gipf'",
        "      right would be: SEEK morris, the game to be checked",
    ]


def test_crossing_rows_have_to_be_chosen_in_every_move() -> None:
    for owner in (0, 1):
        for turn in (0, 1):
            position = crossing_rows(owner, turn)
            assert position.turn == turn
            assert all(f" {'wb'[owner]}: " in move for move in position.legal_moves)


RESULTS = [
    SituationResult("logs in", "passed", 0.25),
    SituationResult("moves", "failed", 1.5, Fault("said 'MOVE a1'", "MOVE a2", "8", position="2 3 9 9\n W")),
    SituationResult("forced", "skipped", 0, reason="gipf has no forced moves"),
    SituationResult("returns", "failed", 0, reason="the bot is not there"),
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
        {"title": "forced", "outcome": "skipped", "seconds": 0, "reason": "gipf has no forced moves"},
        {"title": "returns", "outcome": "failed", "seconds": 0, "reason": "the bot is not there"},
    ]  # fmt: skip


def test_results_as_junit_hold_a_test_a_situation() -> None:
    (suite,) = ElementTree.fromstring(as_junit("./bot", RESULTS))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "2", "1")
    assert [inner.get("message") for case in suite for inner in case] == [
        "said 'MOVE a1'", "gipf has no forced moves", "the bot is not there",
    ]  # fmt: skip
    assert "right would be: MOVE a2\nsays protocol.md, section 8 (Matches)" in "".join(suite[1].itertext())


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
    assert written["bot"].endswith("'does not start' '{host}' '{port}' '{name}'")
    assert [one["title"] for one in written["situations"]] == [situation.title for situation in chosen("logs in")]
    assert (written["passed"], written["failed"]) == (0, len(chosen("logs in")))
    assert "nothing more can be tried: the bot is not there" in said.err
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
    ("kind", "fails", "tries", "passes"),
    [(LostOnTime, 0, 1, True), (LostOnTime, 2, 3, True), (LostOnTime, 3, 3, False), (Fault, 1, 1, False)],
)
def test_a_short_clock_alone_is_tried_again(kind: type[Fault], fails: int, tries: int, passes: bool) -> None:
    faults = iter([kind("used up its clock (500 ms for the match)", "to move in time", "9")] * fails)
    calls: list[int] = []

    def play(_bot: BotUnderTest) -> None:
        calls.append(1)
        for fault in faults:
            raise fault

    right, said = checked([Situation("keeps its time", play, tries=3)])
    assert (right, len(calls)) == (passes, tries)
    again = "keeps its time: the bot used up its clock (500 ms for the match); tried again, {} of 3"
    assert said[: tries - 1] == [again.format(number) for number in range(2, tries + 1)]
