"""What a bot has chosen, checked: a legal move, or a sentence that says what it is and what would be right."""

import inspect
from difflib import get_close_matches

from bots.client.errors import BadChoice
from engine.games.interface import GameError, Position, Successor, moves

MAX_SHOWN_CHARACTERS = 60
"""Longest representation of a wrong return value of a bot."""

MAX_NEAREST = 3
"""Legal moves that are named beside one that is not."""


def text_of(choice: object, position: Position, chooser: str) -> str:
    """Return the text of what a bot has returned, legal or not; raises `BadChoice` for what is no move at all.

    ``chooser`` says which function has returned it, and where that stands.
    """
    if isinstance(choice, Successor):
        return choice.move
    if isinstance(choice, str):
        return choice
    legal = moves(position)
    returned = f"{choice!r:.{MAX_SHOWN_CHARACTERS}} ({type(choice).__name__})"
    right = f"a move as text, as in {legal[0]!r}, or one of position.successors()"
    sentence = f"{chooser} returned {returned}; it has to return {right}"
    if inspect.iscoroutine(choice):
        choice.close()
    hint = _hint(choice, position, legal)
    raise BadChoice(choice, f"{sentence}: {hint}" if hint else sentence)


def _hint(choice: object, position: Position, legal: list[str]) -> str:
    """Say what to change so that a wrong return value becomes a move; empty where that is not known."""
    if choice is None:
        return "a return is missing"
    if isinstance(choice, bytes):
        return f"write {choice.decode(errors='replace')!r}"
    if str(choice) in legal:
        return f"write {str(choice)!r}"
    if isinstance(choice, list | tuple | set | frozenset):
        return "return one of these alone"
    if type(choice) is type(position):
        return "return the move that leads to this position"
    if inspect.iscoroutine(choice):
        return "write def, not async def"
    if callable(choice):
        return "call it"
    return ""


def legal_move(text: str, position: Position) -> str:
    """Return a move in canonical text; raises `BadChoice` with the nearest legal moves where it is not legal."""
    try:
        return position.resolve(text).move
    except GameError as error:
        nearest = get_close_matches(text, moves(position), MAX_NEAREST)
        offer = f"; near it are {', '.join(map(repr, nearest))}" if nearest else ""
        raise BadChoice(text, f"the bot chose {text!r}, which is no legal move: {error}{offer}") from error
