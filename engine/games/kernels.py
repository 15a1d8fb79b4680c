"""Kernels that are interpreted until compiled code is ready.

Nothing waits for the compiler. Work begins with interpreted rules and counts its cost. At some cost a process starts to
compile. When its code is on the disk, the next kernel is compiled. Interpreted and compiled rules have the same
results, so the time of the change does not matter. Small work needs no compiler.

The process has a low priority. It outlives a caller that ends normally, so that its work is there the next time. It
ends with a caller that is killed.
"""

import atexit
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVarTuple, cast

from engine.compiling.binding import Binding, CompiledFunction, specialise
from engine.games.interface import Kernel, LayerRules, Position, Rules


class CompileProcess(subprocess.Popen[bytes]):
    """A process that carries out ``arena-engine precompile``. It ends if its standard input ends without a byte."""

    _latest: "CompileProcess | None" = None

    @classmethod
    def start(cls, arguments: Sequence[str]) -> "CompileProcess | None":
        """Start a process, or return None while the last one still runs; raises OSError.

        One at a time: clients choose the boards of a server's searches, but not how much is compiled at once.
        """
        if cls._latest is not None and cls._latest.poll() is None:
            return None
        if cls._latest is not None and cls._latest.stdin is not None:
            cls._latest.stdin.close()
        command = [sys.executable, "-P", "-m", "engine", *arguments, "--attached"]
        nothing = subprocess.DEVNULL
        cls._latest = cls(command, bufsize=0, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)
        return cls._latest

    @staticmethod
    @atexit.register
    def detach() -> None:
        """Let the process that compiles go on when this one ends."""
        latest = CompileProcess._latest
        if latest is not None and latest.stdin is not None:
            with suppress(OSError), latest.stdin:
                latest.stdin.write(b"\n")
            latest.returncode = 0  # nobody waits for it, and Python is not to warn of that


MAX_BOUND = 256
"""Most recently used bindings that are cached: some for each board that is searched."""

NEVER = float("inf")
"""A cost that no work reaches."""

Functions = TypeVarTuple("Functions")


def bind(functions: tuple[*Functions], kernel: Kernel) -> tuple[*Functions]:
    """Return copies of functions, bound to the rules of a kernel with everything that they call.

    A function of the rules replaces a function of the same name. Each binding is made once.
    """
    return cast(tuple[*Functions], _bind(functions, kernel.rules, kernel.compiled))


@lru_cache(MAX_BOUND)
def _bind(functions: tuple[Any, ...], rules: Rules, compiled: bool) -> tuple[Any, ...]:
    read = fields(LayerRules if isinstance(rules, LayerRules) else Rules)
    constants = {field.name: value for field in read if (value := getattr(rules, field.name)) is not None}
    return specialise(functions, rules.label, constants, compile=compiled)


class Purpose(NamedTuple):
    """A purpose for which ``arena-engine precompile`` compiles code."""

    name: str
    functions: Callable[[Kernel], Sequence[tuple[Any, ...]]] = lambda kernel: ()
    """Returns the functions that are bound to the rules of a kernel, in the groups in which they are bound."""
    extended: Callable[[Kernel], Kernel] | None = None
    """Returns a kernel with more rules, to which the functions are bound instead. Then only the code of these functions
    must be ready: they share the other code of the board."""


class KernelSource:
    """Supplies the kernels of one board, and compiles them in the background."""

    def __init__(
        self,
        position: Position,
        purpose: Purpose,
        *,
        compile_from: float = 0,
        load_from: float = 0,
        compiling: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a position of the board, and costs of interpreted work in any unit.

        At the cost ``compile_from`` another process starts to compile, and ``compiling`` is called. At the cost
        ``load_from`` compiled code is loaded, which takes some hundredths of a second.
        """
        self._position = position
        self._purpose = purpose
        self._compile_from = compile_from
        self._load_from = load_from
        self._compiling = compiling
        self._spent = 0.0
        self._process: CompileProcess | None = None
        self._is_ready = False
        self._is_final = False
        """Whether `is_ready` no longer changes."""

    def kernel_for(self, position: Position, cost: float = 0) -> Kernel:
        """Return the kernel of a position of the board for work of a cost, compiled if the code is ready."""
        return position.kernel(compile=self.spend(cost))

    def spend(self, cost: float) -> bool:
        """Add the cost of interpreted work; tell whether to continue with compiled code."""
        self._spent += cost
        if self._spent >= self._compile_from:
            self.start()
        return self._spent >= self._load_from and self.is_ready()

    def is_ready(self) -> bool:
        """Tell whether compiled code is on the disk. It remains so."""
        if not self._is_final and (self._process is None or self._process.poll() is not None):
            kept = [binding.is_complete(self._purpose.name) for binding in self.bindings]
            self._is_ready = bool(kept) and all(kept)
            self._is_final = self._is_ready or self._process is not None
        return self._is_ready

    def start(self, *, urgent: bool = False) -> None:
        """Start a process that compiles; returns at once.

        Does nothing if the code is ready, if it was tried before, or while another process compiles. The process has
        the lowest priority, except for ``urgent`` work, which would use all cores until the code is ready.
        """
        if self._process is not None or self._is_final or self.is_ready():
            return
        if not self.bindings or any(binding.folder is None for binding in self.bindings):
            return  # no compiler, or no cache directory
        command = ["precompile", self._position.game.name, self._position.parameters, "--purpose", self._purpose.name]
        try:
            self._process = CompileProcess.start([*command, *([] if urgent else ["--background"])])
        except OSError:
            self._is_final = True
        if self._process is not None:
            self._compiling()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most ``seconds`` for the process; tell whether the code is ready."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.is_ready()

    @cached_property
    def bindings(self) -> list[Binding]:
        """The bindings whose code must be ready: the rules, and each group of functions. Empty without a compiler."""
        kernel = self._position.kernel()
        if self._purpose.extended is not None:
            kernel = self._purpose.extended(kernel)
        functions = [bind(together, kernel)[0] for together in self._purpose.functions(kernel)]
        if self._purpose.extended is None:
            functions.insert(0, kernel.rules.children)
        return [function.binding for function in functions if isinstance(function, CompiledFunction)]


COUNTING = Purpose("perft")
"""Perft, which needs only the rules."""
