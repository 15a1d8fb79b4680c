"""Positions, moves and boards for tests of GIPF, made by the oracle from a seeded source of chance."""

from collections.abc import Callable, Iterator
from random import Random

from engine.games.gipf.position import GIPF, GipfPosition
from tests.games.cases import random_line
from tests.oracles import gipf as oracle
from tests.oracles.gipf import OTHER, Position, Row
from tests.oracles.gipf_boards import board_text


def random_board(chance: Random, size: int, length: int) -> Position:
    """Return a set-up board without a run: mixed, and so dense that pushes often complete rows that cross."""
    fields = dict.fromkeys(oracle.board_fields(size), "_")
    density = chance.choice([0.15, 0.4, 0.6, 0.8, 1.0])
    favourite = chance.choice([0.5, 0.5, 0.9])
    for field in chance.sample(sorted(fields), len(fields)):
        first = "W" if chance.random() < favourite else "B"
        for colour in (first, OTHER[first]):
            fields[field] = colour if chance.random() < density else "_"
            if fields[field] == "_" or not completes_run(fields, size, length, field):
                break
            fields[field] = "_"
    board = list(fields.values())
    reserve = {colour: chance.choice([0, 1, 2]) if chance.random() < 0.2 else chance.randint(3, 30) for colour in "WB"}
    total = {colour: max(4, board.count(colour) + reserve[colour] + chance.randint(0, 3)) for colour in "WB"}
    return Position(size, length, total, fields, reserve, chance.choice("WB"))


def completes_run(fields: dict[oracle.Field, str], size: int, length: int, field: oracle.Field) -> bool:
    """Tell whether the piece on a field stands in a run."""
    for down, right in oracle.LINE_STEPS:
        arms = [oracle.ray(size, field, step)[1:] for step in ((down, right), (-down, -right))]
        count = 1
        for arm in arms:
            for place in arm:
                if fields[place] != fields[field]:
                    break
                count += 1
        if count >= length:
            return True
    return False


def random_game(chance: Random, size: int, length: int) -> Iterator[Position]:
    """Yield the positions of a game in which captures are made whenever chance finds one among a few moves."""
    position = oracle.start(size, length, chance.randint(4, 25), chance.randint(4, 25))
    while True:
        yield position
        found = oracle.moves(position)
        if not found:
            return
        few = chance.choices(found, k=5)
        position = max(few, key=lambda move: sum(move.position.reserve.values())).position


def sample(chance: Random, size: int, lengths: list[int], number: int) -> list[Position]:
    """Return as many positions as are asked for, set-up ones and played ones in turn."""
    positions: list[Position] = []
    while len(positions) < number:
        length = chance.choice(lengths)
        positions += [random_board(chance, size, length) for _ in range(10)]
        positions += [position for position, _ in zip(random_game(chance, size, length), range(10), strict=False)]
    return positions[:number]


# Moves as text


def loose_text(chance: Random, position: Position) -> str:
    """Return a legal move in some spelling: rows named though they need not be, spaces, colours left out."""
    dot, target = chance.choice([push for push in oracle.pushes(position.size) if not oracle.is_full(position, *push)])
    called = oracle.names(position.size)
    words = [f"{called[dot]}{chance.choice(['', '', ' '])}-{chance.choice(['', '', ' '])}{called[target]}"]
    board = oracle.pushed(position, dot, target)
    last = position.turn
    for colour in (position.turn, OTHER[position.turn]):
        while due := oracle.rows(board, colour):
            if not oracle.crossing(due) and chance.random() < 0.3:
                board = oracle.without_uncrossed(board, due)
                break
            row = chance.choice(due)
            board = oracle.taken(board, row)
            words.append(loose_choice(chance, position, row, written=colour != last or chance.random() < 0.5))
            last = colour
    return chance.choice([" ", "  ", "\t"]).join(words)


