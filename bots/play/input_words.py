"""What is typed at the table of `bots.play.terminal_game`."""

from engine.games.history import PERSON, Player
from engine.levels import MAX_LEVEL, BadLevel, read_level

COMMANDS = {
    "moves": "list the legal moves",
    "hint": "say what the bot would play",
    "go": "let the bot move now, for whoever is to move",
    "undo": "take moves back, to where a person chose",
    "redo": "make them again",
    "new [PARAMS]": "begin again, or another variant",
    "game NAME [PARAMS]": "begin another game",
    "load [FILE]": "go on from a position or a game: in a file, or pasted",
    "save FILE": "write the game to a file",
    "text": "show the game in the form in which it is saved",
    "first PLAYER": "say who begins",
    "second PLAYER": "say who plays the other side",
    "swap": "exchange the sides",
    "help": "show this",
    "quit": "leave",
}
"""How each command is written, and what it does."""

USUAL_SECONDS = 1.0
"""How long a bot thinks about a move, where nothing is said."""

MAX_SECONDS = 3600.0


class BadCommand(Exception):
    """A command that cannot be carried out. ``str(error)`` is a sentence for people."""


def player(text: str, seconds: float = USUAL_SECONDS) -> Player:
    """Read who plays: ``person``, ``bot:SECONDS``, ``level:NUMBER``, or ``bot`` for one that takes the seconds given.

    The highest level is a bot that takes the seconds given, too. Raises `BadCommand`.
    """
    kind, colon, number = text.strip().partition(":")
    if kind == "person" and not colon:
        return PERSON
    if kind == "level":
        try:
            level = read_level(number)
        except BadLevel as error:
            raise BadCommand(f"{error}, as in level:3") from None
        if level < MAX_LEVEL:
            return Player(level=level)
        kind, colon = "bot", ""
    if kind != "bot":
        raise BadCommand(f"a player is person, bot, bot:SECONDS or level:NUMBER, as in bot:0.5; not {text!r}")
    try:
        bound = float(number) if colon else seconds
    except ValueError:
        raise BadCommand(f"{number!r} is no number of seconds; write bot:0.5") from None
    if not 0 < bound <= MAX_SECONDS:
        raise BadCommand(f"a bot thinks for more than 0 and up to {MAX_SECONDS:g} seconds a move, not {bound:g}")
    return Player(bound)
