"""The shell of GIPF: every command, answer and error of docs/rules.md, section 1.9."""

from pathlib import Path
from random import Random

import pytest
from inline_snapshot import snapshot

from engine.shell import gipf
from engine.solve import tablebase
from engine.solve.solver import Result, Solution
from tests.engine.gipf import samples
from tests.oracles import gipf as oracle
from tests.oracles.gipf_boards import board_text

SMALL = """2 3 5 5
2 2 W
 W B
B _ W
 W B
"""
"""The start of a game in which white wins with the first move."""

DRAW = SMALL.replace("2 3 5 5", "2 2 5 5")

CROSSING = """4 4 15 15
9 14 W
   W _ _ _
  W _ _ _ _
 W _ _ _ _ _
_ W W W B _ _
 _ _ _ _ _ _
  _ _ _ _ _
   _ _ _ _
"""
"""White has moves that make two rows which cross."""

OPEN = "3 3 9 9\n{} W\n_ _ _\n_ _ _ _\n_ _ _ _ _\n_ _ _ _\n_ _ _\n"
"""An empty board; the reserves are to be filled in."""


NEEDING_A_BOARD = [
    "PRINT_GAME_BOARD",
    "DO_MOVE a1-b2",
    "PRINT_GAME_STATE",
    "IS_GAME_OVER",
    "GEN_ALL_POS_MOV",
    "GEN_ALL_POS_MOV_NUM",
    "GEN_ALL_POS_MOV_EXT",
    "GEN_ALL_POS_MOV_EXT_NUM",
    "WINNING_SEQUENCE_EXIST 1",
    "SOLVE_GAME_STATE",
]

EMPTY = OPEN.format("3 3")


class Session:
    """A shell that was given everything at once: what it wrote, and what it complained about."""

    def __init__(self, *commands: str, strict: bool = False) -> None:
        self.complaints: list[str] = []
        self.output: list[str] = []
        lines = "\n".join(commands).splitlines(keepends=True)
        gipf.Commands(lines, self.output.append, self.complaints.append, strict=strict, clock=lambda: 0.0).run()

    @property
    def answers(self) -> list[str]:
        """Return the output without the answer to the first board."""
        assert self.output[0] == "BOARD_STATE_OK"
        return self.output[1:]


def load(board: str) -> str:
    return f"LOAD_GAME_BOARD\n{board}"


def with_rows(header: str, *rows: str) -> str:
    return "\n".join([header, *rows])


# Boards


