"""Output of a program, whatever encoding its terminal or pipe has."""

import io
import sys


def escape_what_cannot_be_shown() -> None:
    r"""Let stdout show what its encoding lacks as an escape, ``\xfc`` say, as stderr does, in place of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
