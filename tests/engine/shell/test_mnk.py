"""The shell of m,n,k-games: every command, answer and fault of docs/rules.md, section 4.2."""

from random import Random

import pytest
from inline_snapshot import snapshot

from engine.shell import mnk
from tests.engine.mnk.samples import CAMPAIGN, random_board, random_game
from tests.oracles import mnk as oracle

EXPECTED = "expected one of the commands GEN_ALL_POS_MOV, GEN_ALL_POS_MOV_CUT_IF_GAME_OVER, SOLVE_GAME_STATE"
OPEN = "2 2 2 2\n1 0\n0 0\n"
SECOND_WINS = "3 3 3 1\n2 2 2\n1 1 0\n0 0 0\n"
FIRST_WINS = "3 3 3 1\n2 2 0\n1 1 1\n0 0 2\n"
BOTH_HAVE_LINES = "3 3 3 1\n1 1 1\n0 0 0\n2 2 2\n"
FULL = "2 2 3 1\n1 2\n1 2\n"


class Session:
    """A shell that was given everything at once: what it wrote, and what it complained about."""

    def __init__(self, text: str) -> None:
        self.complaints: list[str] = []
        self.output: list[str] = []
        mnk.Commands(
            text.splitlines(keepends=True),
            self.output.append,
            self.complaints.append,
            strict=False,
            clock=lambda: 0.0,
        ).run()


def answer(command: str, position: str) -> str:
    """Return the answer to a command that is understood."""
    session = Session(f"{command}\n{position}")
    assert session.complaints == []
    assert len(session.output) == 1
    return session.output[0]


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (SECOND_WINS, "SECOND_PLAYER_WINS"),
        (FIRST_WINS, "FIRST_PLAYER_WINS"),
        (BOTH_HAVE_LINES, "SECOND_PLAYER_WINS"),
        (BOTH_HAVE_LINES.replace("3 1\n", "3 2\n"), "FIRST_PLAYER_WINS"),
        (FULL, "BOTH_PLAYERS_TIE"),
        (OPEN, "FIRST_PLAYER_WINS"),
        ("3 3 3 2\n1 1 0\n2 2 0\n1 2 0\n", "SECOND_PLAYER_WINS"),
        ("2 2 9 1\n0 0\n0 0\n", "BOTH_PLAYERS_TIE"),
    ],
)
def test_solving_names_the_winner_or_the_tie(board: str, expected: str) -> None:
    assert answer("SOLVE_GAME_STATE", board) == expected


@pytest.mark.slow("interpreted")
def test_a_long_input_is_answered_as_the_oracle_answers_it() -> None:
    """Nothing stands between the answers; what is solved has few empty fields."""
    chance = Random(1)
    commands, expected = "", []
    for _ in range(70 * CAMPAIGN):
        rows, columns = chance.choice([(3, 3), (3, 4), (4, 4), (1, 5), (5, 2)])
        length = chance.choice([2, 3, 3, 4])
        positions = [random_board(chance, rows, columns, length)]
        positions += list(random_game(chance, rows, columns, length))[-6:]
        for position in positions:
            name = chance.choice(["GEN_ALL_POS_MOV", "GEN_ALL_POS_MOV_CUT_IF_GAME_OVER", "SOLVE_GAME_STATE"])
            if name == "SOLVE_GAME_STATE":
                if len(oracle.empty_fields(position)) > 6:
                    continue
                expected.append(oracle.solved(position))
            else:
                expected.append(oracle.generated(position, cut="CUT" in name).rstrip("\n"))
            commands += f"{name}\n{oracle.text(position)}" + chance.choice(["", "\n", " \n\n"])
    session = Session(commands)
    assert session.complaints == []
    assert session.output == expected


@pytest.mark.parametrize(
    "text",
    [
        "SOLVE_GAME_STATE 2 2 2 2 1 0 0 0",
        "\n SOLVE_GAME_STATE\n\n2 2\n2\n2 1\n0 0\n0\n",
        "SOLVE_GAME_STATE 2 2 2 2\r\n1 0\r\n0 0\r\n",
        "SOLVE_GAME_STATE\n2\t2  2 2\n\n\n1\n0\n0\n0",
    ],
)
def test_words_may_be_parted_in_any_way(text: str) -> None:
    for repeated in (1, 3):
        session = Session("\n".join([text] * repeated))
        assert (session.output, session.complaints) == (["FIRST_PLAYER_WINS"] * repeated, [])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SOLVE\n2 2 2 1\n0 0\n0 0\n", f"line 1: {EXPECTED}; not 'SOLVE'"),
        ("7\n", f"line 1: {EXPECTED}; not '7'"),
        ("SOLVE_GAME_STATE\n2 2 x 1\n0 0\n0 0\n", "line 2: m,n,k-games take three numbers"),
        ("SOLVE_GAME_STATE\n2 20 2 1\n0 0\n0 0\n", "line 2: M is 20"),
        ("SOLVE_GAME_STATE\n2 2 2 0\n0 0\n0 0\n", "line 2: the player to move is 1 or 2, not '0'"),
        ("SOLVE_GAME_STATE\n2 2 2 1\n0 0\n0 3\n", "line 4: a field is 0, 1 or 2, not '3'"),
        ("SOLVE_GAME_STATE\n2 2 2 1\n0 0\n00 0\n", "line 4: a field is 0, 1 or 2, not '00'"),
        ("SOLVE_GAME_STATE\n2 2 2 1\n0 0\n00\n", "line 5: SOLVE_GAME_STATE ends too early"),
        ("SOLVE_GAME_STATE\n2 2\n", "line 3: SOLVE_GAME_STATE ends too early"),
    ],
)
def test_what_is_wrong_is_said_once_and_the_next_command_is_answered(text: str, complaint: str) -> None:
    session = Session(f"{text}SOLVE_GAME_STATE\n{OPEN}")
    assert session.output == ["FIRST_PLAYER_WINS"]
    assert len(session.complaints) == 1
    assert session.complaints[0].startswith(complaint)


def test_words_behind_a_complete_board_are_no_part_of_it() -> None:
    session = Session(f"SOLVE_GAME_STATE\n{OPEN}0 0\n0 0\nSOLVE_GAME_STATE\n{OPEN}")
    assert session.output == ["FIRST_PLAYER_WINS"] * 2
    assert session.complaints == [f"line 5: {EXPECTED}; not '0'"]


def test_a_command_in_the_middle_of_a_wrong_line_is_found() -> None:
    session = Session("SOLVE_GAME_STATE 2 2 GEN_ALL_POS_MOV 1 1 1 1 0 x SOLVE_GAME_STATE 1 1 1 1 0\n")
    assert session.output == ["1\n1", "FIRST_PLAYER_WINS"]
    assert len(session.complaints) == 2


def test_a_command_without_an_end_is_complained_about() -> None:
    session = Session("SOLVE_GAME_STATE\n2 2 2 1\n0 0\n")
    assert session.output == []
    assert session.complaints == snapshot(["line 3: SOLVE_GAME_STATE ends too early"])
    assert Session("").complaints == []
