"""``arena-engine analyse``: what it prints, and what it refuses."""

import json

import pytest

from engine import cli
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
