"""``python -m engine`` is ``arena-engine``."""

from engine.commands.program import escape_what_cannot_be_shown, load


def main() -> None:
    """Run ``arena-engine``; Ctrl-C while it is loaded ends it quietly."""
    escape_what_cannot_be_shown()
    load("engine.cli")()


if __name__ == "__main__":
    main()
