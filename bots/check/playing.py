"""Situations on the board, of the clocks and at the end of a match, and the positions where they come about."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from random import Random

from bots.check.bot_under_test import BotUnderTest, Situation
from bots.check.conformance_match import BUDGET_MS, MOMENTS, ConformanceMatch, Moment, UnknownReason, think
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.games.outcome import Termination
from engine.wire import messages as m

RING = """2 3 9 9
{white} {black} {turn}
 {piece} {piece}
{piece} _ {piece}
 {piece} {piece}
"""
"""Whatever is pushed into the middle leaves three rows that cross, or two."""


def crossing_rows(owner: int, turn: int) -> Position:
    """Return a position of GIPF in which every legal move takes a choice among rows of the owner, 0 or 1."""
    left = (3, 9) if owner == 0 else (9, 3)
    text = RING.format(white=left[0], black=left[1], turn="WB"[turn], piece="WB"[owner])
    return GAMES["gipf"].read(text)


def quiet_move(position: Position, chance: Random) -> str:
    """Return a random move after which the game goes on, where there is one."""
    successors = list(position.successors())
    return chance.choice([s for s in successors if s.position.verdict() is None] or successors).move


FEW_PLIES = 8
LONG_PLIES = 300
LONG_BUDGET_MS = 20_000
TURN_SECONDS = 0.3
"""How long a bot is watched that is not on turn."""

SMALL_GIPF = "2 2 9 9"
"""With two in a row on the smallest board nearly every move makes rows that cross, and games are long."""

GIPF = GAMES["gipf"]


def plays(bot: BotUnderTest, plies: int, *, side: int | None = None, budget: int = BUDGET_MS) -> None:
    """So many moves at most."""
    keep_playing(ConformanceMatch(bot, side=side, budget=budget), plies)


def waits_for_turn(bot: BotUnderTest) -> None:
    """START, MOVED, and what the opponent's connection does, are no TURN."""
    table = ConformanceMatch(bot)
    table.open()
    table.silent(TURN_SECONDS)
    if table.bot_moves:
        table.exchange()
    if not table.is_over:
        table.peer.send(b"OPPONENT gone\nOPPONENT back\n")
        table.silent(TURN_SECONDS)
        table.peer.say(*table.played(quiet_move(table.history.position, Random(0))))
        table.silent(TURN_SECONDS)
    if not table.is_over:
        table.exchange()
    table.close()


def chooses_rows(bot: BotUnderTest, *, own: bool) -> None:
    """Every legal move takes a choice among rows of the bot, or of the opponent."""
    for side in bot.sides():
        keep_playing(ConformanceMatch(bot, crossing_rows(side if own else 1 - side, side), side=side), 1)


def opponent_chooses(bot: BotUnderTest) -> None:
    """The other side plays moves with choices; the bot has to know what they have made of the board."""
    for side in bot.sides():
        for owner in (0, 1):
            keep_playing(ConformanceMatch(bot, crossing_rows(owner, 1 - side), side=side), 2)


def long_match(bot: BotUnderTest) -> None:
    """A match of some hundred moves where the game allows it."""
    keep_playing(ConformanceMatch(bot, first_position(bot), budget=LONG_BUDGET_MS, move_limit=LONG_PLIES), LONG_PLIES)


def another_start(bot: BotUnderTest) -> None:
    """BOARD shows a position in the middle of a game: it is where this match begins, whoever is to move."""
    for plies in (2, 3):
        for side in bot.sides():
            position, chance = first_position(bot), Random(0)
            for _ in range(plies):
                position = position.resolve(quiet_move(position, chance)).position
            keep_playing(ConformanceMatch(bot, position, side=side), 2)


def first_position(bot: BotUnderTest) -> Position:
    """Return the first position of the variant that the bot seeks, or else of one in which much happens."""
    game, options = bot.wish()
    return game.start(options.parameters or (SMALL_GIPF if game is GIPF else game.default_parameters))


