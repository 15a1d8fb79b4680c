"""Every target with changed samples; with ARENA_CAMPAIGN=1 some seventy times as many."""

import os
from itertools import islice
from random import Random

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.samples import samples
from tests.fuzz.targets import TARGETS

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
INPUTS = 20_000 if CAMPAIGN else 300


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(
            target, marks=[pytest.mark.slow] * target.startswith(("shell", "contests", "records", "moves-mnk"))
        )
        for target in TARGETS
    ],
)
def test_no_input_breaks_a_promise(target: str) -> None:
    for data in islice(mutated(samples(target), Random(target)), INPUTS):
        try:
            TARGETS[target](data)
        except Exception as error:
            raise AssertionError(f"{target} broke at {data!r}") from error
