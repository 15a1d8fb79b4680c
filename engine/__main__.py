"""``python -m engine`` is ``arena-engine``."""

from engine.commands.program.interrupt import load


def main() -> None:
    """Run ``arena-engine``; Ctrl-C while it is loaded ends it quietly."""
    load("engine.cli")()


if __name__ == "__main__":
    main()
