"""A ladder file is read into a definition, and what is wrong with one is said in a sentence."""

from pathlib import Path, PurePosixPath

import pytest

from engine.clock import TimeControl
from server.config.declared import BadTable
from server.contest.definition import Bounds, Sandbox
from server.league.ladder.definition import LEVEL_ELO, LadderDefinition, read

DOCUMENT = Path(__file__).parents[4] / "docs" / "league.md"

LEAST = 'time = { budget = 1000 }\ngames = [{ game = "mnk", params = "3 3 3" }]\n'

WHOLE = """
seed = 7
cores = 4
failures = 5
start-seconds = 20
sandbox = "none"
visible = ["data"]
[bounds]
memory = 64
[time]
budget = 10_000
increment = 100
[[games]]
game = "gipf"
params = "3,3,9,9"
weight = 3
openings = { plies = 2, number = 5 }
[[games]]
game = "mnk"
params = "3,3,3"
[[levels]]
level = 1
[[levels]]
level = 3
elo = 1400
[[programs]]
name = "base"
owner = "teacher"
command = ["python3", "base.py"]
folder = "base"
"""


def load(name: str) -> str:
    raise FileNotFoundError(name)


def definition(text: str) -> LadderDefinition:
    return read(text, PurePosixPath("/etc/arena"), load)


def test_the_least_file_has_defaults() -> None:
    found = definition(LEAST)
    assert [(one.key, one.weight) for one in found.variants] == [("mnk 3 3 3", 1.0)]
    assert (found.control, found.levels, found.programs) == (TimeControl.of_milliseconds(1000), (), ())
    assert (found.sandbox, found.cores, found.failures) == (Sandbox.SEALED, 0, 3)


def test_a_whole_file_is_read_with_folders_seen_from_it() -> None:
    found = definition(WHOLE)
    assert [(one.key, one.weight, len(one.variant.openings)) for one in found.variants] == [
        ("gipf 3 3 9 9", 3.0, 5),
        ("mnk 3 3 3", 1.0, 1),
    ]
    assert [(level.name, level.anchor) for level in found.levels] == [
        ("alphabeta-1", LEVEL_ELO[0]),
        ("alphabeta-3", 1400.0),
    ]
    assert [(one.name, one.owner, one.folder) for one in found.programs] == [("base", "teacher", "/etc/arena/base")]
    assert (found.visible, found.bounds) == (("/etc/arena/data",), Bounds(memory=64))


def test_the_file_of_the_document_can_be_played() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    found = definition(text)
    assert len(found.variants) == 2 and found.programs and found.games_a_day == 10_000


def test_a_game_is_a_contest_for_its_host() -> None:
    made = definition(WHOLE).contest((), "/var/lib/arena")
    assert (made.folder, made.cores, made.start_seconds) == ("/var/lib/arena", 4, 20)
    assert [one.game for one in made.variants] == ["gipf", "mnk"]
    assert made.stages[0].control == TimeControl.of_milliseconds(10_000, 100)


PROGRAM = '[[programs]]\nname = "a"\nowner = "ann"\ncommand = ["x"]\nfolder = "a"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("games = ", "this is no TOML"),
        ('games = [{ game = "mnk" }]', "time is missing: a table with budget and increment"),
        ("time = { budget = 1000 }", r"games is missing: one \[\[games\]\] or more"),
        (LEAST + "speed = 3", "speed is no key of a ladder file; these are seed"),
        (LEAST.replace("params", "weight = 0, params"), r"games\[1\].weight is a number from 0.001 to 1000, not 0"),
        (LEAST.replace("3 3 3", "3"), r"games\[1\].params is '3'"),
        (LEAST + "[[levels]]\nlevel = 10", r"levels\[1\].level is a whole number from 1 to 9, not 10"),
        (LEAST + "[[levels]]\nlevel = 1\n[[levels]]\nlevel = 1", "two players of the ladder are called alphabeta-1"),
        (LEAST + PROGRAM.replace('folder = "a"\n', ""), r"programs\[1\].folder is missing: the program's folder"),
        (LEAST + PROGRAM.replace('["x"]', "[]"), r"programs\[1\].command is the list of a program"),
        (LEAST + PROGRAM.replace('"ann"', '"a b"'), r"programs\[1\].owner is the name of whoever wrote it"),
        (LEAST + PROGRAM + PROGRAM.replace('"a"', '"A"'), "two players of the ladder are called A"),
        (
            LEAST + PROGRAM + PROGRAM.replace('"a"', '"a/b"').replace('"a/b"', '"b"', 1).replace("ann", "bob"),
            "a would see the files of b, whose folder /etc/arena/a/b lies in its own",
        ),
        (
            LEAST.replace("}]", '}, { game = "mnk", params = "3,3,3" }]'),
            r"games\[2\] is mnk 3 3 3, which games\[1\] is already",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadTable, match=sentence):
        definition(text)
