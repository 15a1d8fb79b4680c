"""``python -m server`` is ``arena-server``."""

from engine.commands.program import escape_what_cannot_be_shown, load


def main() -> None:
    """Run ``arena-server``; Ctrl-C while it is loaded ends it quietly."""
    escape_what_cannot_be_shown()
    load("server.cli")()


if __name__ == "__main__":
    main()
