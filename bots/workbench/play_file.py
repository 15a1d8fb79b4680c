"""The bot of a Python file, which runs in this process up to its call of `play`.

``python -m bots.workbench.play_file HOST PORT mybot.py`` plays one match on the server there, with the environment
variables ARENA_NAME and so on. The file's own server, name and opponent do not count: they may be for another place.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType

from bots.client import play
from bots.client.errors import ArenaError, describe_failure, show_in_one_line, traceback_of
from bots.client.run import LoadedBot, as_bot, loading
from engine.commands.program import reason
from engine.wire.words import nearest

CHOOSE = "choose"
"""The function of a file that does not call `play`."""


@contextmanager
def loaded(file: Path, arguments: Sequence[str]) -> Iterator[LoadedBot]:
    """Run a Python file as a program until it calls `play`, and give the bot that it plays with.

    A file that does not call it has a function ``choose``. As long as the context lasts, the file is the program that
    runs: its folder is in the path, its names are those of ``__main__``. Raises `ArenaError`, after a traceback where
    the file has raised something.
    """
    main = ModuleType("__main__")
    main.__file__ = str(file)
    before = sys.argv, sys.path[:], sys.modules["__main__"]
    sys.argv, sys.modules["__main__"] = [str(file), *arguments], main
    sys.path.insert(0, str(file.parent.absolute()))
    try:
        yield _run(file, main)
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = before


def _run(file: Path, main: ModuleType) -> LoadedBot:
    try:
        program = compile(file.read_bytes(), str(file), "exec")
    except SyntaxError as error:
        raise ArenaError(f"{file}, line {error.lineno or 1}: this is no Python: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise ArenaError(f"{file} cannot be read: {reason(error)}") from None
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        with loading(), redirect_stdout(sys.stderr):
            exec(program, main.__dict__)
    except LoadedBot as found:
        return found
    except SystemExit as leaving:
        raise ArenaError(f"{file} has ended before it called play, with exit status {leaving.code or 0}") from None
    except ArenaError as error:
        raise ArenaError(f"{file}: {error}") from None
    except Exception as error:
        if str(error) == "EOF when reading a line":  # of input(); a file that ends too early says something else
            raise ArenaError(
                f"{file} reads standard input, and neither calls play nor has a function {CHOOSE}"
            ) from None
        print(traceback_of(error), end="", file=sys.stderr)
        raise ArenaError(describe_failure("before it called play", error)) from None
    finally:
        sys.stdin = stdin
    choose = main.__dict__.get(CHOOSE)
    if choose is None:
        meant = nearest(CHOOSE, (name for name, value in main.__dict__.items() if callable(value)))
        hint = f"; its {meant} has to be called {CHOOSE}" if meant else ""
        raise ArenaError(f"{file} neither calls play nor has a function {CHOOSE}(position, clocks){hint}")
    return LoadedBot(as_bot(choose), file.stem)


def main() -> None:
    """Play one match with the bot of the file that the command line names, as if that had been started itself."""
    show_in_one_line()
    _, host, port, *sys.argv = sys.argv
    with loaded(Path(sys.argv[0]), sys.argv[1:]) as file:
        play(file.bot, host=host, port=int(port))


if __name__ == "__main__":
    main()
