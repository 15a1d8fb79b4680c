"""Every target with changed samples.

With ARENA_CAMPAIGN=1 with some seventy times as many, and each guided by coverage for a minute.
"""

import importlib.util
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.samples import samples
from tests.fuzz.targets import TARGETS

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
INPUTS = 20_000 if CAMPAIGN else 300
GUIDED_SECONDS = 60 if CAMPAIGN else 5


@pytest.mark.parametrize(
    "target", [pytest.param(target, marks=pytest.mark.slow if "shell" in target else []) for target in TARGETS]
)
def test_no_input_breaks_a_promise(target: str) -> None:
    for data in islice(mutated(samples(target), Random(target)), INPUTS):
        try:
            TARGETS[target](data)
        except Exception as error:
            raise AssertionError(f"{target} broke at {data!r}") from error


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS if CAMPAIGN else ["lines"])
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris: pip install -e .[fuzz]")
def test_no_input_that_coverage_leads_to_breaks_a_promise(target: str, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "tests.fuzz", target, "1000000000"]
    command += [f"-max_total_time={GUIDED_SECONDS}", f"-artifact_prefix={tmp_path}/"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]
    assert b"Done " in done.stderr
