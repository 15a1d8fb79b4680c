"""Situations in which a request in a match is answered by ERROR: it changes nothing, and the clock runs on."""

from bots.check.bot_under_test import BotUnderTest
from bots.check.conformance_match import ConformanceMatch
from bots.check.situation import Situation
from engine.wire import messages as m

CODES = ("line_too_long", "bad_line", "bad_arguments", "some_new_code")


def move_is_refused(bot: BotUnderTest) -> None:
    """ERROR in answer to MOVE: the bot is still on turn, and says another MOVE, or gives up."""
    for code in CODES:
        table = _on_turn(bot)
        table.asked()
        table.peer.refuse_move(code, "this is how a refusal looks")
        _moves_or_resigns(table)


def moves_are_refused(bot: BotUnderTest) -> None:
    """ERROR in answer to MOVES: a bot that asks for the list does without it, or gives up."""
    table = _on_turn(bot)
    table.lists_moves = False
    _moves_or_resigns(table)


def _on_turn(bot: BotUnderTest) -> ConformanceMatch:
    table = ConformanceMatch(bot)
    table.opening()
    table.turn_to_bot()
    return table


def _moves_or_resigns(table: ConformanceMatch) -> None:
    table.may_resign = True
    while True:
        match table.request("a MOVE, or RESIGN", "6"):
            case m.Resign() | m.Crashed():
                return
            case m.Move() as move:
                table.judge(move)
                table.close()
                return


SITUATIONS = (
    Situation("its MOVE is refused: says another, or RESIGN", move_is_refused),
    Situation("its MOVES is refused: moves without it, or says RESIGN", moves_are_refused),
)
