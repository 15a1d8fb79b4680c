"""The engine's perft beside a straightforward one in C++, alternating, and beside the interpreted rules."""

import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

from engine.games.catalogue import GAMES
from engine.games.perft import count

ROUNDS = 5
DEPTH = 5
YARDSTICK = Path(__file__).with_name("perft_yardstick.cpp")


def run() -> None:
    """Print leaves a second and ratios."""
    position = GAMES["gipf"].start("4 4 15 15")
    began = perf_counter()
    count(position, 1)
    print(f"perft: rules of (4, 4, 15, 15) compiled or loaded in {perf_counter() - began:.2f} s")
    compiler = shutil.which("g++")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        if compiler is None:
            print("perft: no g++ here, so the comparison with C++ is left out")
        else:
            command = [compiler, "-std=c++20", "-O3", "-march=native", str(YARDSTICK), "-o", str(program)]
            subprocess.run(command, check=True)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(_rate(DEPTH))
            if compiler is not None:
                out = subprocess.run([program, str(DEPTH)], check=True, capture_output=True, text=True).stdout
                theirs.append(float(out.split()[-1]) / 1e6)
    print(f"perft depth {DEPTH}, every move:      {statistics.median(ours):8.1f} million leaves/s (median of {ROUNDS})")
    if theirs:
        ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
        low, high = min(ratios), max(ratios)
        print(f"perft depth {DEPTH}, the same in C++: {statistics.median(theirs):8.1f} million leaves/s")
        print(f"perft ratio to C++, pair by pair: {statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})")
    print(f"perft depth {DEPTH}, positions:       {_rate(DEPTH, unique=True):8.1f} million leaves/s")
    print(f"perft depth 3, interpreted:     {_rate(3, compile=False):8.3f} million leaves/s")


def _rate(depth: int, *, unique: bool = False, compile: bool = True) -> float:
    """Return million leaves a second."""
    position = GAMES["gipf"].start("4 4 15 15")
    began = perf_counter()
    leaves = count(position, depth, unique=unique, compile=compile)
    return leaves / (perf_counter() - began) / 1e6
