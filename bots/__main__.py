"""``python -m bots`` is ``arena-bot``."""

from engine.commands.program import escape_what_cannot_be_shown, load


def main() -> None:
    """Run ``arena-bot``; Ctrl-C while it is loaded ends it quietly."""
    escape_what_cannot_be_shown()
    load("bots.cli")()


if __name__ == "__main__":
    main()
