"""Plays with the function ``choose`` of a Python file that does not call `play` itself.

``python -m bots.workbench.choose_file mybot.py`` plays one match where the variables ARENA_HOST and so on say.
"""

import sys
from pathlib import Path

from bots.client.failures import show_in_one_line
from bots.client.run import play
from bots.workbench.replay.python_file import loaded


def main() -> None:
    """Play one match with the bot of the file that the command line names, as if that had been started itself."""
    show_in_one_line()
    sys.argv = sys.argv[1:]
    with loaded(Path(sys.argv[0]), sys.argv[1:]) as file:
        play(file.bot)


if __name__ == "__main__":
    main()
