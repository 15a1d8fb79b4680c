"""What may begin from a page: no programs and files but those of the contest that is copied."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from server.contest.contest_file import BadContest
from server.league.console.new_contest import TEMPLATES, Earlier, read_new
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
