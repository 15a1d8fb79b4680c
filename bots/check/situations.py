"""All situations: from the connection to the first match, on the board, of the clocks, at the end, and after a loss.

A situation is a function of the bot under test, which raises `Fault` where the bot does wrong.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from random import Random

from bots.check.bot_under_test import (
    ANSWER_SECONDS,
    LOOK_SECONDS,
    MAX_REFUSALS,
    BotUnderTest,
    Disconnected,
    Fault,
    Peer,
    Situation,
    greet,
)
from bots.check.conformance_match import BUDGET_MS, MOMENTS, ConformanceMatch, Moment, UnknownReason, think
from engine.games.catalogue import GAMES
from engine.games.interface import Position, Termination
from engine.wire import messages as m
from engine.wire.coding import REPLY_BYTES

FIRST_WORDS = b"WEATHER fine 21\n"
LONG_BUDGET_MS = 20_000
REPEAT_SECONDS = 2.0
"""How long a bot is watched that is refused again and again."""


def stops_at_another_version(bot: BotUnderTest) -> None:
    """A greeting with a version that the bot cannot know."""
    peer = bot.connection()
    try:
        greet(peer, version=m.VERSION + 1)
        request = peer.request(time.monotonic() + ANSWER_SECONDS)
        while isinstance(request, m.Login):  # may have been on its way before the greeting was read
            request = peer.request(time.monotonic() + REPEAT_SECONDS)
    except Disconnected:
        request = m.Quit()
    finally:
        bot.drop()
    if not isinstance(request, m.Quit):
        did = f"went on with {peer.last!r}" if peer.last else f"waited for {ANSWER_SECONDS:g} s"
        raise Fault(f"{did} after 'ARENA {m.VERSION + 1} …'", "to say so to its user, and to leave", "2.5")


def is_refused(bot: BotUnderTest, *, kind: type, codes: Sequence[str]) -> None:
    """ERROR in answer to LOGIN or SEEK: the request is not repeated for ever."""
    word = m.KINDS[kind]
    for code in codes:
        peer = bot.connection()
        with suppress(Disconnected):
            if kind is m.Seek:
                bot.login(peer)
            else:
                greet(peer)
            request = bot.said(peer, word, "4")
            if not isinstance(request, kind):
                raise Fault(f"said {peer.last!r}", word, "3")
            deadline, count = time.monotonic() + REPEAT_SECONDS, 0
            while isinstance(request, kind):
                count += 1
                if count > MAX_REFUSALS:
                    raise Fault(
                        f"said {word} {count} times in {REPEAT_SECONDS:g} s, although ERROR {code} answered each",
                        "to leave, or to pause before it tries again",
                        "1.8",
                    )
                peer.refuse(code, "this is how a refusal looks")
                request = peer.request(deadline)
        bot.drop()


def reads(bot: BotUnderTest, *, noisy: bool, right: str, section: str) -> None:
    """Login and a few moves, with messages that no client knows everywhere, or with lines in pieces of three bytes."""
    peer = bot.connection()
    peer.noisy, peer.cut = noisy, not noisy
    try:
        if noisy:
            peer.send(FIRST_WORDS)
        bot.login(peer)
        request = bot.said(peer, "SEEK, or QUIT", "4")
        if not isinstance(request, m.Seek):
            raise Fault(f"said {peer.last!r}", "SEEK", "3")
        bot.accept(peer, request)
    except Disconnected as left:
        bot.lost()
        raise Fault("closed the connection", right, section) from left
    keep_playing(ConformanceMatch(bot), 4)
    bot.drop()


def long_lines(bot: BotUnderTest) -> None:
    """Lines as long as a client has to accept, of a kind that it does not know and of one that it does."""
    table = ConformanceMatch(bot)
    table.announce()
    table.peer.send(b"LETTER " + b"x" * (REPLY_BYTES - 7) + b"\n")
    table.ready()
    table.start()
    table.ply_of_bot()
    if not table.is_over:
        table.end(None, UnknownReason.NEW_RULE, "è" * (REPLY_BYTES // 2 - 32))


def resume(table: ConformanceMatch) -> None:
    """Cut the connection, wait for RESUME, and tell the bot what it has missed; raises `Fault` without RESUME."""
    table.peer.close()
    right = f"RESUME {table.header.match} {table.token} over a new connection"
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline:
        peer = table.bot.accept_connection(LOOK_SECONDS)
        if peer is None:
            if ended := table.bot.program_ended():
                raise Fault(f"{ended}, when its connection was lost", right, "11")
            continue
        try:
            greet(peer)
            _await_resume(table, peer, right)
            table.resumed(peer)
            return
        except Disconnected:
            continue
    raise Fault(f"did not come back within {ANSWER_SECONDS:g} s after its connection was lost", right, "11")


def _await_resume(table: ConformanceMatch, peer: Peer, right: str) -> None:
    """Wait for the bot to resume the match over this connection; raises `Disconnected` where it leaves in order."""
    for _ in range(MAX_REFUSALS):
        match table.bot.said(peer, right, "11"):
            case m.Resume(table.header.match, table.token):
                peer.name = table.peer.name
                return
            case m.Resume():
                raise peer.refused(
                    m.Code.BAD_TOKEN, f"match {table.header.match} is not to be resumed with this token", right, "11"
                )
            case m.Login(name):
                peer.refuse(m.Code.NAME_TAKEN, f"{name} plays in match {table.header.match}; come back with RESUME")
    raise Fault(f"said {peer.last!r} {MAX_REFUSALS} times", right, "11")


def resumes(bot: BotUnderTest, *, reach: Moment) -> None:
    """The connection is lost at a moment; where it is the opponent's turn, it moves before the bot is back."""
    table = ConformanceMatch(bot, budget=LONG_BUDGET_MS)
    reach(table)
    if not table.is_over:
        if table.is_started and not table.bot_moves:
            table.played(table.first_move())
        resume(table)
        if not table.is_started:
            table.ready()
            table.start()
        if not table.is_over:
            table.ply_of_bot()
    table.close()


