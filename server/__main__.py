"""``python -m server`` is ``arena-server``."""

from engine.commands.program.interrupt import load


def main() -> None:
    """Run ``arena-server``; Ctrl-C while it is loaded ends it quietly."""
    load("server.cli")()


if __name__ == "__main__":
    main()
