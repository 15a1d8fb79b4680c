"""Situations on the board, of the clocks and at the end of a match, and the positions where they come about."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from random import Random

from bots.check.bot_under_test import BotUnderTest, Situation
from bots.check.conformance_match import ConformanceMatch, UnknownReason
from bots.check.report import Skipped
from engine.games.catalogue import GAMES
from engine.games.interface import Game, GameError, Position, Successor
from engine.games.outcome import Outcome, Termination
from engine.wire import messages as m
from engine.wire.words import word_of

MAX_POSITIONS = 3000
"""Positions that are tried before a situation is skipped."""

RING = """2 3 9 9
{white} {black} {turn}
 {piece} {piece}
{piece} _ {piece}
 {piece} {piece}
"""
"""Whatever is pushed into the middle leaves three rows that cross, or two."""

FORCED = {
    "morris": ("0 0 W\n_BWBWWB_B__BWWB_B_B_____\n", "0 0 B\n_WBWBBW_W__WBBW_W_W_____\n"),
    "mnk": ("3 3 3 1\n1 2 1\n1 2 2\n2 1 0\n", "3 3 3 2\n1 2 1\n1 2 2\n2 1 0\n"),
}
"""Positions with one legal move, of either side. Arrows has none, nor GIPF, where six pushes reach every free field."""

Wanted = Callable[[Position, list[Successor]], bool]
"""Tells whether a position, with its legal moves, is suitable."""


def crossing_rows(owner: int, turn: int) -> Position:
    """Return a position of GIPF in which every legal move takes a choice among rows of the owner, 0 or 1."""
    left = (3, 9) if owner == 0 else (9, 3)
    text = RING.format(white=left[0], black=left[1], turn="WB"[turn], piece="WB"[owner])
    return GAMES["gipf"].read(text)


def forced_move(game: Game, turn: int) -> Position | None:
    """Return a position with one legal move, None for a game that has none."""
    return game.read(FORCED[game.name][turn]) if game.name in FORCED else None


def find(game: Game, parameters: str, side: int, wanted: Wanted) -> Position:
    """Return the first suitable position with a side to move; raises `Skipped` if none is found."""
    chance = Random(0)
    position = game.start(parameters)
    for _ in range(MAX_POSITIONS):
        successors = list(position.successors())
        if not successors:
            position = game.start(parameters)
            continue
        if position.turn == side and wanted(position, successors) and _can_be_shown(position):
            return position
        position = chance.choice(successors).position
    raise Skipped(f"no such position of {game.name} {word_of(parameters)} was found")


def always_ends(_position: Position, successors: list[Successor]) -> bool:
    """Tell whether every legal move ends the game."""
    return all(successor.position.verdict() is not None for successor in successors)


def can_win(position: Position, successors: list[Successor]) -> bool:
    """Tell whether there is a winning move."""
    return any(wins(position, successor) for successor in successors)


def wins(position: Position, successor: Successor) -> bool:
    """Tell whether a move wins for the side that makes it."""
    outcome: Outcome | None = successor.position.verdict()
    return outcome is not None and outcome.winner == position.turn


def may_choose(owner: int) -> Wanted:
    """Return a test for a GIPF move with a choice among rows of the owner, 0 or 1."""
    return lambda _position, successors: any(chooses(successor, owner) for successor in successors)


def chooses(successor: Successor, owner: int) -> bool:
    """Tell whether a move of GIPF names a row of the owner."""
    return f" {'wb'[owner]}: " in successor.move


def _can_be_shown(position: Position) -> bool:
    """Tell whether the position can be rebuilt from its text."""
    try:
        return bool(position.game.read(position.text()).key == position.key)
    except GameError:
        return False


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
    if not table.is_over:
        table.peer.send(b"OPPONENT gone\nOPPONENT back\n")
        table.silent(TURN_SECONDS)
        table.moved(_quiet_move(table, Random(0)))
        table.silent(TURN_SECONDS)
        if not table.is_over:
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
            if not table.is_over:
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
        if table.is_over:
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


PLAYING = (
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


SMALL = {"gipf": "3 3 5 5", "mnk": "4 4 3", "arrows": "4 4"}
"""Variants whose games end soon."""


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
        while not table.is_over:
            table.ply()
        bot.seeking()


def ends_early(
    bot: BotUnderTest,
    *,
    reach: Callable[[ConformanceMatch], None],
    ends: Sequence[tuple[bool, StrEnum]],
    sentence: str = "",
) -> None:
    """The match ends at a moment, once by each reason; the bot has won, or nobody has.

    What the bot has said meanwhile may be on its way: READY, or a MOVE that comes too late.
    """
    for is_won, reason in ends:
        table = _table(bot)
        reach(table)
        if not table.is_over:
            table.end(table.side if is_won else None, reason, sentence)
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


ENDING = (
    Situation("the game ends by its own move", own_move_ends),
    Situation("the game ends by a move of the opponent's", opponent_wins),
    Situation("the match is drawn by the move limit", move_limit),
    Situation(
        "the match ends while it prepares",
        partial(
            ends_early,
            reach=ConformanceMatch.announce,
            ends=((True, Termination.RESIGN), (False, Termination.SERVER_STOP)),
            sentence="before it began",
        ),
    ),
    Situation(
        "the match ends while it waits",
        partial(
            ends_early,
            reach=_waiting,
            ends=((True, Termination.TIME), (True, Termination.BAD_MOVE), (True, Termination.RESIGN)),
            sentence="checker has lost",
        ),
    ),
    Situation(
        "the match ends while it thinks: its MOVE comes too late",
        partial(
            ends_early,
            reach=_thinking,
            ends=((True, Termination.RESIGN), (False, Termination.SERVER_FAULT), (False, UnknownReason.NEW_RULE)),
        ),
    ),
    Situation("its MOVE is refused: says another, or RESIGN", move_is_refused),
    Situation("its MOVES is refused: moves without it, or says RESIGN", moves_are_refused),
)
