"""Positions, moves and texts for tests of nine men's morris, made by the oracle from a seeded source of chance."""

from collections.abc import Iterator
from random import Random

from tests.oracles import morris as oracle
from tests.oracles.morris import FIELDS, PIECES, Position

COUNTS = [0, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
"""Pieces of a side on boards that are set up: often three, which fly."""


def random_board(chance: Random) -> Position:
    """Return a set-up position of any phase, with pieces in whole or almost whole mills and elsewhere."""
    board = dict.fromkeys(FIELDS, "_")
    for colour in chance.sample("WB", 2):
        for _ in range(chance.choice([0, 1, 2])):
            for field in chance.choice(oracle.MILLS):
                if board[field] == "_" and chance.random() < 0.9:
                    board[field] = colour
        wanted = chance.choice(COUNTS)
        while (count := len(oracle.standing(board, colour))) != wanted:
            place = "_" if count < wanted else colour
            board[chance.choice(oracle.standing(board, place))] = colour if count < wanted else "_"
    hand = dict.fromkeys("WB", 0)
    phase = chance.random()
    for colour in "WB":
        if phase < 0.35 or (phase < 0.5 and chance.random() < 0.5):
            hand[colour] = chance.randint(0, PIECES - len(oracle.standing(board, colour)))
    return Position(board, hand, chance.choice("WB"))


def crowded_board(chance: Random) -> Position:
    """Return a position in which few pieces of a side can move, or none: the other stands around them."""
    board = dict.fromkeys(FIELDS, "_")
    shut_in, around = chance.sample("WB", 2)
    corner = chance.choice([0, 2, 4, 6])
    inside = [corner, (corner + 1) % 8, (corner + 2) % 8, (corner + 3) % 8, 8 + corner, 16 + corner]
    for field in inside[: chance.choice([4, 5, 6])]:
        board[field] = shut_in
    for field in FIELDS:
        if board[field] == "_" and any(board[near] == shut_in for near in oracle.neighbours(field)):
            board[field] = around if chance.random() < 0.95 else "_"
    return Position(board, dict.fromkeys("WB", 0), chance.choice("WB"))


def random_game(chance: Random) -> Iterator[Position]:
    """Yield the positions of a game in which pieces are taken whenever chance finds that among a few moves."""
    position = oracle.start()
    greed = chance.choice([1, 3, 8])
    for _ in range(150):
        yield position
        found = oracle.moves(position)
        if not found:
            return
        few = chance.choices(found, k=greed)
        position = max(few, key=lambda move: len(oracle.standing(move.position.board, "_"))).position


def sample(chance: Random, number: int) -> list[Position]:
    """Return as many positions as are asked for, most of them set up and the others played."""
    positions: list[Position] = []
    while len(positions) < number:
        positions += [random_board(chance) for _ in range(40)]
        positions += [crowded_board(chance) for _ in range(5)]
        positions += chance.sample(played := list(random_game(chance)), min(20, len(played)))
    return positions[:number]


def loose_text(chance: Random, text: str) -> str:
    """Return a move with other spaces and leading zeros."""
    words = [word.zfill(chance.choice([1, 2])) for word in text.split()]
    blanks = [chance.choice([" ", "  ", "\t", " \t "]) for _ in words]
    return chance.choice(["", " "]) + "".join(word + blank for word, blank in zip(words, blanks, strict=True))


def mangled_text(chance: Random, moves: list[str]) -> str:
    """Return a text that is most likely no legal move: one of these with numbers changed, added or left out.

    Often only the number of a taken piece is changed.
    """
    found = [list(map(int, move.split())) for move in moves] or [[0, 1]]
    taking = [numbers for numbers in found if len(numbers) == max(map(len, found))]
    numbers = chance.choice(chance.choice([found, taking]))
    if chance.random() < 0.4:
        numbers[-1] = chance.choice(FIELDS)
        return " ".join(map(str, numbers))
    for _ in range(chance.randint(1, 2)):
        what = chance.random()
        if what < 0.6:
            numbers[chance.randrange(len(numbers))] = chance.choice([*FIELDS, *FIELDS, 24, 99])
        elif what < 0.8:
            numbers.append(chance.choice(FIELDS))
        elif len(numbers) > 1:
            numbers.pop()
    return " ".join(map(str, numbers))
