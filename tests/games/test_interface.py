"""Each game keeps what `engine.games.interface` promises, and its kernel says the same as its positions."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.games.catalogue import GAMES, start_of
from engine.games.interface import (
    DRAWN,
    EVALUATION_LIMIT,
    LOST,
    MINE,
    SCRATCH,
    THEIRS,
    UNDECIDED,
    WIN,
    WON,
    BadMove,
    BadParameters,
    BadPosition,
    Game,
    Kernel,
    Position,
    Termination,
)
from tests.games.cases import EVERY_GAME, EVERY_VARIANT, named, random_game

PLACES = 1 << 12

every_game = pytest.mark.parametrize("game", EVERY_GAME, ids=named)
every_variant = pytest.mark.parametrize(("game", "parameters"), EVERY_VARIANT, ids=named)


def generated(kernel: Kernel, function: str = "children") -> list[Any]:
    """Return the states that a function of a kernel generates, as plain integers."""
    arena = kernel.arena(PLACES)
    end = getattr(kernel.rules, function)(kernel.state, arena, 0)
    return [kernel.rules.load(arena, at) for at in range(end)]


def state_of(position: Position, *, compile: bool = False) -> Any:
    return position.kernel(compile=compile).state


@every_game
def test_names_are_words_for_the_wire(game: Game) -> None:
    for word in (game.name, *game.sides):
        assert re.fullmatch("[a-z]{1,20}", word)
    assert game.sides[0] != game.sides[1]
    assert game.quiet_limit >= 0


@every_variant
def test_parameters_are_canonical_and_fit_a_word_of_the_wire(game: Game, parameters: str) -> None:
    text = game.parameters(parameters)
    assert game.parameters(text) == text
    assert game.parameters(text.replace(" ", ",")) == text
    assert not re.search(r"[^0-9a-z ]|  ", text)
    assert game.start(parameters).parameters == text
    assert isinstance(game.warning(text), str)


def refusal(error: type[Exception], ask: Callable[[str], object], text: str) -> Exception:
    """Return the error that refuses a text; its sentence has at least three words."""
    with pytest.raises(error, match=r"\S+ \S+ \S+") as caught:
        ask(text)
    return caught.value


@every_game
def test_nonsense_is_no_parameters(game: Game) -> None:
    for text in ("x", "1 2 3 4 5 6 7 8 9 10 11", "-4", "4.5", "999999999999999999999", "4;4", "²"):
        refusal(BadParameters, game.start, text)


@every_game
def test_nonsense_is_no_position(game: Game) -> None:
    for text in ("", "\n\n", "x", "1 2 3\nW W W\n", "\x00", "9" * 5000, "-1 -1\n"):
        refusal(BadPosition, game.read, text)


@every_variant
def test_texts_lead_back_to_their_positions(game: Game, parameters: str) -> None:
    for position in random_game(game, parameters, Random(1)):
        again = game.read(position.text())
        assert again.key == position.key
        assert again.parameters == position.parameters
        assert again.turn == position.turn
        assert again.text() == position.text()
        assert game.read(position.text().replace("\n", "\r\n")).key == position.key
        assert eval(repr(position), {"GAMES": {game.name: game}}).key == position.key
        assert str(position) == position.picture() + position.summary()
    assert eval(repr(game), {"GAMES": GAMES | {game.name: game}}) is game


@every_variant
def test_every_move_is_named_once_and_resolved_to_its_position(game: Game, parameters: str) -> None:
    for position in random_game(game, parameters, Random(2), most=60):
        children = list(position.children())
        assert len({child.move for child in children}) == len(children)
        for child in children:
            again = position.child(f"  {child.move} ")
            assert (again.move, again.position.key) == (child.move, child.position.key)
            assert again.position.turn == 1 - position.turn


@every_variant
def test_what_bots_ask_of_a_position_agrees_with_its_children_and_pieces(game: Game, parameters: str) -> None:
    for position in random_game(game, parameters, Random(5), most=30):
        children = list(position.children())
        assert position.legal_moves == [child.move for child in children]
        assert position.is_over == (position.outcome is not None) == (not children)
        for move, after in children:
            assert position.play(move).key == after.key
        for side in (0, 1):
            assert {field for field, owner in position.board.items() if owner == side} == position.pieces[side]
        assert {field.name for field in position.drawing().layout.fields} == set(position.board)


@pytest.mark.parametrize(
    ("guess", "meant"),
    [
        ("push", "play(move)"),
        ("moves", "legal_moves"),
        ("is_game_over", "is_over"),
        ("fen", "text()"),
        ("side_to_move", "turn"),
        ("winner", "outcome: its winner and reason, or None"),
    ],
)
def test_a_name_of_another_library_is_answered_with_ours(guess: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(start_of("gipf"), guess)
    assert str(caught.value).partition(f" {guess!r}")[::2] == (
        snapshot("a position has no attribute"),
        f"; use {meant}",
    )


def test_a_wrong_field_is_answered_with_right_ones() -> None:
    with raises(snapshot("KeyError: \"'a1' is no field of this board; its 37 fields are b5, c6, d7, ...\"")):
        start_of("gipf").board["a1"]


def test_an_unknown_name_is_refused_as_python_does() -> None:
    assert not hasattr(start_of("mnk"), "colour")


@every_variant
def test_a_finished_game_says_how_and_takes_no_move(game: Game, parameters: str) -> None:
    last = position = game.start(parameters)
    for position in random_game(game, parameters, Random(3)):
        if not list(position.children()):
            outcome = position.outcome
            assert outcome is not None
            assert outcome.winner in (0, 1, None)
            assert re.fullmatch("[a-z_]+", outcome.reason)
            assert outcome.reason not in set(Termination)
            assert len(outcome.detail.split()) > 3
            for move in last.legal_moves[:5]:
                with pytest.raises(BadMove):
                    position.child(move)
        else:
            assert position.outcome is None
            last = position


@every_variant
def test_nonsense_is_no_move_and_gets_a_sentence(game: Game, parameters: str) -> None:
    position = game.start(parameters)
    for move in ("", "x", "zz9", "-1", "1 2 3 4 5 6", "a1-", "\x00", "9" * 300, "É", "1.5"):
        refused = refusal(BadMove, position.child, move)
        assert isinstance(refused, BadMove) and re.match(r"[A-Z][A-Z0-9_]+", refused.code), move
        assert position.key == game.start(parameters).key, move


@every_variant
def test_pictures_and_summaries_are_for_terminals(game: Game, parameters: str) -> None:
    position = game.start(parameters)
    for _ in range(30):
        for last in [None, *list(position.children())[:1]]:
            picture = (last.position if last else position).picture(last)
            assert picture.endswith("\n")
            assert all(len(line) <= 110 and "\t" not in line for line in picture.splitlines())
        assert "\n" not in position.summary()
        children = list(position.children())
        if not children:
            break
        position = children[-1].position


@every_variant
def test_stages_never_come_back(game: Game, parameters: str) -> None:
    left = set()
    stage = game.start(parameters).stage
    for position in random_game(game, parameters, Random(4)):
        assert position.stage not in left
        if position.stage != stage:
            left.add(stage)
            stage = position.stage


@every_variant
def test_kernel_and_positions_agree(game: Game, parameters: str) -> None:
    """Children, verdicts, hashes; and the bounds of all that a kernel says."""
    compare_kernels(game, parameters, compile=False)


def compare_kernels(game: Game, parameters: str, *, compile: bool) -> None:
    """Compare kernels with the positions of a random game, and with what `engine.games.interface.Rules` promises."""
    # boards beyond a machine word have many moves
    most = 40 if len(list(game.start(parameters).children())) < 70 else 10
    for position in random_game(game, parameters, Random(5), most=most):
        kernel = position.kernel(compile=compile)
        assert kernel.compiled == compile
        rules = kernel.rules
        legal = list(position.children())
        expected = {state_of(child.position, compile=compile) for child in legal}
        children = [type(kernel.state)(*map(int, state)) for state in generated(kernel)]
        assert len(set(children)) == len(children)
        assert set(children) == expected
        outcome = position.outcome
        if outcome is None:
            assert rules.verdict(kernel.state) == UNDECIDED
            assert abs(rules.evaluate(kernel.state)) < WIN
        elif outcome.winner is None:
            assert rules.verdict(kernel.state) == DRAWN
        else:
            assert rules.verdict(kernel.state) == (WON if outcome.winner == position.turn else LOST)
        assert 0 <= rules.hash_of(kernel.state) < 1 << 62
        assert len({rules.hash_of(child) for child in children}) == len(children)
        if not compile:
            first = {state_of(child.position, compile=False): child for child in reversed(legal)}
            assert {child: position.move_to(child) for child in children} == first
            with pytest.raises(ValueError):  # noqa: PT011  # which one, each game says in its own words
                position.move_to(kernel.state)


@every_variant
def test_hints_of_a_kernel_are_true(game: Game, parameters: str) -> None:
    """Optional functions follow `engine.games.interface.Rules`, as far as one position shows it."""
    for position in random_game(game, parameters, Random(6), most=80):
        kernel = position.kernel(compile=False)
        rules, state = kernel.rules, kernel.state
        if rules.verdict(state) != UNDECIDED:
            continue
        children = set(generated(kernel))
        if rules.evaluate_children is not None:
            ends = {LOST: WIN, DRAWN: 0, WON: -WIN}
            in_order = generated(kernel)
            values = [0] * (len(in_order) + SCRATCH)
            assert rules.evaluate_children(state, 0, values)
            for child, number in zip(in_order, values, strict=False):
                verdict, value, certain = rules.verdict(child), number >> 1, number & 1
                assert abs(value) < (WIN if certain else EVALUATION_LIMIT) or (verdict, value) == (LOST, WIN)
                assert verdict == UNDECIDED or (value, certain) == (ends[verdict], 1)
        if rules.tactical_children is not None:
            assert set(generated(kernel, "tactical_children")) <= children
        if rules.candidates is not None:
            assert set() < set(generated(kernel, "candidates")) <= children
        if rules.can_still_win is not None:
            assert 0 <= rules.can_still_win(state) <= MINE + THEIRS
        if rules.canonical is not None:
            image = rules.canonical(state)
            assert rules.canonical(image) == image
            assert rules.verdict(image) == rules.verdict(state)
            assert len(generated(kernel._replace(state=image))) == len(children)
        if rules.plies_left is not None:
            left = rules.plies_left(state)
            assert left >= 1
            assert all(rules.plies_left(child) < left for child in children)


@every_game
@pytest.mark.parametrize(
    "compile", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["interpreted", "compiled"]
)
def test_an_arena_without_room_is_an_error_and_nothing_is_written_behind_it(game: Game, compile: bool) -> None:
    kernel = game.start(game.default_parameters).kernel(compile=compile)
    words = kernel.rules.WORDS
    for places in range(1, len(generated(kernel)) + 1):
        arena = kernel.arena(places)
        with pytest.raises(OverflowError):
            kernel.rules.children(kernel.state, arena, 1)
        assert len(arena) == places * words
