"""Certificates of wins: written from solutions, checked by the rules alone, and refused when anything is wrong."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine import cli
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.solve import certificate
from engine.solve.certificate import BadCertificate, Claim, strategy
from engine.solve.solver import Result, solve

MEMORY = 1 << 26

WINS = [
    ("gipf", "2 3 5 5"),
    ("gipf", "3 3 4 4"),
    ("gipf", "3 3 5 4"),
    ("arrows", "4 4"),
    ("mnk", "4 4 3"),
]


def certified(game: str, parameters: str) -> tuple[Position, str]:
    """Return a start position that is won, and the text of its certificate."""
    position = GAMES[game].start(parameters)
    solution = solve(position)
    found = strategy(position, solution, memory=MEMORY, most=100_000)
    winner = (Result.FIRST, Result.SECOND).index(solution.result)
    return position, certificate.write(Claim(position, winner, solution.plies, found))


@pytest.mark.parametrize(("game", "parameters"), WINS, ids=str)
def test_a_certificate_is_true_and_as_long_as_the_solution_says(game: str, parameters: str) -> None:
    position, text = certified(game, parameters)
    claim = certificate.read(text)
    assert claim.position.key == position.key
    plies, positions = certificate.check(claim)
    assert claim.plies is None or plies == claim.plies
    assert positions > len(claim.moves)


def test_a_claim_that_is_false_is_refused() -> None:
    _, text = certified("gipf", "3 3 5 4")
    claim = certificate.read(text)
    assert claim.plies is not None
    with raises(snapshot("BadCertificate: the game can last 3 plies, not 2 as is claimed")):
        certificate.check(claim._replace(plies=2))
    with raises(
        snapshot("""\
BadCertificate:
no move is given for a position that play leads to:
3 3 5 4
1 1 B
  W _ B
 W _ _ _
B _ _ _ W
 _ _ _ _
  W _ B
""")
    ):
        certificate.check(claim._replace(winner=1))


def test_play_that_goes_round_proves_nothing() -> None:
    """A made-up game of two positions, in which both sides move to and fro for ever."""
    here, there = (
        SimpleNamespace(text=partial(str, name), outcome=None, turn=turn) for turn, name in enumerate(("here", "there"))
    )
    here.play = lambda move: there
    there.children = lambda: [SimpleNamespace(position=here)]
    with raises(
        snapshot("""\
BadCertificate:
play comes back to a position, and so need not end:
here\
""")
    ):
        certificate.check(Claim(cast(Position, here), 0, None, {"here": "go"}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1"),
        ("nonsense\n", "line 1"),
        ('{"certificate": 2, "game": "gipf", "winner": "first", "position": ""}\n', "line 1: .* `\\$.certificate`"),
        ('{"certificate": 1, "game": "chess", "winner": "first", "position": ""}\n', "no game 'chess'"),
        ('{"certificate": 1, "game": "gipf", "winner": "white", "position": ""}\n', "line 1: .* `\\$.winner`"),
        ('{"certificate": 1, "game": "gipf", "winner": "first", "position": "x"}\n', "cannot be read"),
        (
            '{"certificate": 1, "game": "morris", "winner": "first", "position": "9 9 W\\n' + "_" * 24 + '"}\n7\n',
            "line 2",
        ),
    ],
)
def test_what_is_no_certificate_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadCertificate, match=words):
        certificate.read(text)


def test_only_wins_have_certificates() -> None:
    position = GAMES["mnk"].start("3 3 3")
    with raises(snapshot("NoStrategy: the result is draw; only a win has a strategy that can be written down")):
        strategy(position, solve(position), memory=MEMORY, most=1000)
    won = GAMES["mnk"].start("4 4 3")
    with raises(snapshot("NoStrategy: it takes more than 3 positions")):
        strategy(won, solve(won), memory=MEMORY, most=3)


def test_command_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "proof.jsonl"
    assert cli.run(("solve", "gipf", "--params", "3 3 4 4", "--proof", str(file))) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["result second", "plies 2"]
    assert cli.run(("check", str(file))) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["true second", "plies 2"]
    file.write_text(file.read_text().replace('"winner":"second"', '"winner":"first"'))
    assert cli.run(("check", str(file))) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert cli.run(("solve", "mnk", "--params", "3 3 3", "--proof", str(tmp_path / "none.jsonl"))) == 0
    assert capsys.readouterr().err.splitlines()[0] == snapshot(
        "no proof is written: the result is draw; only a win has a strategy that can be written down"
    )
