"""What a bot is: the class to subclass, and the small values that it is given."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engine.games.history import History
from engine.games.interface import Position, Successor
from engine.wire.messages import Match, Moved, Opponent, Result, Start

Told: TypeAlias = Start | Moved | Opponent | Result
"""What the server tells a player during a match, beside asking for moves."""


Choice: TypeAlias = str | Successor
"""What a bot may choose: a move in the game's notation, or the successor of the position that it leads to."""


class Clocks(NamedTuple):
    """What both sides have left when a move is asked for, and what a move adds; in milliseconds."""

    mine_ms: int
    theirs_ms: int
    increment_ms: int


class GameResult(NamedTuple):
    """How a match ended."""

    match: Match
    result: str
    """The winning side, ``draw`` or ``annulled``."""
    reason: str
    """The rule that ended it, in one word: ``no_reserve``, ``time``, ``resign``..."""
    sentence: str
    """The same for people."""
    history: History

    @property
    def score(self) -> float | None:
        """Return 1 for a win, 0.5 for a draw, 0 for a loss, and None for a match that counts for nobody."""
        if self.result == "annulled":
            return None
        return 0.5 if self.result == "draw" else float(self.result == self.match.side)

    def __str__(self) -> str:
        """Say it in one line."""
        word = {1.0: "won", 0.5: "drawn", 0.0: "lost", None: "annulled"}[self.score]
        why = f"{self.reason}: {self.sentence}" if self.sentence else self.reason
        return f"match {self.match.match}: {word} as {self.match.side} against {self.match.opponent} ({why})"


class Resigned(Exception):
    """Raised by a bot in `Bot.prepare` or `Bot.choose` to give up the match."""


class Bot:
    """A player. Subclass it and write `choose`; the other methods may be left as they are.

    While a match is played, ``match`` says which (side, opponent, budget, move limit) and ``history`` holds the
    game so far: its positions' keys, and its moves. `bots.client.run.play` sets both before it calls anything here.
    """

    match: Match
    history: History

    checked = True
    """Whether a move that is not legal is held back, as a failure, or sent as it is for the server to judge."""

    def prepare(self, match: Match) -> None:
        """Get ready for a match; the own clock runs. Called once a match, before READY is said."""

    def choose(self, position: Position, clocks: Clocks) -> Choice:
        """Return the move to play, as text or as one of ``position.successors()``. The own clock runs."""
        raise NotImplementedError("a bot has to say how it chooses a move")

    def told(self, message: Told) -> None:
        """Learn what the server tells, as soon as it is read; nothing comes twice after a lost connection."""

    def finished(self, result: GameResult) -> None:
        """Learn how a match ended. No clock runs."""


Choose: TypeAlias = Callable[[Position, Clocks], Choice]
"""`Bot.choose` as a function, for bots that need no more."""


class FunctionBot(Bot):
    """A bot made of a function."""

    def __init__(self, choose: Choose) -> None:
        """Take the function that chooses."""
        self.function = choose

    def choose(self, position: Position, clocks: Clocks) -> Choice:
        """Ask the function."""
        return self.function(position, clocks)


def place_of_choose(bot: Bot) -> str:
    """Name the function or method by which a bot chooses, with its file and line where they are known."""
    function: object = bot.function if isinstance(bot, FunctionBot) else type(bot).choose
    name = getattr(function, "__qualname__", "") or type(function).__qualname__
    code = getattr(function, "__code__", None)
    return f"{name} ({code.co_filename}, line {code.co_firstlineno})" if code is not None else name
