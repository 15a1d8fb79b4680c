"""The sides of a duel, its games and its result.

Games come in pairs with the same opening, in which each side begins once. Players are functions. A game ends by the
rules, by repetition, without progress or at the move limit.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec

from engine.games.interface import History, Kernel, Position
from engine.levels import MAX_LEVEL
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH
from engine.statistics.elo import Decision, Sprt, Tally, estimate

MAX_AMOUNT = 1_000_000_000
"""Largest number in the options of a side: nodes, milliseconds, megabytes."""

Amount = Annotated[int, msgspec.Meta(ge=1, le=MAX_AMOUNT)]


class EngineConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side of a duel. Each field is an option of the text."""

    nodes: Amount | None = None
    """Nodes for a move."""
    ms: Amount | None = None
    """Milliseconds for a move."""
    depth: Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)] | None = None
    """Plies for a move."""
    level: Annotated[int, msgspec.Meta(ge=1, le=MAX_LEVEL)] = MAX_LEVEL
    """A level of `engine.levels`."""
    table: Amount | None = None
    """Megabytes of the transposition table; None for the default."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=MAX_THREADS)] = 1
    """Threads that search at the same time."""
    exact: bool = False
    """Whether every move is searched to the full depth."""
    weights: str = ""
    """A JSON file with other weights of the evaluation by name; empty for none."""


def read_side(text: str) -> EngineConfig:
    """Read the text of a side: options separated by commas, as in ``nodes=5000,table=16``; raises ValueError."""
    options: dict[str, Any] = {}
    for word in text.split(","):
        name, equals, value = (part.strip() for part in word.partition("="))
        options[name] = value if equals else True
    try:
        side = msgspec.convert(options, EngineConfig, strict=False)  # noqa: TID251  # in the main thread alone
    except msgspec.ValidationError as error:
        names = ", ".join(EngineConfig.__struct_fields__)
        raise ValueError(f"{error}; the options are {names}, as in nodes=5000,table=16") from None
    if side.nodes is side.ms is side.depth is None and side.level == MAX_LEVEL:
        raise ValueError("its search has no limit: give it nodes=, ms=, depth=, or a lower level=")
    return side


def weigher(start: Position, named: Mapping[str, object]) -> Callable[[Kernel], Kernel]:
    """Return a function that replaces the weights of the evaluation in kernels of a variant.

    Without names the kernels do not change. Raises ValueError for a game without weights, and for weights that the game
    does not accept.
    """
    if not named:
        return lambda kernel: kernel
    if start.game.reweigher is None:
        raise ValueError(f"the evaluation of {start.game.name} has no weights")
    return start.game.reweigher(start.parameters, named)


NAMES = ("A", "B")
"""Names of the sides of a duel."""


class Reply(NamedTuple):
    """A move, with its cost."""

    move: str
    ms: float
    """Milliseconds from the request to the answer."""
    nodes: int


Player = Callable[[int, History], Reply]
"""Chooses a move, from a number that no other game of the duel has, and the game so far."""


class SearchUsage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Moves, time and nodes of one side in a game."""

    moves: int = 0
    ms: float = 0.0
    nodes: int = 0


class DuelGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game. Sides are 0 for A and 1 for B."""

    first: int
    """The side that began."""
    winner: int | None
    """The side that won; None for a draw."""
    reason: str
    """The end of the game: a word of `Termination` or of the game."""
    moves: tuple[str, ...]
    """All moves, including the opening."""
    used: tuple[SearchUsage, SearchUsage]

    @property
    def points(self) -> int:
        """Points of A: 2 for a win, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (1 - self.winner)


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two games from one opening; A began the first, B the second."""

    number: int
    """Counts from 0, as the openings do."""
    games: tuple[DuelGame, DuelGame]

    @property
    def points(self) -> int:
        """Points of A in both games, 0 to 4."""
        return self.games[0].points + self.games[1].points


def play_pair(
    number: int, start: Position, opening: Sequence[str], players: tuple[Player, Player], move_limit: int
) -> Pair:
    """Play both games of a pair; players are in the order A, B."""
    first, second = (play(2 * number + begins, begins, start, opening, players, move_limit) for begins in (0, 1))
    return Pair(number, (first, second))


def play(
    number: int,
    first: int,
    start: Position,
    opening: Sequence[str],
    players: tuple[Player, Player],
    move_limit: int,
) -> DuelGame:
    """Play one game, in which side ``first`` has the side to move of the start.

    ``move_limit`` is in plies, including the opening.
    """
    history = History.begin(start)
    for move in opening:
        history = history.after(move)
    used = [SearchUsage(), SearchUsage()]
    while (outcome := history.outcome(move_limit)) is None:
        side = _side(first, start, history.position.turn)
        reply = players[side](number, history)
        before = used[side]
        used[side] = SearchUsage(before.moves + 1, before.ms + reply.ms, before.nodes + reply.nodes)
        history = history.after(reply.move)
    winner = None if outcome.winner is None else _side(first, start, outcome.winner)
    return DuelGame(first, winner, outcome.reason, history.moves, (used[0], used[1]))


def _side(first: int, start: Position, turn: int) -> int:
    """Return the side of the duel that plays the side ``turn`` of the game."""
    return first if turn == start.turn else 1 - first


class Contender(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side in the file of results: everything that its moves depend on."""

    side: str
    """The text of the side."""
    weights: dict[str, Any]
    """The content of the file of its weights."""


class DuelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="duel"):
    """The settings of a duel, on which every game and the end of the duel depend."""

    engine: str
    """A digest of the engine's sources."""
    game: str
    parameters: str
    a: Contender
    b: Contender
    seed: int
    opening_plies: int
    balance: int | None
    """Largest imbalance of an opening; None for the median of the first openings."""
    move_limit: int
    elo0: float
    elo1: float
    alpha: float
    beta: float

    @property
    def test(self) -> Sprt:
        """The test of a difference in strength."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta)


class DuelResult(NamedTuple):
    """The result of a duel so far. Pairs count in the order of their numbers, without a gap."""

    tally: Tally
    found: dict[int, Pair]
    """All pairs that were played, also those that do not count yet."""

    def add(self, pair: Pair, *, stop: bool) -> None:
        """Add a pair. With ``stop`` no pair counts after the decision of the test."""
        self.found[pair.number] = pair
        self.tally.add(pair.number, pair.points, stop=stop)

    def is_over(self, most: int, *, stop: bool) -> bool:
        """Tell whether ``most`` pairs count or, with ``stop``, the test is decided."""
        return self.tally.pairs >= most or (stop and self.tally.decision is not Decision.OPEN)

    @property
    def games(self) -> list[DuelGame]:
        """The games that count."""
        return [game for number in range(self.tally.pairs) for game in self.found[number].games]

    @property
    def score(self) -> str:
        """The wins, draws and losses of A, and after the first pair the difference in strength."""
        wins = Counter(game.winner for game in self.games)
        score = f"A +{wins[0]} ={wins[None]} -{wins[1]}"
        if not self.tally.pairs:
            return score
        elo, margin, los = estimate(self.tally.counts)
        return f"{score}  elo {elo:.1f} +- {margin:.1f}  los {100 * los:.1f}%"

    def progress(self, test: Sprt) -> str:
        """Return a line on the progress of a duel."""
        bounds = f"{test.lower:.2f} to {test.upper:.2f}"
        return f"games {2 * self.tally.pairs}  {self.score}  llr {self.tally.ratio:.2f} ({bounds})"

    def summary(self) -> Iterator[str]:
        """Yield the lines at the end of a duel of at least one pair; the last one is the result."""
        games = self.games
        reasons = Counter(game.reason for game in games)
        yield "pairs with 0 to 2 points for A, by halves: " + " ".join(map(str, self.tally.counts))
        yield "games ended by " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        for side, name in enumerate(NAMES):
            moves = max(1, sum(game.used[side].moves for game in games))
            ms, nodes = sum(game.used[side].ms for game in games), sum(game.used[side].nodes for game in games)
            yield f"{name} used {ms / moves:.2f} ms and {nodes / moves:.0f} nodes a move"
        yield f"result {self.score}  sprt {self.tally.decision}"
