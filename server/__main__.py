"""``python -m server`` is ``arena-server``."""

from engine.commands.program.interrupt import load
from engine.commands.program.output import escape_what_cannot_be_shown


def main() -> None:
    """Run ``arena-server``; Ctrl-C while it is loaded ends it quietly."""
    escape_what_cannot_be_shown()
    load("server.cli")()


if __name__ == "__main__":
    main()
