"""A game at one screen: people and bots play in a terminal, or from whatever is piped in.

A line is a command of `COMMANDS`, or a move in the game's notation. Nothing here waits for a network; the bot is the
engine's search.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bots.terminal.watch import paint_board, plain_console, print_lines
from engine.commands.inputs import say_interpreted, text_of
from engine.commands.program import Rejected, reason
from engine.games.interface import MOVE_LIMIT, Child, Game, GameError, History, Outcome, Position, read_game, write_game
from engine.levels import MAX_LEVEL, level_title, read_level
from engine.search.searcher import GameEngine, SearchResult, search_interruptibly
from engine.solve.tablebase import tablebase_of
from engine.wire.fields import pieces
from engine.wire.words import number_of

COMMANDS = {
    "moves": "list the legal moves",
    "hint": "show the move that the bot would play",
    "go": "let the bot move for the side to move",
    "undo": "take back moves, up to the last choice of a person",
    "redo": "repeat the moves that were taken back",
    "new [PARAMS]": "begin a new game of this variant, or of another one",
    "load FILE": "load a position or a game from a file",
    "save FILE": "save the game to a file",
    "help": "show the commands",
    "quit": "end the program",
}
"""Usage and effect of each command."""

USUAL_SECONDS = 1.0
"""Default time of a bot for a move."""

MAX_SECONDS = 3600.0
"""Longest time of a bot for a move."""


class NoMoveLeft(Exception):
    """There is no move to undo, or none to redo. ``str(error)`` is a sentence for people."""


@dataclass(frozen=True)
class TerminalPlayer:
    """The player of a side: a person, or a bot with a number of seconds for each move or with a level."""

    seconds: float = 0.0
    """Seconds for each move; 0 for a person, and for a bot with a level."""
    level: int | None = None
    """A level of `engine.levels` below the highest one; None for a person, and for a bot with a time."""

    @property
    def is_bot(self) -> bool:
        """Whether the player is a bot."""
        return self.seconds > 0 or self.level is not None

    def __str__(self) -> str:
        """Return the player as on command lines: ``person``, ``bot:1``, ``level:3``."""
        if self.level is not None:
            return f"level:{self.level}"
        return f"bot:{self.seconds:g}" if self.is_bot else "person"


PERSON = TerminalPlayer()


@dataclass(frozen=True)
class InteractiveGame:
    """A game with its players, and with moves that were taken back. Immutable."""

    history: History
    players: tuple[TerminalPlayer, TerminalPlayer]
    """The player of each side."""
    undone: tuple[str, ...] = ()
    """The moves that can be redone, the next one first."""

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.history.position

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game, or None."""
        return self.history.outcome(MOVE_LIMIT)

    @property
    def mover(self) -> TerminalPlayer:
        """The player to move."""
        return self.players[self.position.turn]

    @property
    def has_person(self) -> bool:
        """Whether a person plays."""
        return not all(player.is_bot for player in self.players)

    def begun(self, history: History) -> "InteractiveGame":
        """Return another game of the same players."""
        return InteractiveGame(history, self.players)

    def after(self, move: str) -> "InteractiveGame":
        """Return the game after a move; raises `engine.games.interface.BadMove`.

        The moves to redo remain if the move is the first of them.
        """
        history = self.history.after(move)
        return replace(self, history=history, undone=self.undone[1:] if self.undone[:1] == history.moves[-1:] else ())

    def undo(self) -> "InteractiveGame":
        """Take back all moves from the last move of a person on; raises `NoMoveLeft`.

        In a game of two bots, take back one move.
        """
        earlier = self._earlier()
        while earlier:
            history = earlier.pop()
            if self._is_stop(history):
                return replace(self, history=history, undone=self.history.moves[history.plies :] + self.undone)
        raise NoMoveLeft("there is no move of yours to take back" if self.history.moves else "no move was made yet")

    def redo(self) -> "InteractiveGame":
        """Play undone moves until a person is to move; raises `NoMoveLeft`."""
        if not self.undone:
            raise NoMoveLeft("no move was taken back")
        game = self.after(self.undone[0])
        while game.undone and not self._is_stop(game.history):
            game = game.after(game.undone[0])
        return game

    def _is_stop(self, history: History) -> bool:
        return not (self.has_person and self.players[history.position.turn].is_bot)

    def _earlier(self) -> list[History]:
        """Return the history before each move."""
        begun = History.begin(self.history.start)
        return list(accumulate(self.history.moves[:-1], History.after, initial=begun)) if self.history.moves else []


