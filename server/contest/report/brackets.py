"""The bracket of a knockout in reports: all meetings up to the final, also those that are open."""

from collections.abc import Mapping, Sequence

from server.contest.fixtures import Finished, Fixture, points
from server.contest.formats.knockout import seeds
from server.contest.report.structure import Meeting, Round

_NAMES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Of rounds, by how many meetings they have."""


THIRD_PLACE = "Third place"


def rounds(
    players: Sequence[str],
    won: Mapping[str, int],
    games: Sequence[Finished],
    numbers: Mapping[Fixture, int],
    *,
    third_place: bool = False,
    third: str | None = None,
) -> tuple[Round, ...]:
    """Return all rounds of the bracket of ``players``, who are in order of seeding.

    ``won`` is how many rounds each has got through (`server.contest.formats.knockout.bracket`), ``games`` are those of
    the stage that count, and ``numbers`` theirs in the report. With ``third_place`` the match for it, won by
    ``third``, comes last.
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
    if third_place and len(players) > 3:
        found.append(
            Round(name=THIRD_PLACE, meetings=(_match_for_third(found[-2], games, len(found), numbers, third),))
        )
    return tuple(found)


def _match_for_third(
    semi_finals: Round, games: Sequence[Finished], number: int, numbers: Mapping[Fixture, int], third: str | None
) -> Meeting:
    """Return the meeting of those who have lost the semi-finals, in the round of the final."""
    players = [None if one.winner is None else one.players[1 - one.winner] for one in semi_finals.meetings]
    mine = [game for game in games if game.fixture.round == number and set(game.fixture.players) == set(players)]
    won = {name: number if name == third else 0 for name in players if name is not None}
    return _meeting((players[0], players[1]), number, won, mine, numbers)


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
