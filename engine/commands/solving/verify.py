"""``arena-engine verify``: holds a tablebase against the rules, a random sample of it or all of it."""

from itertools import islice

from engine.commands.inputs import Rejected, answer, game_named, say, start_of
from engine.solve.layered.solver import Layers, needed
from engine.solve.tablebase import making
from engine.solve.tablebase.extent import extent
from engine.solve.tablebase.shipped import shipped
from engine.solve.tablebase.verification import all_places, fault_at, position_at, random_places

MAX_SHOWN = 10
"""Faults that are shown."""


def verify(game: str, params: str, /, *, positions: int = 10_000, seed: int = 1, every: bool = False) -> None:
    """Verify the tablebase of a variant by the rules alone: each value has to follow from those that moves lead to.

    The layers' checksums are looked at first.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in "3 3 6 6".
    positions
        How many random positions to look at.
    seed
        Of what is random: the same seed has the same positions.
    every
        Look at every position, in place of random ones. That proves the whole tablebase; some thousand
        positions a second are looked at.
    """
    position = start_of(game_named(game), params)
    if positions < 1:
        raise Rejected(f"--positions is a number of positions, 1 or more; not {positions}")
    if not making.can_have(position):
        raise Rejected(f"{game} {position.parameters} has no tablebase")
    kernel, directory = position.kernel(compile=False), making.folder()
    assert directory is not None
    largest = extent(kernel)
    if making.takes_shipped(kernel):
        layers = shipped(kernel)
    elif making.journal_of(kernel, directory).exists():
        layers = Layers(kernel, largest, memory=making.MEMORY, directory=directory)
    else:
        raise Rejected(
            f"there is no tablebase yet; make it with arena-engine precompile {game} {position.parameters!r}"
        )
    names = [name for pair in needed(largest) for name in dict.fromkeys((pair, pair[::-1]))]
    broken = ", ".join(f"{name[0]} {name[1]}" for name in names if layers.missing(name))
    if broken:
        raise Rejected(f"layers are not there, or differ from their checksums: {broken}")
    places = all_places(kernel, largest) if every else random_places(kernel, largest, seed)
    states = ((place, state) for place in places if (state := position_at(kernel, place)) is not None)
    looked_at = faults = 0
    for place, state in states if every else islice(states, positions):
        looked_at += 1
        fault = fault_at(kernel, layers, place, state)
        if fault is not None:
            faults += 1
            if faults <= MAX_SHOWN:
                where = f"layer {place.layer[0]} {place.layer[1]}, place {place.number}"
                say(f"{where}: {fault.found}, not {fault.expected}")
    answer(f"{looked_at} positions, {faults} of them with a value that does not follow from the rules")
    if faults:
        raise ChildProcessError(f"the tablebase of {game} {position.parameters} is wrong")