def loose_choice(chance: Random, position: Position, row: Row, *, written: bool) -> str:
    """Name a row by any of its runs, in either direction, with its colour or without."""
    called = oracle.names(position.size)
    ends = [called[end] for end in chance.choice(row.runs)]
    chance.shuffle(ends)
    colour = f"{row.colour.lower()}{chance.choice([':', ': ', ' : '])}" if written else ""
    return colour + " ".join(ends)


def mangled_text(chance: Random, position: Position, moves: list[str]) -> str:
    """Return a text that is most likely no legal move: one of these spoilt once or twice, those with choices first."""
    texts = sorted(moves, key=len)
    if texts and chance.random() < 0.8:
        text = chance.choice([*texts[-12:], *chance.choices(texts, k=12)])
    else:
        text = invented(chance, position)
    for _ in range(chance.randint(1, 2)):
        text = chance.choice(SPOILERS)(chance, position, text)
    return text


def random_name(chance: Random, position: Position) -> str:
    """Return the name of a field or dot, seldom one that lies outside the ring."""
    if chance.random() < 0.1:
        return chance.choice(["a0", "z9", "a99", "aa1", "A1", "1a", f"b{2 * position.size + 2}", "5", "c03"])
    return chance.choice(sorted(oracle.places(position.size)))


def invented(chance: Random, position: Position) -> str:
    """Return a push as the board has them, whether its line is full or not, or one between any two places."""
    called = oracle.names(position.size)
    if chance.random() < 0.6:
        dot, target = chance.choice(oracle.pushes(position.size))
        return f"{called[dot]}-{called[target]}"
    return f"{random_name(chance, position)}-{random_name(chance, position)}"


def with_word_changed(chance: Random, position: Position, text: str) -> str:
    """Put another field in the place of one of a choice."""
    words = text.split()
    if len(words) > 1:
        words[chance.randrange(1, len(words))] = random_name(chance, position)
    return " ".join(words)


def with_colour_changed(chance: Random, position: Position, text: str) -> str:
    """Give a choice the other colour, or one that does not exist."""
    words = text.split()
    letters = [at for at, word in enumerate(words) if word in ("w:", "b:")]
    if letters:
        words[chance.choice(letters)] = chance.choice(["w:", "b:", "b:", "w:", "g:", "W:"])
    return " ".join(words)


def with_choice_of_a_run(chance: Random, position: Position, text: str) -> str:
    """Name a row that is there right after the push, in its own colour or the other one, before or after the rest."""
    push, *choices = text.split()
    dot, _, target = push.partition("-")
    ends = [oracle.places(position.size).get(name, (-9, -9)) for name in (dot, target)]
    if (ends[0], ends[1]) not in oracle.pushes(position.size):
        return text
    if position.reserve[position.turn] == 0 or oracle.is_full(position, ends[0], ends[1]):
        return text
    board = oracle.pushed(position, ends[0], ends[1])
    due = oracle.rows(board, "W") + oracle.rows(board, "B")
    if not due:
        return f"{text} {chance.choice('wb')}: {random_name(chance, position)} {random_name(chance, position)}"
    named = loose_choice(chance, position, chance.choice(due), written=False)
    named = f"{chance.choice(['w: ', 'b: ', ''])}{named}"
    return " ".join([push, named, *choices] if chance.random() < 0.5 else [push, *choices, named])


SPOILERS: list[Callable[[Random, Position, str], str]] = [
    with_word_changed,
    with_word_changed,
    with_word_changed,
    with_colour_changed,
    with_choice_of_a_run,
    with_choice_of_a_run,
]


# Positions of the engine


def positions_of(parameters: str, chance: Random, count: int) -> Iterator[GipfPosition]:
    """Yield positions: half of them set up and dense, half of them played."""
    size, run = map(int, parameters.split()[:2])
    played = [position for _ in range(3) for position in random_line(GIPF.start(parameters), chance, 40)]
    for position in (
        *(GIPF.read(board_text(random_board(chance, size, run))) for _ in range(count // 2)),
        *chance.choices(played, k=count // 2),
    ):
        assert isinstance(position, GipfPosition)
        yield position
