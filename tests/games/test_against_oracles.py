"""Every game against its oracle: the same moves, positions, ends, errors, texts and counts on random boards.

Every disagreement is a fault of one of them; docs/rules.md says of which. With ARENA_CAMPAIGN=1 there are more boards.
"""

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from operator import methodcaller
from random import Random
from typing import Any

import pytest

from engine.compiling.binding import specialise
from engine.games.catalogue import GAMES
from engine.games.gipf.kernel import WORD_SIZE
from engine.games.interface import DRAWN, LOST, SCRATCH, UNDECIDED, WON, Arena, BadMove, Kernel
from tests.games.judges import AMOUNTS, BOARDS, CAMPAIGN, FEW, Judge, plain, sample, state_of, written
from tests.games.test_perft import TABLES, Table, named

QUICK, WHOLE = ["gipf 2", "arrows"], [pytest.mark.slow("interpreted"), pytest.mark.thorough]
GIPF = [f"gipf {size}" for size in AMOUNTS]
LEFT_OUT = [f"gipf {size}" for size in (4, 6, 7, 8, 9, 10, 11)]
"""Samples that only campaigns have whole: others have all kinds of choices, and the smallest and the largest board."""
MNK = [f"mnk {rows} {columns}" for rows, columns in BOARDS]
LARGE = ["mnk 15 15", "mnk 19 19"]
SAMPLES = [
    *((name, False) for name in (*QUICK, *MNK) if name not in LARGE),
    *((name, True) for name in FEW),
    *(
        pytest.param(name, False, marks=pytest.mark.campaign if name in LEFT_OUT else WHOLE)
        for name in ("morris", *LARGE, *GIPF)
        if name not in QUICK
    ),
]
"""Names of samples, and whether a few of their positions will do."""
ALWAYS_COUNTED = ("arrows", "morris", "gipf 4 4", "mnk 8 8 5")
COMPILED = [
    *ALWAYS_COUNTED,
    pytest.param("gipf 5 4", marks=pytest.mark.thorough),
    *(pytest.param(f"gipf {board}", marks=pytest.mark.campaign) for board in (
        "2 2", "2 3", "3 2", "3 3", "3 4", "3 5", "4 2", "4 3", "4 5", "4 7", "5 3", "6 3", "7 3", "9 3", "12 3",
    )),
    *(pytest.param(f"mnk {board}", marks=pytest.mark.campaign) for board in (
        "3 3 3", "9 9 5", "6 6 4", "4 16 7", "4 4 3", "16 4 4", "1 19 3", "7 9 6", "8 8 8", "8 8 1", "8 8 9", "5 13 6",
        "15 15 5", "19 19 19", "19 4 5",
    )),
]  # fmt: skip
"""Each is compiled by itself: boards within a word, boards that fill it with its sign, and wider ones."""

KINDS = {"gipf 3": 9, "morris": 12}
"""Kinds of errors, and of correct texts, that a whole sample has."""

WITH_TEXTS = [
    ("gipf 2", False),
    *((name, True) for name in FEW),
    *(pytest.param(name, False, marks=WHOLE if name in KINDS else pytest.mark.campaign) for name in FEW),
]
"""Games whose oracles know what is wrong with a text."""


def answer(play: Any, text_of: Any, refusals: type[Exception], text: str) -> tuple[str, str]:
    """Return the canonical text of a move and the board after it, or the error and nothing."""
    try:
        found = play(text)
    except refusals as error:
        return getattr(error, "code", str(error)), ""
    return getattr(found, "text", None) or found.move, text_of(found.position)


@pytest.mark.parametrize(("name", "few"), SAMPLES)
def test_positions_moves_and_ends_are_those_of_the_oracle(name: str, few: bool) -> None:
    """Moves in their order with their texts and the positions after them; texts lead back to positions."""
    for judge, position, moves in sample(name, few=few):
        board = judge.board(position)
        verdict = board.outcome
        assert (verdict and (verdict.winner, verdict.reason)) == judge.outcome(position)
        found = [(child.move, child.position) for child in board.children()]
        assert found == [(text, judge.board(after)) for text, after in moves]
        if judge.name != "arrows":  # whose texts explain themselves
            assert board.text() == judge.text(position)
            assert [after.text() for _, after in found] == [judge.text(after) for _, after in moves]


