"""Games that are played by actions, a bot of a policy, and the programs of docs/learning.md."""

import copy
import re
import threading
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from bots.client import GameResult, play
from bots.random_bot import RandomBot
from bots.workbench.learning import Episode
from engine.cli import run as engine_command
from engine.games.catalogue import GAMES
from engine.games.interface import Game, History
from tests.engine.records import records
from tests.games.cases import EVERY_VARIANT
from tests.server.process import ServerProcess

VARIANTS = [(game, parameters) for game, parameters in EVERY_VARIANT if game.name in GAMES]


@given(variant=st.sampled_from(VARIANTS), choices=st.lists(st.integers(0, 999), min_size=1))
def test_actions_play_a_game_by_the_rules_of_matches(variant: tuple[Game, str], choices: list[int]) -> None:
    game, parameters = variant
    end = Episode.begin(game.name, parameters, move_limit=20)
    for choice in cycle(choices):
        if not end.legal:
            break
        end = end.after(end.legal[choice % len(end.legal)])
    history = History.begin(game.start(parameters))
    for move in end.history.moves:
        assert history.outcome(20) is None
        history = history.after(move)
    assert end.outcome is not None and end.outcome == history.outcome(20)
    assert sum(end.returns()) == 0
    if end.outcome.winner is not None:
        assert end.returns()[end.outcome.winner] == 1


def test_actions_of_a_move_under_way() -> None:
    moving = GAMES["morris"].read("0 0 W\n" + "WW_W____" + "BBB_B___" + "________")
    begin = Episode(History.begin(moving))
    move = begin.after(24 + 3 * 24 + 2)
    assert (move.history, move.turn, move.made) == (begin.history, 0, (98,))
    assert move.legal == (600 + 12,)  # the others stand in a mill
    assert numpy.flatnonzero(move.mask()).tolist() == [612]
    assert move.after(612).history.moves == ("3 2 12",)


def test_an_action_that_may_not_be_made_is_named_with_those_that_may() -> None:
    episode = Episode.begin("mnk", "3 3 3").after(4)
    with raises(snapshot("BadMove: action 4 may not be made now; legal are 0, 1, 2, 3, 5, 6, 7, 8")):
        episode.after(4)


def test_a_game_that_is_over_has_no_legal_action() -> None:
    end = Episode.begin("mnk", "3 3 3")
    for action in (0, 1, 3, 4, 6):
        end = end.after(action)
    assert end.legal == () and not end.mask().any()
    with raises(snapshot("BadMove: action 0 may not be made now; legal are none")):
        end.after(0)


def test_copies_are_the_same() -> None:
    episode = Episode.begin("gipf")
    assert copy.deepcopy([episode]) == [episode]


DOCUMENT = Path(__file__).parents[2] / "docs" / "learning.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PLAYS = [block for block in BLOCKS if "play(" in block]


def skip_what_is_not_installed(program: str) -> None:
    """Skip the test of a program that needs an extra."""
    if "pettingzoo_env" in program:
        pytest.importorskip("pettingzoo", reason="the extra pettingzoo is not installed")


def run(program: str) -> dict[str, Any]:
    """Run a program in the present folder, and return its names."""
    names: dict[str, Any] = {"__name__": "__main__", "network": lambda planes: 1 + planes.sum()}
    exec(compile(program, DOCUMENT.name, "exec"), names)
    return names


@pytest.mark.parametrize("number", [number for number, block in enumerate(BLOCKS) if block not in PLAYS])
def test_programs_run(
    number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = tmp_path / "17.txt"
    record.write_text(records()["won on the board"], encoding="utf-8")
    assert engine_command(["export", str(record), "--output", "moves.ndjson"]) == 0
    skip_what_is_not_installed(BLOCKS[number])
    names = run(BLOCKS[number])
    shown = capsys.readouterr().out
    if "won" in names:
        assert [row["move"] for row in names["won"]] == ["a1", "a2", "a3"]
    elif "game" in names:
        assert names["game"].agents == []
    else:
        assert shown.startswith("264 (6, 7, 7) ('own pieces', ") and shown.endswith("\n(1,)\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PLAYS)))
def test_programs_that_play_do_so_on_a_server(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    skip_what_is_not_installed(PLAYS[number])
    found = re.search(r'game="(\w+)", params="([\d ]+)"', PLAYS[number])
    assert found is not None
    results: list[GameResult] = []
    with ServerProcess(tmp_path / "data") as server:
        monkeypatch.setenv("ARENA_PORT", str(server.port))
        monkeypatch.setenv("ARENA_NAME", "learned")

        def oppose() -> None:
            results.extend(play(RandomBot(1), name="random", game=found[1], params=found[2], port=server.port))

        opponent = threading.Thread(target=oppose)
        opponent.start()
        try:
            run(PLAYS[number])
        except BaseException:
            server.kill()  # the opponent would wait for ever
            raise
        finally:
            opponent.join()
    assert results[0].reason not in ("bad_move", "resign", "crashed", "time")
