import re

import pytest
from msgspec.structs import replace
from rich.console import Console, RenderableType

from server.contest.definition import Definition, Entrant, Format
from server.contest.fixtures import GameResult
from server.contest.formats.knockout import Knockout
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, Pairs, RoundRobin
from server.contest.formats.swiss import Swiss
from server.contest.plan import plan
from server.contest.report import text
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment
from tests.server.contest.played import CONTROL, by_seed, contest
from tests.server.contest.report.samples import OPENED, sample_report


def shown(renderable: RenderableType, width: int) -> str:
    """Return what a terminal without colours would show."""
    console = Console(width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def long_names(entrants: int) -> tuple[Definition, list[GameResult]]:
    """Return a contest of names as long as they may be."""
    definition = contest(entrants, RoundRobin(5), variants=2)
    names = tuple(Entrant(f"{number:02}{'x' * 30}") for number in range(entrants))
    definition = replace(definition, entrants=names)
    result = by_seed(1, late=0.1, slow=names[0].name)
    return definition, [result(fixture) for fixture in plan(definition, []).due]


@pytest.mark.parametrize(
    "formats",
    [
        (RoundRobin(),),
        (Swiss(2), Knockout(tie_breaks=1, control=CONTROL)),
        (Gauntlet(("a1",)),),
        (Pairs(4, 0, 100),),
        (Ladder(20, 0),),
    ],
)
@pytest.mark.parametrize("width", [80, 120])
def test_names_and_sentences_are_shown_as_they_are_and_control_nothing(formats: tuple[Format, ...], width: int) -> None:
    made = sample_report(7, *formats, advance=4)
    found = shown(text.render_report(made), width)
    assert not re.search(r"[^\n\x20-\x7e\xa0-\u2fff]|[\u200b-\u200f\u202a-\u202e]", found)
    words = " ".join(found.split())
    assert "[bold]<script>alert(1)</script>" in words.replace("[bold] ", "[bold]") and r"\x1b[31m" in words
    assert all(len(line) <= width for line in found.splitlines())
    for name in made.entrants:
        assert name in found
    assert "a4 " in found and "disqualified: illegal moves (1" in words


def test_tables_of_twelve_long_names_are_readable_at_80_columns() -> None:
    definition, games = long_names(text.CROSSED_AT_ONCE)
    made = make_report(definition, games, plan(definition, games), Moment(OPENED, OPENED))
    (stage,) = made.stages
    standings = shown(text.standings(stage), 80).splitlines()
    for line, row in zip(stage.table, standings[1:], strict=False):
        assert row.split()[0] == str(line.place) and line.name[:2] in row
        assert f" {line.draws} " in row and len(row) <= 80 and "…" not in row.split(maxsplit=2)[2]
    table = shown(text.crosstable(stage), 80).splitlines()
    for number, (cells, row) in enumerate(zip(stage.crosstable, table[1:], strict=True)):
        words = row.split()[2:]
        points = [cell.points for cell in cells if cell]
        assert [float(word.replace("½", ".5")) for word in words if word != "×"] == points
        assert words.index("×") == number
