"""Functions of all three programs: output, errors as one plain sentence, and Ctrl-C.

The library that parses command lines takes nearly a third of a bot's start, so functions here import it only for
errors.
"""

import gc
import io
import math
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from cyclopts import CycloptsError

ENCODING, ERRORS = "utf-8", "surrogateescape"
"""Encoding of conversations, which preserves any bytes."""

VERSION = "0.1.0"
"""Version of this distribution. To read it from the installed files would take a tenth of a bot's start."""

MAX_BUFFERED = 1 << 16
"""Largest number of buffered characters of answers."""


class Rejected(Exception):
    """A command cannot be executed. ``str(error)`` names the place and the fault."""

    def __init__(self, sentence: str, status: int = 2) -> None:
        """Take the sentence, and the exit status: 1 for a fault, 2 for bad arguments."""
        super().__init__(sentence)
        self.status = status


class Command(NamedTuple):
    """A command. Its function is imported at the call."""

    name: str
    function: str
    help: str
    statuses: str = ""
    """Exit statuses and their meanings."""
    examples: tuple[tuple[str, str], ...] = ()
    """Command lines, each with its purpose, which may be empty."""

    @property
    def epilogue(self) -> str:
        """The end of the help, in Markdown."""
        lines = [f"- `{line}`" + (f" ({purpose})" if purpose else "") for line, purpose in self.examples]
        return "\n".join(["Examples:", "", *lines, "", f"Exit status: {self.statuses}."])


def say(sentence: str) -> None:
    """Print a line for people on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def answer(line: str) -> None:
    """Print a line of the answer on stdout, at once."""
    print(line, flush=True)


def split_command(text: str, folder: Path = Path()) -> list[str]:
    """Return the words of a command, as a shell splits it; raises ValueError. The path of a file is one word.

    Files are looked for in a folder.
    """
    import shlex  # a shell of an assignment needs none

    return [text] if os.path.isfile(folder / text) else shlex.split(text)


def whole_command(words: Sequence[str], folder: Path = Path()) -> tuple[str, ...]:
    """Return a command that was given as words, or as one text to be split; raises `Rejected`.

    Files are looked for in a folder.
    """
    try:
        return tuple(split_command(words[0], folder) if len(words) == 1 else words)
    except ValueError as error:
        raise Rejected(f"{words[0]!r} is no command: {str(error).lower()}") from None


class Conversation:
    """Lines from stdin, and buffered answers on stdout. Answers are flushed before a wait for the next line.

    A flush for each answer would cost as much as a small command. Call `flush` before long work. No other code may use
    stdin and stdout meanwhile.
    """

    def __init__(self) -> None:
        """Take over stdin and stdout."""
        self._held: list[str] = []
        self._size = 0
        sys.stdout.flush()
        self._out = cast(io.TextIOWrapper, sys.stdout)
        reader = io.BufferedReader(_NotifyingFile(sys.stdin.fileno(), self.flush))
        self.lines: Iterable[str] = io.TextIOWrapper(
            reader, "utf-8-sig", ERRORS
        )  # some editors begin files with a mark
        """The lines of stdin."""

    def write(self, line: str) -> None:
        """Buffer a line of an answer."""
        self._held.append(f"{line}\n")
        self._size += len(line)
        if self._size > MAX_BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write the buffered answers."""
        text, self._held, self._size = "".join(self._held), [], 0
        self._out.buffer.write(text.encode(ENCODING, ERRORS))
        self._out.flush()


class _NotifyingFile(io.FileIO):
    """A file that calls a function before each read."""

    def __init__(self, descriptor: int, announce: Callable[[], None]) -> None:
        super().__init__(descriptor, closefd=False)
        self._announce = announce

    def readinto(self, buffer: Any, /) -> int | None:
        self._announce()
        return super().readinto(buffer)


class _OutputLost(Exception):
    """A write to stdout failed. It is no OSError, so that handlers of file and socket errors do not catch it."""


class _Output(io.FileIO):
    """The descriptor of stdout. The first write that fails raises `_OutputLost`; later writes are discarded."""

    fault: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.fault is None:
            try:
                return super().write(data)
            except OSError as error:
                self.fault = error
                raise _OutputLost from None
        return len(data)


