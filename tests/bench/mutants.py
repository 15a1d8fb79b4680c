"""Mutation testing: ``python -m tests.bench.mutants [ROOM]... [--sample 60] [--seed 1]``, where ROOM is one of `ROOMS`.

A mutant is a module with one small fault in the body of a function. The tests of its room are collected once. Each
mutant then runs them in a fork of that process, in which the code of the function has been exchanged, until one fails.
"""

import argparse
import ast
import gc
import os
import random
import resource
import signal
import time
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

GAMES = tuple(f"tests/games/test_{name}.py" for name in ("against_oracles", "perft", "move_texts", "interface"))
MATCH = ("tests/server/match/test_machines.py", "tests/server/match/test_match.py", "tests/engine/test_clock.py")
CONTEST = tuple(f"tests/server/contest/test_{name}.py" for name in ("standings", "disqualification", "interventions"))
ROOMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "clock": ("engine/match/clock.py", MATCH),
    "referee": ("engine/match/referee.py", (*MATCH, "tests/engine/test_referee.py")),
    "verification": (
        "engine/match/verification.py",
        (*MATCH, "tests/engine/test_record.py", "tests/engine/test_record_mutations.py"),
    ),
    "gipf": ("engine/games/gipf/rules.py", ("-k", "gipf", "tests/engine/gipf", *GAMES)),
    "arrows": ("engine/games/arrows/rules.py", ("-k", "arrows", "tests/engine/arrows", *GAMES)),
    "morris": ("engine/games/morris/rules.py", ("-k", "morris", "tests/engine/morris", *GAMES)),
    "mnk": ("engine/games/mnk/rules.py", ("-k", "mnk", "tests/engine/mnk", *GAMES)),
    "scoring": ("server/contest/scoring.py", CONTEST),
    "elo": ("engine/statistics/elo.py", ("tests/engine/statistics",)),
    "likelihood": ("engine/statistics/likelihood.py", ("tests/engine/statistics",)),
    "online": ("engine/statistics/online.py", ("tests/engine/statistics",)),
    "sandbox": (
        "server/contest/programs/sandbox/seal.py",
        tuple(f"tests/server/contest/runtime/test_{name}.py" for name in ("seal_command", "sealed", "links", "seal")),
    ),
}
"""A module of each room, and the tests that are named for it."""

MAX_TEST_SECONDS = 4.0
"""Processor time of a quick test, which a mutant may keep in a loop for ever."""

MAX_WAIT_SECONDS = 300
"""Time of a mutant, which may wait for ever."""

MAX_BYTES = 8 << 30
"""Address space of a mutant, which may fill a list for ever."""

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Add, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip


INVALID = 99
"""Status of a fork whose mutant is no Python, or has other variables in its closures."""


class Mutant(NamedTuple):
    """A fault, and the list or the fields of a node that have it under a key."""

    name: str
    holder: Any
    key: Any
    fault: ast.AST


def _faults(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    match node:
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() as number):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.If() | ast.While() | ast.IfExp():
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom() | ast.Await()):
            yield ast.Pass()
        case ast.Compare(ops=[operator]):
            yield _with(node, ops=[OPERATORS[type(operator)]()])
        case ast.BinOp() | ast.BoolOp() if type(node.op) in OPERATORS:
            yield _with(node, op=OPERATORS[type(node.op)]())
        case ast.Break() | ast.Continue():
            yield OPERATORS[type(node)]()


def _with(node: ast.AST, **changes: object) -> ast.AST:
    return type(node)(**dict(ast.iter_fields(node)) | changes)


