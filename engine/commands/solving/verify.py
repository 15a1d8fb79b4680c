"""``arena-engine verify``: holds a tablebase against the rules, a random sample of it or all of it."""

from itertools import islice

from engine.commands.inputs import game_named, start_of
from engine.commands.program import Rejected, answer, say
from engine.games.catalogue import title_of
from engine.solve import tablebase
from engine.solve.layers import Judgement, Layers, Name
from engine.solve.verification import (
    all_places,
    fault_at,
    layers_up_to,
    position_at,
    random_places,
)
from engine.wire.words import number_of

MAX_SHOWN = 10
"""Faults that are shown."""


def verify(game: str, params: str, /, *, positions: int = 10_000, seed: int = 1, every: bool = False) -> None:
    """Verify the tablebase of a variant by the rules alone: each value has to follow from those that moves lead to.

    The layers' checksums are looked at first; where some do not fit, only positions of these layers are. Each that is
    wrong is named, with its byte in the file. The exit status is 0 where all is right, 1 where something is not, and 2
    where there is nothing to look at.

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
    if not tablebase.can_have(position):
        raise Rejected(f"{title_of(position)} has no tablebase")
    kernel, directory = position.kernel(compile=False), tablebase.folder()
    assert directory is not None
    largest = tablebase.extent(kernel)
    if tablebase.takes_shipped(kernel):
        layers = tablebase.shipped(kernel)
    elif tablebase.journal_of(kernel, directory).exists():
        layers = Layers(kernel, largest, memory=tablebase.MEMORY, directory=directory)
    else:
        raise Rejected(
            f"there is no tablebase yet; make it with arena-engine precompile {game} {position.parameters!r}"
        )
    names = layers_up_to(largest)
    changed = [name for name in layers.differing() if name in names]
    missing = ", ".join(_called(name) for name in names if layers.missing(name))
    if missing:
        raise Rejected(f"layers are not there; precompile makes them: {missing}")
    for name in changed:
        say(f"layer {_called(name)}: its values differ from their checksum")
    names = changed or names
    places = all_places(kernel, names) if every else random_places(kernel, names, seed)
    states = ((place, state) for place in places if (state := position_at(kernel, place)) is not None)
    looked_at = faults = 0
    for place, state in states if every else islice(states, positions):
        looked_at += 1
        fault = fault_at(kernel, layers, place, state)
        if fault is not None:
            faults += 1
            if faults <= MAX_SHOWN:
                where = f"layer {_called(place.layer)}, place {place.number}, byte {layers.byte_of(*place)} of the file"
                say(f"{where}: {_words(fault.found)}, but by the rules {_words(fault.expected)}")
    answer(f"{number_of(looked_at, 'position')}, {faults} of them with a value that does not follow from the rules")
    if changed and not faults:
        say("what has changed is elsewhere in these layers: --every looks at all of them")
    if faults or changed:
        raise ChildProcessError(f"the tablebase of {title_of(position)} is wrong")


def _called(name: Name) -> str:
    return f"{name[0]} {name[1]}"


def _words(value: Judgement | None) -> str:
    if value is None:
        return "nothing"
    return "draw" if value.result == 0 else f"{'win' if value.result > 0 else 'loss'} in {value.plies}"
