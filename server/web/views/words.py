"""Words and figures of matches, as pages write them."""

from server.contest.report.templating import add_filters
from server.web.views.board import Ending

REASONS = {
    "no_reserve": "no piece left to play",
    "dead_lock": "dead lock",
    "off_board": "next field off the board",
    "occupied": "next field occupied",
    "blocked": "next field blocked",
    "taken": "next field taken",
    "too_few_pieces": "too few pieces",
    "no_move": "no move left",
    "line": "a line",
    "board_full": "board full",
    "repetition": "third repetition",
    "no_progress": "no progress",
    "move_limit": "move limit",
    "time": "time",
    "bad_move": "illegal move",
    "resign": "resignation",
    "adjudicated": "adjudicated",
    "organiser": "organiser",
    "server_stop": "server stopped",
    "server_fault": "server fault",
}
"""Reasons of ends in words. A game may add others, which are written as they are."""


def reason(word: str) -> str:
    """Return the reason of an end in words; several reasons stand between plus signs."""
    return " and ".join(REASONS.get(part, part.replace("_", " ")) for part in word.split("+"))


def result(ending: Ending | None) -> str:
    """Write the result of a match as it stands in tables."""
    if ending is None:
        return "…"
    if ending.winner is not None:
        return ("1 – 0", "0 – 1")[ending.winner]
    return "–" if ending.result == "annulled" else "½ – ½"


def badge(ending: Ending, side: int) -> str:
    """Return the result of a side in a word."""
    if ending.winner is not None:
        return "won" if ending.winner == side else "lost"
    return "annulled" if ending.result == "annulled" else "draw"


def clock(milliseconds: int) -> str:
    """Write the time on a clock: tenths below twenty seconds."""
    left = max(0, milliseconds)
    minutes, seconds = divmod(left // 1000, 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    tenths = f".{left // 100 % 10}" if left < 20_000 else ""
    return f"{minutes}:{seconds:02}{tenths}"


def capital(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


add_filters(capital, reason, result, badge, clock)
