"""Playing in a terminal: commands, moves, row choices, files; the bot is one that plays the first legal move."""

import io
import re
import sys
from pathlib import Path
from typing import cast

import pytest
from inline_snapshot import snapshot
from rich.console import Console

from bots.commands.author import play
from bots.terminal.terminal_game import (
    PERSON,
    InteractiveGame,
    TerminalGame,
    TerminalPlayer,
    play_in_terminal,
    player,
)
from engine.commands.program import Rejected
from engine.games.catalogue import GAMES
from engine.games.gipf import notation
from engine.games.interface import Game, History
from engine.search.searcher import GameEngine, SearchResult
from tests.engine.gipf.test_choosing import NAMED, crowded
from tests.games.cases import EVERY_GAME, named

BOT = TerminalPlayer(1.0)


class FirstMove:
    """A search that finds the first legal move, and says how long it was asked to think."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.levels: list[int] = []
        self.interrupted = False

    def think(self, history: History, seconds: float, *, level: int, **_rest: object) -> SearchResult:
        self.asked.append(seconds)
        self.levels.append(level)
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt
        return SearchResult((0,), 0, 1, 1, seconds)


def talk(
    *lines: str,
    seats: tuple[TerminalPlayer, TerminalPlayer] = (PERSON, PERSON),
    start: History | None = None,
    search: FirstMove | None = None,
) -> tuple[str, InteractiveGame]:
    """Type lines at a table, by default that of tic-tac-toe; return what was printed, and the table at the end."""
    waiting = list(lines)

    def read(_prompt: str) -> str:
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    printed = io.StringIO()
    table = InteractiveGame(start or History.begin(GAMES["mnk"].start("3 3 3")), seats)
    conversation = TerminalGame(table, Console(file=printed, width=80), read, cast(GameEngine, search or FirstMove()))
    conversation.run()
    return printed.getvalue(), conversation.table


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_every_game_is_played_to_its_end(game: Game) -> None:
    start = History.begin(game.start(game.default_parameters))
    printed, table = talk(seats=(BOT, BOT), start=start)
    assert table.outcome is not None
    assert printed.count(" plays ") == table.history.plies > 0


def test_a_person_plays_against_a_bot_that_begins() -> None:
    search = FirstMove()
    printed, table = talk("b2", seats=(TerminalPlayer(0.5), PERSON), search=search)
    assert table.history.moves == ("a3", "b2", "b3")
    assert "2. second plays b2" in printed and "3. first plays b3 (depth 1" in printed
    assert search.asked == [0.5, 0.5]


WON = ["a1", "a2", "b1", "b2", "c1"]


def sentences(printed: str) -> list[str]:
    """Return what was printed but for the greeting, the boards with their state, and the moves."""
    board = re.compile(r"| *(\d+ .* \d+|[a-z](  [a-z])+)|\w+ \(.\) to move|\d+ in a line win; .*|\d+\. .* plays .*")
    return [line for line in printed.splitlines()[2:] if not board.fullmatch(line)]


@pytest.mark.parametrize(
    ("lines", "said", "played"),
    [
        (
            ["z9", "hello world", "b2", "b2"],
            snapshot(
                [
                    "'z9' lies outside the board, which has the fields a1 to c3",
                    "'hello world' names no field; a move is a column's letter and a row's number, as in a1",
                    "b2 has a piece already; a move goes to an empty field",
                ]
            ),
            ["b2"],
        ),
        (
            ["moves", "hint"],
            snapshot(
                [
                    "9 legal moves",
                    "a3  b3  c3  a2  b2  c2  a1  b1  c1",
                    "the bot would play a3 (depth 1, 0.00 in pieces, + for first, 1.0 s)",
                ]
            ),
            [],
        ),
        (
            ["b2", "a1", "undo", "undo", "undo", "redo", "redo", "redo"],
            snapshot(["no move was made yet", "no move was taken back"]),
            ["b2", "a1"],
        ),
        (["go"], snapshot([]), ["a3"]),
        (
            [*WON, "c2", "hint", "go", "moves", "undo"],
            snapshot(
                [
                    "the game is over, first wins: first has 3 in a line, a1 to c1",
                    "the game is over; undo takes back moves, new begins another game",
                    "the game is over; undo takes back moves, new begins another game",
                    "the game is over; undo takes back moves, new begins another game",
                    "0 legal moves",
                ]
            ),
            WON[:-1],
        ),
        (
            ["help"],
            snapshot(
                [
                    "Type a move, as in a3, or one of these commands:",
                    "  moves               list the legal moves",
                    "  hint                show the move that the bot would play",
                    "  go                  let the bot move for the side to move",
                    "  undo                take back moves, up to the last choice of a person",
                    "  redo                repeat the moves that were taken back",
                    "  new [PARAMS]        begin a new game of this variant, or of another one",
                    "  load FILE           load a position or a game from a file",
                    "  save FILE           save the game to a file",
                    "  help                show the commands",
                    "  quit                end the program",
                ]
            ),
            [],
        ),
        (
            ["new 4", "new 3 3 4"],
            snapshot(
                [
                    "m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not '4'",
                    "warning: K = 4 is more than a board of 3 rows and 3 columns has in a line",
                ]
            ),
            [],
        ),
    ],
    ids=["no moves", "moves and hint", "undo and redo", "go", "over", "help", "variants"],
)
def test_a_conversation(lines: list[str], said: list[str], played: list[str]) -> None:
    printed, table = talk(*lines)
    assert sentences(printed) == said
    assert table.history.moves == tuple(played)


def test_a_game_is_saved_and_loaded(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    printed, table = talk("b2", "a1", f"save {file}", "c3", f"load {file}", "undo")
    assert f"saved in {file}" in printed
    assert table.history.moves == ("b2",)
    assert file.read_text().splitlines()[-3:] == ["moves:", "b2", "a1"]


def test_what_cannot_be_loaded_or_saved_is_named_and_changes_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("3 3 3 1\n0 0 0\n0 x 0\n0 0 0\n")
    printed, table = talk("b2", f"load {bad}", f"load {tmp_path}/none", f"save {tmp_path}/no/such", f"load {tmp_path}")
    assert sentences(printed.replace(str(tmp_path), "FOLDER")) == snapshot(
        [
            "line 3: a field is 0, 1 or 2, not 'x'",
            "FOLDER/none: cannot be read: No such file or directory",
            "FOLDER/no/such: cannot be written: No such file or directory",
            "FOLDER: cannot be read: Is a directory",
        ]
    )
    assert table.history.moves == ("b2",)


def test_a_bot_of_a_level_moves_at_it_and_hints_are_those_of_the_highest() -> None:
    search = FirstMove()
    printed, _ = talk("hint", "b2", "quit", seats=(PERSON, TerminalPlayer(level=3)), search=search)
    assert search.levels == [10, 3] and search.asked[0] == 1.0
    assert "first: person; second: learner (level 3)" in printed


def test_an_interrupt_stops_the_bot_until_somebody_says_go() -> None:
    search = FirstMove()
    search.interrupted = True
    printed, table = talk("go", "quit", seats=(BOT, PERSON), search=search)
    assert sentences(printed) == snapshot(["the search has stopped; go lets the bot move"])
    assert table.history.plies == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("person", PERSON), ("bot", BOT), ("bot:0.25", TerminalPlayer(0.25)), ("level:3", TerminalPlayer(level=3))],
)
def test_players_are_read(text: str, expected: TerminalPlayer) -> None:
    assert player(text) == expected
    assert str(expected) in (text.strip(), "bot:1")
    assert player("level:10", 2.0) == TerminalPlayer(2.0), "which time alone bounds"


@pytest.mark.parametrize(
    "text",
    ["", "person:1", "bot:0", "bot:nan", "level:11"],
)
def test_what_is_no_player_is_refused(text: str) -> None:
    with pytest.raises(Rejected):
        player(text)


def test_it_is_piped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("b2\nquit now\nquit\na1\n"))
    play_in_terminal(GAMES["mnk"], "3 3 3", None, ("person", "person"), 1.0)
    printed = capsys.readouterr().out
    assert "1. first plays b2" in printed and "second plays" not in printed
    assert "'quit now'" in printed


def test_the_first_opponent_is_a_beginner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    play("mnk", params="3 3 3")
    assert "first: person; second: beginner (level 2)" in capsys.readouterr().out


@pytest.mark.parametrize("game", EVERY_GAME, ids=named)
def test_a_terminal_without_unicode_shows_each_side(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, "ascii"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    play_in_terminal(game, None, None, ("person", "person"), 1.0)
    sys.stdout.flush()
    printed = output.getvalue().decode()
    assert "\\" not in printed
    marks = [mark.encode("ascii", "plain_glyphs").decode() for mark in game.marks]
    assert marks[0] != marks[1] and f"({marks[0]}) to move" in printed


@pytest.mark.slow
def test_where_rows_can_be_taken_in_too_many_ways_to_list_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notation, "MOVES_PER_PUSH", 2**9 - 1)
    start = History.begin(GAMES["gipf"].read(crowded()))
    printed, table = talk("moves", "a1-b2", "help", NAMED, start=start)
    assert [line for line in printed.splitlines() if "too many" in line] == snapshot(
        [
            "the move has too many choices of rows to list; name the rows to take in the move",
            "the move has too many choices of rows to list; name the rows to take in the move",
        ]
    )
    assert table.history.moves == (NAMED,)
