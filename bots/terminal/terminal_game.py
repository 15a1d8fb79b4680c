"""A game at one screen: people and bots play in a terminal, or from whatever is piped in.

A line is a command of `COMMANDS`, or a move in the game's notation. Nothing here waits for a
network; the bot is the engine's search.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bots.terminal.display import paint_board, plain_console, print_lines
from engine.commands.inputs import text_of
from engine.commands.program import Rejected, reason
from engine.games.catalogue import GAMES, unknown_game
from engine.games.history import PERSON, History, InteractiveGame, NothingThere, Player, read_game, write_game
from engine.games.interface import BadMove, Game, GameError, Position, Successor, moves
from engine.levels import MAX_LEVEL, BadLevel, read_level
from engine.search.game_engine import GameEngine
from engine.search.searcher import SearchResult, search_interruptibly
from engine.solve.tablebase import tablebase_of
from engine.wire.words import number_of

COMMANDS = {
    "moves": "list the legal moves",
    "hint": "say what the bot would play",
    "go": "let the bot move now, for whoever is to move",
    "undo": "take moves back, to where a person chose",
    "redo": "make them again",
    "new [PARAMS]": "begin again, or another variant",
    "game NAME [PARAMS]": "begin another game",
    "load [FILE]": "go on from a position or a game: in a file, or pasted",
    "save FILE": "write the game to a file",
    "text": "show the game in the form in which it is saved",
    "first PLAYER": "say who begins",
    "second PLAYER": "say who plays the other side",
    "swap": "exchange the sides",
    "help": "show this",
    "quit": "leave",
}
"""How each command is written, and what it does."""

USUAL_SECONDS = 1.0
"""How long a bot thinks about a move, where nothing is said."""

MAX_SECONDS = 3600.0


Read = Callable[[str], str]
"""Shows a prompt and returns a line; raises EOFError when there is none left."""

MAX_OFFERED = 40
"""Moves that are offered by number; where more begin with what was typed, more has to be typed."""

END_OF_TEXT = "."
"""The line that ends a pasted text."""


class BadCommand(Exception):
    """A command that cannot be carried out. ``str(error)`` is a sentence for people."""


def player(text: str, seconds: float = USUAL_SECONDS) -> Player:
    """Read who plays: ``person``, ``bot:SECONDS``, ``level:NUMBER``, or ``bot`` for one that takes the seconds given.

    The highest level is a bot that takes the seconds given, too. Raises `BadCommand`.
    """
    kind, colon, number = text.strip().partition(":")
    if kind == "person" and not colon:
        return PERSON
    if kind == "level":
        try:
            level = read_level(number)
        except BadLevel as error:
            raise BadCommand(f"{error}, as in level:3") from None
        if level < MAX_LEVEL:
            return Player(level=level)
        kind, colon = "bot", ""
    if kind != "bot":
        raise BadCommand(f"a player is person, bot, bot:SECONDS or level:NUMBER, as in bot:0.5; not {text!r}")
    try:
        bound = float(number) if colon else seconds
    except ValueError:
        raise BadCommand(f"{number!r} is no number of seconds; write bot:0.5") from None
    if not 0 < bound <= MAX_SECONDS:
        raise BadCommand(f"a bot thinks for more than 0 and up to {MAX_SECONDS:g} seconds a move, not {bound:g}")
    return Player(bound)


class TerminalGame:
    """A game in the terminal: reads commands, plays for the bots, and shows the board."""

    def __init__(
        self, table: InteractiveGame, console: Console, read: Read | None = None, game_engine: GameEngine | None = None
    ) -> None:
        """Take the table as it stands, where to print, and what reads lines where that is not the terminal."""
        self.table = table
        self._console = console
        self._read = read or reader(self.completions)
        self._game_engine = game_engine or GameEngine(tablebase_of=tablebase_of)
        self._offered: list[str] = []
        """Moves of which one is chosen by its number next."""
        self._waiting = False
        """Whether bots wait for somebody to say go."""
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._moves,
            "hint": self._hint,
            "go": self._go,
            "undo": lambda _: self._jump(self.table.undo()),
            "redo": lambda _: self._jump(self.table.redo()),
            "new": self._new,
            "game": self._game,
            "load": self._load,
            "save": self._save,
            "text": lambda _: self._say(*write_game(self.table.history).splitlines()),
            "first": partial(self._seat, 0),
            "second": partial(self._seat, 1),
            "swap": self._swap,
            "help": self._help,
        }

    def run(self) -> None:
        """Play until there is nothing left to read, or somebody leaves."""
        self._say(f"{seating(self.table)}; help tells what can be typed")
        self._show()
        while True:
            try:
                if self.table.mover.is_bot and not self._waiting and self.table.outcome is None:
                    self._let_bot_move(self.table.mover)
                    continue
                line = self._read(self._prompt()).strip()
                if line in ("quit", "exit"):
                    return
                self._obey(line)
            except EOFError:
                return
            except (GameError, NothingThere, Rejected, BadCommand) as error:
                self._say(str(error))
            except OverflowError:
                self._waiting = True
                self._say("rows can be taken in too many ways to list them: name in the move those to take")

    def completions(self, typed: str) -> list[str]:
        """Return the commands and legal moves that begin with what was typed so far."""
        words = [word.partition(" ")[0] for word in COMMANDS]
        return [text for text in (*words, *self._legal()) if text.startswith(typed)]

    def _say(self, *lines: str) -> None:
        print_lines(self._console, *lines)

    def _show(self) -> None:
        """Draw the board, and say where the game stands."""
        position, game, moved = self.table.position, self.table.position.game, self.table.history.moves
        last = Successor(moved[-1], position) if moved else None
        self._console.print(paint_board(position.picture(last), game.marks), soft_wrap=True)
        if position.summary():
            self._say(position.summary())
        outcome = self.table.outcome
        if outcome is None:
            self._say(f"{game.sides[position.turn]} ({game.marks[position.turn]}) to move")
        else:
            result = "a draw" if outcome.winner is None else f"{outcome.result(game.sides)} wins"
            self._say(f"the game is over, {result}: {outcome.detail}")

    def _list(self, texts: Sequence[str]) -> None:
        """Print short texts side by side, as many a line as there is room for."""
        width = max(map(len, texts), default=0)
        columns = max(1, self._console.width // (width + 2))
        for at in range(0, len(texts), columns):
            self._say("  ".join(f"{text:{width}}" for text in texts[at : at + columns]).rstrip())

    def _legal(self) -> list[str]:
        return [] if self.table.outcome else moves(self.table.position)

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if self._offered and line.isdecimal():
            self._choose(int(line))
            return
        self._offered = []
        if not line:
            self._show()
        elif word in self._commands:
            self._commands[word](rest.strip())
        else:
            self._move(line)

    def _move(self, line: str) -> None:
        """Play a move; where more has to be said, as which of two rows is taken, offer what can be said."""
        if self.table.outcome is not None:
            raise NothingThere("the game is over; undo takes moves back, new begins another game")
        try:
            table = self.table.after(line)
        except BadMove:
            typed = " ".join(line.replace("-", " - ").split()).replace(" - ", "-")
            longer = [move for move in moves(self.table.position) if move.startswith((f"{typed} ", f"{typed}-"))]
            if not longer:
                raise
            if len(longer) > MAX_OFFERED:
                raise BadCommand(f"{len(longer)} moves begin with {typed!r}; type more of one") from None
            self._offered = longer
            self._say(f"{typed} can go on in these ways; type a number:")
            self._say(*(f"{number:3}  {move}" for number, move in enumerate(longer, 1)))
            return
        self._waiting = False
        self._made(table)

    def _choose(self, number: int) -> None:
        if not 1 <= number <= len(self._offered):
            raise BadCommand(f"there is no number {number}; type 1 to {len(self._offered)}, or another move")
        move = self._offered[number - 1]
        self._offered = []
        self._move(move)

    def _made(self, table: InteractiveGame, how: str = "") -> None:
        """Show what a move has led to."""
        mover = self.table.position.game.sides[self.table.position.turn]
        self.table = table
        self._say("", f"{table.history.plies}. {mover} plays {table.history.moves[-1]}{how}")
        self._show()

    def _let_bot_move(self, bot: Player) -> None:
        try:
            thought = self._think(bot)
        except KeyboardInterrupt:
            self._waiting = True
            self._say("", "stopped; go lets the bot move")
            return
        position = self.table.history.position
        self._made(self.table.after(thought.move(position)), f" ({describe_search(position, thought)})")

    def _usual_bot(self) -> Player:
        """Return a bot of the highest level, with the longest search time of those that play."""
        return Player(max(player.seconds for player in self.table.seats) or USUAL_SECONDS)

    def _think(self, bot: Player) -> SearchResult:
        seconds, level = (bot.seconds, MAX_LEVEL) if bot.level is None else (MAX_SECONDS, bot.level)
        history = self.table.history
        think = partial(self._game_engine.think, history, seconds, level=level, clock=perf_counter)
        return search_interruptibly(lambda stop: think(stop=stop))

    def _moves(self, _rest: str) -> None:
        legal = self._legal()
        self._say(f"{len(legal)} legal moves" if legal else "the game is over: there is no move")
        self._list(legal)

    def _hint(self, _rest: str) -> None:
        if self.table.outcome is not None:
            raise NothingThere("the game is over: there is no move to hint at")
        try:
            thought = self._think(self._usual_bot())
        except KeyboardInterrupt:
            self._say("", "stopped")
            return
        position = self.table.history.position
        self._say(f"the bot would play {thought.move(position)} ({describe_search(position, thought)})")

    def _go(self, _rest: str) -> None:
        if self.table.outcome is not None:
            raise NothingThere("the game is over; undo takes moves back, new begins another game")
        self._waiting = False
        if not self.table.mover.is_bot:
            self._let_bot_move(self._usual_bot())

    def _jump(self, table: InteractiveGame) -> None:
        self.table = table
        self._waiting = not table.has_person
        self._show()

    def _new(self, rest: str) -> None:
        self._begin(self.table.position.game, rest or self.table.position.parameters)

    def _game(self, rest: str) -> None:
        name, _, parameters = rest.partition(" ")
        if name not in GAMES:
            raise BadCommand(unknown_game(name))
        self._begin(GAMES[name], parameters or GAMES[name].default_parameters)

    def _begin(self, game: Game, parameters: str) -> None:
        self._lay_out(History.begin(game.start(parameters)))

    def _load(self, rest: str) -> None:
        if rest:
            text = text_of(rest)
        else:
            self._say(f"paste the position, or the game, and end it with a line that holds only {END_OF_TEXT}")
            text = self._pasted()
        self._lay_out(read_game(self.table.position.game, text))

    def _pasted(self) -> str:
        lines = []
        try:
            while (line := self._read("")).strip() != END_OF_TEXT:
                lines.append(line)
        except EOFError:
            pass  # the end of the input ends the text, too
        return "".join(f"{line}\n" for line in lines)

    def _lay_out(self, history: History) -> None:
        self.table = self.table.begun(history)
        self._waiting = False
        warning = history.position.game.warning(history.position.parameters)
        if warning:
            self._say(f"warning: {warning}")
        self._show()

    def _save(self, rest: str) -> None:
        if not rest:
            raise BadCommand("save needs the name of a file, as in save game.txt")
        try:
            Path(rest).write_text(write_game(self.table.history), encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
            raise BadCommand(f"{rest}: cannot be written: {reason(error)}") from None
        self._say(f"saved in {rest}; load {rest} brings it back")

    def _seat(self, side: int, rest: str) -> None:
        self._take_seats(self.table.seated(side, player(rest, self._usual_bot().seconds)))

    def _swap(self, _rest: str) -> None:
        self._take_seats(self.table.seated(0, self.table.seats[1]).seated(1, self.table.seats[0]))

    def _take_seats(self, table: InteractiveGame) -> None:
        self.table = table
        self._waiting = False
        self._say(seating(table))

    def _help(self, _rest: str) -> None:
        first, second = self.table.position.game.sides
        example = next(iter(self._legal()), "")
        self._say(f"A line is a move{example and f', as in {example}'}, or one of these commands:")
        self._say(*(f"  {usage:18}  {meaning}" for usage, meaning in COMMANDS.items()))
        self._say(f"A PLAYER is person, bot, bot:SECONDS, or level:1 to level:10. {first} begins, then comes {second}.")

    def _prompt(self) -> str:
        if self._offered:
            return f"1 to {len(self._offered)}> "
        return "over> " if self.table.outcome else f"{self.table.position.game.sides[self.table.position.turn]}> "


def seating(table: InteractiveGame) -> str:
    """Describe who plays each side."""
    sides = table.position.game.sides
    return "; ".join(f"{side}: {_who(player)}" for side, player in zip(sides, table.seats, strict=True))


def _who(player: Player) -> str:
    if player.level is not None:
        return f"a bot of level {player.level}"
    return f"a bot that thinks {player.seconds:g} s a move" if player.is_bot else "a person"


def describe_search(position: Position, thought: SearchResult) -> str:
    """Describe the depth and score of a search of a position."""
    if thought.score is None and thought.nodes == 0:
        return "a random move"
    if thought.score is None:
        return f"nothing searched in {thought.seconds:.1f} s"
    plies = thought.plies_to_end
    if plies is None and thought.is_known:
        return f"a draw with best play, {thought.seconds:.1f} s"
    if plies is None:
        return f"depth {thought.depth}, score {thought.score:+}, {thought.seconds:.1f} s"
    sides, turn = position.game.sides, position.turn
    winner = sides[turn if plies > 0 else 1 - turn]
    return f"{winner} wins in {number_of(abs(plies), 'ply', 'plies')}, {thought.seconds:.1f} s"


def reader(completions: Callable[[str], list[str]]) -> Read:
    """Return what reads lines: with a prompt, history and completion in a terminal, plainly from anything else."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return lambda _prompt: input()
    try:
        import readline
    except ImportError:  # not every Python has it
        return _read_edited

    def complete(_word: str, state: int) -> str | None:
        fitting = completions(readline.get_line_buffer())
        return fitting[state] if state < len(fitting) else None

    readline.set_completer_delims("")  # a move is completed as a whole, with the spaces in it
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return _read_edited


def _read_edited(prompt: str) -> str:
    try:
        return input(prompt)
    except EOFError:
        print()  # what follows begins a line of its own
        raise


def play_in_terminal(game: Game, params: str | None, load: str | None, seats: tuple[str, str], seconds: float) -> None:
    """Play in this terminal, from the start of a variant or from what a file holds; raises `BadCommand`.

    ``seats`` says who plays, as `player` reads it, and ``seconds`` how long bots think by
    default.
    """
    if params is not None and load is not None:
        raise BadCommand("--params and --load exclude each other: a position names its own parameters")
    first, second = (_seat(option, text, seconds) for option, text in zip(("--first", "--second"), seats, strict=True))
    console = plain_console()
    try:
        if load is None:
            history = History.begin(game.start(game.default_parameters if params is None else params))
        else:
            history = read_game(game, text_of(load))
    except Rejected as error:
        raise BadCommand(str(error)) from None
    except GameError as error:
        raise BadCommand(f"{load or '--params'}: {error}") from None
    TerminalGame(InteractiveGame(history, (first, second)), console).run()


def _seat(option: str, text: str, seconds: float) -> Player:
    try:
        return player(text, seconds)
    except BadCommand as error:
        raise BadCommand(f"{option}: {error}") from None
