"""``python -m bots`` is ``arena-bot``."""

from functools import partial

from engine.commands.program import run_program

main = partial(run_program, "arena-bot", "bots.cli")
"""Runs ``arena-bot``."""

if __name__ == "__main__":
    main()
