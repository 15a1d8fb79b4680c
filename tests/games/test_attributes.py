"""What positions tell to bots, held against the texts of positions, read again with nothing of the engine's."""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import EVALUATION_LIMIT, WIN, Game, Position, moves
from tests.games.cases import EVERY_VARIANT, named, random_game

VARIANTS = [(game, parameters) for game, parameters in EVERY_VARIANT if game.name in GAMES]
every_variant = pytest.mark.parametrize(("game", "parameters"), VARIANTS, ids=named)

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""Of arrows, as (right, down)."""


class Board(NamedTuple):
    """What a text shows."""

    owners: dict[str, int]
    """Of every field by its name: 0 and 1 the sides, -1 nobody."""
    lines: list[list[str]]
    """Those that count."""
    reserves: tuple[int, int] = (0, 0)
    all: tuple[int, int] | None = None
    """All pieces of a side, where pieces can be lost."""


def straight(names: dict[tuple[int, int], str], steps: list[tuple[int, int]], length: int) -> Iterator[list[str]]:
    """Yield the lines of so many fields."""
    for row, column in names:
        for down, right in steps:
            places = [(row + down * i, column + right * i) for i in range(length)]
            if all(place in names for place in places):
                yield [names[place] for place in places]


def gipf(text: str) -> Board:
    """Read section 1.2 and 1.8 of docs/rules.md."""
    header, reserves, *rows = text.splitlines()
    size, run, white, black = map(int, header.split())
    names, owners = {}, {}
    for r, row in enumerate(rows):
        for c, word in enumerate(row.split(), max(0, r - size + 1)):
            names[r, c] = f"{'abcdefghijklmnopqrstuvwxyz'[c + 1]}{size - r + min(c + 1, size)}"
            owners[names[r, c]] = "WB".find(word)
    first, second, _ = reserves.split()
    return Board(
        owners, list(straight(names, [(0, 1), (1, 0), (1, 1)], run)), (int(first), int(second)), (white, black)
    )


def morris(text: str) -> Board:
    """Read section 3.1 and 3.2."""
    header, fields = text.splitlines()
    first, second, _ = header.split()
    lines = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 0]]
    lines += [[field + 8 for field in line] for line in lines] + [[field + 16 for field in line] for line in lines]
    lines += [[1, 9, 17], [3, 11, 19], [5, 13, 21], [7, 15, 23]]
    owners = {str(field): "WB".find(word) for field, word in enumerate(fields)}
    return Board(owners, [[str(field) for field in line] for line in lines], (int(first), int(second)), (9, 9))


def mnk(text: str) -> Board:
    """Read section 4.4 and 4.5."""
    header, *rows = text.splitlines()
    high, _, run, _ = map(int, header.split())
    names, owners = {}, {}
    for r, row in enumerate(rows):
        for c, word in enumerate(row.split()):
            names[r, c] = f"{'abcdefghijklmnopqrs'[c]}{high - r}"
            owners[names[r, c]] = int(word) - 1
    return Board(owners, list(straight(names, [(0, 1), (1, 0), (1, 1), (1, -1)], run)))


BOARDS: dict[str, Callable[[str], Board]] = {"gipf": gipf, "morris": morris, "mnk": mnk}


LINED = [(game, parameters) for game, parameters in VARIANTS if game.name in BOARDS]
every_variant_with_lines = pytest.mark.parametrize(("game", "parameters"), LINED, ids=named)


def positions(game: Game, parameters: str) -> Iterator[Position]:
    """Yield every fifth position of a random game, and the last ones."""
    played = list(random_game(game, parameters, Random(7), most=120))
    yield from [*played[::5], *played[-3:]]


@pytest.mark.parametrize(("game", "parameters"), EVERY_VARIANT, ids=named)
def test_what_is_told_fits_together_in_every_game(game: Game, parameters: str) -> None:
    for position in positions(game, parameters):
        first, second = position.pieces
        assert not first & second
        assert not (position.threats[0] | position.threats[1]) & (first | second)
        assert min(*position.reserves, *position.captured, *position.mobility) >= 0
        assert len(position.lines[0]) == len(position.lines[1])
        if position.verdict() is None and game.name != "arrows":  # there one may point where nothing can be placed
            assert 0 < position.mobility[position.turn] <= len(moves(position))


@every_variant_with_lines
def test_pieces_lines_and_threats_are_those_of_the_text(game: Game, parameters: str) -> None:
    for position in positions(game, parameters):
        board = BOARDS[game.name](position.text())
        assert position.reserves == board.reserves
        for side in (0, 1):
            own = {name for name, owner in board.owners.items() if owner == side}
            other = {name for name, owner in board.owners.items() if owner == 1 - side}
            assert position.pieces[side] == own
            lost = board.all[side] - len(own) - board.reserves[side] if board.all else 0
            assert position.captured[side] == lost
            free = [line for line in board.lines if not other.intersection(line)]
            held = [len(own.intersection(line)) for line in free]
            assert sum(position.lines[side]) == len(free)
            assert [held.count(number) for number in range(len(position.lines[side]))] == list(position.lines[side])
            lacking = [set(line) - own for line in free]
            assert position.threats[side] == set().union(*(fields for fields in lacking if len(fields) == 1))


@every_variant_with_lines
def test_mobility_counts_what_can_be_moved(game: Game, parameters: str) -> None:
    """Of the side to move; of the other one by the same text with the other side to move."""
    for position in positions(game, parameters):
        header, *rest = position.text().splitlines(keepends=True)
        turned = {"W": "B", "B": "W", "1": "2", "2": "1"}
        at = 0 if game.name == "gipf" else -1
        line = rest[at] if game.name == "gipf" else header
        other = line.rstrip("\n")[:-1] + turned[line.rstrip("\n")[-1]] + "\n"
        text = "".join([header, other, *rest[1:]] if game.name == "gipf" else [other, *rest])
        for looked_at in (position, game.read(text)):
            ways: set[str] = set()
            for move in moves(looked_at):
                words = move.split()
                placing = looked_at.reserves[looked_at.turn] > 0
                ways.add(words[0] if game.name != "morris" or placing else " ".join(words[:2]))
            if looked_at.verdict() is None or game.name == "gipf":
                assert looked_at.mobility[looked_at.turn] == len(ways)
                assert position.mobility[looked_at.turn] == len(ways)


@pytest.mark.parametrize("parameters", ["4 4", "5 4 1 1 5 4 3 7 3 3", "8 8"])
def test_arrows_are_counted_where_they_stand_and_point(parameters: str) -> None:
    for position in positions(GAMES["arrows"], parameters):
        lines = position.text().splitlines()
        pairs = [(int(a), int(b)) for a, b in (line.split("#")[0].split() for line in lines if "moves" not in line)]
        (width, height), *starts, directions = pairs[:4]
        placed = [[start] for start in starts]
        pointing = list(directions)
        played = [int(word) for line in lines if "moves" in line for word in line.split()[1:]]

        def target(
            side: int, placed: list[list[tuple[int, int]]] = placed, at: list[int] = pointing
        ) -> tuple[int, int]:
            (x, y), (right, down) = placed[side][-1], STEPS[at[side]]
            return x + right, y + down

        for ply, direction in enumerate(played):
            placed[ply % 2].append(target(ply % 2))
            pointing[ply % 2] = direction
        taken = {*pairs[4:], *placed[0], *placed[1]}
        free = {(x, y) for x in range(1, width + 1) for y in range(1, height + 1)} - taken
        for side in (0, 1):
            own, other = target(side), target(1 - side)
            assert position.pieces[side] == {f"{x},{y}" for x, y in placed[side]}
            near = {(own[0] + right, own[1] + down) for right, down in STEPS}
            assert position.mobility[side] == (len(near & free) if own in free else 0)
            wins = own in free and other in free and other in near
            assert position.threats[side] == ({f"{other[0]},{other[1]}"} if wins else set())
        assert position.reserves == position.captured == (0, 0)
        assert position.lines == ((), ())


@every_variant
def test_positions_are_worth_what_the_search_takes_them_for(game: Game, parameters: str) -> None:
    for position in positions(game, parameters):
        value, outcome = position.evaluate(), position.verdict()
        if outcome is None:
            kernel = position.kernel(compile=False)
            assert value == kernel.rules.evaluate(kernel.state)
            assert abs(value) <= EVALUATION_LIMIT or abs(value) < WIN
        else:
            assert value == (0 if outcome.winner is None else WIN if outcome.winner == position.turn else -WIN)


@every_variant
def test_what_repr_shows_makes_the_position_again(game: Game, parameters: str) -> None:
    for position in positions(game, parameters):
        again = eval(repr(position), {"GAMES": GAMES})
        assert (again.key, again.parameters, again.turn) == (position.key, position.parameters, position.turn)
        assert str(position) == position.picture() + position.summary()
    assert eval(repr(game), {"GAMES": GAMES}) is game