def match_after_match(bot: BotUnderTest) -> None:
    """Three matches in a row, of different lengths and ends."""
    for number in range(3):
        plays(bot, 1 + 2 * number)


def keep_playing(table: ConformanceMatch, plies: int) -> None:
    """Play so many moves at most, the other side's at random, but such that the game goes on."""
    chance = Random(0)
    table.open()
    for _ in range(plies):
        if table.is_over:
            break
        if table.bot_moves:
            table.exchange()
        else:
            table.answered(quiet_move(table.history.position, chance))
    table.close()


SHORT_MS = 1000
SHORT_PLIES = 30
TRIES = 3
"""A bot that cannot keep its time fails each time; one whose time a busy machine has taken does not."""


PLAYING = (
    Situation("plays the side that begins", partial(plays, plies=FEW_PLIES, side=0)),
    Situation("plays the other side", partial(plays, plies=FEW_PLIES, side=1)),
    Situation("moves on TURN only: not on START, MOVED or OPPONENT", waits_for_turn),
    Situation("begins in the position that BOARD shows", another_start),
    Situation("chooses among its own crossing rows", partial(chooses_rows, own=True)),
    Situation("chooses among the opponent's crossing rows", partial(chooses_rows, own=False)),
    Situation("follows an opponent who chooses among crossing rows", opponent_chooses),
    Situation("plays match after match", match_after_match),
    Situation("plays a long match", long_match),
    Situation("keeps its time with a second for the match", partial(plays, plies=SHORT_PLIES, budget=SHORT_MS), TRIES),
)


def game_ends(bot: BotUnderTest, *, own: bool) -> None:
    """The game ends by the move limit, with a move of the bot or of the opponent: no TURN follows."""
    for side in bot.sides():
        keep_playing(ConformanceMatch(bot, side=side, move_limit=1 if own == (side == 0) else 2), 2)
        bot.seeking()


def ends_early(bot: BotUnderTest, *, reach: Moment, ends: Sequence[tuple[bool, StrEnum]]) -> None:
    """The match ends at a moment, once by each reason; the bot has won, or nobody has.

    What the bot has said meanwhile may be on its way: READY, or a MOVE that comes too late.
    """
    for is_won, reason in ends:
        table = ConformanceMatch(bot)
        reach(table)
        if not table.is_over:
            table.end(table.side if is_won else None, reason, "checker has lost" if is_won else "nobody has won")
        bot.seeking()


CODES = ("line_too_long", "bad_line", "bad_arguments", "some_new_code")


def move_is_refused(bot: BotUnderTest) -> None:
    """ERROR in answer to MOVE: the bot is still on turn, and says another MOVE, or gives up."""
    for code in CODES:
        table = ConformanceMatch(bot)
        think(table)
        table.wait_for(m.Move, "MOVE while its clock lasts", "9")
        table.peer.refuse_move(code, "this is how a refusal looks")
        table.may_resign = True
        request = table.wait_for(m.Resign | m.Crashed | m.Move, "a MOVE, or RESIGN", "6")
        if isinstance(request, m.Move):
            table.judge(request)
        table.close()


ENDS: dict[str, tuple[tuple[bool, StrEnum], ...]] = {
    "prepares": ((True, Termination.RESIGN), (False, Termination.SERVER_STOP)),
    "waits": ((True, Termination.TIME), (True, Termination.BAD_MOVE), (True, Termination.RESIGN)),
    "thinks": ((True, Termination.RESIGN), (False, Termination.SERVER_FAULT), (False, UnknownReason.NEW_RULE)),
}
"""How a match ends at each moment: whether the bot has won, and the reason."""

ENDING = (
    Situation("the game ends by its own move", partial(game_ends, own=True)),
    Situation("the game ends by a move of the opponent's", partial(game_ends, own=False)),
    *(
        Situation(f"the match ends while it {word}", partial(ends_early, reach=MOMENTS[word], ends=ends))
        for word, ends in ENDS.items()
    ),
    Situation("its MOVE is refused: says another, or RESIGN", move_is_refused),
)
