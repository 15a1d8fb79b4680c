"""``python -m engine`` is ``arena-engine``."""

from engine.commands.program.interrupt import load
from engine.commands.program.output import escape_what_cannot_be_shown


def main() -> None:
    """Run ``arena-engine``; Ctrl-C while it is loaded ends it quietly."""
    escape_what_cannot_be_shown()
    load("engine.cli")()


if __name__ == "__main__":
    main()