def _sites(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each node within the body of a function, behind what holds it and its key there."""
    for field, value in ast.iter_fields(node):
        if (
            isinstance(node, ast.Assert)
            or getattr(node, "arg", None) == "strict"
            or field in {"annotation", "returns", "decorator_list", "args" * (not inside)}
        ):
            continue
        within = inside or (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and field == "body")
        holder: Any = value if isinstance(value, list) else vars(node)
        for key in range(len(value)) if isinstance(value, list) else [field]:
            if isinstance(child := holder[key], ast.AST):
                if within:
                    yield holder, key, child
                yield from _sites(child, inside=within)


def mutants(file: str, tree: ast.Module) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    for holder, key, node in _sites(tree):
        for fault in _faults(node):
            text = " -> ".join(ast.unparse(each).partition("\n")[0] for each in (node, fault))
            yield Mutant(f"{file}:{node.lineno}: {text}", holder, key, ast.copy_location(fault, node))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class Planter:
    """Exchanges the code of the functions of a module, also of copies with bound names, and empties all caches.

    It finds them once, since to look at all objects makes a fork copy their memory.
    """

    def __init__(self, file: str, tree: ast.Module) -> None:
        self._tree, self._path = tree, str(Path(file).resolve())
        gc.unfreeze()
        found = gc.get_objects()
        functions = [one for one in found if isinstance(one, FunctionType)]
        self._functions = [one for one in functions if one.__code__.co_filename == self._path]
        self._caches = [one for one in found if isinstance(one, _lru_cache_wrapper)]
        gc.freeze()

    def plant(self, mutant: Mutant | None) -> None:
        """Exchange the code for the code of a mutant."""
        if mutant is not None:
            mutant.holder[mutant.key] = mutant.fault
        module = compile(ast.fix_missing_locations(self._tree), self._path, "exec")
        planted = {(code.co_qualname, code.co_firstlineno): code for code in _codes(module)}
        for function in self._functions:
            code = function.__code__
            function.__code__ = planted.get((code.co_qualname, code.co_firstlineno), code)
        for cached in self._caches:
            cached.cache_clear()


class MutantRunner:
    """A plugin of pytest that runs the collected tests once for each mutant, those that found the last one first."""

    def __init__(self, file: str, sample: int, seed: int) -> None:
        self.file, self.killed, self.valid = file, 0, 0
        self._tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        found = list(mutants(file, self._tree))
        self.sites = len(found)
        self.sample = random.Random(seed).sample(found, min(sample, len(found)))
        self.report: int | None = None
        """Descriptor to which a fork writes the name of the test that failed."""

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings  # pytest has to see it first

        phases = Phase.explicit, Phase.generate  # what fails need not be shrunk
        settings.register_profile("mutants", settings.get_profile("repeatable"), phases=phases)
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        planter, began = Planter(self.file, self._tree), time.monotonic()
        if (done := self._fork(planter, None)) is None:
            return None
        status, failed = done
        if status:
            raise pytest.UsageError(f"without any fault, {failed or status} fails")
        print(f"{self.file}: {len(session.items)} tests take {time.monotonic() - began:.1f} s", flush=True)
        for mutant in self.sample:
            if (done := self._fork(planter, mutant)) is None:
                return None
            status, failed = done
            killed = os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == pytest.ExitCode.TESTS_FAILED
            self.killed += killed
            self.valid += status != INVALID << 8
            if not killed:
                print(f"  {os.waitstatus_to_exitcode(status)} {mutant.name}", flush=True)
            session.items.sort(key=lambda item: item.nodeid != failed)
        return True

    def _fork(self, planter: Planter, mutant: Mutant | None) -> tuple[int, str] | None:
        """Return the status of a fork that runs the tests, and the name of the test that failed; in the fork, None."""
        reading, writing = os.pipe()
        if child := os.fork():
            os.close(writing)
            with open(reading, encoding="utf-8") as names:
                failed = names.readline().rstrip("\n")
            return os.waitpid(child, 0)[1], failed
        os.close(reading)
        self.report = writing
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (1, 2):
            os.dup2(null, descriptor)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
        signal.alarm(MAX_WAIT_SECONDS)
        try:
            planter.plant(mutant)
        except (SyntaxError, ValueError):
            os._exit(INVALID)
        return None

    def pytest_runtest_logstart(self) -> None:
        if self.report is not None:
            signal.setitimer(signal.ITIMER_PROF, MAX_TEST_SECONDS)  # its signal ends the process

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.report is not None:
            os.write(self.report, f"{report.nodeid}\n".encode())
            os._exit(pytest.ExitCode.TESTS_FAILED)


def run(room: str, sample: int, seed: int) -> None:
    """Print the survivors and the share of the mutants of a room that its tests kill."""
    file, tests = ROOMS[room]
    runner = MutantRunner(file, sample, seed)
    options = ["-q", "-x", "-s", "--tb=native", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]
    status = pytest.main([*options, "-m", "not slow and not thorough", *tests], plugins=[runner])
    if runner.report is not None:
        os._exit(status)
    share = runner.killed / runner.valid
    print(f"{room}: {runner.killed} of {runner.valid} killed, {share:.0%}; {runner.sites} possible", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutants", description="Test the tests.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", default=list(ROOMS), help=", ".join(ROOMS))
    parser.add_argument("--sample", type=int, default=60, help="mutants of a room at most")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for room in asked.rooms:
        if os.fork() == 0:  # each room imports anew
            run(room, asked.sample, asked.seed)
            os._exit(0)
        os.wait()
