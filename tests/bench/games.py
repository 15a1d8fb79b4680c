"""Perft and search of every game, on one core; and the m,n,k shell on inputs of an assignment's size."""

import subprocess
import sys
from random import Random
from time import perf_counter

from engine.games.catalogue import GAMES
from engine.games.interface import Game
from engine.games.perft import count
from engine.search.searcher import Searcher, SearchLimits, warm_up

PERFT_LEAVES = 20_000_000
"""Depth is added until there are so many leaves."""

SEARCH_MS = 2000
"""How long each search thinks."""

SIGNATURE_DEPTH = 6
"""Depth to which the exact search counts its nodes: the same on every machine and in every run."""

SHELL_INPUTS = (((4, 4, 3), 30_500), ((8, 8, 3), 1_159))
"""Boards of N, M, K and how many of them, as assignments have been judged by."""


def run() -> None:
    """Print a table, then the times of the shell."""
    print("games: million leaves/s of perft (moves, then positions), search on one core for two seconds a game")
    print("    game  depth       leaves    moves     pos.   nodes/s  to depth  signature")
    for game in GAMES.values():
        _row(game)
    for parameters, commands in SHELL_INPUTS:
        _shell(parameters, commands)


def _row(game: Game) -> None:
    position = game.start(game.default_parameters)
    warm_up(position)
    count(position, 2)
    depth, leaves, seconds = 2, 0, 0.0
    while leaves < PERFT_LEAVES:
        depth += 1
        began = perf_counter()
        leaves = count(position, depth)
        seconds = perf_counter() - began
    began = perf_counter()
    unique = count(position, depth, unique=True)
    unique_rate = unique / (perf_counter() - began)
    kernel = position.kernel()
    thought = Searcher(kernel).think(kernel.state, limits=SearchLimits(hard_ms=SEARCH_MS), clock=perf_counter)
    exact = Searcher(kernel).think(
        kernel.state, limits=SearchLimits(depth=SIGNATURE_DEPTH, exact=True), clock=perf_counter
    )
    print(
        f"{game.name:>8} {depth:6} {leaves:12} {leaves / seconds / 1e6:8.1f} {unique_rate / 1e6:8.1f} "
        f"{thought.nodes / thought.seconds / 1e6:8.2f}M {thought.depth:9} {exact.nodes:10}"
    )


def _shell(parameters: tuple[int, int, int], count: int) -> None:
    """Time ``arena-engine shell mnk`` on random boards, and without any, which is what starting takes."""
    text = "".join(boards(parameters, count))
    _run(text)  # what is compiled is found on the disk afterwards
    nothing, all_of_them = _run(""), _run(text)
    name = ",".join(map(str, parameters))
    print(f"mnk shell: {count} SOLVE_GAME_STATE of ({name}): {all_of_them:.2f} s; starting takes {nothing:.2f} s of it")


def boards(parameters: tuple[int, int, int], count: int) -> list[str]:
    """Return so many commands to solve random boards of N, M and K."""
    chance = Random(1)
    rows, columns, _ = parameters
    commands = []
    for _ in range(count):
        fields = ["0"] * (rows * columns)
        player = 1
        for field in chance.sample(range(len(fields)), chance.randrange(len(fields))):
            fields[field] = str(player)
            player = 3 - player
        lines = [" ".join(fields[row * columns : (row + 1) * columns]) for row in range(rows)]
        commands.append("\n".join(["SOLVE_GAME_STATE", f"{' '.join(map(str, parameters))} {player}", *lines, ""]))
    return commands


def _run(text: str) -> float:
    began = perf_counter()
    command = [sys.executable, "-m", "engine", "shell", "mnk"]
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, text=True, check=True)
    return perf_counter() - began