def cannot_be_resumed(bot: BotUnderTest) -> None:
    """RESUME is refused: the bot logs in as at first, or leaves."""
    table = ConformanceMatch(bot, budget=LONG_BUDGET_MS)
    table.open()
    table.peer.close()
    bot.lost()
    bot.seeking()


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
    return GAMES["gipf"].read(RING.format(white=left[0], black=left[1], turn="WB"[turn], piece="WB"[owner]))


def quiet_move(position: Position, chance: Random) -> str:
    """Return a random move after which the game goes on, where there is one."""
    children = list(position.children())
    return chance.choice([s for s in children if not s.position.is_over] or children).move


TURN_SECONDS = 0.3
"""How long a bot is watched that is not on turn."""

SMALL_GIPF = "2 2 9 9"
"""With two in a row on the smallest board nearly every move makes rows that cross, and games are long."""


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
    if not table.is_over:  # else the bot may seek the next match
        table.silent(TURN_SECONDS)
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
    keep_playing(ConformanceMatch(bot, first_position(bot), budget=LONG_BUDGET_MS, move_limit=300), 300)


def another_start(bot: BotUnderTest) -> None:
    """BOARD shows a position in the middle of a game: it is where this match begins, whoever is to move."""
    for plies in (2, 3):
        for side in bot.sides():
            position, chance = first_position(bot), Random(0)
            for _ in range(plies):
                after = position.play(quiet_move(position, chance))
                position = position if after.is_over else after
            keep_playing(ConformanceMatch(bot, position, side=side), 2)


def first_position(bot: BotUnderTest) -> Position:
    """Return the first position of the variant that the bot seeks, or else of one in which much happens."""
    game, options = bot.requested()
    return game.start(options.parameters or (SMALL_GIPF if game.name == "gipf" else game.default_parameters))


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


