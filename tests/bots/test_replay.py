"""``arena-bot replay``: a bot in the turns of a record, and the bot of a Python file."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bots.bot import Bot, Clocks, MatchMessage, Resigned
from bots.client.connection import NO_SERVER
from bots.client.errors import ArenaError
from bots.workbench.play_file import loaded
from bots.workbench.replay import Agreement, BotHere, ReplayedAnswer, turns_of
from engine.games.interface import Position
from engine.match import referee
from engine.match.verification import Summary, verify
from engine.wire import messages as m
from engine.wire.seat import Seat, environment_variables
from tests.bots.test_cli import run
from tests.engine.records import Table, records

TIC_TAC_TOE = ("b2", "a1", "c1", "a3", "a2", "c2", "b3", "b1")
FIRSTS = {1: "b2", 3: "c1", 5: "a2", 7: "b3"}
"""Moves of the first side, by ply."""

CHOOSE = """
def choose(position, clocks):
    move = {moves}.get(9 - sum(line.count("0") for line in position.text().splitlines()[1:]) + 1)
    if move is None:
        raise KeyError("no move was found")
    return move
"""


def drawn() -> str:
    """Return the record of a match that the second side has given up on its eighth move."""
    return Table("mnk", "3 3 3").ready().play(*TIC_TAC_TOE[:7]).resign(1)


def choosing(plies: dict[int, str]) -> str:
    """Return the text of a Python file that plays these moves, and fails elsewhere."""
    return CHOOSE.format(moves=plies)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return what writes files of a folder with a record, in which the commands are given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "17.txt").write_text(drawn(), encoding="utf-8")

    def write(name: str, text: str) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")

    return write


# Turns.


def test_each_turn_knows_the_game_before_it_and_its_clocks() -> None:
    summary = verify(drawn())
    turns = turns_of(summary, 0)
    assert [turn.ply for turn in turns] == [1, 3, 5, 7]
    assert [turn.recorded for turn in turns] == list(FIRSTS.values())
    for turn in turns:
        start, *moved = turn.shown
        assert isinstance(start, m.Start)
        assert moved == list(summary.state.shown[: turn.ply - 1])
        assert [history.plies for history in turn.histories] == list(range(turn.ply))
        assert turn.histories[-1].moves == summary.history.moves[: turn.ply - 1]
        assert turn.left == (turn.shown[-1].first, turn.shown[-1].second)


@pytest.mark.parametrize(
    ("name", "side", "plies", "recorded", "ending"),
    [
        ("won on the board", 0, [1, 3, 5], "a3", ""),
        ("won on the board", 1, [2, 4], "b2", ""),
        ("illegal move", 0, [1, 3], "a1-a9", "bad_move"),
        ("resigned on turn", 1, [2, 4], "", "resign"),
        ("resigned out of turn", 1, [2, 4], "", "ended"),
        ("time", 1, [2, 4], "", "time"),
        ("said to have crashed", 1, [2, 4], "", "ended"),
        ("crashed", 1, [2, 4], "", "crashed"),
        ("server stop", 0, [], None, None),
        ("time while initialising", 0, [], None, None),
        ("move limit", 0, [1, 3], None, ""),
    ],
)
def test_the_turn_in_which_the_match_ended_is_one(
    name: str, side: int, plies: list[int], recorded: str | None, ending: str | None
) -> None:
    turns = turns_of(verify(records()[name]), side)
    assert [turn.ply for turn in turns] == plies
    if recorded is not None:
        assert turns[-1].recorded == recorded
    if ending is not None:
        assert turns[-1].ending == ending
        assert all(not turn.ending for turn in turns[:-1])


# Answers.


ASKED, RESIGNED = turns_of(verify(drawn()), 0)[2], turns_of(verify(drawn()), 1)[-1]


@pytest.mark.parametrize(
    ("answer", "outcome", "failure"),
    [
        (ReplayedAnswer(ASKED, "a2", "", 0.1), Agreement.SAME, ""),
        (ReplayedAnswer(ASKED, "A2", "", 0.1), Agreement.SAME, ""),
        (ReplayedAnswer(ASKED, "b1", "", 0.1), Agreement.DIFFERENT, ""),
        (ReplayedAnswer(ASKED, "", "", 0.1), Agreement.DIFFERENT, "resigns"),
        (ReplayedAnswer(ASKED, "", "ValueError: what", 0.1), Agreement.FAILED, "ValueError: what"),
        (ReplayedAnswer(ASKED, "b2", "", 0.1), Agreement.FAILED, "plays 'b2': "),
        (ReplayedAnswer(ASKED, "a2", "", 30.0), Agreement.FAILED, "plays a2 after the "),
        (ReplayedAnswer(RESIGNED, "b1", "", 0.1), Agreement.NEW, ""),
        (ReplayedAnswer(RESIGNED, "", "", 0.1), Agreement.SAME, "resigns"),
        (ReplayedAnswer(RESIGNED, "", "ValueError: what", 0.1), Agreement.FAILED, "ValueError: what"),
    ],
)
def test_answers_are_compared_with_the_record(answer: ReplayedAnswer, outcome: Agreement, failure: str) -> None:
    compared = answer.compare()
    assert compared.outcome == outcome
    assert compared.failure.startswith(failure) and bool(failure) == bool(compared.failure)
    if compared.failure.startswith("plays a2 after the "):
        assert answer.compare(late_counts=False).outcome == Agreement.SAME, "time does not count in the debugger"


def test_another_text_for_the_same_position_is_the_same() -> None:
    summary = verify(Table().ready().play("a3-b4").resign(1))
    (turn,) = turns_of(summary, 0)
    after = turn.position.play("a3-b4")
    others = [one.move for one in turn.position.children() if one.position.key == after.key and one.move != "a3-b4"]
    assert others and all(ReplayedAnswer(turn, move, "", 0.1).compare().outcome == Agreement.SAME for move in others)


class Witness(Bot):
    """Plays the moves of the record, and remembers what it was told."""

    def __init__(self, summary: Summary) -> None:
        self.played = summary.history.moves
        self.told_of: list[list[MatchMessage]] = []
        self.prepared: list[m.Match] = []
        self.clocks: list[Clocks] = []

    def prepare(self, match: m.Match) -> None:
        assert not self.history.moves and self.match == match
        self.prepared.append(match)
        self.told_of.append([])

    def handle_message(self, message: MatchMessage) -> None:
        self.told_of[-1].append(message)
        assert self.history.plies == sum(isinstance(one, m.Moved) for one in self.told_of[-1])

    def choose(self, position: Position, clocks: Clocks) -> str:
        assert self.history.position == position and self.history.moves == self.played[: self.history.plies]
        self.clocks.append(clocks)
        return self.played[self.history.plies]


def test_a_bot_is_told_all_that_it_was_told_then() -> None:
    summary = verify(Table("mnk", "3 3 3", increment=250).ready().play(*TIC_TAC_TOE).text)
    witness = Witness(summary)
    asked = BotHere(witness, summary.header)
    turns = turns_of(summary, 1)
    for turn in turns:
        assert asked.answer(turn).compare().outcome == Agreement.SAME
    assert witness.told_of == [list(turn.shown) for turn in turns]
    assert witness.prepared == [referee.announcement(summary.header, 1, "replay")] * 4
    assert witness.prepared[0][:8] == (17, "mnk", "3,3,3", "second", "alice", 20_000, 250, 60)
    assert witness.clocks == [Clocks(turn.left[1], turn.left[0], 250) for turn in turns]


def test_what_a_bot_raises_is_one_answer_and_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    summary = verify(drawn())

    class Failing(Bot):
        def choose(self, position: Position, clocks: Clocks) -> str:
            if self.history.plies == 2:
                raise KeyError("x")
            if self.history.plies == 4:
                raise Resigned
            return None if self.history.plies else position.legal_moves[0]  # type: ignore[return-value]

    first, second, third, fourth = [BotHere(Failing(), summary.header).answer(turn) for turn in turns_of(summary, 0)]
    assert (first.move, first.failure) == ("a3", "")
    assert re.sub(r"line \d+", "line N", second.failure) == snapshot(
        "the bot failed to choose a move (test_replay.py, line N, in choose): KeyError: 'x'"
    )
    assert (third.move, third.failure) == ("", "")
    assert fourth.failure == snapshot(
        "the bot returned None (NoneType); a move is text, as in 'b3', or one of position.children()"
    )
    shown = capsys.readouterr().err
    assert shown.count("Traceback") == shown.count("  File ") == 1, "our own lines are left out"


# Python files.


FILES = {
    "play.py": "from bots.client import play\nplay(lambda position, clocks: 'a1', opponent='x')\nraise SystemExit(1)\n",
    "named.py": "from bots.client import play\nplay(lambda position, clocks: 'a1', name='alice', opponent='Alice')\n",
    "guarded.py": "from bots.client import play\ndef choose(p, c): return 'a1'\n"
    "if __name__ == '__main__': play(choose)\n",
    "words.py": "import sys\nfrom bots.client import play\nplay(lambda p, c: sys.argv[1], port=int(sys.argv[2]))\n",
    "neighbour.py": "from beside import choose\n",
    "beside.py": "def choose(position, clocks): return 'a1'\n",
    "subclass.py": "from bots.client import Bot, play\n"
    "class Mine(Bot):\n    def choose(self, position, clocks): return 'a1'\nplay(Mine())\n",
}


@pytest.mark.parametrize("name", [name for name in FILES if name != "beside.py"])
def test_the_bot_of_a_file_is_what_it_plays_with(place: Callable[[str, str], None], name: str) -> None:
    for file, text in FILES.items():
        place(file, text)
    summary = verify(drawn())
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    with loaded(Path(name), ["a1", "2754"]) as file_bot:
        assert file_bot.name == ("alice" if name == "named.py" else Path(name).stem)
        assert BotHere(file_bot.bot, summary.header).answer(turns_of(summary, 0)[0]).move == "a1"
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, snapshot("mine.py cannot be read: No such file or directory")),
        ("def choose(:\n", snapshot("mine.py, line 1: this is no Python: invalid syntax")),
        (
            "x = 1\nx.y\n",
            snapshot(
                "the bot failed before it called play (mine.py, line 2, in <module>): AttributeError: 'int' object has no attribute 'y'"
            ),
        ),
        ("raise SystemExit(3)\n", snapshot("mine.py has ended before it called play, with exit status 3")),
        ("input()\n", snapshot("mine.py reads standard input, and neither calls play nor has a function choose")),
        (
            "import pickle\npickle.loads(b'')\n",
            snapshot("the bot failed before it called play (mine.py, line 2, in <module>): EOFError: Ran out of input"),
        ),
        ("x = 1\n", snapshot("mine.py neither calls play nor has a function choose(position, clocks)")),
        (
            "def Choose(p, c): ...\n",
            snapshot(
                "mine.py neither calls play nor has a function choose(position, clocks); its Choose has to be called choose"
            ),
        ),
        ("choose = 1\n", snapshot("play needs a Bot, or a function that takes position and clocks; not 1")),
        (
            "from bots.client import play\nplay(1)\n",
            snapshot("mine.py: play needs a Bot, or a function that takes position and clocks; not 1"),
        ),
    ],
)
def test_a_file_without_a_bot_is_named(place: Callable[[str, str], None], text: str | None, sentence: str) -> None:
    if text is not None:
        place("mine.py", text)
    with pytest.raises(ArenaError) as caught, loaded(Path("mine.py"), []):
        pass
    assert str(caught.value) == sentence


# The command.


def test_a_bot_that_plays_the_same_ends_with_0(
    place: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    place("alice.py", "print('loaded')\n" + choosing(FIRSTS))
    status, output, error = run(capsys, "replay", "17.txt", "alice.py")
    lines = output.splitlines()
    assert (status, error) == (0, "loaded\n")
    assert lines[0].rpartition(", ")[0] == snapshot("m,n,k 3 3 3: alice (first) against bob (second)")
    assert lines[1].split() == ["ply", "clock", "record", "bot", "took"]
    assert lines[2].split()[:4] == ["1", "19.957", "b2", "b2"] and lines[2].endswith("  same")
    assert lines[-1].partition("; ")[0] == snapshot("alice as first: 4 turns, 4 the same")
    assert len(lines) == 7


def test_a_bot_that_plays_otherwise_or_fails_ends_with_1(
    place: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    place("alice.py", choosing({1: "b2", 3: "b3", 5: "b2"}))
    status, output, error = run(capsys, "replay", "17.txt", "alice.py")
    outcomes = [line[71:].strip() for line in output.splitlines()[2:-1]]
    assert status == 1
    assert outcomes[:2] == ["same", "differs"]
    assert outcomes[2].startswith("fails: plays 'b2': ")
    assert outcomes[3].startswith("fails: ") and "(alice.py, line 5, in choose)" in outcomes[3]
    assert "Traceback" in error and "alice.py" in error
    assert output.splitlines()[-1].partition("; ")[0] == snapshot(
        "alice as first: 4 turns, 1 the same, 1 different, 2 failed"
    )


def test_a_mended_bot_answers_where_the_record_has_no_move(
    place: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    place("mine.py", choosing({8: "b1"}))
    status, output, _ = run(capsys, "replay", "17.txt", "mine.py", "--side", "second", "--ply", "8")
    assert status == 0
    assert output.splitlines()[2].split()[2:4] == ["(resign)", "b1"] and output.splitlines()[2].endswith("  new")
    assert output.splitlines()[-1].partition("; ")[0] == snapshot(
        "mine as second: 1 turn, 1 where the record has no move"
    )


def test_the_answers_as_json(place: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    place("alice.py", choosing({1: "b2", 3: "b3", 5: "a2"}))
    status, output, error = run(capsys, "replay", "17.txt", "alice.py", "--json", "-")
    told = json.loads(output)
    assert status == 1 and error.startswith("m,n,k 3 3 3: ")
    assert {key: told[key] for key in ("match", "bot", "side", "player", "same", "different", "failed", "new")} == {
        "match": 17, "bot": "alice", "side": "first", "player": "alice",
        "same": 2, "different": 1, "failed": 1, "new": 0,
    }  # fmt: skip
    seconds = told["turns"][1].pop("seconds")
    assert seconds >= 0
    assert told["turns"][1] == {
        "ply": 3, "clock_ms": 19256, "opponents_clock_ms": 19269, "record": "c1", "ending": None, "move": "b3",
        "outcome": "different", "failure": None, "notes": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "status", "words"),
    [
        ("p clocks.mine_ms\nc\n", 0, ["19256", ": 1 turn, 1 the same"]),
        ("q\n", 130, []),
    ],
)
def test_the_debugger_stops_where_the_bot_begins_to_choose(
    keys: str,
    status: int,
    words: list[str],
    place: Callable[[str, str], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    place("alice.py", choosing(FIRSTS))
    place("keys", keys)
    with (tmp_path / "keys").open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        ended, output, _ = run(capsys, "replay", "17.txt", "alice.py", "--ply", "3", "--debugger")
    assert ended == status
    assert "ply 3: c1 " in output and "alice.py(3)choose()" in output
    assert all(word in output for word in words)


LOST_ON_TIME = Table("mnk", "3 3 3").ready().play("b2", span=19_800).play("a1").flag()
"""The first side had about 0.1 s for its second move."""

LOOPING = """
import time

