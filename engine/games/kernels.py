"""The best kernel of a position that there is now: interpreted, until compiled code can be loaded in a moment.

Nobody waits for the compiler. Work begins with interpreted rules, and counts what it costs. After some cost a process
of its own is started that compiles; when its code is on the disk, the next kernel is compiled. Interpreted and compiled
rules lead to the same results, so the time of the change decides nothing else. Small work never needs a compiler.

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
        """Start one, or return None while another one that this process has started runs; raises OSError.

        Clients choose the boards of which a server's processes think, but not how much is compiled at once.
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
            with suppress(OSError):
                latest.stdin.write(b"\n")


MAX_BOUND = 256
"""Bindings that are kept, the latest used: some for each board that is searched, and one board may follow another."""

NEVER = float("inf")
"""A cost that no work reaches."""

Functions = TypeVarTuple("Functions")


def bind(functions: tuple[*Functions], kernel: Kernel) -> tuple[*Functions]:
    """Return copies of functions, bound to a kernel's rules with all that they call; each binding is made once.

    Where the rules have a function of the same name, that takes its place.
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
    """Returns the functions that are bound to the rules of a kernel, together as they are bound."""
    extended: Callable[[Kernel], Kernel] | None = None
    """Returns a kernel with more rules, to which the functions are bound instead. Then the code of these functions
    alone is looked for: the code of the board serves them, too."""


class KernelSource:
    """Gives the best kernels of one board that there are now, and has better ones compiled."""

    def __init__(
        self,
        position: Position,
        purpose: Purpose,
        *,
        compile_from: float = 0,
        load_from: float = 0,
        compiling: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a position of the board, and costs of interpreted work, in a unit of the caller's.

        From a cost of ``compile_from`` on another process compiles, and ``compiling`` is called when it begins; from
        ``load_from`` on it is worth while to load compiled code, which takes some hundredths of a second.
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
        """Whether `is_ready` remains as it is."""

    def kernel_for(self, position: Position, cost: float = 0) -> Kernel:
        """Return the best kernel of a position of the board that there is now, for work of a cost."""
        return position.kernel(compile=self.spend(cost))

    def spend(self, cost: float) -> bool:
        """Count interpreted work; tell whether to go on with compiled code."""
        self._spent += cost
        if self._spent >= self._compile_from:
            self.start()
        return self._spent >= self._load_from and self.is_ready()

    def is_ready(self) -> bool:
        """Tell whether code is there that can be loaded in a moment. Once it is, it remains so."""
        if not self._is_final and (self._process is None or self._process.poll() is not None):
            kept = [binding.is_kept(self._purpose.name) for binding in self.bindings]
            self._is_ready = bool(kept) and all(kept)
            self._is_final = self._is_ready or self._process is not None
        return self._is_ready

    def start(self, *, urgent: bool = False) -> None:
        """Have another process compile; returns at once.

        Nothing is done where the code is there, where this was tried before, and while the process compiles something
        else: ask again later. The process has the lowest priority, except for ``urgent`` work: where interpreted work
        takes all cores until the code is there.
        """
        if self._process is not None or self._is_final or self.is_ready():
            return
        if not self.bindings or any(binding.folder is None for binding in self.bindings):
            return  # there is no compiler, or no cache to write to
        command = ["precompile", self._position.game.name, self._position.parameters, "--purpose", self._purpose.name]
        try:
            self._process = CompileProcess.start([*command, *([] if urgent else ["--background"])])
        except OSError:
            self._is_final = True
        if self._process is not None:
            self._compiling()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a process that was started, so many seconds at most; tell whether the code is there."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.is_ready()

    @cached_property
    def bindings(self) -> list[Binding]:
        """What has to be there: the rules and each group of functions; nothing where the rules do not compile."""
        kernel = self._position.kernel()
        if self._purpose.extended is not None:
            kernel = self._purpose.extended(kernel)
        functions = [bind(together, kernel)[0] for together in self._purpose.functions(kernel)]
        if self._purpose.extended is None:
            functions.insert(0, kernel.rules.children)
        return [function.binding for function in functions if isinstance(function, CompiledFunction)]


COUNTING = Purpose("perft")
"""Counting leaves, which needs the rules alone."""