def game_ends(bot: BotUnderTest, *, own: bool) -> None:
    """The game ends by the move limit, with a move of the bot or of the opponent: no TURN follows."""
    for side in bot.sides():
        keep_playing(ConformanceMatch(bot, side=side, move_limit=1 if own == (side == 0) else 2), 2)
        bot.seeking()


def ends_early(bot: BotUnderTest, *, reach: Moment, ends: Sequence[tuple[bool, StrEnum]]) -> None:
    """The match ends at a moment, once by each reason; the bot has won, or nobody has.

    Requests of the bot may be on their way: READY, or a MOVE that comes too late.
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
        request = table.wait_for(m.Resign | m.Crashed | m.Move, "a MOVE, RESIGN or CRASHED", "6")
        if isinstance(request, m.Move):
            table.judge(request)
        table.close()


ENDS: dict[str, tuple[tuple[bool, StrEnum], ...]] = {
    "prepares": ((True, Termination.RESIGN), (False, Termination.SERVER_STOP)),
    "waits": ((True, Termination.TIME), (True, Termination.BAD_MOVE), (True, Termination.RESIGN)),
    "thinks": ((True, Termination.RESIGN), (False, Termination.SERVER_FAULT), (False, UnknownReason.NEW_RULE)),
}
"""How a match ends at each moment: whether the bot has won, and the reason."""

SITUATIONS: tuple[Situation, ...] = (
    Situation("logs in and seeks", BotUnderTest.seeking),
    Situation("stops at a version of the protocol that it does not know", stops_at_another_version),
    Situation(
        "LOGIN is refused: does not repeat it for ever",
        partial(is_refused, kind=m.Login, codes=("name_taken", "bad_name", "bad_token", "some_new_code")),
    ),
    Situation(
        "SEEK is refused: does not repeat it for ever",
        partial(is_refused, kind=m.Seek, codes=("too_many", "stopping", "bad_time")),
    ),
    Situation(
        "ignores messages and blocks of unknown kinds",
        partial(reads, noisy=True, right="to ignore lines of a kind that it does not know", section="2.4"),
    ),
    Situation(
        "reads lines that come in pieces",
        partial(reads, noisy=False, right="to put together what comes until an LF", section="2.1"),
    ),
    Situation("reads lines of 65536 bytes, and a reason that it does not know", long_lines),
    Situation("plays the side that begins", partial(plays, plies=8, side=0)),
    Situation("plays the other side", partial(plays, plies=8, side=1)),
    Situation("moves on TURN only: not on START, MOVED or OPPONENT", waits_for_turn),
    Situation("begins in the position that BOARD shows", another_start),
    Situation("chooses among its own crossing rows", partial(chooses_rows, own=True)),
    Situation("chooses among the opponent's crossing rows", partial(chooses_rows, own=False)),
    Situation("follows an opponent who chooses among crossing rows", opponent_chooses),
    Situation("plays match after match", match_after_match),
    Situation("plays a long match", long_match),
    Situation("keeps its time with a second for the match", partial(plays, plies=30, budget=1000), tries=3),
    Situation("the game ends by its own move", partial(game_ends, own=True)),
    Situation("the game ends by a move of the opponent's", partial(game_ends, own=False)),
    *(
        Situation(f"the match ends while it {word}", partial(ends_early, reach=MOMENTS[word], ends=ends))
        for word, ends in ENDS.items()
    ),
    Situation("its MOVE is refused: says another, RESIGN or CRASHED", move_is_refused),
    *(Situation(f"resumes a match while it {word}", partial(resumes, reach=MOMENTS[word])) for word in MOMENTS),
    Situation("cannot resume a match: logs in again, or leaves", cannot_be_resumed),
)
"""From the connection to the first match, on the board, of the clocks, at the end, and after a loss."""
