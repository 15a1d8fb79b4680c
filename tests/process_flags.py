"""Where the code changes what holds for its whole process, read from its syntax trees."""

import ast
from collections.abc import Iterator
from pathlib import Path

FLAGS = frozenset(
    (
        "gc.collect",
        "gc.freeze",
        "gc.unfreeze",
        "gc.enable",
        "gc.disable",
        "gc.set_threshold",
        "gc.set_debug",
        "resource.setrlimit",
        "signal.signal",
        "signal.setitimer",
        "signal.alarm",
        "signal.pthread_sigmask",
        "signal.set_wakeup_fd",
        "os.environ",
        "os.putenv",
        "os.unsetenv",
        "os.umask",
        "os.nice",
        "os.setpriority",
        "os.sched_setscheduler",
        "os.chdir",
        "numba.config",
        "numba.set_num_threads",
        "sys.setswitchinterval",
        "sys.set_int_max_str_digits",
        "sys.setrecursionlimit",
        "sys.excepthook",
        "sys.unraisablehook",
        "sys.setprofile",
        "sys.settrace",
        "sys.path",
        "faulthandler.enable",
        "locale.setlocale",
        "warnings.simplefilter",
        "warnings.filterwarnings",
        "logging.basicConfig",
        "logging.disable",
        "multiprocessing.set_start_method",
        "random.seed",
        "socket.setdefaulttimeout",
        "structlog.configure",
    )
)
"""Functions that change a process when they are called, and values that do so when something is put into them."""

READING = frozenset({"get", "copy", "items", "keys", "values", "index", "count"})
"""Methods of such values that change nothing."""


def changes(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, flag and function of each place in a module that changes its process; ``""`` outside of functions."""
    tree = ast.parse(text)
    names = dict(_imported(tree))
    yield from _within(tree, "", names)


def _within(node: ast.AST, function: str, names: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = node.name
    for flag in _flags(node, names):
        yield getattr(node, "lineno", 0), flag, function
    for child in ast.iter_child_nodes(node):
        yield from _within(child, function, names)


def _flags(node: ast.AST, names: dict[str, str]) -> Iterator[str]:
    """Yield the flags that a call, an assignment or a ``del`` changes."""
    if isinstance(node, ast.Call):
        called = _dotted(node.func, names)
        owner, _, method = called.rpartition(".")
        if called in FLAGS:
            yield called
        elif owner in FLAGS and method not in READING:
            yield owner
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        for part in ast.walk(target):
            whole = _dotted(part.value if isinstance(part, ast.Subscript) else part, names)
            if isinstance(part, ast.Subscript | ast.Attribute):
                yield from (flag for flag in FLAGS if whole == flag or whole.startswith(f"{flag}."))
                break


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module imports, each with what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    """Return the full name of what an expression stands for; empty where it is none."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, names)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def found(root: Path, packages: tuple[str, ...]) -> Iterator[tuple[str, int, str, str]]:
    """Yield module, line, flag and function of each place in some packages."""
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            for line, flag, function in changes(path.read_text(encoding="utf-8")):
                yield path.relative_to(root).as_posix(), line, flag, function
