"""Situations in which a match ends, or in which ERROR answers a request in a match.

After the end of a match the bot seeks again, or leaves. An ERROR changes nothing, and the clock runs on.
"""

from collections.abc import Callable, Sequence
from functools import partial

from bots.check.bot_under_test import BotUnderTest, Situation
from bots.check.conformance_match import ConformanceMatch
from bots.check.position_search import Wanted, always_ends, can_win, find, wins
from engine.wire import messages as m

SMALL = {"gipf": "3 3 5 5", "mnk": "4 4 3", "arrows": "4 4"}
"""Variants whose games end soon."""

UNKNOWN = "some_new_reason"


def own_move_ends(bot: BotUnderTest) -> None:
    """Whatever the bot plays ends the game on the board."""
    table = _table(bot, always_ends, own=True)
    table.opening()
    table.exchange()
    table.close()
    bot.seeking()


def opponent_wins(bot: BotUnderTest) -> None:
    """The opponent plays a move that wins."""
    table = _table(bot, can_win, own=False)
    table.opening()
    position = table.history.position
    table.moved(next(s.move for s in position.successors() if wins(position, s)))
    table.close()
    bot.seeking()


def move_limit(bot: BotUnderTest) -> None:
    """A draw by a move limit of three."""
    for side in bot.sides():
        table = ConformanceMatch(bot, side=side, move_limit=3)
        table.opening()
        while not table.over():
            table.ply()
        bot.seeking()


def ends_early(
    bot: BotUnderTest, *, reach: Callable[[ConformanceMatch], None], ends: Sequence[tuple[str, str]], sentence: str = ""
) -> None:
    """The match ends at a moment, once by each result and its reason; the result ``bot`` is a win of the bot.

    What the bot has said meanwhile may be on its way: READY, or a MOVE that comes too late.
    """
    for result, reason in ends:
        table = _table(bot)
        reach(table)
        if not table.over():
            table.result(table.name if result == "bot" else result, reason, sentence)
        bot.seeking()


def _waiting(table: ConformanceMatch) -> None:
    table.opening()
    if table.bot_moves:
        table.exchange()


def _thinking(table: ConformanceMatch) -> None:
    table.opening()
    table.turn_to_bot()


def _table(bot: BotUnderTest, wanted: Wanted | None = None, *, own: bool = True) -> ConformanceMatch:
    """Return a match, from a position with the bot's or the other side to move that will do."""
    bot.seeking()
    game, wish = bot.game, bot.options
    side = wish.side or 0
    if wanted is None:
        return ConformanceMatch(bot, side=side)
    parameters = wish.parameters or SMALL.get(game.name, game.default_parameters)
    return ConformanceMatch(bot, find(game, parameters, side if own else 1 - side, wanted), side=side)


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
    _thinking(table)
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
    Situation("the game ends by its own move", own_move_ends),
    Situation("the game ends by a move of the opponent's", opponent_wins),
    Situation("the match is drawn by the move limit", move_limit),
    Situation(
        "the match ends while it prepares",
        partial(
            ends_early,
            reach=ConformanceMatch.announce,
            ends=(("bot", "resign"), ("annulled", "server_stop")),
            sentence="before it began",
        ),
    ),
    Situation(
        "the match ends while it waits",
        partial(
            ends_early,
            reach=_waiting,
            ends=(("bot", "time"), ("bot", "bad_move"), ("bot", "resign")),
            sentence="checker has lost",
        ),
    ),
    Situation(
        "the match ends while it thinks: its MOVE comes too late",
        partial(
            ends_early,
            reach=_thinking,
            ends=(("bot", "resign"), ("annulled", "server_fault"), ("draw", UNKNOWN)),
        ),
    ),
    Situation("its MOVE is refused: says another, or RESIGN", move_is_refused),
    Situation("its MOVES is refused: moves without it, or says RESIGN", moves_are_refused),
)
