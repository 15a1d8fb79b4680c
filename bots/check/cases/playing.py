"""Situations on the board, and of the clocks."""

from functools import partial
from random import Random

from bots.check.bot_under_test import BotUnderTest, Situation
from bots.check.conformance_match import ConformanceMatch
from bots.check.position_search import chooses, crossing_rows, find, forced_move, may_choose
from bots.check.report import Skipped
from engine.games.catalogue import GAMES
from engine.games.interface import Game, Position

FEW_PLIES = 8
LONG_PLIES = 300
LONG_BUDGET_MS = 20_000
TURN_SECONDS = 0.3
"""How long a bot is watched that is not on turn."""

SMALL_GIPF = "2 2 9 9"
"""With two in a row on the smallest board nearly every move makes rows that cross, and games are long."""

GIPF = GAMES["gipf"]


def plays(
    bot: BotUnderTest, plies: int, *, side: int | None = None, budget: int | None = None, increment: int = 0
) -> None:
    """So many moves at most."""
    keep_playing(ConformanceMatch(bot, side=side, budget=budget, increment=increment), plies)


def waits_for_turn(bot: BotUnderTest) -> None:
    """START, MOVED, and what the opponent's connection does, are no TURN."""
    table = ConformanceMatch(bot)
    table.opening()
    table.silent(TURN_SECONDS)
    if table.bot_moves:
        table.exchange()
    if not table.over():
        table.peer.send(b"OPPONENT gone\nOPPONENT back\n")
        table.silent(TURN_SECONDS)
        table.moved(_quiet_move(table, Random(0)))
        table.silent(TURN_SECONDS)
        if not table.over():
            table.exchange()
    table.close()


def chooses_rows(bot: BotUnderTest, *, own: bool) -> None:
    """Every legal move takes a choice among rows of the bot, or of the opponent."""
    for side in bot.sides():
        _one_move(bot, crossing_rows(side if own else 1 - side, side), side)


def opponent_chooses(bot: BotUnderTest) -> None:
    """The other side plays moves with choices; the bot has to know what they have made of the board."""
    for side in bot.sides():
        for owner in (0, 1):
            if _game(bot) is not GIPF:
                raise Skipped(f"the bot seeks {bot.game.name}")
            if bot.options.parameters is None:
                position = crossing_rows(owner, 1 - side)
            else:
                position = find(*_variant(bot), 1 - side, may_choose(owner))
            table = ConformanceMatch(bot, position, side=side)
            table.opening()
            table.moved(next(s.move for s in position.successors() if chooses(s, owner)))
            if not table.over():
                table.exchange()
            table.close()


def has_one_move(bot: BotUnderTest) -> None:
    """There is one legal move."""
    for side in bot.sides():
        position = forced_move(_game(bot), side)
        if position is None:
            raise Skipped(f"{_game(bot).name} has no forced moves")
        _one_move(bot, position, side)


def long_match(bot: BotUnderTest) -> None:
    """A match of some hundred moves where the game allows it."""
    game, parameters = _variant(bot)
    table = ConformanceMatch(bot, game.start(parameters), budget=LONG_BUDGET_MS, move_limit=LONG_PLIES)
    keep_playing(table, LONG_PLIES)


def another_start(bot: BotUnderTest) -> None:
    """BOARD shows a position in the middle of a game: it is where this match begins, whoever is to move."""
    for turn in (0, 1):
        for side in bot.sides():
            position = find(*_variant(bot), turn, lambda found, _: found.key != found.game.start(found.parameters).key)
            keep_playing(ConformanceMatch(bot, position, side=side), 2)


def match_after_match(bot: BotUnderTest) -> None:
    """Three matches in a row, of different lengths and ends."""
    for number in range(3):
        plays(bot, 1 + 2 * number)


def keep_playing(table: ConformanceMatch, plies: int) -> None:
    """Play so many moves at most, the other side's at random, but such that the game goes on."""
    table.opening()
    chance = Random(0)
    on_turn = False
    for _ in range(plies):
        if table.bot_moves:
            if not on_turn:
                table.turn()
            table.answer()
            on_turn = False
        elif table.ends(move := _quiet_move(table, chance)):
            table.moved(move)
        else:
            table.answered(move)
            on_turn = True
        if table.over():
            break
    table.close()


def _quiet_move(table: ConformanceMatch, chance: Random) -> str:
    successors = list(table.history.position.successors())
    return chance.choice([s for s in successors if s.position.verdict() is None] or successors).move


def _one_move(bot: BotUnderTest, position: Position, side: int) -> None:
    table = ConformanceMatch(bot, position, side=side)
    table.opening()
    table.exchange()
    table.close()


def _variant(bot: BotUnderTest) -> tuple[Game, str]:
    """Return the game that the bot seeks, and the variant that it seeks, or else one in which much happens."""
    game = _game(bot)
    return game, bot.options.parameters or (SMALL_GIPF if game is GIPF else game.default_parameters)


def _game(bot: BotUnderTest) -> Game:
    bot.seeking()
    return bot.game


SHORT_MS = 1000
SHORT_PLIES = 30
TINY_MS = 500
INCREMENT_MS = 100

TRIES = 3
"""A bot that cannot keep its time fails each time; one whose time a busy machine has taken does not."""


SITUATIONS = (
    Situation("plays the side that begins", partial(plays, plies=FEW_PLIES, side=0)),
    Situation("plays the other side", partial(plays, plies=FEW_PLIES, side=1)),
    Situation("moves on TURN only: not on START, MOVED or OPPONENT", waits_for_turn),
    Situation("begins in the position that BOARD shows", another_start),
    Situation("chooses among its own crossing rows", partial(chooses_rows, own=True)),
    Situation("chooses among the opponent's crossing rows", partial(chooses_rows, own=False)),
    Situation("follows an opponent who chooses among crossing rows", opponent_chooses),
    Situation("finds a forced move", has_one_move),
    Situation("plays match after match", match_after_match),
    Situation("plays a long match", long_match),
    Situation("keeps its time with a second for the match", partial(plays, plies=SHORT_PLIES, budget=SHORT_MS), TRIES),
    Situation(
        "keeps its time with half a second, and a tenth more a move",
        partial(plays, plies=SHORT_PLIES, budget=TINY_MS, increment=INCREMENT_MS),
        TRIES,
    ),
)
