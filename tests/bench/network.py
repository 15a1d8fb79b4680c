"""How well a small neural network explains what tables of patterns are found from: ``python -m tests.bench network``.

The network is of the kind that is updated move by move (Y. Nasu, NNUE, 2018): one hidden layer over the fields as the
side to move sees them and both reserves, each hidden number kept between 0 and 1. It is trained on the shipped games of
self-play as tables are, with the same games held out, and with each position turned and mirrored at random. What is
printed is what ``arena-engine train`` prints of its tables.
"""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy

from engine.commands.inputs import unpacked
from engine.duel.training.factorization import divergence
from engine.duel.training.samples import Samples, samples_of
from engine.duel.training.selfplay import games_of
from engine.games.catalogue import start_of

GAMES = Path(__file__).parents[2] / "docs" / "tuning" / "gipf_4_4_15_15.selfplay.jsonl.xz"

SIZE = 4
RESERVES = 15
"""Reserves that are told apart: the largest one stands for more, too."""

HIDDEN = (32, 64)

EPOCHS, BATCH, RATE = 24, 1024, 4e-3

FIELDS = [
    (row, column)
    for row, column in product(range(2 * SIZE - 1), repeat=2)
    if max(0, row - SIZE + 1) <= column <= min(2 * SIZE - 2, SIZE - 1 + row)
]
INPUTS = 2 * len(FIELDS) + 2 * RESERVES


class Network(NamedTuple):
    """The numbers of a network, as they are trained."""

    inner: Any
    offsets: Any
    outer: Any
    direct: Any
    """From each input to the result, beside the hidden layer."""
    offset: Any


def run() -> None:
    """Print the divergence of networks of several sizes in the games held out."""
    alone = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
    }  # threads that wait for each other take longer on a busy machine
    subprocess.run([sys.executable, "-P", "-m", "tests.bench.network"], env=alone, check=True)


def compare() -> None:
    """Do so in this process."""
    start = start_of("gipf", "4 4 15 15")
    samples = samples_of(games_of(unpacked(GAMES)), start.kernel(), inputs_of)
    print(f"network: {len(samples.targets)} positions; tables: arena-engine train {GAMES.name}")
    for hidden in HIDDEN:
        began = perf_counter()
        loss = train(samples, hidden)
        print(
            f"network: {hidden} hidden: divergence {loss:.5f} in games held out, {perf_counter() - began:.0f} s",
            flush=True,
        )


def inputs_of(states: Any) -> Any:
    """Return a row for each position: the fields of the side to move, of the other side, and the two reserves."""
    found = numpy.zeros((len(states), INPUTS), numpy.float32)
    width = 2 * SIZE - 1
    bits = [row * width + column for row, column in FIELDS]
    for at, state in enumerate(states):
        mine, theirs, reserves = (
            (state.white, state.black, state[2:4]) if state.side == 0 else (state.black, state.white, state[3:1:-1])
        )
        found[at, : len(bits)] = [int(mine) >> bit & 1 for bit in bits]
        found[at, len(bits) : 2 * len(bits)] = [int(theirs) >> bit & 1 for bit in bits]
        for side, reserve in enumerate(reserves):
            found[at, 2 * len(bits) + side * RESERVES + min(reserve, RESERVES - 1)] = 1
    return found


def turned() -> list[Any]:
    """Return the orders of the inputs that turn and mirror a position, twelve in all."""
    orders = []
    for mirrored, turns in product((False, True), range(6)):
        places = []
        for row, column in FIELDS:
            at = row - SIZE + 1, column - SIZE + 1
            for _ in range(turns):
                at = at[1], at[1] - at[0]
            at = at[::-1] if mirrored else at
            places.append(FIELDS.index((at[0] + SIZE - 1, at[1] + SIZE - 1)))
        others = range(2 * len(FIELDS), INPUTS)
        orders.append(numpy.array([*places, *(len(FIELDS) + place for place in places), *others]))
    return orders


def train(samples: Samples, hidden: int, seed: int = 1) -> float:
    """Train a network by Adam, its steps ever smaller; return its divergence in the positions held out."""
    chance = numpy.random.default_rng(seed)
    shapes = (INPUTS, hidden), (hidden,), (hidden,), (INPUTS,), (1,)
    spreads, means = (0.15, 0.0, 0.3, 0.0, 0.0), (0.0, 0.3, 0.0, 0.0, 0.0)
    network = Network(
        *(
            chance.normal(mean, spread, shape).astype(numpy.float32)
            for mean, spread, shape in zip(means, spreads, shapes, strict=True)
        )
    )
    firsts, seconds = ([numpy.zeros_like(part) for part in network] for _ in range(2))
    used, orders = numpy.flatnonzero(~samples.held), turned()
    steps, done = EPOCHS * (len(used) // BATCH), 0
    for _ in range(EPOCHS):
        for batch in chance.permutation(used)[: len(used) // BATCH * BATCH].reshape(-1, BATCH):
            rows = samples.entries[batch][:, orders[chance.integers(len(orders))]]
            done += 1
            rate = RATE * (1 + numpy.cos(numpy.pi * done / steps)) / 2
            for part, first, second, slope in zip(
                network, firsts, seconds, slopes(network, rows, samples.targets[batch]), strict=True
            ):
                first += 0.1 * (slope - first)
                second += 0.001 * (slope**2 - second)
                part -= rate * (first / (1 - 0.9**done)) / (numpy.sqrt(second / (1 - 0.999**done)) + 1e-9)
    return divergence(_answer(network, samples.entries[samples.held])[1].astype(float), samples.targets[samples.held])


def slopes(network: Network, rows: Any, targets: Any) -> Network:
    """Return by how much the cross-entropy of a batch grows with each number of a network."""
    hidden, logits = _answer(network, rows)
    error = ((1 / (1 + numpy.exp(-logits)) - targets) / len(rows)).astype(numpy.float32)
    below = error[:, None] * network.outer * ((hidden > 0) & (hidden < 1))
    return Network(rows.T @ below, below.sum(0), hidden.T @ error, rows.T @ error, error.sum(keepdims=True))


def _answer(network: Network, rows: Any) -> tuple[Any, Any]:
    hidden = numpy.clip(rows @ network.inner + network.offsets, 0, 1)
    return hidden, hidden @ network.outer + rows @ network.direct + network.offset


if __name__ == "__main__":
    compare()
