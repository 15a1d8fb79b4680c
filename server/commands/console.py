"""What commands print on while games are played."""

from typing import NoReturn

from rich.console import Console


class OutputConsole(Console):
    """A console that raises BrokenPipeError where nobody reads any more; rich's own raises SystemExit in any task."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error that is being handled."""
        raise
