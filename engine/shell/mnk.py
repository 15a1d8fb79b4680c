"""The shell of m,n,k-games: the commands and answers of docs/rules.md, section 4.2.

Further rules:

- The words of a command are its name, N M K, the active player and the fields. Any spaces and newlines separate them.
  The answer follows the last word.
- A wrong command gets one sentence on stderr, with the number of the line, and no answer. Everything up to the next
  command is skipped.
- `SOLVE_GAME_STATE` has no time limit: there is no answer for an unknown result.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from engine.games.interface import DRAWN, UNDECIDED, WON, BadPosition
from engine.games.kernels import KernelSource
from engine.games.mnk import board
from engine.games.mnk.position import MnkPosition, bind, compiled_set
from engine.games.mnk.rules import State
from engine.shell import Shell
from engine.solve.proof_search import PROVING
from engine.solve.provers import Prover

SOLVED = ("FIRST_PLAYER_WINS", "SECOND_PLAYER_WINS")
TIE = "BOTH_PLAYERS_TIE"

HEADER_WORDS = 4
"""Words between a command's name and the fields: N, M, K and the active player."""

COMPILE_FROM, LOAD_FROM = 8_000, 500
"""Commands of a variant before its rules are compiled, or compiled code is loaded. They take about as long as this:
some seconds, or some hundredths of a second."""

POLL_COMMANDS, FIRST_PORTION = 50, 1 << 5
"""Commands between two checks for compiled code, and nodes of a search before its first check. Each further portion has
twice as many nodes."""

COMPILED_PORTION = 1 << 10
"""Nodes of a compiled search before buffered answers are flushed: about a millisecond."""

NODE_COST = 8
"""Cost of a node of an interpreted search, in commands."""

MAX_CACHED_VALUES = 1 << 16
"""Cached values of positions of a variant: tests repeat positions."""

TABLE_BYTES = 1 << 28
"""Largest size of a variant's table of solved positions."""

MAX_SHOWN = 20
"""Characters of an unknown word in an error."""


class _Solver:
    """Solves positions of one variant, with interpreted rules until compiled rules are ready."""

    def __init__(self, parameters: board.Parameters, flush: Callable[[], None]) -> None:
        self._flush = flush
        self.parameters = parameters
        self.fields = parameters.rows * parameters.columns
        self.rules = bind(parameters)
        self._start = MnkPosition(parameters, State(0, 0, 0))
        self._prover = Prover(self._start.kernel(compile=False), memory=TABLE_BYTES)
        self._kernels = KernelSource(self._start, PROVING, compile_from=COMPILE_FROM, load_from=LOAD_FROM)
        self._commands = self._spent = 0
        self._is_compiled = False
        self.value = lru_cache(MAX_CACHED_VALUES)(self._value)
        """Returns the value of a position for the side to move: LOST, DRAWN or WON."""

    def _value(self, state: State) -> int:
        value = self.rules.verdict(state)
        return self._solved(state) if value == UNDECIDED else value

    def _solved(self, state: State) -> int:
        """Return the value of a position that is not over."""
        self._commands += 1
        if not self._is_compiled and self._commands % POLL_COMMANDS == 0:
            self._check_code()
        portion = FIRST_PORTION
        while not self._is_compiled:
            value = self._prover.solve(state, portion)
            if value is not None:
                return value
            self._flush()
            portion *= 2
            self._check_code()
        first, second = (compiled_set(pieces, self.fields) for pieces in (state.first, state.second))
        state = State(first, second, state.side)
        value = self._prover.solve(state, COMPILED_PORTION)
        if value is None:
            self._flush()
            value = self._prover.solve(state)
            assert value is not None
        return value

    def _check_code(self) -> None:
        """Change to compiled rules if they are ready, or start to compile them, depending on the cost so far."""
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
    """The digits of all fields, in row-major order."""
    state: State


class _EndsEarly(Exception):
    """The words of a command end early, at the next command or at the end of the input."""


class Commands(Shell):
    """The commands, and the solver of each variant."""

    def __post_init__(self) -> None:
        """Begin without a command."""
        self._commands: dict[str, Callable[[_Board], None]] = {
            "GEN_ALL_POS_MOV": self._generate,
            "GEN_ALL_POS_MOV_CUT_IF_GAME_OVER": self._generate_cut,
            "SOLVE_GAME_STATE": self._solve,
        }
        self._header = cache(board.read_header)
        self._solver = cache(lambda parameters: _Solver(parameters, self.flush))
        self._line = 0
        """Number of the last line that was read."""
        self._words = self._all_words()
        self._next: str | None = None
        """The next word to interpret; None at the end."""

    def run(self) -> None:
        """Execute all commands."""
        self._next = next(self._words, None)
        while self._next is not None:
            name = self._next
            if name in self._commands:
                self._execute(name)
            else:
                self._refuse(f"expected one of the commands {', '.join(self._commands)}; not {name[:MAX_SHOWN]!r}")

    def _all_words(self) -> Iterator[str]:
        for line in self.lines:
            self._line += 1
            yield from line.split()

    def _take(self, count: int) -> list[str]:
        """Return the next ``count`` words; raises `_EndsEarly`."""
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

    def _execute(self, name: str) -> None:
        """Read the words of a command, and execute it."""
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
            self._refuse(f"a field is 0, 1 or 2, not {wrong[:MAX_SHOWN]!r}")
            return
        self._commands[name](_Board(solver, side, fields, State(*board.pieces(fields), side)))
        self._next = next(self._words, None)

    def _refuse(self, sentence: str) -> None:
        """Write an error, and skip all words up to the next command."""
        self.complain(f"line {self._line}: {sentence}")
        self._next = next((word for word in self._words if word in self._commands), None)

    # Commands

    def _generate(self, given: _Board) -> None:
        """Print the number of moves, and the board after each."""
        over = given.solver.rules.verdict(given.state) != UNDECIDED
        self._print(given, [] if over else [at for at, field in enumerate(given.fields) if field == "0"])

    def _generate_cut(self, given: _Board) -> None:
        """Print the same, but only one move if a move wins."""
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
        self.write(TIE if value == DRAWN else SOLVED[given.side if value == WON else 1 - given.side])
