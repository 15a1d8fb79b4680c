"""The shell of m,n,k-games: the commands and answers of docs/rules.md, section 4.2.

What that section leaves open is done so:

- The words of a command - its name, N M K and the active player, the fields - may be separated by any spaces and
  newlines. It is answered as soon as the last of them has come.
- What is wrong gets one sentence on stderr, with the number of the line, and no answer. Everything up to the next
  name of a command is then skipped.
- `SOLVE_GAME_STATE` takes as long as it needs: there is no answer for not knowing.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from engine.games.interface import DRAWN, UNDECIDED, WON, BadPosition
from engine.games.kernels import KernelSource
from engine.games.mnk import board
from engine.games.mnk.board import Parameters
from engine.games.mnk.kernel import bind, compiled_set
from engine.games.mnk.position import MnkPosition
from engine.games.mnk.rules import State
from engine.shell import Shell
from engine.solve.proof_search import PROVING, Prover

SOLVED = ("FIRST_PLAYER_WINS", "SECOND_PLAYER_WINS")
TIE = "BOTH_PLAYERS_TIE"

HEADER_WORDS = 4
"""Words between a command's name and the fields: N, M, K and the active player."""

INTERPRETED, LOADED_FROM = 8_000, 500
"""After so many commands for one N, M and K another process compiles its rules, which takes a few seconds, or what it
has compiled is loaded, which takes some hundredths of one: about what the commands have taken by then."""

COMMANDS_A_LOOK, FIRST_PORTION = 50, 1 << 5
"""Commands between two looks at whether that process is done, and nodes of a search before the first one: twice as many
before the next."""

COMPILED_PORTION = 1 << 10
"""Nodes of a compiled search, about a millisecond, after which it may take longer than answers are kept for."""

NODE_COST = 8
"""A node of an interpreted search takes as long as so many commands."""

MAX_KNOWN = 1 << 16
"""Positions of a variant of which the answer is remembered as it was given: tests repeat them."""

TABLE_BYTES = 1 << 28
"""What a variant's table of settled positions may take at most."""

SHOWN = 20
"""Of a word that is not understood so many characters are shown."""


class _Solver:
    """The values of positions of one variant: found by interpreted rules until compiled ones are there."""

    def __init__(self, parameters: Parameters, flush: Callable[[], None]) -> None:
        self._flush = flush
        self.parameters = parameters
        self.fields = parameters.rows * parameters.columns
        self.rules = bind(parameters)
        self._start = MnkPosition(parameters, State(0, 0, 0))
        self._prover = Prover(self._start.kernel(compile=False), memory=TABLE_BYTES)
        self._kernels = KernelSource(self._start, PROVING, compile_from=INTERPRETED, load_from=LOADED_FROM)
        self._commands = self._spent = 0
        self._is_compiled = False
        self.value = lru_cache(MAX_KNOWN)(self._value)
        """Return the value of a position for the side to move: LOST, DRAWN or WON."""

    def _value(self, state: State) -> int:
        value = self.rules.verdict(state)
        return self._solved(state) if value == UNDECIDED else value

    def _solved(self, state: State) -> int:
        """Return the value of a position in which the game goes on."""
        self._commands += 1
        if not self._is_compiled and self._commands % COMMANDS_A_LOOK == 0:
            self._look_for_code()
        portion = FIRST_PORTION
        while not self._is_compiled:
            value = self._prover.settle(state, portion)
            if value is not None:
                return value
            self._flush()
            portion *= 2
            self._look_for_code()
        first, second = (compiled_set(pieces, self.fields) for pieces in (state.first, state.second))
        state = State(first, second, state.side)
        value = self._prover.settle(state, COMPILED_PORTION)
        if value is None:
            self._flush()
            value = self._prover.settle(state)
            assert value is not None
        return value

    def _look_for_code(self) -> None:
        """Go over to compiled rules where they are there and worth while; have them made where they are not."""
        cost = self._commands + NODE_COST * self._prover.nodes - self._spent
        self._spent += cost
        if self._kernels.spend(cost):
            self._prover = Prover(self._start.kernel(), memory=TABLE_BYTES)
            self._is_compiled = True