def choose(position, clocks):
    while clocks.mine_ms < 1000:
        {statement}
    return "b2"
"""


@pytest.mark.slow
@pytest.mark.parametrize("statement", ["pass", "time.sleep(1000)"])
def test_a_bot_that_does_not_return_is_interrupted_when_the_clock_of_the_match_is_used_up(
    statement: str, place: Callable[[str, str], None]
) -> None:
    place("lost.txt", LOST_ON_TIME)
    place("alice.py", LOOPING.format(statement=statement))
    # a method that ignores the interrupt would end the process of the tests
    words = [sys.executable, "-m", "bots", "replay", "lost.txt", "alice.py"]
    done = subprocess.run(words, capture_output=True, text=True)
    error, (*_, turn, end, closing) = done.stderr, done.stdout.splitlines()
    assert done.returncode == 1
    assert fnmatchcase(turn, "*(time) * fails: * alice.py, line [56], in choose")
    assert end == snapshot("the replay ends at ply 3, with the clock of the match")
    assert closing.partition("; ")[0].endswith(", 1 failed")
    assert error.startswith("Stack ") and "alice.py" in error


def play_file(file: Path) -> tuple[int, str]:
    """Play with a file on a server that is not there; return its exit status, and what it says."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bots.workbench.play_file", "127.0.0.1", "1", str(file)],
        env={**os.environ, **environment_variables(Seat("elsewhere", 2, "ann", "mnk"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


NOWHERE = f"no server at 127.0.0.1 port 1: Connection refused{NO_SERVER}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("from helper_of_a_test import MOVE\n\ndef choose(position, clocks):\n    return MOVE\n", NOWHERE),
        ("from bots.client import play\n\nplay(lambda position, clocks: '', port=3, name='bob')\n", NOWHERE),
        ("", "{file} neither calls play nor has a function choose(position, clocks)"),
    ],
    ids=["imports a module beside it", "names another server", "has no bot"],
)
def test_a_file_plays_where_the_variables_say(program: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "helper_of_a_test.py").write_text("MOVE = 'a1'\n")
    file = tmp_path / "mybot.py"
    file.write_text(program)
    assert play_file(file) == (1, f"mybot.py: {sentence.format(file=file)}\n")
