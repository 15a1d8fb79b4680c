"""Plays a match with the bot of a Python file, whether it calls `play` or only has a function ``choose``.

``python -m bots.workbench.play_file HOST PORT mybot.py`` plays one match on the server there, as the variables
ARENA_NAME and so on say. What the file says itself of server, name and opponent does not count: it may be meant for
another place.
"""

import sys
from pathlib import Path

from bots.client.failures import show_in_one_line
from bots.client.run import play
from bots.workbench.replay.python_file import loaded


def main() -> None:
    """Play one match with the bot of the file that the command line names, as if that had been started itself."""
    show_in_one_line()
    _, host, port, *sys.argv = sys.argv
    with loaded(Path(sys.argv[0]), sys.argv[1:]) as file:
        play(file.bot, host=host, port=int(port))


if __name__ == "__main__":
    main()
