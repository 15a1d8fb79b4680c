"""``python -m bots`` is ``arena-bot``."""

from engine.commands.program.interrupt import load


def main() -> None:
    """Run ``arena-bot``; Ctrl-C while it is loaded ends it quietly."""
    load("bots.cli")()


if __name__ == "__main__":
    main()
