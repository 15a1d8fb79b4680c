"""The class `Bot` to subclass, and the values that its methods take."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypedDict, Unpack

from engine.games.catalogue import variant_title
from engine.games.interface import Child, History, Position
from engine.match.clock import span
from engine.wire.messages import MICROSECONDS, Match, Moved, Opponent, Result, Start, Watching
from engine.wire.words import parameters_of, without_code

MatchMessage: TypeAlias = Start | Moved | Opponent | Result
"""Messages of the server to a player during a match, except TURN."""


Choice: TypeAlias = str | Child
"""A chosen move: text in the game's notation, or one of the position's children."""


class NoteFields(TypedDict, total=False):
    """A bot's evaluation of the game, for its record; nobody sees it before the match is over.

    Values that are wrong or too long are left out, and never fail the bot.
    """

    ply: int | None
    """One of the bot's own moves that the note is about; the present one when left out."""
    score: float | None
    """How good the position is for this bot, more is better."""
    depth: int | None
    """Plies that were searched."""
    nodes: int | None
    """Positions that were searched."""
    pv: Iterable[Choice]
    """Moves that are expected, this bot's own first."""
    text: str


NoteFunction: TypeAlias = Callable[..., None]
"""A function that takes the notes of a bot, with the arguments of `NoteFields`; it raises nothing."""


def leave_out(**_said: Unpack[NoteFields]) -> None:
    """Take a note where no match is played on a server: nothing happens."""


@dataclass(frozen=True)
class Clocks:
    """Remaining times of both sides when a move is requested, and the increment, in milliseconds."""

    mine_ms: int
    theirs_ms: int
    increment_ms: int
    noting: NoteFunction = field(default=leave_out, compare=False, repr=False)

    def note(self, **said: Unpack[NoteFields]) -> None:
        """Say what you think of the game: score, depth, nodes, pv, text (`NoteFields`)."""
        self.noting(**said)


def match_title(match: Match | Watching) -> str:
    """Return the number of a match, what is played and with which times."""
    variant = variant_title(f"{match.game} {parameters_of(match.parameters)}")
    added = f" + {span(match.increment * MICROSECONDS)} a move" if match.increment else ""
    return f"match {match.match}: {variant}, {span(match.budget * MICROSECONDS)}{added}"


class GameResult(NamedTuple):
    """The result of a match."""

    match: Match
    result: str
    """The winning side, ``draw`` or ``annulled``."""
    reason: str
    """The rule that ended it, in one word: ``no_reserve``, ``time``, ``resign``..."""
    sentence: str
    """The same as a sentence."""
    history: History

    @property
    def score(self) -> float | None:
        """Return 1 for a win, 0.5 for a draw, 0 for a loss, and None for an annulled match."""
        if self.result == "annulled":
            return None
        return 0.5 if self.result == "draw" else float(self.result == self.match.side)

    def __str__(self) -> str:
        """Format the result in one line; a very long sentence is cut."""
        word = {1.0: "won", 0.5: "drawn", 0.0: "lost", None: "annulled"}[self.score]
        why = f"{self.reason}: {without_code(self.sentence):.1000}" if self.sentence else self.reason
        return f"match {self.match.match}: {word} as {self.match.side} against {self.match.opponent} ({why})"


class Resigned(Exception):
    """Raised by a bot in `Bot.prepare` or `Bot.choose` to resign the match."""


class Bot:
    """A player. Subclass it and override `choose`; the other methods are optional.

    While a match is played, ``match`` says which (side, opponent, budget, move limit) and ``history`` holds the
    moves and position keys of the game so far. `bots.client.run.play` sets both before it calls a method.
    """

    match: Match
    history: History

    noting: NoteFunction | None = None
    """Takes notes while a match is played on a server."""

    logging: Callable[[Iterable[str]], None] | None = None
    """Adds lines to the author's log of the match while it is played on a server."""

    checked = True
    """Whether an illegal move, which loses the match, also counts as a failure of the bot here."""

    watched = True
    """Whether a method that has used up the clock is reported, and ended with the match."""

    def connected(self) -> None:
        """Start the programs of the bot. Called once, after the login and before SEEK; no clock runs."""

    def prepare(self, match: Match) -> None:
        """Prepare for a match, before READY is sent; the bot's clock runs. Called once for each match."""

    def choose(self, position: Position, clocks: Clocks) -> Choice:
        """Return the move to play, as text or as one of ``position.children()``. The bot's clock runs."""
        raise NotImplementedError("a bot has to say how it chooses a move")

    def handle_message(self, message: MatchMessage) -> None:
        """Handle a message of the server; none is repeated after a lost connection."""

    def note(self, **said: Unpack[NoteFields]) -> None:
        """Say what you think of the game, as `Clocks.note` does, in any method from `prepare` on."""
        if self.noting is not None:
            self.noting(**said)

    def finished(self, result: GameResult) -> None:
        """Handle the result of a match. No clock runs."""


Choose: TypeAlias = Callable[[Position, Clocks], Choice]
"""A function with the arguments of `Bot.choose`."""


class FunctionBot(Bot):
    """A bot that calls a function to choose moves."""

    def __init__(self, choose: Choose) -> None:
        """Take the function."""
        self.function = choose

    def choose(self, position: Position, clocks: Clocks) -> Choice:
        """Call the function."""
        return self.function(position, clocks)