@pytest.mark.parametrize(
    ("board", "answer"),
    [
        (SMALL, "BOARD_STATE_OK"),
        (SMALL.replace("2 2 W", "0 0 B"), "BOARD_STATE_OK"),
        (SMALL.replace("B _ W", "B _ W W"), "WRONG_BOARD_ROW_LENGTH"),
        (SMALL.replace("B _ W", "B W"), "WRONG_BOARD_ROW_LENGTH"),
        (SMALL.replace(" W B\nB", "B"), "WRONG_BOARD_ROW_LENGTH"),
        (SMALL.replace("2 2 W", "3 3 W"), "WRONG_WHITE_PAWNS_NUMBER"),
        (SMALL.replace("2 2 W", "2 3 W"), "WRONG_BLACK_PAWNS_NUMBER"),
        (with_rows("2 2 5 5\n2 2 W", "W W", "_ _ _", "_ _"), "ERROR_FOUND_1_ROW_OF_LENGTH_K"),
        (with_rows("2 2 5 5\n2 2 W", "W W", "_ B _", "_ B"), "ERROR_FOUND_2_ROWS_OF_LENGTH_K"),
        (with_rows("2 2 5 5\n2 2 W", "W W", "_ W _", "_ B"), "ERROR_FOUND_3_ROWS_OF_LENGTH_K"),
        (SMALL.replace("B _ W", "B x W"), "WRONG_BOARD_FIELD"),
        (SMALL.replace("B _ W", "B w W"), "WRONG_BOARD_FIELD"),
        (SMALL.replace("2 3 5 5", "2 3 5"), "WRONG_GAME_PARAMETERS"),
        (SMALL.replace("2 3 5 5", "13 3 5 5"), "WRONG_GAME_PARAMETERS"),
        (SMALL.replace("2 3 5 5", "2 4 5 5"), "WRONG_GAME_PARAMETERS"),
        (SMALL.replace("2 3 5 5", "2 3 3 5"), "WRONG_GAME_PARAMETERS"),
        (SMALL.replace("2 2 W", "2 2 X"), "WRONG_GAME_PARAMETERS"),
        (SMALL.replace("2 2 W", "2 W"), "WRONG_GAME_PARAMETERS"),
        ("", "WRONG_GAME_PARAMETERS"),
        ("2 3 5 5", "WRONG_GAME_PARAMETERS"),
        ("2 3 5 5\n2 2 W", "WRONG_BOARD_ROW_LENGTH"),
    ],
)
def test_loading_answers_what_is_wrong_with_a_board(board: str, answer: str) -> None:
    session = Session("IS_GAME_OVER", load(SMALL), load(board), "IS_GAME_OVER", load(SMALL), "IS_GAME_OVER")
    left = "GAME_IN_PROGRESS" if answer == "BOARD_STATE_OK" else "EMPTY_BOARD"
    left = "THE_WINNER_IS_WHITE" if "0 0 B" in board else left
    assert session.output == ["EMPTY_BOARD", "BOARD_STATE_OK", answer, left, "BOARD_STATE_OK", "GAME_IN_PROGRESS"]
    explained = [sentence for sentence in session.complaints if sentence.startswith(answer)]
    assert len(explained) == (0 if answer == "BOARD_STATE_OK" else 1)


def test_the_longest_run_is_allowed_with_a_warning() -> None:
    assert Session(load(SMALL)).complaints[0].startswith("warning: K = 3 ")
    assert Session(load(DRAW)).complaints == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n", " \t\n \n"])
@pytest.mark.parametrize("blank", [" ", "   ", "\t"])
def test_boards_are_read_tolerantly(newline: str, blank: str) -> None:
    board = blank + SMALL.replace(" ", blank).replace("\n", newline)
    lines = f"{newline} LOAD_GAME_BOARD{newline}{board}  PRINT_GAME_BOARD {newline}".splitlines(keepends=True)
    output: list[str] = []
    gipf.Commands(lines, output.append, lambda _: None, strict=False, clock=lambda: 0.0).run()
    assert output == ["BOARD_STATE_OK", SMALL]


def test_a_board_ends_with_its_last_row() -> None:
    session = Session(load(SMALL) + "_ _ _\nIS_GAME_OVER")
    assert session.answers == ["GAME_IN_PROGRESS"]
    assert len(session.complaints) == 2 and session.complaints[1].startswith("unknown command: '_ _ _'; ")


def test_everything_behind_an_unreadable_header_is_skipped() -> None:
    session = Session("LOAD_GAME_BOARD\n2 3\nB _ W\nNO_COMMAND\nLOAD_GAME_BOARD\n2 3 5 5\n2 2 X\nB _ W\nIS_GAME_OVER")
    assert session.output == ["WRONG_GAME_PARAMETERS", "WRONG_GAME_PARAMETERS", "EMPTY_BOARD"]
    assert not any("unknown" in sentence for sentence in session.complaints)


def test_a_command_ends_a_board_early_and_is_carried_out() -> None:
    session = Session("LOAD_GAME_BOARD\n2 3 5 5\n2 2 W\nW B", load(SMALL), "LOAD_GAME_BOARD", "IS_GAME_OVER")
    assert session.output == ["WRONG_BOARD_ROW_LENGTH", "BOARD_STATE_OK", "WRONG_GAME_PARAMETERS", "EMPTY_BOARD"]


# Commands without a board, and unknown ones


