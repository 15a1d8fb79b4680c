"""How a book grows: its scores, what it takes up next, and that nothing depends on where it was broken off."""

from functools import cache

import msgspec
import pytest

from engine.duel.book.book_file import MOST_PLIES, read, write
from engine.duel.book.checking import faults
from engine.duel.book.growth import BATCH, Growth
from engine.duel.book.searches import Best, Found, position_at
from engine.duel.game_file import BadGames
from engine.games.interface import EVALUATION_LIMIT, State
from tests.engine.duel.book.samples import SMALL, book_of, grown, making_of


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(("game", "parameters"), SMALL)
def test_scores_are_those_of_a_slow_second_minimax(game: str, parameters: str) -> None:
    growth, done = grown(game, parameters, 30)
    kernel, _ = making_of(game, parameters)
    rules = kernel.rules
    arena = kernel.arena(5000)

    def stands_for_all(state: State) -> State:
        return rules.canonical(state) if rules.canonical else state

    def after(state: State) -> list[State]:
        return [stands_for_all(rules.load(arena, at)) for at in range(rules.children(state, arena, 0))]

    ply: dict[State, int] = {}
    outside: dict[State, Best | None] = {}
    order: list[State] = []
    for found in done:
        if not order:
            state, at = stands_for_all(kernel.state), 0
        elif found.child is None:
            state, at = order[found.node], ply[order[found.node]]
        else:
            before = order[found.node]
            state, at = after(before)[found.child], ply[before] + 1
        if state not in ply:
            order.append(state)
            ply[state] = at
        outside[state] = found.best

    @cache
    def value(state: State) -> int:
        children = after(state)
        inside = {child for child in children if child in ply and ply[child] > ply[state]}
        best = outside[state]
        options = []
        if best is not None:
            assert children[best.move] not in inside
            options.append(best.score)
        for child in inside:
            worth = -value(child)
            if abs(worth) > EVALUATION_LIMIT:
                worth -= 1 if worth > 0 else -1
            options.append(worth)
        return max(options)

    assert len(order) == len(growth.nodes) >= 30 or not growth.next_batch()
    assert [node.value for node in growth.nodes] == [value(state) for state in order]
    assert len({node.value for node in growth.nodes}) > 3


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize(("game", "parameters"), SMALL)
def test_a_book_that_has_grown_has_no_faults(game: str, parameters: str) -> None:
    book = book_of(game, parameters, 30)
    assert len(book.entries) == len(grown(game, parameters, 30)[0].nodes)
    assert list(faults(book)) == []


@pytest.mark.parametrize("cut", [0, 1, 2, 5, 11, 30, 47, 48])
def test_it_goes_on_from_any_search_as_if_it_had_not_been_broken_off(cut: int) -> None:
    kernel, making = making_of("gipf", "3 3 7 7")
    whole, done = grown("gipf", "3 3 7 7", 30)
    results = {(found.number): found for found in done}
    growth = Growth(kernel, making)
    left = growth.resume(list(done[:cut]))
    while growth.searches < len(done):
        tasks = left or [(task, growth.search_of(task)) for task in growth.next_batch()]
        for task, wanted in tasks:
            found = results[growth.searches]
            assert growth.found(task, found.best) == found
            assert (wanted is None) == (found.best is None)
            growth.add(found)
        growth.end_batch()
        left = []
    assert growth.entries() == whole.entries()


@pytest.mark.slow("interpreted")
def test_searches_chosen_after_a_break_choose_from_the_same_moves() -> None:
    kernel, making = making_of("gipf", "3 3 7 7")
    _, done = grown("gipf", "3 3 7 7", 30)
    through = Growth(kernel, making)
    at = 0
    while at < len(done):
        tasks = [(task, through.search_of(task)) for task in through.next_batch()]
        for cut in range(len(tasks)):
            assert Growth(kernel, making).resume(list(done[: at + cut])) == (tasks[cut:] if cut else [])
        for task, _ in tasks:
            through.add(done[at])
            assert (task.node, task.child) == (done[at].node, done[at].child)
            at += 1
        through.end_batch()


def test_what_does_not_belong_there_is_refused() -> None:
    kernel, making = making_of("gipf", "3 3 7 7")
    _, done = grown("gipf", "3 3 7 7", 30)
    for at, other in (
        (4, {"node": 99}),
        (4, {"batch": 77}),
        (4, {"child": 1_000_000}),
        (4, {"best": Best(5000, 0, 1)}),
    ):
        wrong = [*done[:at], msgspec.structs.replace(done[at], **other), *done[at + 1 :]]
        with pytest.raises(BadGames, match=f"^line {at + 2}: "):
            Growth(kernel, making).resume(wrong)


def test_another_seed_makes_another_book() -> None:
    one, other = (grown("gipf", "3 3 7 7", 30, seed)[0] for seed in (1, 2))
    assert {node.key for node in one.nodes} != {node.key for node in other.nodes}
    assert one.nodes[0].key == other.nodes[0].key


def test_batches_take_up_different_positions_and_those_are_new() -> None:
    _, done = grown("gipf", "3 3 7 7", 30)
    kernel, making = making_of("gipf", "3 3 7 7")
    batches: dict[int, list[Found]] = {}
    for found in done:
        batches.setdefault(found.batch, []).append(found)
    growth = Growth(kernel, making)
    taken = 0
    for found in done:
        growth.add(found)
        if growth.searches == len(done) or done[growth.searches].batch != found.batch:
            growth.end_batch()
    assert len({node.key for node in growth.nodes}) == len(growth.nodes)
    for batch in list(batches.values())[1:]:
        kinds = {found.child is None for found in batch}
        assert len(kinds) == 1
        if kinds == {False}:
            assert len(batch) <= BATCH
            taken += len(batch)
    assert taken == len(growth.nodes) - 1


def test_positions_are_where_their_paths_lead() -> None:
    growth, _ = grown("gipf", "3 3 7 7", 30)
    kernel, _ = making_of("gipf", "3 3 7 7")
    for node in growth.nodes:
        assert position_at(kernel, node.path) == node.state
        assert len(node.path) == node.ply <= MOST_PLIES


def test_files_are_read_back() -> None:
    growth, _ = grown("gipf", "3 3 7 7", 30)
    _, making = making_of("gipf", "3 3 7 7")
    assert read(write(making, growth.entries())) == (making, growth.entries())


def test_a_check_finds_every_kind_of_fault() -> None:
    book = book_of("gipf", "3 3 7 7", 30)
    root = next(key for key, entry in book.entries.items() if entry.ply == 0)
    leaf = next(key for key, entry in book.entries.items() if entry.line == 0 and entry.ply == 2)
    middle = book.entries[root]
    changes = {
        "score and line": {root: middle._replace(score=middle.score + 1)},
        "is not legal": {leaf: book.entries[leaf]._replace(outside=12345)},
        "none of them is known": {leaf: book.entries[leaf]._replace(has_outside=False)},
        "no legal moves": {987654321: book.entries[leaf]},
        "plies from the start": {root: middle._replace(ply=1)},
    }
    whole = dict(book.entries)
    for sentence, change in changes.items():
        book.entries = {**whole, **change}
        assert any(sentence in fault for fault in faults(book)), sentence
    book.entries = whole
    assert list(faults(book)) == []
