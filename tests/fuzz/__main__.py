"""Fuzzing guided by coverage: ``NUMBA_DISABLE_JIT=1 python -m tests.fuzz TARGET RUNS [option of libFuzzer]...``.

Needs atheris (``pip install -e .[fuzz]``). An input that breaks a promise is written to the present directory as
``crash-…``; what it shows belongs into a test of what it broke.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["engine", "server"]):
    from tests.fuzz.samples import samples
    from tests.fuzz.targets import TARGETS


def main(target: str, runs: int, options: list[str]) -> None:
    """Run a target until it has seen so many inputs, or one that breaks a promise."""
    with tempfile.TemporaryDirectory() as corpus:
        for number, sample in enumerate(samples(target)):
            (Path(corpus) / str(number)).write_bytes(sample)
        atheris.Setup([sys.argv[0], f"-runs={runs}", "-max_len=4096", *options, corpus], TARGETS[target])
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