def run_program(name: str, module: str) -> None:
    r"""Run the main function of a module as the program ``name``.

    Characters that the encoding of stdout lacks are escaped, for example ``\xfc``. If stdout fails, the program ends
    with status 1: quietly if its reader has closed it, otherwise with one sentence on stderr.
    """
    # a write to a file that is open only for reading fails like a write to a closed descriptor
    before = cast(io.TextIOWrapper, sys.stdout or open(os.devnull))  # noqa: SIM115  # as long as the program runs
    errors = "backslashreplace" if before.errors == "strict" else before.errors
    output = _Output(before.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(output),
        before.encoding,
        errors,
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    try:
        try:
            load(module)()
        finally:
            sys.stdout.flush()
    except BaseException as error:
        if output.fault is None:
            if not (sentence := _missing_extra(error)):
                raise
            say(f"{name}: {sentence}")
        elif not isinstance(output.fault, BrokenPipeError):
            say(f"{name}: standard output: {output.fault.strerror}")
        sys.exit(1)


EXTRAS = {
    "fast": ("llvmlite", "numba", "numpy"),
    "server": (
        "cryptography", "hypercorn", "itsdangerous", "jinja2", "markupsafe", "multipart", "networkx",
        "PIL", "prometheus_client", "python_multipart", "resvg_py", "segno", "starlette",
    ),
    "dask": ("distributed",),
    "pettingzoo": ("gymnasium", "pettingzoo"),
}  # fmt: skip
"""Packages that the base install lacks, by the extra of this distribution that installs them."""


def _missing_extra(error: BaseException | None) -> str:
    """Say in a sentence which extra has the package that could not be imported; empty for any other error."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_missing_extra, error.exceptions)), "")
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        for extra, packages in EXTRAS.items():
            if package in packages:
                return f"{package} is not installed, which this needs: {install_line(extra)}"
    return "" if error is None else _missing_extra(error.__cause__)


def install_line(extra: str) -> str:
    """Return the command that adds an extra to this installation."""
    return f'pip install "{requirement(extra)}"'


def requirement(extra: str = "") -> str:
    """Return what pip installs to get this distribution again, from where it was installed (PEP 610).

    The address of a version control system holds no passwords there.
    """
    import json
    from importlib.metadata import distribution

    installed = distribution("gipf-arena")
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    bracketed = f"[{extra}]" if extra else ""
    if not origin:  # an index had it
        return f"gipf-arena{bracketed}=={installed.version}"
    if fetched := origin.get("vcs_info"):
        return f"gipf-arena{bracketed} @ {fetched['vcs']}+{origin['url']}@{fetched['commit_id']}"
    return f"gipf-arena{bracketed} @ {origin['url']}"


def load(module: str, name: str = "main") -> Callable[[], Any]:
    """Import a module, and return a function of it. During the import, Ctrl-C ends the process by its signal.

    A process that ignores Ctrl-C, for example in the background of a script, still ignores it.
    """
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # loaded objects stay: their collection would take a sixth of the start
    function: Callable[[], Any] = getattr(import_module(module), name)
    gc.freeze()
    gc.enable()
    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return function


def no_more() -> None:
    """Let Ctrl-C end the process at once from now on. Call it before the process ends."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def explain(error: "CycloptsError") -> str:
    """Return one line on a wrong command line."""
    from cyclopts import UnusedCliTokensError

    if isinstance(error, UnusedCliTokensError):
        return f"no argument is expected here: {' '.join(error.unused_tokens or [])}"
    return " ".join(str(error).split())


def explain_fault(error: BaseException) -> str:
    """Return a sentence on an error of a file, a directory or a port, with the name of the file if there is one."""
    name = getattr(error, "filename", None)
    return f"{os.fspath(name)!s}: {reason(error)}" if isinstance(name, str | os.PathLike) else reason(error)


def reason(error: BaseException) -> str:
    """Return the reason of an error of a file, a directory or a port, without name and number."""
    if isinstance(error, OSError) and error.errno is not None:
        return (
            "it exists already, and is left as it is: choose another name, or remove it"
            if isinstance(error, FileExistsError)
            else error.strerror or os.strerror(error.errno)
        )
    return "it is no text in UTF-8" if isinstance(error, UnicodeError) else str(error) or type(error).__name__


def finite(_type: object, value: object) -> None:
    """Validate that the number of an option is finite; raises ValueError."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no finite number")


def duration(kind: object, value: object) -> None:
    """Validate that a time is finite and not negative; raises ValueError."""
    finite(kind, value)
    if isinstance(value, float) and value < 0:
        raise ValueError(f"{value} is less than 0")
