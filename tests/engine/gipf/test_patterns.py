"""The evaluation by patterns: against one that reads the board's text, and files of tables that are wrong."""

import json
import re
from functools import cache
from itertools import product
from random import Random

import numpy
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.catalogue import GAMES
from engine.games.gipf import evaluation, patterns as tables
from engine.games.gipf.evaluation import WEIGHTS
from engine.games.gipf.geometry import parse
from engine.games.gipf.kernel import GipfRules, bind, reweigher
from engine.games.gipf.patterns import Entry, Tables, distinct, lengths, patterns_of
from tests.engine.gipf.samples import positions_of

GIPF = GAMES["gipf"]
VARIANTS = {2: "2 3 9 9", 3: "3 3 9 9", 4: "4 4 15 15", 5: "5 4 20 20"}


def some_tables(size: int, run: int, reserves: int = 5) -> Tables:
    """Return tables of random entries, none like another."""
    chance = Random(size)

    def entries(count: int) -> list[Entry]:
        return [
            (chance.randint(-900, 900), chance.randint(-999, 999), chance.randint(-999, 999), chance.randint(-99, 99))
            for _ in range(count)
        ]

    return Tables(size, run, {length: entries(distinct(length)) for length in lengths(size)}, entries(reserves**2))


def rules_of(size: int, *, compile: bool = False) -> GipfRules:
    run = int(VARIANTS[size].split()[1])
    return bind(size, run, compile=compile, weights=some_tables(size, run))


# A second implementation, from the text of the board


def contents(text: str) -> list[str]:
    """Return what each line of a board holds, as the side to move sees it: 0 empty, 1 its own, 2 the other's."""
    _, header, *rows = text.splitlines()
    own = header.split()[2]
    size = (len(rows) + 1) // 2
    at = {}
    for row, line in enumerate(rows):
        for column, piece in enumerate(line.split(), max(0, row - size + 1)):
            at[row, column] = "0" if piece == "_" else "1" if piece == own else "2"
    found = []
    for down, right in ((0, 1), (1, 0), (1, 1)):
        for row, column in at:
            if (row - down, column - right) not in at:
                places = [(row + down * step, column + right * step) for step in range(len(rows))]
                found.append("".join(at[place] for place in places if place in at))
    return found


@cache
def kept(length: int) -> dict[str, int]:
    """Return where entries of contents stand: in the order of their numbers, without those that mirror earlier ones."""
    texts = ("".join(reversed(digits)) for digits in product("012", repeat=length))
    return {text: at for at, text in enumerate(text for text in texts if int(text[::-1], 3) <= int(text, 3))}


def place_of(content: str) -> int:
    places = kept(len(content))
    return places[content if content in places else content[::-1]]


def looked_up(given: Tables, text: str) -> int:
    entries = [given.lines[len(content)][place_of(content)] for content in contents(text)]
    white, black, side = text.splitlines()[1].split()
    mine, theirs = (int(white), int(black)) if side == "W" else (int(black), int(white))
    last = given.reserve_count - 1
    entries.append(given.reserves[min(mine, last) * given.reserve_count + min(theirs, last)])
    weight, first, second, third = map(sum, zip(*entries, strict=True))
    surplus = max(mine - last, 0) - max(theirs - last, 0)
    return weight + (first**2 - second**2 + third**2) // 1024 + 100 * surplus


@pytest.mark.parametrize("size", VARIANTS)
def test_values_are_those_that_are_looked_up_in_the_text(size: int) -> None:
    rules = rules_of(size)
    given = some_tables(size, int(VARIANTS[size].split()[1]))
    values = set()
    for position in positions_of(VARIANTS[size], Random(11), 25):
        value = rules.evaluate(position.state)
        assert value == looked_up(given, position.text()), position.text()
        values.add(value)
    assert len(values) > 10


# Entries, as training wants them


