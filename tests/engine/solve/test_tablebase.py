"""Tablebases: perfect play by them from every position, against the slow oracle, and how they are made and found."""

import json
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest

from bots.alphabeta_bot import AlphaBetaBot
from engine import cli
from engine.compiling import code_cache
from engine.games.catalogue import GAMES, start_of
from engine.games.interface import WIN, History, Position
from engine.games.kernels import CompileProcess, bind
from engine.search.alphabeta import probe_tablebase, with_layers
from engine.search.memory import NO_SCORE
from engine.search.searcher import AdaptiveSearcher, GameEngine, SearchLimits, SearchResult, key_of
from engine.solve import tablebase
from engine.solve.layers import Layers, layer_of
from engine.solve.tablebase import Tablebase, are_shipped, shipped, tablebase_of
from tests.engine.gipf.samples import completes_run
from tests.engine.kernels_after import KernelsAfter
from tests.engine.search import toy
from tests.engine.solve.test_layers import solved as solved_layers
from tests.oracles import gipf as oracle
from tests.oracles.gipf_boards import board_text
from tests.tablebases import RUNS
from tests.waiting import BUILD_SECONDS

GIPF = GAMES["gipf"]

NOBODY = 65534
"""Number of the user who owns no files."""


def still() -> float:
    return 0.0


