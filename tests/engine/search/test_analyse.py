"""``arena-engine analyse``: what it prints, and what it refuses."""

import json

import pytest

from engine import cli
from engine.duel.book.book import book_for
from engine.duel.book.book_file import SHIPPED
from engine.games.catalogue import GAMES

GIPF = GAMES["gipf"]
SMALL = "3 3 6 6"
"""A variant that is searched quickly, interpreted too."""


def test_analyse_prints_a_line_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["analyse", "gipf", "--params", "5 4 18 18", "--depth", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["depth", "1"], ["depth", "2"]]
    assert cli.run(["analyse", "gipf", "--params", SMALL, "--depth", "3", "--json"]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [found["depth"] for found in objects] == [1, 2, 3]
    assert {"depth", "score", "nodes", "seconds", "table", "pv"} <= objects[0].keys()
    assert 0 <= objects[-1]["table"] < 1
    position = GIPF.start(SMALL)
    for move in objects[-1]["pv"]:
        position = position.resolve(move).position


@pytest.mark.parametrize(
    "arguments", [["--depth", "0"], ["--depth", "65"], ["--time", "0"], ["--params", "1"], ["--position", "/nowhere"]]
)
def test_analyse_refuses(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["analyse", "gipf", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


def test_analyse_searches_unless_a_book_is_asked_for_and_says_where_a_score_is_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = book_for(GIPF.start("4 4 15 15"), SHIPPED)
    assert book is not None
    best = book.results(book.start, 2)
    assert cli.run(["analyse", "gipf", "--book", "shipped", "--lines", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" seconds ")[0] for line in lines] == [
        f"line {one.rank} book score {one.score}" for one in best
    ]  # fmt: skip
    assert [line.split(" pv ")[1] for line in lines] == [one.move for one in best]
    assert cli.run(["analyse", "gipf", "--book", "shipped", "--json"]) == 0
    (found,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (found["is_book"], found["is_known"], found["depth"], found["nodes"]) == (True, False, 0, 0)
    for arguments in ([], ["--book", "off"]):
        assert cli.run(["analyse", "gipf", "--depth", "1", "--json", *arguments]) == 0
        (found,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert found["is_book"] is False and found["nodes"] > 0 and found["depth"] == 1
    assert cli.run(["analyse", "gipf", "--params", SMALL, "--depth", "1", "--book", "shipped"]) == 0
    assert capsys.readouterr().out.startswith("depth 1 ")
    assert cli.run(["analyse", "gipf", "--book", "/nowhere"]) == 2
    assert capsys.readouterr().err == "arena-engine: --book: /nowhere: No such file or directory\n"
