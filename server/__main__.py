"""``python -m server`` is ``arena-server``."""

from functools import partial

from engine.commands.program import run_program

main = partial(run_program, "arena-server", "server.cli")
"""Runs ``arena-server``."""

if __name__ == "__main__":
    main()