def test_every_command_that_needs_a_board_says_that_there_is_none() -> None:
    for strict in (False, True):
        assert Session(*NEEDING_A_BOARD, strict=strict).output == ["EMPTY_BOARD"] * len(NEEDING_A_BOARD)


@pytest.mark.parametrize(
    "command",
    ["is_game_over", "FOO", "GEN_ALL_POS_MOVE", "WINNING_SEQUENCE_EXIST", "WINNING_SEQUENCE_EXIST -1",
     "WINNING_SEQUENCE_EXIST two", "WINNING_SEQUENCE_EXIST 1 2", "DO_MOVEa1-b2"],
)  # fmt: skip
def test_unknown_commands_are_named_and_change_nothing(command: str) -> None:
    session = Session(load(DRAW), f"  {command} ", "PRINT_GAME_BOARD", "PRINT_GAME_STATE")
    assert session.answers == [DRAW, "in_progress"]
    assert len(session.complaints) == 1
    assert session.complaints[0].startswith(f"unknown command: {command!r}; the commands are LOAD_GAME_BOARD, PRINT_")


# Moves and states


def test_the_example_of_the_rules() -> None:
    session = Session(
        load(SMALL), "DO_MOVE a1-b2", "DO_MOVE a1-f3", "DO_MOVE f3-e3", "DO_MOVE a1-c2", "DO_MOVE b2-c2",
        "DO_MOVE a1-b1", "DO_MOVE a2-b2",
    )  # fmt: skip
    assert session.answers == [
        "MOVE_COMMITTED",
        "BAD_MOVE_f3_IS_WRONG_INDEX",
        "BAD_MOVE_f3_IS_WRONG_INDEX",
        "UNKNOWN_MOVE_DIRECTION",
        "BAD_MOVE_b2_IS_WRONG_STARTING_FIELD",
        "BAD_MOVE_b1_IS_WRONG_DESTINATION_FIELD",
        "BAD_MOVE_ROW_IS_FULL",
    ]
    assert [sentence.partition(":")[0] for sentence in session.complaints[1:]] == session.answers[1:]


@pytest.mark.parametrize(
    ("board", "move", "answer"),
    [
        (CROSSING, "a1-b2 w: b2 b5", "MOVE_COMMITTED"),
        (CROSSING, "a1 - b2 b5 b2", "MOVE_COMMITTED"),
        (CROSSING, "a1-b2", "WRONG_INDEX_OF_CHOSEN_ROW"),
        (CROSSING, "a1-b2 w: b2 f5", "WRONG_INDEX_OF_CHOSEN_ROW"),
        (CROSSING, "a1-b2 b: b2 e5", "WRONG_COLOR_OF_CHOSEN_ROW"),
        (OPEN.format("0 3"), "a1-b2", "BAD_MOVE_RESERVE_IS_EMPTY"),
        (SMALL, "", "BAD_MOVE__IS_WRONG_INDEX"),
    ],
)
def test_moves_with_choices_and_the_remaining_errors(board: str, move: str, answer: str) -> None:
    session = Session(load(board), "PRINT_GAME_BOARD", f"DO_MOVE {move}", "PRINT_GAME_BOARD")
    assert session.answers[1] == answer
    assert (session.answers[0] == session.answers[2]) == (answer != "MOVE_COMMITTED")


def test_a_bad_move_is_the_state_until_a_move_is_committed_or_a_board_loaded() -> None:
    session = Session(
        load(EMPTY), "DO_MOVE   a1-b9  w: x  y ", "PRINT_GAME_STATE", "IS_GAME_OVER", "GEN_ALL_POS_MOV_NUM",
        "PRINT_GAME_STATE", "DO_MOVE a1-b2", "PRINT_GAME_STATE", "DO_MOVE b2-a1", "DO_MOVE a1-b9", "PRINT_GAME_STATE",
        load(EMPTY), "PRINT_GAME_STATE",
    )  # fmt: skip
    assert [answer for answer in session.answers if "MOVE" not in answer] == [
        "bad_move white a1-b9  w: x  y",
        "GAME_IN_PROGRESS",
        "bad_move white a1-b9  w: x  y",
        "in_progress",
        "bad_move black a1-b9",
        "BOARD_STATE_OK",
        "in_progress",
    ]