def player(text: str, seconds: float = USUAL_SECONDS) -> TerminalPlayer:
    """Read a player: ``person``, ``bot:SECONDS``, ``level:NUMBER``, or ``bot``. Raises `Rejected`.

    ``bot`` and the highest level think for the given seconds.
    """
    kind, _, number = text.strip().partition(":")
    with suppress(ValueError):
        if text == "person":
            return PERSON
        if kind == "level":
            level = read_level(number)
            return TerminalPlayer(level=level) if level < MAX_LEVEL else TerminalPlayer(seconds)
        if kind == "bot" and 0 < (bound := float(number) if number else seconds) <= MAX_SECONDS:
            return TerminalPlayer(bound)
    raise Rejected(f"a player is person, bot, bot:SECONDS or level:NUMBER, as in bot:0.5 or level:3; not {text!r}")


class TerminalGame:
    """A game in the terminal: reads commands, plays for the bots, and shows the board."""

    def __init__(
        self,
        table: InteractiveGame,
        console: Console,
        read: Callable[[str], str] = input,
        game_engine: GameEngine | None = None,
    ) -> None:
        """Take the table as it stands, where to print, and a function that shows a prompt and reads a line."""
        self.table = table
        self._console = console
        self._read = read
        self._game_engine = game_engine or GameEngine(tablebase_of=tablebase_of)
        self._waiting = False
        """Whether bots wait for the command go."""
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._moves,
            "hint": self._hint,
            "go": self._go,
            "undo": lambda _: self._jump(self.table.undo()),
            "redo": lambda _: self._jump(self.table.redo()),
            "new": self._new,
            "load": self._load,
            "save": self._save,
            "help": self._help,
        }

    def run(self) -> None:
        """Play until the input ends, or until the command quit."""
        sides = self.table.position.game.sides
        players = "; ".join(f"{side}: {_title(player)}" for side, player in zip(sides, self.table.players, strict=True))
        self._say(players, "Type a move, or help for the commands.")
        self._show()
        while True:
            try:
                if self.table.mover.is_bot and not self._waiting and self.table.outcome is None:
                    self._let_bot_move(self.table.mover)
                    continue
                side = self.table.position.game.sides[self.table.position.turn]
                line = self._read("over> " if self.table.outcome else f"{side}> ").strip()
                if line == "quit":
                    return
                self._obey(line)
            except EOFError:
                return
            except (GameError, NoMoveLeft, Rejected) as error:
                self._say(str(error))
            except OverflowError:
                self._waiting = True
                self._say("the move has too many choices of rows to list; name the rows to take in the move")

    def _say(self, *lines: str) -> None:
        print_lines(self._console, *lines)

    def _show(self) -> None:
        """Draw the board, and print the state of the game."""
        position, game, moved = self.table.position, self.table.position.game, self.table.history.moves
        last = Child(moved[-1], position) if moved else None
        self._console.print(paint_board(position.picture(last), game.marks), soft_wrap=True)
        if position.summary():
            self._say(position.summary())
        outcome = self.table.outcome
        if outcome is None:
            self._say(f"{game.sides[position.turn]} ({game.marks[position.turn]}) to move")
        else:
            result = "a draw" if outcome.winner is None else f"{outcome.result(game.sides)} wins"
            self._say(f"the game is over, {result}: {outcome.detail}")

    def _legal(self) -> list[str]:
        return [] if self.table.outcome else self.table.position.legal_moves

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line:
            self._show()
        elif word in self._commands:
            self._commands[word](rest.strip())
        else:
            self._refuse_when_over()
            table = self.table.after(line)
            self._waiting = False
            self._made(table)

    def _refuse_when_over(self) -> None:
        if self.table.outcome is not None:
            raise NoMoveLeft("the game is over; undo takes back moves, new begins another game")

    def _made(self, table: InteractiveGame, how: str = "") -> None:
        """Print a move, and the position after it."""
        mover = self.table.position.game.sides[self.table.position.turn]
        self.table = table
        self._say("", f"{table.history.plies}. {mover} plays {table.history.moves[-1]}{how}")
        self._show()

    def _let_bot_move(self, bot: TerminalPlayer) -> None:
        thought = self._think(bot)
        position = self.table.history.position
        self._made(self.table.after(thought.move(position)), f" ({describe_search(position, thought)})")

    def _usual_bot(self) -> TerminalPlayer:
        """Return a bot of the highest level, with the longest search time of those that play."""
        return TerminalPlayer(max(player.seconds for player in self.table.players) or USUAL_SECONDS)

    def _think(self, bot: TerminalPlayer) -> SearchResult:
        seconds, level = (bot.seconds, MAX_LEVEL) if bot.level is None else (MAX_SECONDS, bot.level)
        think = partial(self._game_engine.think, self.table.history, seconds, level=level, clock=perf_counter)
        try:
            return search_interruptibly(lambda stop: think(stop=stop))
        except KeyboardInterrupt:
            self._waiting = True
            raise NoMoveLeft("the search has stopped; go lets the bot move") from None

    def _moves(self, _rest: str) -> None:
        legal = self._legal()
        self._say(f"{len(legal)} legal moves", *filter(None, ["  ".join(legal)]))

    def _hint(self, _rest: str) -> None:
        self._refuse_when_over()
        thought = self._think(self._usual_bot())
        position = self.table.history.position
        self._say(f"the bot would play {thought.move(position)} ({describe_search(position, thought)})")

    def _go(self, _rest: str) -> None:
        self._refuse_when_over()
        self._waiting = False
        if not self.table.mover.is_bot:
            self._let_bot_move(self._usual_bot())

    def _jump(self, table: InteractiveGame) -> None:
        self.table = table
        self._waiting = not table.has_person
        self._show()

    def _new(self, rest: str) -> None:
        position = self.table.position
        self._lay_out(History.begin(position.game.start(rest or position.parameters)))

    def _load(self, rest: str) -> None:
        self._lay_out(read_game(self.table.position.game, text_of(rest)))

    def _lay_out(self, history: History) -> None:
        self.table = self.table.begun(history)
        self._waiting = False
        warning = history.position.game.warning(history.position.parameters)
        if warning:
            self._say(f"warning: {warning}")
        self._show()

    def _save(self, rest: str) -> None:
        try:
            Path(rest).write_text(write_game(self.table.history), encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
            raise Rejected(f"{rest}: cannot be written: {reason(error)}") from None
        self._say(f"the game is saved in {rest}; load {rest} continues it")

    def _help(self, _rest: str) -> None:
        example = next(iter(self._legal()), "")
        self._say(f"Type a move{example and f', as in {example}'}, or one of these commands:")
        self._say(*(f"  {usage:18}  {meaning}" for usage, meaning in COMMANDS.items()))


def _title(player: TerminalPlayer) -> str:
    """Return a player for people."""
    if player.level is not None:
        return level_title(player.level)
    return f"{level_title(MAX_LEVEL)}, {player.seconds:g} s a move" if player.is_bot else "person"


def describe_search(position: Position, thought: SearchResult) -> str:
    """Describe the depth and score of a search of a position."""
    if thought.score is None:
        return "a random move"
    plies, sides, turn = thought.plies_to_end, position.game.sides, position.turn
    if plies is None:
        score = pieces(-thought.score if turn else thought.score)
        return f"depth {thought.depth}, {score} in pieces, + for {sides[0]}, {thought.seconds:.1f} s"
    winner = sides[turn if plies > 0 else 1 - turn]
    return f"{winner} wins in {number_of(abs(plies), 'ply', 'plies')}, {thought.seconds:.1f} s"


def play_in_terminal(game: Game, params: str | None, load: str | None, seats: tuple[str, str], seconds: float) -> None:
    """Play in this terminal, from the start of a variant or from a file; raises `Rejected`.

    `player` reads the ``seats``. ``seconds`` is the default time of bots for a move.
    """
    if params is not None and load is not None:
        raise Rejected("--params and --load exclude each other: a position names its own parameters")
    first, second = (player(text, seconds) for text in seats)
    try:
        start = game.default_parameters if params is None else params
        history = History.begin(game.start(start)) if load is None else read_game(game, text_of(load))
    except GameError as error:
        raise Rejected(f"{load or '--params'}: {error}") from None
    with suppress(ImportError):  # not every Python has it
        import readline  # noqa: F401  # lines that are typed can be edited
    if first.is_bot or second.is_bot:
        say_interpreted()
    TerminalGame(InteractiveGame(history, (first, second)), plain_console()).run()
