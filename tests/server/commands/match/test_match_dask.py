"""A match on the workers of a dask cluster, with real processes."""

import json
from pathlib import Path

import pytest

from engine.match import verification
from tests.server.commands.match.command import run
from tests.server.machines import Machines

CHOOSE = "from engine.games import moves\n\ndef choose(position, clocks):\n    return moves(position)[{place}]\n"


@pytest.mark.slow
def test_a_match_on_a_cluster_is_the_same_as_here(tmp_path: Path, machines: Machines) -> None:
    for name, place in (("ann", 0), ("bob", -1)):
        (tmp_path / f"{name}.py").write_text(CHOOSE.format(place=place))
    words = ("ann.py", "bob.py", "--game", "mnk", "--params", "3,3,3", "--plies", "2", "--games", "4")
    assert run(tmp_path, *words, "--json", "here.json")[0] == 0
    status, said, complained = run(
        tmp_path, *words, "--json", "there.json", "--records", "games", "--dask", machines.address
    )
    assert status == 0, complained
    here, there = (json.loads((tmp_path / f"{name}.json").read_text())["games"] for name in ("here", "there"))
    for game in here + there:
        del game["used_ms"]
    assert here == there and "4 of 4 games" in said
    for game in there:
        summary = verification.verify((tmp_path / "games" / f"{game['number']}.txt").read_text())
        assert (list(summary.header.players), summary.history.plies) == (game["players"], game["plies"])