def test_moves_after_a_bad_one_are_judged_on_the_untouched_board() -> None:
    assert Session(load(SMALL), "DO_MOVE a1-a1", "DO_MOVE a1-b2", "PRINT_GAME_STATE").answers == [
        "BAD_MOVE_a1_IS_WRONG_DESTINATION_FIELD",
        "MOVE_COMMITTED",
        "dead_lock black",
    ]


def test_strict_overlooks_moves_after_a_bad_one_until_a_board_is_loaded() -> None:
    session = Session(
        load(EMPTY), "DO_MOVE a1-b2", "DO_MOVE a1-a1", "DO_MOVE a1-b2", "DO_MOVE zzz", "PRINT_GAME_STATE",
        "IS_GAME_OVER", load(EMPTY), "DO_MOVE a1-b2", strict=True,
    )  # fmt: skip
    assert session.answers == [
        "MOVE_COMMITTED",
        "BAD_MOVE_a1_IS_WRONG_DESTINATION_FIELD",
        "bad_move black a1-a1",
        "GAME_IN_PROGRESS",
        "BOARD_STATE_OK",
        "MOVE_COMMITTED",
    ]


@pytest.mark.parametrize(
    ("board", "state", "over"),
    [
        (OPEN.format("3 3"), "in_progress", "GAME_IN_PROGRESS"),
        (OPEN.format("3 0"), "in_progress", "GAME_IN_PROGRESS"),
        (OPEN.format("0 3"), "black_win", "THE_WINNER_IS_BLACK"),
        (OPEN.format("3 0").replace(" W", " B"), "white_win", "THE_WINNER_IS_WHITE"),
        (SMALL.replace("_", "W").replace("2 2 W", "1 2 B"), "dead_lock black", "THE_WINNER_IS_WHITE"),
        (SMALL.replace("_", "B").replace("2 2 W", "2 1 W"), "dead_lock white", "THE_WINNER_IS_BLACK"),
        (SMALL.replace("_", "B").replace("2 2 W", "0 1 W"), "black_win", "THE_WINNER_IS_BLACK"),
    ],
)
def test_states_and_winners(board: str, state: str, over: str) -> None:
    assert Session(load(board), "PRINT_GAME_STATE", "IS_GAME_OVER").answers == [state, over]


# Generation


def expected_boards(position: oracle.Position) -> list[str]:
    return [board_text(after).strip() for after in oracle.unique(oracle.moves(position))]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_generation_is_that_of_the_oracle(size: int) -> None:
    lengths = {2: [2, 3], 3: [3, 4], 4: [4]}[size]
    for position in samples.sample(Random(size), size, lengths, 8)[:8]:
        boards = expected_boards(position)
        winning = [after for after in oracle.unique(oracle.moves(position)) if oracle.outcome(after) != "in_progress"]
        session = Session(
            load(board_text(position)), "GEN_ALL_POS_MOV", "GEN_ALL_POS_MOV_NUM", "GEN_ALL_POS_MOV_EXT_NUM",
            "GEN_ALL_POS_MOV_EXT",
        )  # fmt: skip
        extended = [board_text(winning[0]).strip()] if winning else boards
        assert [answer.strip() for answer in session.answers] == [
            *boards,
            f"{len(boards)}_UNIQUE_MOVES",
            f"{len(extended)}_UNIQUE_MOVES",
            *extended,
        ]


def test_a_finished_game_generates_nothing() -> None:
    session = Session(
        load(OPEN.format("0 3")), "GEN_ALL_POS_MOV", "GEN_ALL_POS_MOV_EXT", "GEN_ALL_POS_MOV_NUM",
        "GEN_ALL_POS_MOV_EXT_NUM",
    )  # fmt: skip
    assert session.answers == ["0_UNIQUE_MOVES", "0_UNIQUE_MOVES"]