class _Board(NamedTuple):
    """The board of a command."""

    solver: _Solver
    side: int
    fields: str
    """A digit each, in row-major order."""
    state: State


class _EndsEarly(Exception):
    """A command whose words end early: at the name of the next command, or at the end of the input."""


class Commands(Shell):
    """The commands, and what is kept for each variant."""

    def __post_init__(self) -> None:
        """Begin with no command."""
        self._commands: dict[str, Callable[[_Board], None]] = {
            "GEN_ALL_POS_MOV": self._generate,
            "GEN_ALL_POS_MOV_CUT_IF_GAME_OVER": self._generate_cut,
            "SOLVE_GAME_STATE": self._solve,
        }
        self._header = cache(board.read_header)
        self._solver = cache(lambda parameters: _Solver(parameters, self.flush))
        self._line = 0
        """Number of the line that was read last."""
        self._words = self._all_words()
        self._next: str | None = None
        """The word that was read and belongs to no command yet; None at the end."""

    def run(self) -> None:
        """Carry out one command after the other."""
        self._next = next(self._words, None)
        while self._next is not None:
            name = self._next
            if name in self._commands:
                self._carry_out(name)
            else:
                self._refuse(f"expected a command, not {name[:SHOWN]!r}")

    def _all_words(self) -> Iterator[str]:
        for line in self.lines:
            self._line += 1
            yield from line.split()

    def _take(self, count: int) -> list[str]:
        """Take so many words; raises `_EndsEarly`."""
        found: list[str] = []
        for word in self._words:
            if word in self._commands:
                self._next = word
                raise _EndsEarly
            found.append(word)
            if len(found) == count:
                return found
        self._next = None
        raise _EndsEarly

    def _carry_out(self, name: str) -> None:
        """Read what follows the name of a command, and carry it out."""
        try:
            parameters, side = self._header(tuple(self._take(HEADER_WORDS)))
            solver = self._solver(parameters)
            words = self._take(solver.fields)
        except BadPosition as error:
            self._refuse(str(error))
            return
        except _EndsEarly:
            self.complain(f"line {self._line}: {name} ends too early")
            return
        fields = "".join(words)
        if len(fields) != len(words) or fields.strip(board.FIELDS):
            wrong = next(word for word in words if len(word) > 1 or word not in board.FIELDS)
            self._refuse(f"a field is 0, 1 or 2, not {wrong[:SHOWN]!r}")
            return
        self._commands[name](_Board(solver, side, fields, State(*board.pieces(fields), side)))
        self._next = next(self._words, None)

    def _refuse(self, sentence: str) -> None:
        """Say what is wrong, and skip all words up to the next command."""
        self.complain(f"line {self._line}: {sentence}")
        self._next = next((word for word in self._words if word in self._commands), None)

    # Commands

    def _generate(self, given: _Board) -> None:
        """Print how many moves there are, and the board after each."""
        over = given.solver.rules.verdict(given.state) != UNDECIDED
        self._print(given, [] if over else [at for at, field in enumerate(given.fields) if field == "0"])

    def _generate_cut(self, given: _Board) -> None:
        """Print the same, but a win alone where there is one; a move that fills the board is alone anyhow."""
        rules = given.solver.rules
        winning = 0
        if rules.verdict(given.state) == UNDECIDED:
            winning = rules.winning_fields(rules.own_of(given.state), rules.other_of(given.state))
        if winning:
            self._print(given, [(winning & -winning).bit_length() - 1])
        else:
            self._generate(given)

    def _print(self, given: _Board, fields: list[int]) -> None:
        rows = board.rows(given.solver.parameters, given.fields)
        player = board.PLAYERS[given.side]
        # in the rows a field is every second character
        boards = [f"{rows[: 2 * field]}{player}{rows[2 * field + 1 :]}" for field in fields]
        self.write("\n".join([str(len(boards)), *boards]))

    def _solve(self, given: _Board) -> None:
        value = given.solver.value(given.state)
        winner = given.side if value == WON else 1 - given.side
        self.write(TIE if value == DRAWN else SOLVED[winner])
