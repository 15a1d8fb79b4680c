"""The shell of GIPF: the commands, answers and errors of docs/rules.md, section 1.9.

Further rules:

- A board has two header lines and 2S-1 rows. A command ends it early. After a header that cannot be read, everything up
  to the next command is skipped. Each refused board gets a sentence on stderr.
- `WINNING_SEQUENCE_EXIST` without a whole number gets a sentence on stderr and no answer. Other commands ignore further
  words.
- Without a board every command but LOAD_GAME_BOARD answers `EMPTY_BOARD`. A `DO_MOVE` is then no bad move.
- `SOLVE_GAME_STATE` and `WINNING_SEQUENCE_EXIST` have no time limit: there is no answer for an unknown result.
- A command that is too large for this machine gets a sentence on stderr and no answer.
- With `--strict`, moves after a bad move are ignored until a board is loaded.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import cast

from engine.games.gipf import board
from engine.games.gipf.position import GIPF, Ending, GipfPosition
from engine.games.gipf.rules import State
from engine.games.interface import LOST, BadMove, BadParameters, BadPosition
from engine.games.kernels import KernelSource
from engine.shell import Shell
from engine.solve.solver import NO_LIMITS, Result, Solution, SolverLimits, solve, solver_kernels
from engine.solve.tablebase import tablebase_of

COLOURS = ("WHITE", "BLACK")
"""The sides in answers. Game states have them in lower case."""

SOLVED = {
    Result.FIRST: "WHITE_HAS_WINNING_STRATEGY",
    Result.SECOND: "BLACK_HAS_WINNING_STRATEGY",
    Result.DRAW: "BOTH_PLAYERS_TIE",
}

LOAD = "LOAD_GAME_BOARD"

BAD_HEADER = "WRONG_GAME_PARAMETERS"

HEADER_LINES = 2
"""Lines of a board before its rows: L, and reserves and side to move."""

MAX_TABLEBASES = 100
"""Most recently used tablebases that are cached."""

PLACES = 1 << 14
"""Places of the arena for the positions after all moves."""


class Commands(Shell):
    """The board and the commands. Nothing depends on time."""

    def __post_init__(self) -> None:
        """Begin without a board."""
        self._position: GipfPosition | None = None
        self._bad_move: str | None = None
        self._moves_overlooked = False
        self._kernels: dict[tuple[int, ...], KernelSource] = {}
        self._tablebase_of = lru_cache(MAX_TABLEBASES)(lambda parameters: tablebase_of(GIPF.start(parameters)))
        self._commands: dict[str, Callable[[GipfPosition, str], None]] = {
            "PRINT_GAME_BOARD": self._print_board,
            "DO_MOVE": self._do_move,
            "PRINT_GAME_STATE": self._print_state,
            "IS_GAME_OVER": self._is_game_over,
            "GEN_ALL_POS_MOV": partial(self._positions, only_win=False),
            "GEN_ALL_POS_MOV_NUM": partial(self._number, only_win=False),
            "GEN_ALL_POS_MOV_EXT": partial(self._positions, only_win=True),
            "GEN_ALL_POS_MOV_EXT_NUM": partial(self._number, only_win=True),
            "WINNING_SEQUENCE_EXIST": self._winning_sequence,
            "SOLVE_GAME_STATE": self._solve,
        }

    def run(self) -> None:
        """Execute all commands."""
        while (line := self.next_line()) is not None:
            words = line.split(None, 1)
            if not words:
                continue
            try:
                self._execute(words[0], words[1].strip() if len(words) > 1 else "")
            except OverflowError as error:
                self.complain(f"{words[0]}: too large for this machine: {error}")

    def _execute(self, command: str, argument: str) -> None:
        known = command == LOAD or command in self._commands
        if not known or (command == "WINNING_SEQUENCE_EXIST" and not re.fullmatch("[0-9]{1,9}", argument)):
            self.complain(
                f"unknown command: {f'{command} {argument}'.strip()!r}; the commands are "
                f"{', '.join((LOAD, *self._commands))}; a number of plies follows WINNING_SEQUENCE_EXIST"
            )
        elif command == LOAD:
            self._load()
        elif self._position is None:
            self.write("EMPTY_BOARD")
        else:
            self._commands[command](self._position, argument)

    def _next_of_board(self) -> str | None:
        """Return the next non-blank line; None at the end and before a command."""
        while (line := self.next_line()) is not None:
            words = line.split(None, 1)
            if words and (words[0] == LOAD or words[0] in self._commands):
                self.put_back(line)
                return None
            if words:
                return line
        return None

    # Commands

    def _load(self) -> None:
        """Read a board, and answer with its error or BOARD_STATE_OK."""
        self._position, self._bad_move, self._moves_overlooked = None, None, False
        lines: list[str] = []
        wanted = 1
        while len(lines) < wanted and (line := self._next_of_board()) is not None:
            lines.append(line)
            wanted = _lines_wanted(lines[0])
        try:
            self._position = cast(GipfPosition, GIPF.read("\n".join(lines)))
        except BadPosition as error:
            self.write(error.code)
            self.complain(f"{error.code}: {error}")
            if error.code == BAD_HEADER:
                while self._next_of_board() is not None:
                    pass
            return
        if self._position.variant.warning:
            self.complain(f"warning: {self._position.variant.warning}")
        self.write("BOARD_STATE_OK")

    def _print_board(self, position: GipfPosition, _: str) -> None:
        self.write(position.text())

    def _do_move(self, position: GipfPosition, text: str) -> None:
        if self._moves_overlooked:
            return
        try:
            self._position = cast(GipfPosition, position.play(text))
        except BadMove as error:
            self._bad_move = text
            self._moves_overlooked = self.strict
            self.write(error.code)
            self.complain(f"{error.code}: {error}")
            return
        self._bad_move = None
        self.write("MOVE_COMMITTED")

    def _print_state(self, position: GipfPosition, _: str) -> None:
        outcome = position.outcome
        mover, other = COLOURS[position.turn].lower(), COLOURS[1 - position.turn].lower()
        if self._bad_move is not None:
            self.write(f"bad_move {mover} {self._bad_move}".rstrip())
        elif outcome is None:
            self.write("in_progress")
        else:
            self.write(f"dead_lock {mover}" if outcome.reason == Ending.DEAD_LOCK else f"{other}_win")

    def _is_game_over(self, position: GipfPosition, _: str) -> None:
        self.write(f"THE_WINNER_IS_{COLOURS[1 - position.turn]}" if position.is_over else "GAME_IN_PROGRESS")

    def _winning_sequence(self, position: GipfPosition, plies: str) -> None:
        solution = self._solution(position, SolverLimits(plies=int(plies)))
        if solution.plies is None or solution.plies > int(plies):
            self.write("WINNING_SEQUENCE_DOES_NOT_EXIST")
        else:
            self.write(f"WINNING_SEQUENCE_EXISTS {COLOURS[solution.result == Result.SECOND]} {solution.plies}")

    def _solve(self, position: GipfPosition, _: str) -> None:
        self.write(SOLVED[self._solution(position, NO_LIMITS).result])

    # Generation

    def _positions(self, position: GipfPosition, _: str, *, only_win: bool) -> None:
        """Print the positions after all moves."""
        for state in self._generate(position, only_win=only_win):
            self.write(board.write(position.variant, state))

    def _number(self, position: GipfPosition, _: str, *, only_win: bool) -> None:
        """Print the number of positions after all moves."""
        self.write(f"{len(self._generate(position, only_win=only_win))}_UNIQUE_MOVES")

    def _generate(self, position: GipfPosition, *, only_win: bool) -> list[State]:
        """Return the states after all moves, in order. With ``only_win`` a winning move leaves only its state."""
        self.flush()
        kernel = self._kernels_of(position).kernel_for(position, 1)
        rules = kernel.rules
        arena = kernel.arena(PLACES)
        states = [State(*map(int, rules.load(arena, at))) for at in range(rules.children(kernel.state, arena, 0))]
        won = next((state for state in states if rules.verdict(state) == LOST), None) if only_win else None
        return states if won is None else [won]

    def _solution(self, position: GipfPosition, limits: SolverLimits) -> Solution:
        self.flush()
        tablebase = self._tablebase_of(position.parameters)
        return solve(position, limits, kernels=self._kernels_of(position), tablebase=tablebase)

    def _kernels_of(self, position: GipfPosition) -> KernelSource:
        """Return the kernels of a position's board and K. A generation costs as much as a node of the solver."""
        kind = position.variant[:2]
        if kind not in self._kernels:
            self._kernels[kind] = solver_kernels(position)
        return self._kernels[kind]


def _lines_wanted(first: str) -> int:
    """Return the number of lines of a board from its first line; 1 if that is wrong."""
    try:
        return HEADER_LINES + 2 * board.parameters_of(first).size - 1
    except BadParameters:
        return 1
