"""The search functions bound to one game's kernel: compiled with it, or interpreted like it.

Nobody has to wait for the compiler: `CompiledCode` tells whether compiled functions are on the disk, and has another
process make them. The same functions run interpreted until then, and small work never needs others.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeVarTuple, cast

from engine.compiling.binding import Binding, CompiledFunction, Numbers, specialise, zeros
from engine.compiling.compile_process import CompileProcess
from engine.games.interface import Arena, Kernel, LayerRules, Position, Rules
from engine.search.capabilities import WORDS

MAX_BOUND = 256
"""Bindings that are kept, the latest used: some for each board that is searched, and one board may follow another."""

Functions = TypeVarTuple("Functions")


def bind(functions: tuple[*Functions], kernel: Kernel) -> tuple[*Functions]:
    """Return copies of search functions, bound to a kernel's rules with all that they call; each binding is made once.

    Where the rules have a function of the same name, that takes its place.
    """
    return cast(tuple[*Functions], _bind(functions, kernel.rules, kernel.compiled))


@lru_cache(MAX_BOUND)
def _bind(functions: tuple[Any, ...], rules: Rules, compiled: bool) -> tuple[Any, ...]:
    read = fields(LayerRules if isinstance(rules, LayerRules) else Rules)
    constants = {field.name: value for field in read if (value := getattr(rules, field.name)) is not None}
    return specialise(functions, rules.label, constants, compile=compiled)


def longer(values: Numbers, count: int) -> Numbers:
    """Return an array or arena with the same beginning, lengthened by zeros to that many numbers."""
    if isinstance(values, list):
        return values + [0] * (count - len(values))
    view = memoryview(cast(Any, values))
    lengthened = zeros(view.format, count)
    memoryview(cast(Any, lengthened))[: len(view)] = view
    return lengthened


def copy_of(values: Numbers) -> Numbers:
    """Return an array with the same numbers."""
    view = memoryview(cast(Any, values))
    return array(view.format, view.tobytes())


def same(arena: Arena, at: int, other: Arena, there: int) -> bool:
    """Tell whether two places of two arenas hold the same numbers. One of the functions to bind."""
    word = 0
    while word < WORDS and arena[at * WORDS + word] == other[there * WORDS + word]:
        word += 1
    return word == WORDS


SEARCHING, SOLVING, LOOKING_UP, COUNTING = "search", "solve", "tablebase", "perft"
"""Purposes for which code is compiled: what bots think with, what finds out who wins, a search with a tablebase, and
counting leaves."""


class CodeSource(Protocol):
    """What knows whether compiled code is there, and can have it made."""

    def is_ready(self) -> bool:
        """Tell whether code is there that can be loaded in a moment. Once it is, it remains so."""

    def start(self, *, urgent: bool = False) -> None:
        """Have it made, where that is not done yet and nobody has begun it; returns at once.

        It is made at the lowest priority, but for ``urgent``: where interpreted work takes all cores until it is there.
        """

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for whoever was asked to make it, so many seconds at most; tell whether the code is there."""


class CompiledCode:
    """The compiled code that is needed for a purpose, which ``arena-engine precompile`` compiles."""

    def __init__(
        self,
        position: Position,
        purpose: str,
        functions: Sequence[tuple[Any, ...]],
        of: Callable[[Kernel], Kernel] | None = None,
    ) -> None:
        """Take a position of the board, and the functions that are bound to its rules, together as they are bound.

        ``of`` returns a kernel with more rules, to which they are bound instead; then these functions alone are looked
        for, since what is compiled for the board serves them, too.
        """
        self._of = of
        self._position = position
        self._purpose = purpose
        self._functions = functions
        self._process: CompileProcess | None = None
        self._is_ready = False
        self._is_final = False
        """Whether `is_ready` remains as it is."""

    def is_ready(self) -> bool:
        """Tell whether code is there that can be loaded in a moment. Once it is, it remains so."""
        if not self._is_final and (self._process is None or self._process.has_ended()):
            self._is_ready = self._is_on_disk()
            self._is_final = self._is_ready or self._process is not None
        return self._is_ready

    def start(self, *, urgent: bool = False) -> None:
        """Let a process compile, unless the code is there, or this was tried before: once it has failed, it stays so.

        While a process compiles something else, nothing is done; ask again later.
        """
        if self._process is None and not self._is_final and not self.is_ready() and self.can_be_kept():
            name, parameters = self._position.game.name, self._position.parameters
            caller = ["--for-caller", *(["--urgent"] if urgent else [])]
            try:
                self._process = CompileProcess.start(
                    ["precompile", name, parameters, "--purpose", self._purpose, *caller]
                )
            except OSError:
                self._is_final = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a process that was started, so many seconds at most; tell whether the code is there."""
        if self._process is not None:
            self._process.wait(seconds)
        return self.is_ready()

    def _is_on_disk(self) -> bool:
        bindings = self.bindings
        return len(bindings) > 0 and all(binding.is_kept(self._purpose) for binding in bindings)

    def can_be_kept(self) -> bool:
        """Tell whether a process could compile it for others: where there is a compiler, and a cache to write to."""
        bindings = self.bindings
        return len(bindings) > 0 and all(binding.folder is not None for binding in bindings)

    @cached_property
    def bindings(self) -> list[Binding]:
        """What has to be there: the rules and each group of functions; nothing where the rules do not compile."""
        kernel = self._position.kernel() if self._of is None else self._of(self._position.kernel())
        bound = [bind(together, kernel)[0] for together in self._functions]
        functions = bound if self._of is not None else [kernel.rules.children, *bound]
        return [function.binding for function in functions if isinstance(function, CompiledFunction)]


def counting_code(position: Position) -> CompiledCode:
    """Return what is compiled for counting leaves: the rules alone."""
    return CompiledCode(position, COUNTING, [])