@pytest.mark.parametrize("size", VARIANTS)
def test_entries_are_those_that_make_up_the_value(size: int) -> None:
    """Summed with random numbers for weights and factors, they come to what the tables of these numbers say."""
    variant = parse(VARIANTS[size])
    patterns = patterns_of(variant)
    assert patterns is not None
    numbers = numpy.random.default_rng(size).normal(0, 0.2, (patterns.count, 4))
    given = tables.read(patterns.file(numbers, 150))
    rules = bind(variant.size, variant.run, weights=given)
    states = [position.state for position in positions_of(VARIANTS[size], Random(11), 25)]
    for state, row in zip(states, patterns.entries(states), strict=True):
        weight, first, second, third = numbers[row].sum(axis=0)
        surplus = [max(reserve - given.reserve_count + 1, 0) for reserve in state[2:4]]
        ahead = 100 * (surplus[state.side] - surplus[1 - state.side])
        expected = 150 * (weight + first**2 - second**2 + third**2) + ahead
        assert rules.evaluate(state) == pytest.approx(expected, rel=0.01, abs=25)


def test_the_margin_is_that_of_the_evaluation() -> None:
    assert bind(4, 4).MARGIN == bind(5, 4).MARGIN == rules_of(3).MARGIN == evaluation.PATTERN_MARGIN
    assert bind(4, 4, weights=WEIGHTS).MARGIN == bind(6, 4).MARGIN == evaluation.MARGIN


# The tables of this package, and other files


@pytest.mark.parametrize(("size", "run"), [(4, 3), (4, 4), (4, 5), (5, 3), (5, 4)])
def test_the_package_has_tables_of_these_boards(size: int, run: int) -> None:
    shipped = tables.shipped(size, run)
    assert shipped is not None and (shipped.size, shipped.run) == (size, run)
    assert tables.write(tables.read(tables.write(shipped))) == tables.write(shipped)


def test_boards_without_tables_have_none_and_large_ones_cannot() -> None:
    assert tables.shipped(3, 3) is None and patterns_of(parse("6 4 25 25")) is None


def test_who_has_lost_most_of_its_pieces_stands_worse() -> None:
    start = GIPF.start("4 4 15 15").kernel(compile=False).state
    value = bind(4, 4).evaluate
    assert value(start._replace(black_reserve=8)) > value(start) + 100 > value(start._replace(white_reserve=8)) + 200
    assert value(start._replace(white_reserve=30)) > value(start._replace(white_reserve=20)) + 900


def file_of(**changes: object) -> dict[str, object]:
    return {**json.loads(tables.write(some_tables(3, 3))), **changes}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"size": 6}, "S is 6, but only boards of side 2 to 5 have tables"),
        ({"size": 4}, "for S = 4 lines have {4: 45, 5: 135, 6: 378, 7: 1134} entries by their length, not {3: 18, "),
        ({"lines": {"3": [[0, 0, 0, 0]], "4": [], "5": []}}, "entries by their length, not {3: 1, 4: 0, 5: 0}"),
        ({"reserves": [[1, 0, 0, 0]] * 3}, "reserves have 3 entries, but they need a square number"),
        ({"reserves": []}, "reserves have 0 entries"),
        ({"reserves": [[1, 2, 3]]}, "this is no file of pattern tables: "),
        ({"reserves": [[1, 2, 3, 0.5]]}, "this is no file of pattern tables: "),
        ({"names": 1}, "this is no file of pattern tables: "),
    ],
)
def test_wrong_files_are_refused_in_a_sentence(changes: dict[str, object], sentence: str) -> None:
    for content in (json.dumps(file_of(**changes)).encode(), file_of(**changes)):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            tables.read(content)
    with raises(
        snapshot("ValueError: this is no file of pattern tables: JSON is malformed: invalid number (byte 1000)")
    ):
        tables.read(tables.write(some_tables(3, 3))[:1000])


def test_tables_of_another_board_are_refused() -> None:
    with raises(snapshot("ValueError: these tables are for S = 3 and K = 3, but the variant is 4 4 15 15")):
        reweigher("4 4 15 15", file_of())
