"""The bracket of a knockout in reports: all meetings up to the final, also those that are open."""

from collections.abc import Mapping, Sequence

from server.contest.fixtures import Finished, Fixture, points
from server.contest.formats.knockout import seeds
from server.contest.report.structure import Meeting, Round

_NAMES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Of rounds, by how many meetings they have."""


def rounds(
    players: Sequence[str], won: Mapping[str, int], games: Sequence[Finished], numbers: Mapping[Fixture, int]
) -> tuple[Round, ...]:
    """Return all rounds of the bracket of ``players``, who are in order of seeding.

    ``won`` is how many rounds each has got through (`server.contest.formats.knockout.bracket`), ``games`` are those of
    the stage that count, and ``numbers`` theirs in the report.
    """
    slots = [players[seed] if seed < len(players) else None for seed in seeds(len(players))]
    found: list[Round] = []
    while len(slots) > 1:
        number = len(found) + 1
        of_round = [game for game in games if game.fixture.round == number]
        meetings = [
            _meeting(pair, number, won, [game for game in of_round if set(game.fixture.players) == set(pair)], numbers)
            for pair in zip(slots[::2], slots[1::2], strict=True)
        ]
        found.append(Round(name=_NAMES.get(len(meetings), f"Round {number}"), meetings=tuple(meetings)))
        slots = [None if one.winner is None else one.players[one.winner] for one in meetings]
    return tuple(found)


def _meeting(
    players: tuple[str | None, str | None],
    number: int,
    won: Mapping[str, int],
    games: Sequence[Finished],
    numbers: Mapping[Fixture, int],
) -> Meeting:
    on = [name is not None and won[name] >= number for name in players]
    score = points(games)
    first, second = (0.0 if name is None else score[name] for name in players)
    return Meeting(
        players=players,
        points=(first, second),
        winner=on.index(True) if any(on) else None,
        bye=number == 1 and None in players,
        games=tuple(numbers[game.fixture] for game in games),
    )