def compare_kernel(
    judge: Judge, position: Any, moves: list[tuple[str, Any]], kernel: Kernel, *, counts: bool = True
) -> None:
    """Compare children, verdict and counts of a kernel with the oracle."""
    rules, outcome, unique = kernel.rules, judge.outcome(position), judge.unique(position)
    assert written(kernel, "children") == [state_of(judge.board(after)) for after in unique]
    turn = judge.board(position).turn
    expected = UNDECIDED if outcome is None else DRAWN if outcome[0] is None else WON if outcome[0] == turn else LOST
    assert rules.verdict(kernel.state) == expected
    if not counts:
        return
    counted = [rules.perft(kernel.state, 1, once, kernel.arena(20_000), 0) for once in (False, True)]
    assert counted == [len(moves), len(unique)]
    if judge.name == "arrows":  # whose oracle is quick enough
        for once in (False, True):
            leaves = rules.perft(kernel.state, 2, once, kernel.arena(20_000), 0)
            assert leaves == judge.perft(position, 2, unique=once)


@pytest.mark.parametrize(("name", "few"), SAMPLES)
def test_interpreted_kernels_have_the_positions_of_the_oracle(name: str, few: bool) -> None:
    found = sample(name, few=few)
    for judge, position, moves in found[:: 1 if len(found) < 30 else 3]:
        compare_kernel(judge, position, moves, judge.board(position).kernel(compile=False))


@pytest.mark.parametrize("name", ["gipf 2", "mnk 3 4"])
def test_sets_of_several_words_have_the_positions_of_the_oracle(name: str) -> None:
    """By interpreted rules, with the branches of large boards."""
    for judge, position, moves in sample(name)[::6]:
        compare_kernel(judge, position, moves, in_words(judge.board(position).kernel(compile=False)))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_kernels_have_the_positions_of_the_oracle_and_answer_as_interpreted_ones(name: str) -> None:
    """All that search and solver ask; places of an arena hold what was stored there.

    Compiling the counts of a board of several words takes as long as all else; only campaigns do.
    """
    assert len(sample(name)) >= 9 or int(name.split()[1]) > WORD_SIZE
    for judge, position, moves in sample(name)[:: 1 if CAMPAIGN else 3]:
        fast, slow = (judge.board(position).kernel(compile=compile) for compile in (True, False))
        assert fast.compiled
        compare_kernel(judge, position, moves, fast, counts=CAMPAIGN or name != "gipf 5 4")
        arena = fast.arena(2)
        fast.rules.store(arena, 1, fast.state, 0)
        assert plain(fast.rules.load(arena, 1)) == plain(fast.state) == tuple(slow.state)
        for function in ("evaluate", "verdict", "hash_of", "plies_left", "can_still_win"):
            if ask := getattr(slow.rules, function):
                assert getattr(fast.rules, function)(fast.state) == ask(slow.state), function
        if slow.rules.canonical and fast.rules.canonical:
            assert plain(fast.rules.canonical(fast.state)) == tuple(slow.rules.canonical(slow.state))
        for function in ("candidates", "tactical_children"):
            if getattr(slow.rules, function) and moves:
                assert written(fast, function) == written(slow, function), function
        if slow.rules.evaluate_children and moves:
            values = [worth(kernel, len(moves)) for kernel in (fast, slow)]
            assert values[0] == values[1]


@pytest.mark.slow
def test_a_function_that_calls_itself_is_compiled_once() -> None:
    """A second version of it would crash when it is loaded from the cache."""
    kernel = GAMES["mnk"].start("8 8 5").kernel()
    kernel.rules.evaluate(kernel.state)
    evaluate: Any = kernel.rules.evaluate
    if kernel.compiled:
        chains = evaluate.dispatcher.py_func.__globals__["win_by_fours"].py_func.__globals__["chain_of_fours"]
        assert len(chains.signatures) <= 1


def get_words(arena: Arena, at: int) -> int:
    return arena[at] | arena[at + 1] << WORD


def put_words(arena: Arena, at: int, fields: int) -> None:
    arena[at], arena[at + 1] = fields & ((1 << WORD) - 1), fields >> WORD


