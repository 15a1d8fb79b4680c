"""What may begin from a page: no programs and files but those of the contest that is copied."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from server.contest.contest_file import BadContest
from server.league.console.new_contest import TEMPLATES, Earlier, line_of, read_new
from tests.server.contest.runtime.bots import read_definition

FILE = """
name = "Autumn"
time = { budget = 60_000 }
entrants = [{ name = "ann", command = ["./ann"], folder = "ann" }, { name = "bob" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


def test_a_copy_starts_the_programs_of_the_contest_before_where_that_started_them() -> None:
    earlier = Earlier(FILE, replace(read_definition(FILE), folder="/contests"))
    assert read_new(FILE.replace("Autumn", "Winter"), earlier).folder == "/contests"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["./ann"]', '["./ann", "--fast"]'),
        ('folder = "ann"', 'folder = ".."'),
        ('name = "Autumn"', 'name = "Autumn"\nsandbox = "none"'),
        ('name = "Autumn"', 'name = "Autumn"\nvisible = ["/etc"]'),
        ('params = "3 3 3"', 'params = "3 3 3", openings = { files = ["/etc/passwd"] }'),
    ],
)
def test_nothing_else_is_started_or_read(old: str, new: str) -> None:
    earlier = Earlier(FILE, read_definition(FILE))
    with pytest.raises(BadContest):
        read_new(FILE.replace(old, new), earlier)
    with pytest.raises(BadContest):
        read_new(FILE.replace(old, new), None)


def test_a_copy_reads_the_positions_that_the_file_before_names(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("no position")
    with_file = FILE.replace('params = "3 3 3"', 'params = "3 3 3", openings = { files = ["one.txt"] }')
    earlier = Earlier(with_file, replace(read_definition(FILE), folder=str(tmp_path)))
    with pytest.raises(BadContest, match=r"'one\.txt'"):
        read_new(with_file, earlier)


@pytest.mark.parametrize("text", [text for _, text in TEMPLATES])
def test_a_contest_can_begin_by_each_template(text: str) -> None:
    assert read_new(text, None).stages


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('format = "swiss"', 'format = "swis"', "format = "),
        ("rounds = 3", "rounds = 0", "rounds = 0"),
        ('game = "gipf"', 'game = "gpif"', "game = "),
        ("plies = 4", "plies = 0", "openings = "),
        ("budget = 60_000", "budget = 0", "time = "),
        ('name = "bob"', 'name = "-bob"', 'name = "-bob"'),
        ("[qualification]", "[qualification", "[qualification"),
        ("advance = 2", "advance = 9", "advance = 9"),
    ],
)
def test_a_finding_is_told_with_its_line(old: str, new: str, line: str) -> None:
    text = TEMPLATES[1][1].replace(old, new)
    with pytest.raises(BadContest) as raised:
        read_new(text, None)
    assert text.splitlines()[line_of(str(raised.value), text) - 1].startswith(line), raised.value
    assert line_of("a contest has 2 to 500 entrants, not 1", text) == 0