def solve_layers(parameters: str, largest: tuple[int, int], directory: Path) -> None:
    """Solve all layers of a board up to one, interpreted, into a directory."""
    solved_layers(start_of("gipf", parameters).kernel(compile=False), largest, directory=directory)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the layers of both smallest boards of up to four pieces a side."""
    directory = tmp_path_factory.mktemp("tablebases")
    for run in (2, 3):
        solve_layers(f"2 {run} 4 4", (4, 4), directory)
    return directory


@pytest.fixture
def given(solved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(solved))
    return solved


def known(position: Position) -> Tablebase:
    found = tablebase_of(position)
    assert found is not None
    return found


# What the oracle finds


def values(first: oracle.Position) -> tuple[dict[oracle.Key, oracle.Position], dict[oracle.Key, int | None]]:
    """Return every position that can be reached from one, and the score of each by definition: None for a draw."""
    positions, moves = toy.explore(first, oracle.Position.key, lambda at: oracle.unique(oracle.moves(at)))
    scores: dict[oracle.Key, int | None] = {}
    for position, plies in zip(positions, toy.truth(moves, frozenset()), strict=True):
        scores[position.key()] = None if plies is None else WIN - plies if plies % 2 else plies - WIN
    return {position.key(): position for position in positions}, scores


def of_child(score: int | None) -> int:
    """Return the score of a move that leads to a position with a score."""
    return 0 if score is None else -score - 1 if score < 0 else 1 - score


def small_positions(chance: Random, number: int) -> Iterable[oracle.Position]:
    """Yield positions of the smallest board in which the sides have one to four pieces, and no run stands."""
    while number > 0:
        run = chance.choice([2, 3])
        fields = dict.fromkeys(oracle.board_fields(2), "_")
        totals = {colour: chance.randint(1, 4) for colour in "WB"}
        reserve = dict(totals)
        for field in chance.sample(sorted(fields), chance.randint(0, 5)):
            colour = chance.choice("WB")
            fields[field] = colour if reserve[colour] > 0 else "_"
            if fields[field] != "_" and completes_run(fields, 2, run, field):
                fields[field] = "_"
            reserve[colour] -= fields[field] == colour
        position = oracle.Position(2, run, {"W": 4, "B": 4}, fields, reserve, chance.choice("WB"))
        if oracle.moves(position):
            number -= 1
            yield position


@pytest.mark.slow
def test_every_move_is_worth_what_the_oracle_finds_and_the_best_one_is_played(given: Path) -> None:
    chance = Random(18)
    kinds = set()
    checked = 0
    for first in small_positions(chance, 2):
        reached, scores = values(first)
        undecided = [position for position in reached.values() if oracle.outcome(position) == "in_progress"]
        for position in chance.sample(undecided, min(30, len(undecided))):
            after = {child.key(): of_child(scores[child.key()]) for child in oracle.unique(oracle.moves(position))}
            asked = GIPF.read(board_text(position))
            book = known(asked)
            found = book.probe(asked)
            assert sorted(move.score for move in found if move.score is not None) == sorted(after.values())
            assert found[0].score == max(after.values()) == (scores[position.key()] or 0)
            searcher = AdaptiveSearcher(asked, megabytes=0, kernels=KernelsAfter(asked, float("inf")), tablebase=book)
            result = searcher.think(asked, (), SearchLimits(depth=2), clock=still)
            played = oracle.apply(position, result.move(asked)).position
            assert (result.is_known, result.score) == (True, found[0].score)
            assert after[played.key()] == found[0].score
            if result.plies_to_end is not None:
                assert len(book.line(asked, found[0].line[0])) == abs(result.plies_to_end)
            kinds.add((found[0].score > 0) - (found[0].score < 0))
            checked += 1
    assert kinds == {-1, 0, 1} and checked > 30


def position_with(kind: str, chance: Random) -> Position:
    """Return a position of a tablebase that is won in more than one way, or drawn with moves that lose."""
    while True:
        for position in small_positions(chance, 1):
            asked = GIPF.read(board_text(position))
            scores = [move.score for move in known(asked).probe(asked) if move.score is not None]
            if kind == "won" and len([score for score in scores if score == scores[0] > 0]) > 1:
                return asked
            if kind == "drawn" and scores[0] == 0 > scores[-1]:
                return asked


@pytest.mark.slow("interpreted")
def test_a_move_to_what_has_stood_twice_is_a_draw(given: Path) -> None:
    asked = position_with("won", Random(2))
    book = known(asked)
    best, *others = book.probe(asked)
    kernel = asked.kernel(compile=False)
    arena = kernel.arena(4096)
    kernel.rules.children(kernel.state, arena, 0)
    child = kernel.rules.load(arena, best.line[0])
    key = int(kernel.rules.hash_of(child))
    assert book.probe(asked, [key, key_of(asked)])[0] == best
    again = book.probe(asked, [key, key])
    if kernel.rules.verdict(child):  # what the board shows goes before a repetition
        assert again[0] == best
    else:
        assert again[0] == others[0] and best._replace(score=0) in again


@pytest.mark.slow("interpreted")
def test_a_draw_is_held_by_the_move_that_a_search_likes_best(given: Path) -> None:
    asked = position_with("drawn", Random(3))
    book = known(asked)
    holding = {move.line[0] for move in book.probe(asked) if move.score == 0}
    for depth in (1, 2, 4):
        searcher = AdaptiveSearcher(asked, megabytes=1, kernels=KernelsAfter(asked, float("inf")), tablebase=book)
        told: list[SearchResult] = []
        result = searcher.think(asked, (), SearchLimits(depth=depth), clock=still, report=told.append)
        assert result.line[0] in holding and result.nodes > 0
        assert (result.score, result.is_known, told) == (0, True, [result])
    stopped = SearchLimits(hard_ms=0.0)
    assert AdaptiveSearcher(asked, tablebase=book).think(asked, (), stopped, clock=still).line[0] in holding


@pytest.mark.slow("interpreted")
def test_levels_below_the_highest_do_not_ask(given: Path) -> None:
    asked = position_with("won", Random(2))
    searcher = AdaptiveSearcher(asked, megabytes=1, kernels=KernelsAfter(asked, float("inf")), tablebase=known(asked))
    assert not searcher.think(asked, (), SearchLimits(level=4), clock=still).is_known


@pytest.mark.slow("interpreted")
def test_bots_and_the_engine_of_pages_play_by_it(given: Path) -> None:
    asked = position_with("won", Random(4))
    plies = known(asked).probe(asked)[0].score
    thought = GameEngine(1, tablebase_of).think(History.begin(asked), 1.0, clock=still)
    assert (thought.is_known, thought.score) == (True, plies)
    for with_tablebase in (True, False):
        bot = AlphaBetaBot(tablebase=with_tablebase)
        assert (bot._engine.searcher(asked)._tablebase is not None) == with_tablebase
    assert AlphaBetaBot(level=5)._engine.searcher(asked)._tablebase is None


# Searches that come to what is known


def layers_of(parameters: str, largest: tuple[int, int], directory: Path) -> Layers:
    kernel = start_of("gipf", parameters).kernel(compile=False)
    return Layers(kernel, largest, memory=0, directory=directory)


def test_a_search_looks_positions_up_as_the_tablebase_does(given: Path) -> None:
    chance = Random(6)
    for position in small_positions(chance, 60):
        asked = GIPF.read(board_text(position))
        kernel = asked.kernel(compile=False)
        for largest in ((3, 3), (4, 4)):
            layers = layers_of(asked.parameters, largest, given)
            (look_up,) = bind((probe_tablebase,), with_layers(kernel))
            exact_value = layers.exact_value(kernel.state) if max(layer_of(kernel)) <= max(largest) else None
            found = look_up(kernel.state, layers.known())
            if exact_value is None:
                assert found == NO_SCORE
            else:
                assert found == exact_value.result * (WIN - exact_value.plies)


def test_what_to_look_up_is_told_where_not_all_is_known_and_code_is_there(
    given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part = known(start_of("gipf", "2 2 4 4")), known(start_of("gipf", "2 2 41 41"))
    assert part.known_layers() is None, "nothing is compiled here"
    for book in (whole, part):
        monkeypatch.setattr(book, "_kernels", KernelsAfter(start_of("gipf", "2 2 4 4"), 0))
    layers = part.known_layers()
    assert layers is not None and part.known_layers() is layers and whole.known_layers() is None
    assert [layers.offsets[number * layers.width + 4] >= 0 for number in (4, 5)] == [True, False]


# The command line


def test_analyse_answers_from_it_and_ends(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = position_with("won", Random(2))
    file = tmp_path / "position.txt"
    file.write_text(asked.text())
    best = known(asked).probe(asked)
    plies = best[0].plies_to_end
    assert plies
    assert cli.run(["analyse", "gipf", "--position", str(file), "--lines", "2"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"line 1 depth 64 score win {plies} nodes 0 ")
    assert len(first.split(" pv ")[1].split(", ")) == plies
    assert second.startswith("line 2 depth 64 score win ")
    assert cli.run(["analyse", "gipf", "--position", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["is_known"] is True and told["plies_to_end"] == plies and len(told["pv"]) == plies
    assert cli.run(["analyse", "gipf", "--position", str(file), "--no-tablebase", "--depth", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["is_known"] is False


@pytest.mark.slow
def test_it_is_made_once_and_then_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the board whose layers test_layers.py has compiled: what was compiled there serves here, too."""
    monkeypatch.delenv(tablebase.DIRECTORY_VARIABLE)
    kernels = code_cache.home() / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code_cache.home().mkdir()
    with suppress(OSError):  # where the user has no cache, all is compiled here
        kernels.mkdir(parents=True, exist_ok=True)
        (code_cache.home() / "kernels").symlink_to(kernels)

    def made(*variant: str) -> str:
        assert cli.run(["precompile", *variant, "--purpose", "tablebase"]) == 0
        return capsys.readouterr().err

    words = [sys.executable, "-P", "-m", "engine", "precompile", "gipf", "2 2 16 4", "--purpose", "tablebase"]
    first = subprocess.run(words, capture_output=True, text=True, check=True, timeout=BUILD_SECONDS)
    assert "GIPF 2 2 16 4, tablebase: made in " in first.stderr
    assert made("gipf", "2 2 16 4") == "GIPF 2 2 16 4, tablebase: made before\n"
    assert cli.run(["analyse", "gipf", "--params", "2 2 16 4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["is_known"] is True
    assert made("mnk", "3 3 3") == ""
    assert made("gipf", "2 3 5 4") == "GIPF 2 3 5 4, tablebase: made before\n"


# What solving looks up


def test_the_smallest_boards_need_none_to_be_made(
    solved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(tablebase.DIRECTORY_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(CompileProcess, "start", lambda _: pytest.fail("nothing is missing"))
    monkeypatch.setattr(tablebase, "can_compile", lambda: True)
    for run in RUNS:
        start = start_of("gipf", f"2 {run} 15 15")
        book = known(start)
        book.start()
        assert {move.score for move in book.probe(start)[:1]} == {0 if run == 2 else WIN - 1}
        values = bytes(shipped(start.kernel(compile=False).rules).known().values)
        layers = layers_of(f"2 {run} 4 4", (4, 4), solved)
        assert values.startswith(bytes(layers.known().values)), "make them again: python -m tests.tablebases"
    assert not are_shipped(start_of("gipf", "2 2 16 4").kernel(compile=False))
    assert list(tmp_path.iterdir()) == []


# Where it is, and when it is made


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("2 2 4 9", (9, 4)),
        ("2 3 999 999", (40, 40)),
        *(
            pytest.param(*case, marks=pytest.mark.slow("interpreted"))
            for case in [("3 3 5 5", (5, 5)), ("3 3 6 6", (6, 6)), ("3 3 12 12", (6, 6))]
        ),
        pytest.param("3 5 4 12", (7, 4), marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
    ],
)
def test_it_has_all_layers_of_small_variants_and_the_small_layers_of_others(
    parameters: str, expected: tuple[int, int]
) -> None:
    assert Tablebase(start_of("gipf", parameters), Path()).extent == expected


def test_larger_boards_other_games_and_who_wants_none_have_none(monkeypatch: pytest.MonkeyPatch, given: Path) -> None:
    for game, parameters in (("gipf", "4 4 4 4"), ("mnk", "3 3 3"), ("arrows", "4 4"), ("morris", "")):
        assert tablebase_of(start_of(game, parameters)) is None
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, "")
    assert tablebase_of(start_of("gipf", "2 2 4 4")) is None


def test_what_is_not_there_is_not_known(solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    start = start_of("gipf", "2 2 4 4")
    book = known(start)
    assert book.probe(start) == []
    solve_layers("2 2 4 4", (3, 3), tmp_path)
    assert book.probe(start) == []
    assert book.exact_value(start.kernel(compile=False).state) is None
    copytree(solved, tmp_path, dirs_exist_ok=True)
    assert {move.score for move in book.probe(start)} == {0}
    assert known(start_of("gipf", "2 2 9 9")).probe(start_of("gipf", "2 2 9 9")) == []


@pytest.mark.slow("interpreted")
def test_damaged_values_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    solve_layers("2 2 4 4", (4, 4), tmp_path)
    file = tmp_path / "gipf_2_2.layers"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    start = start_of("gipf", "2 2 4 4")
    assert known(start).probe(start) == []


@pytest.mark.parametrize("parameters", ["2 2 4 4", "2 2 9 4"])
def test_a_directory_that_cannot_be_written_is_read(
    monkeypatch: pytest.MonkeyPatch, solved: Path, parameters: str
) -> None:
    """Also for a variant that has more layers than are there."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        copytree(solved, directory, dirs_exist_ok=True)
        monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, name)
        position = GIPF.read(start_of("gipf", "2 2 4 4").text().replace("2 2 4 4", parameters))
        before = {path: path.read_bytes() for path in directory.iterdir()}
        for path in (*before, directory):
            path.chmod(path.stat().st_mode & 0o555 | 0o055)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            with pytest.raises(PermissionError):
                (directory / "gipf_2_2.layers").open("ab")
            assert {move.score for move in known(position).probe(position)} == {0}
        finally:
            if is_root:
                os.seteuid(0)
            directory.chmod(0o700)
        assert {path: path.read_bytes() for path in directory.iterdir()} == before


@pytest.mark.slow("interpreted")
def test_a_maker_waits_for_another_one_however_long_it_takes(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    monkeypatch.setattr(code_cache, "MAX_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(tablebase, "warm_up", lambda position, layers: None)
    start = start_of("gipf", "2 2 4 4")
    with (tmp_path / code_cache.LOCK).open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        maker = threading.Thread(target=known(start).make, daemon=True)
        maker.start()
        maker.join(0.5)
        assert maker.is_alive() and not list(tmp_path.glob("*.layers"))
        copytree(solved, tmp_path, dirs_exist_ok=True)
        made = (tmp_path / "gipf_2_2.journal").read_text()
    maker.join(60)
    assert not maker.is_alive()
    assert (tmp_path / "gipf_2_2.journal").read_text() == made, "nothing was missing any more"


def test_a_process_makes_it_where_it_is_missing_and_only_there(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    is_busy = True

    def start_process(arguments: list[str]) -> object:
        started.append(arguments)
        return None if is_busy else object()

    monkeypatch.setattr(CompileProcess, "start", start_process)
    monkeypatch.setattr(tablebase, "can_compile", lambda: True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tablebase, "are_shipped", lambda _: False)
    start = start_of("gipf", "2 2 4 4")
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    known(start).start()
    monkeypatch.delenv(tablebase.DIRECTORY_VARIABLE)
    monkeypatch.setenv(code_cache.KERNELS_VARIABLE, str(tmp_path))
    known(start).start()
    assert started == [], "in a given place, and in a sandbox, nothing is made"
    monkeypatch.delenv(code_cache.KERNELS_VARIABLE)
    book = known(start)
    book.start()
    is_busy = False
    book.start()
    book.start()
    assert started == 2 * [["precompile", "gipf", "2 2 4 4", "--purpose", "tablebase", "--background"]]
    folder = tablebase.folder()
    assert folder is not None
    copytree(solved, folder, dirs_exist_ok=True)
    known(start).start()
    assert len(started) == 2


@pytest.mark.parametrize(("run", "digest"), [(2, 1270676601), (3, 619519276)])
def test_files_are_read_as_they_were_written(run: int, digest: int, solved: Path) -> None:
    """Where this fails, positions have other places than before: raise `tablebase.FORMAT`, and take the new digest."""
    assert tablebase.FORMAT == 1
    layers = layers_of(f"2 {run} 4 4", (4, 4), solved)
    assert zlib.crc32(bytes(layers.known().values)) == digest
