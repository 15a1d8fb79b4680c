"""Faults of command lines and of files in one plain sentence, and completion in shells: for all three programs.

What parses command lines is loaded where one is wrong, and not before: it takes nearly a third of the time in which a
bot starts, and most of what is here knows nothing of it.
"""

import math
import os
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

if TYPE_CHECKING:
    from cyclopts import App, Argument, CycloptsError

_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
"""What a value of such a type is called."""


def explain(error: "CycloptsError") -> str:
    """Say what is wrong with a command line, and what would be right."""
    from cyclopts import CoercionError, MissingArgumentError, UnknownOptionError, UnusedCliTokensError

    command = " ".join(error.command_chain or ())
    mistyped = _mistyped(error) if isinstance(error, UnusedCliTokensError | UnknownOptionError) else ""
    if mistyped:
        return mistyped
    if isinstance(error, UnusedCliTokensError):
        words = error.unused_tokens or []
        shown = ", ".join(map(repr, words))
        where = f"{command} takes" if command else "the command takes"
        return f"{shown} {'is' if len(words) == 1 else 'are'} too much: {where} no such argument; --help shows all"
    if isinstance(error, CoercionError) and error.token is not None and error.target_type in _KINDS:
        name = error.token.keyword or (_called(error.argument) if error.argument else "the argument")
        return f"{name} is {error.token.value!r}; it has to be {_KINDS[error.target_type]}"
    if type(error) is MissingArgumentError and error.argument is not None:
        given = error.keyword or next((token.keyword for token in error.argument.tokens if token.keyword), "")
        if given:
            return f"{given} needs a value behind it"
        return f"{command or 'this'} needs {_called(error.argument)}, which is missing; --help tells what it is"
    return " ".join(str(error).split())


def _called(argument: "Argument") -> str:
    """Return what an argument is called that was given, or is to be given, without its name."""
    field = argument.field_info
    return field.name.upper().replace("_", "-") if field.is_positional else argument.name


def _mistyped(error: "CycloptsError") -> str:
    """Say that a word behind a command is like one of its commands, and none; empty where that is not so."""
    chain = list(error.command_chain or ())
    words = list(error.root_input_tokens or ())[len(chain) :]
    if error.app is None or not words or Path(words[0]).suffix:  # a file is no command
        return ""
    commands = [name for name in error.app if not name.startswith("-")]
    hint = nearest(words[0], commands) if words[0] not in commands else ""
    return hint and f"there is no command {' '.join([*chain, repr(words[0])])}{hint}"


def explain_fault(error: BaseException) -> str:
    """Say what went wrong with a file, a directory or a port, without the number that the system gives it."""
    if isinstance(error, OSError) and error.errno is not None:
        words = error.strerror or os.strerror(error.errno)
        return f"{os.fspath(error.filename)!s}: {words}" if isinstance(error.filename, str | os.PathLike) else words
    if isinstance(error, UnicodeError):
        return "it is no text in UTF-8"
    return str(error) or type(error).__name__


def reason(error: OSError | ValueError) -> str:
    """Return the clause on why a file cannot be read or written, which is named before it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def nearest(word: str, known: list[str]) -> str:
    """Return ``; did you mean …?`` for the known word that is most like another; empty where none is like it."""
    found = get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""


def finite(_type: object, value: object) -> None:
    """Refuse a number that is none, or has no end, in any option: raises ValueError, which names the option."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no finite number")


def duration(kind: object, value: object) -> None:
    """Refuse what `finite` does, and a time that is less than none."""
    finite(kind, value)
    if isinstance(value, float) and value < 0:
        raise ValueError(f"{value} is less than 0")


Shell = Literal["zsh", "bash", "fish", "powershell"]


def offer_completion(app: "App", fail: Callable[[str], NoReturn]) -> None:
    """Add ``--install-completion`` to a program; ``fail`` ends it with a sentence where no file can be written."""
    from cyclopts.completion.install import create_install_completion_command

    def install(shell: Shell, output: Path | None, add_to_startup: bool) -> Path:
        try:
            return app.install_completion(shell=shell, output=output, add_to_startup=add_to_startup)
        except OSError as error:
            fail(f"--install-completion: {explain_fault(error)}")

    command = create_install_completion_command(install, add_to_startup=True)
    app.command(command, name="--install-completion", help="Let your shell complete the words of this program.")