WORD = 7
"""Bits of the first of two numbers that represent a set of fields in `in_words`."""


def in_words(kernel: Kernel) -> Kernel:
    """Return a kernel whose sets of fields take two numbers of an arena, as compiled sets of large boards do."""
    rules, names = kernel.rules, ("load", "store", "children", "perft")
    constants: dict[str, Any] = {
        "SET_WORDS": 2,
        "WORDS": rules.WORDS + 2,
        "IS_WIDE": True,
        "get_fields": get_words,
        "put_fields": put_words,
    }
    found = specialise(tuple(getattr(rules, name) for name in names), "words", constants, compile=False)
    return kernel._replace(rules=replace(rules, WORDS=rules.WORDS + 2, **dict(zip(names, found, strict=True))))


def worth(kernel: Kernel, children: int) -> list[int]:
    """Return what a kernel says that the children of its position are worth."""
    values = kernel.arena(children + SCRATCH)
    assert kernel.rules.evaluate_children is not None
    assert kernel.rules.evaluate_children(kernel.state, 0, values)
    return list(map(int, values[:children]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, marks=[] if name.startswith(ALWAYS_COUNTED) else pytest.mark.campaign, id=name)
        for table in TABLES
        for name in [named(table)]
    ],
)
def test_compiled_perft_is_that_of_the_table_to_its_end(table: Table) -> None:
    assert table.position.kernel().compiled
    assert table.counted(len(table.counts), compile=True) == table.counts


@pytest.mark.parametrize(("name", "few"), WITH_TEXTS)
def test_moves_are_understood_however_they_are_spelled_or_refused_with_the_error_of_the_oracle(
    name: str, few: bool
) -> None:
    """The first error that applies; and what is right after all is played."""
    chance, met = Random(3), Counter[str]()
    found = sample(name, few=few)
    for judge, position, moves in found:
        board = judge.board(position)
        before = board.text()
        texts = [judge.loose_text(chance, position, moves) for _ in range(3) if moves]
        for text in [*texts, *(judge.mangled_text(chance, position, moves) for _ in range(4))]:
            expected = answer(partial(judge.apply, position), judge.text, judge.refused, text)
            assert (text, *answer(board.child, methodcaller("text"), BadMove, text)) == (text, *expected)
            assert expected[1] or text not in texts, f"the oracle refused {text}: {expected[0]}"
            met["done" if expected[1] else re.sub("BAD_MOVE_[a-z0-9]+_", "", expected[0])] += 1
        assert board.text() == before
    kinds = 0 if few else KINDS.get(name, 0)
    assert len([kind for kind, count in met.items() if count > len(found) // 100]) >= kinds, met


@pytest.mark.slow("interpreted")
@pytest.mark.thorough
def test_samples_of_gipf_have_choices_of_all_kinds_and_every_end() -> None:
    """Choices of both colours, of the opponent's rows, several in a row, and rows of both colours."""
    boards = [board for name in ("gipf 2", "gipf 3", "gipf 5") for board in sample(name)]
    moves = [(position.turn.lower(), text) for _, position, found in boards for text, _ in found]
    for own, other in ("wb", "bw"):
        assert sum(turn == own and f"{own}:" in text for turn, text in moves) > 100
        assert sum(turn == own and f"{other}:" in text for turn, text in moves) > 100
        assert sum(turn == own and f"{own}:" in text and f"{other}:" in text for turn, text in moves) > 10
        assert sum(text.count(f"{own}:") > 1 for _, text in moves) > 10
    ends = {judge.outcome(position) for judge, position, _ in boards}
    assert ends == {None, *((side, end) for side in (0, 1) for end in ("no_reserve", "dead_lock"))}


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("arrows", {(side, end) for side in (0, 1) for end in ("off_board", "occupied", "blocked", "taken")}),
        pytest.param(
            "morris",
            {(None, "too_few_pieces"), *((side, end) for side in (0, 1) for end in ("too_few_pieces", "no_move"))},
            marks=WHOLE,
        ),
    ],
)
def test_samples_have_every_end(name: str, ends: set[tuple[int | None, str]]) -> None:
    met = Counter(judge.outcome(position) for judge, position, _ in sample(name))
    assert set(met) == {None, *ends} and met[None] > len(sample(name)) // 2
