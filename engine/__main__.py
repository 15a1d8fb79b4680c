"""``python -m engine`` is ``arena-engine``."""

from functools import partial

from engine.commands.program import run_program

main = partial(run_program, "arena-engine", "engine.cli")
"""Runs ``arena-engine``."""

if __name__ == "__main__":
    main()
