"""A table: undo and redo, who sits there; and a game as text."""

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from bots.terminal.terminal_game import PERSON, InteractiveGame, TerminalPlayer
from engine.games.catalogue import GAMES
from engine.games.interface import BadMove, BadPosition, Game, History, read_game, write_game
from tests.games.cases import EVERY_GAME, EVERY_VARIANT, named

BOT = TerminalPlayer(1.0)


def table(*seats: TerminalPlayer, game: str = "mnk", params: str = "3 3 3") -> InteractiveGame:
    return InteractiveGame(History.begin(GAMES[game].start(params)), (seats[0], seats[1]))


def played(begun: InteractiveGame, *texts: str) -> InteractiveGame:
    for text in texts:
        begun = begun.after(text)
    return begun


def test_between_people_moves_are_taken_back_one_by_one_and_made_again() -> None:
    start = table(PERSON, PERSON)
    after = played(start, "b2", "a1", "c3")
    back = after.undo()
    assert back.history == played(start, "b2", "a1").history and back.undone == ("c3",)
    assert back.undo().undo().history == start.history
    assert back.undo().redo() == back
    assert back.redo() == after


def test_against_a_bot_moves_are_taken_back_to_where_the_person_chose() -> None:
    after = played(table(PERSON, BOT), "b2", "a1", "c3")
    assert after.undo().history.moves == ("b2", "a1")  # the bot had not answered yet
    back = played(after, "a3").undo()
    assert back.history.moves == ("b2", "a1") and back.undone == ("c3", "a3")
    assert back.undo().history.moves == ()
    assert back.undo().redo().history.moves == ("b2", "a1")
    assert back.redo().history.moves == ("b2", "a1", "c3", "a3")


def test_what_the_bot_began_with_is_not_taken_back() -> None:
    begun = played(table(BOT, PERSON), "b2")
    with raises(snapshot("NoMoveLeft: there is no move of yours to take back")):
        begun.undo()
    assert played(begun, "a1", "c3").undo().history.moves == ("b2",)


def test_between_bots_one_move_is_taken_back() -> None:
    assert played(table(BOT, BOT), "b2", "a1").undo().history.moves == ("b2",)


def test_what_was_taken_back_is_forgotten_when_something_else_is_played() -> None:
    back = played(table(PERSON, PERSON), "b2", "a1", "c3").undo().undo()
    assert back.after("a1").undone == ("c3",)
    other = back.after("a2")
    assert other.undone == ()
    with raises(snapshot("NoMoveLeft: no move was taken back")):
        other.redo()


def test_a_table_begins_without_moves_and_ends_with_the_game() -> None:
    start = table(PERSON, BOT)
    with raises(snapshot("NoMoveLeft: no move was made yet")):
        start.undo()
    assert start.mover == PERSON
    over = played(start, "a1", "b1", "a2", "b2", "a3")
    assert over.outcome is not None and over.outcome.winner == 0
    with pytest.raises(BadMove):
        over.after("c3")
    assert over.begun(start.history) == start


@given(variant=st.sampled_from(EVERY_VARIANT), choices=st.lists(st.integers(0, 999), max_size=12))
def test_a_game_written_down_is_read_back(variant: tuple[Game, str], choices: list[int]) -> None:
    game, parameters = variant
    history = History.begin(game.start(parameters))
    for choice in choices:
        if legal := history.position.legal_moves:
            history = history.after(legal[choice % len(legal)])
    assert read_game(game, write_game(history)) == history
    assert read_game(game, history.position.text()) == History.begin(history.position)


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_a_bad_move_in_a_text_is_named_with_its_line(game: Game) -> None:
    start = game.start(game.default_parameters)
    first = start.legal_moves[0]
    text = f"{start.text()}moves:\n\n  {first}  \nnonsense\n"
    with pytest.raises(BadPosition, match="move 2: ") as caught:
        read_game(game, text)
    assert caught.value.line == len(start.text().splitlines()) + 4


def test_the_moves_of_arrows_may_belong_to_the_position() -> None:
    text = GAMES["arrows"].start("8 8").text() + "moves: 2 6\nmoves:\n2\n"
    history = read_game(GAMES["arrows"], text)
    assert history.moves == ("2",) and history.start.turn == 0
    assert read_game(GAMES["arrows"], write_game(history)) == history


def test_a_bad_position_is_named_whatever_moves_follow() -> None:
    with pytest.raises(BadPosition) as caught:
        read_game(GAMES["gipf"], "4 4 15 15\nnonsense\nmoves:\na1-b2\n")
    assert caught.value.line == 2
