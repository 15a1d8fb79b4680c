"""``arena-engine shell``: the command protocols of the assignments, on stdin and stdout."""

import io
import sys
from time import perf_counter

from engine.commands.program import ENCODING, ERRORS, Conversation, Rejected, say
from engine.shell import SHELLS, find


def shell(game: str, /, *, strict: bool = False) -> None:
    """Read the commands of a game from stdin, one on each line, and answer them on stdout.

    Parameters
    ----------
    game
        The game's name.
    strict
        Ignore moves after a bad move, without answers.
    """
    if game not in SHELLS:
        raise Rejected(f"GAME: there is no shell {game!r}; the shells are {', '.join(SHELLS)}")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding=ENCODING, errors=ERRORS)
    conversation = Conversation()

    def complain(sentence: str) -> None:
        conversation.flush()
        say(sentence)

    try:
        find(game)(conversation.lines, conversation.write, complain, perf_counter, strict, conversation.flush).run()
    finally:
        conversation.flush()
