"""Attributes of positions for bots, compared with the boards of the oracles."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from engine.games.interface import WIN, Game
from tests.engine.arrows import samples as arrows_samples
from tests.engine.gipf import samples as gipf_samples
from tests.engine.mnk import samples as mnk_samples
from tests.engine.morris import samples as morris_samples
from tests.games.cases import EVERY_VARIANT, named, random_game
from tests.games.judges import JUDGES
from tests.oracles import arrows, gipf, mnk, morris


class Board(NamedTuple):
    """A board of an oracle."""

    owners: dict[str, int]
    """Owner of every field by its name: 0 and 1 the sides, -1 nobody."""
    lines: list[list[str]]
    """The lines that count."""
    reserves: tuple[int, ...] = (0, 0)
    all: tuple[int, ...] | None = None
    """All pieces of a side, where pieces can be lost."""


def board_of(position: Any) -> Board:
    if isinstance(position, gipf.Position):
        called, length = gipf.names(position.size), position.length
        owners = {called[field]: "WB".find(piece) for field, piece in position.fields.items()}
        lines = [line[at : at + length] for line in gipf.lines(position.size) for at in range(len(line) - length + 1)]
        reserves, everything = tuple(position.reserve.values()), tuple(position.total.values())
        return Board(owners, [[called[field] for field in line] for line in lines], reserves, everything)
    if isinstance(position, morris.Position):
        owners = {str(field): "WB".find(piece) for field, piece in position.board.items()}
        return Board(owners, [list(map(str, mill)) for mill in morris.MILLS], tuple(position.hand.values()), (9, 9))
    fields = [(row, column) for row in range(position.rows) for column in range(position.columns)]
    owners = {mnk.name(position, field): position.board[field[0]][field[1]] - 1 for field in fields}
    return Board(owners, [[mnk.name(position, field) for field in line] for line in mnk.all_lines(position)])


SAMPLES: dict[str, Callable[[], list[Any]]] = {
    "gipf": lambda: gipf_samples.sample(Random(7), 3, [2, 3, 4], 60) + gipf_samples.sample(Random(7), 4, [4], 20),
    "morris": lambda: morris_samples.sample(Random(7), 120),
    "mnk": lambda: mnk_samples.sample(7, 4, 5, 40) + mnk_samples.sample(7, 8, 8, 20),
}


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("name", SAMPLES)
def test_pieces_lines_threats_and_mobility_are_those_of_the_board(name: str) -> None:
    for expected in SAMPLES[name]():
        board, position = board_of(expected), JUDGES[name].board(expected)
        assert position.reserves == board.reserves
        for side in (0, 1):
            own = {name for name, owner in board.owners.items() if owner == side}
            other = {name for name, owner in board.owners.items() if owner == 1 - side}
            assert position.pieces[side] == own
            assert position.captured[side] == (board.all[side] - len(own) - board.reserves[side] if board.all else 0)
            free = [line for line in board.lines if not other.intersection(line)]
            held = [len(own.intersection(line)) for line in free]
            assert sum(position.lines[side]) == len(free)
            assert [held.count(number) for number in range(len(position.lines[side]))] == list(position.lines[side])
            lacking = [set(line) - own for line in free]
            assert position.threats[side] == set().union(*(fields for fields in lacking if len(fields) == 1))
        counted = 2 if name == "morris" and not position.reserves[position.turn] else 1
        ways = {tuple(text.split()[:counted]) for text, _ in JUDGES[name].moves(expected)}
        if position.outcome is None:
            assert position.mobility[position.turn] == len(ways)


def test_arrows_are_counted_where_they_stand_and_point() -> None:
    for expected in arrows_samples.positions(Random(7), 100):
        position, free = JUDGES["arrows"].board(expected), set(arrows.free_fields(expected))
        for side in (0, 1):
            own, other = (expected.arrows[one][-1].aim() for one in (side, 1 - side))
            near = {(own[0] + right, own[1] + down) for right, down in arrows.STEPS.values()}
            assert position.pieces[side] == {f"{arrow.x},{arrow.y}" for arrow in expected.arrows[side]}
            assert position.mobility[side] == (len(near & free) if own in free else 0)
            wins = own in free and other in free and other in near
            assert position.threats[side] == ({f"{other[0]},{other[1]}"} if wins else set())
        assert position.reserves == position.captured == (0, 0)
        assert position.lines == ((), ())


@pytest.mark.parametrize(("game", "parameters"), EVERY_VARIANT, ids=named)
def test_what_is_told_fits_together_in_every_game(game: Game, parameters: str) -> None:
    played = list(random_game(game, parameters, Random(7), most=120))
    for position in [*played[::5], *played[-3:]]:
        first, second = position.pieces
        assert not first & second
        assert not (position.threats[0] | position.threats[1]) & (first | second)
        assert min(*position.reserves, *position.captured, *position.mobility) >= 0
        value, outcome = position.evaluate(), position.outcome
        if outcome is None:
            kernel = position.kernel(compile=False)
            assert value == kernel.rules.evaluate(kernel.state)
            assert abs(value) < WIN
            assert game.name == "arrows" or 0 < position.mobility[position.turn] <= len(position.legal_moves)
        else:
            assert value == (0 if outcome.winner is None else WIN if outcome.winner == position.turn else -WIN)