# Solving


@pytest.mark.parametrize(
    ("board", "plies", "answer"),
    [
        (SMALL, 0, "WINNING_SEQUENCE_DOES_NOT_EXIST"),
        (SMALL, 1, "WINNING_SEQUENCE_EXISTS WHITE 1"),
        (SMALL, 999_999_999, "WINNING_SEQUENCE_EXISTS WHITE 1"),
        (DRAW, 6, "WINNING_SEQUENCE_DOES_NOT_EXIST"),
        (OPEN.format("0 3"), 0, "WINNING_SEQUENCE_EXISTS BLACK 0"),
        (OPEN.format("1 3"), 1, "WINNING_SEQUENCE_DOES_NOT_EXIST"),
        (OPEN.format("1 3"), 2, "WINNING_SEQUENCE_EXISTS BLACK 2"),
        (OPEN.format("1 3"), 7, "WINNING_SEQUENCE_EXISTS BLACK 2"),
        (SMALL.replace("2 2 W", "2 2 B"), 5, "WINNING_SEQUENCE_EXISTS BLACK 1"),
    ],
)
def test_winning_sequences_are_the_shortest(board: str, plies: int, answer: str) -> None:
    assert Session(load(board), f"WINNING_SEQUENCE_EXIST {plies}").answers == [answer]


def test_a_win_that_is_longer_than_asked_for_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Solution(Result.FIRST, 7, 7, refuted=3, nodes=0, positions=100)
    monkeypatch.setattr(gipf, "solve", lambda *_, **__: known)
    session = Session(load(DRAW), "WINNING_SEQUENCE_EXIST 6", "WINNING_SEQUENCE_EXIST 7")
    assert session.answers == ["WINNING_SEQUENCE_DOES_NOT_EXIST", "WINNING_SEQUENCE_EXISTS WHITE 7"]


@pytest.mark.parametrize(
    ("board", "answer"),
    [
        (SMALL, "WHITE_HAS_WINNING_STRATEGY"),
        (SMALL.replace("2 2 W", "2 2 B"), "BLACK_HAS_WINNING_STRATEGY"),
        (OPEN.format("0 3"), "BLACK_HAS_WINNING_STRATEGY"),
        (OPEN.format("1 3"), "BLACK_HAS_WINNING_STRATEGY"),
        (DRAW, "BOTH_PLAYERS_TIE"),
    ],
)
def test_solving_names_the_winner_or_the_tie(
    board: str, answer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The tie is known from a tablebase."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(tablebase.DIRECTORY_VARIABLE)
    assert Session(load(board), "SOLVE_GAME_STATE").answers == [answer]


# Robustness


def test_what_is_too_large_is_named_and_the_shell_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gipf, "PLACES", 1)
    session = Session(load(CROSSING), "GEN_ALL_POS_MOV_NUM", "IS_GAME_OVER")
    assert session.answers == ["GAME_IN_PROGRESS"]
    assert session.complaints == snapshot(["GEN_ALL_POS_MOV_NUM: too large for this machine: the arena is full"])


def test_a_letter_behind_the_numbers_of_the_header_has_no_meaning() -> None:
    rows = ["  W _ B", " _ _ _ _", "B _ _ _ W", " _ _ _ _", "  W _ B"]
    for letter in "WB":
        session = Session(load(with_rows(f"3 3 10 9 {letter}", "7 6 W", *rows)), "PRINT_GAME_BOARD")
        assert session.answers == [with_rows("3 3 10 9", "7 6 W", *rows, "")]
        assert session.complaints == []
    for header in ("3 3 10 9 w", "3 3 10 9 W W", "3 3 10 9 7"):
        assert Session(load(with_rows(header, "7 6 W", *rows))).output == ["WRONG_GAME_PARAMETERS"]
