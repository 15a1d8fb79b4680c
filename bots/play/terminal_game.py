"""A game at one screen: people and bots play in a terminal, or from whatever is piped in.

A line is a command of `bots.play.input_words.COMMANDS`, or a move in the game's notation. Nothing here waits for a
network; the bot is the engine's search.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bots.play.input_words import COMMANDS, MAX_SECONDS, USUAL_SECONDS, BadCommand, player
from bots.play.screen import Read, Screen, describe_search, reader, seating
from bots.watch.rendering import plain_console
from engine.commands.inputs import text_of
from engine.commands.program import Rejected, reason
from engine.games.catalogue import GAMES, unknown_game
from engine.games.history import History, InteractiveGame, NothingThere, Player, read_game, write_game
from engine.games.interface import BadMove, Game, GameError, moves
from engine.levels import MAX_LEVEL
from engine.search.game_engine import GameEngine
from engine.search.searcher import SearchResult, search_interruptibly
from engine.solve.tablebase import tablebase_of

MAX_OFFERED = 40
"""Moves that are offered by number; where more begin with what was typed, more has to be typed."""

END_OF_TEXT = "."
"""The line that ends a pasted text."""


class TerminalGame:
    """A game in the terminal: reads commands, plays for the bots, and shows the board."""

    def __init__(
        self, table: InteractiveGame, console: Console, read: Read | None = None, game_engine: GameEngine | None = None
    ) -> None:
        """Take the table as it stands, where to print, and what reads lines where that is not the terminal."""
        self.table = table
        self._screen = Screen(console)
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
            "text": lambda _: self._screen.say(*write_game(self.table.history).splitlines()),
            "first": partial(self._seat, 0),
            "second": partial(self._seat, 1),
            "swap": self._swap,
            "help": self._help,
        }

    def run(self) -> None:
        """Play until there is nothing left to read, or somebody leaves."""
        self._screen.say(f"{seating(self.table)}; help tells what can be typed")
        self._screen.show(self.table)
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
                self._screen.say(str(error))
            except OverflowError:
                self._waiting = True
                self._screen.say("rows can be taken in too many ways to list them: name in the move those to take")

    def completions(self, typed: str) -> list[str]:
        """Return the commands and legal moves that begin with what was typed so far."""
        words = [word.partition(" ")[0] for word in COMMANDS]
        return [text for text in (*words, *self._legal()) if text.startswith(typed)]

    def _legal(self) -> list[str]:
        return [] if self.table.outcome else moves(self.table.position)

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if self._offered and line.isdecimal():
            self._choose(int(line))
            return
        self._offered = []
        if not line:
            self._screen.show(self.table)
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
            self._screen.say(f"{typed} can go on in these ways; type a number:")
            self._screen.say(*(f"{number:3}  {move}" for number, move in enumerate(longer, 1)))
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
        self._screen.say("", f"{table.history.plies}. {mover} plays {table.history.moves[-1]}{how}")
        self._screen.show(self.table)

    def _let_bot_move(self, bot: Player) -> None:
        try:
            thought = self._think(bot)
        except KeyboardInterrupt:
            self._waiting = True
            self._screen.say("", "stopped; go lets the bot move")
            return
        self._made(self.table.after(thought.move), f" ({describe_search(thought)})")

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
        self._screen.say(f"{len(legal)} legal moves" if legal else "the game is over: there is no move")
        self._screen.list(legal)

    def _hint(self, _rest: str) -> None:
        if self.table.outcome is not None:
            raise NothingThere("the game is over: there is no move to hint at")
        try:
            thought = self._think(self._usual_bot())
        except KeyboardInterrupt:
            self._screen.say("", "stopped")
            return
        self._screen.say(f"the bot would play {thought.move} ({describe_search(thought)})")

    def _go(self, _rest: str) -> None:
        if self.table.outcome is not None:
            raise NothingThere("the game is over; undo takes moves back, new begins another game")
        self._waiting = False
        if not self.table.mover.is_bot:
            self._let_bot_move(self._usual_bot())

    def _jump(self, table: InteractiveGame) -> None:
        self.table = table
        self._waiting = not table.has_person
        self._screen.show(self.table)

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
            self._screen.say(f"paste the position, or the game, and end it with a line that holds only {END_OF_TEXT}")
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
            self._screen.say(f"warning: {warning}")
        self._screen.show(self.table)

    def _save(self, rest: str) -> None:
        if not rest:
            raise BadCommand("save needs the name of a file, as in save game.txt")
        try:
            Path(rest).write_text(write_game(self.table.history), encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
            raise BadCommand(f"{rest}: cannot be written: {reason(error)}") from None
        self._screen.say(f"saved in {rest}; load {rest} brings it back")

    def _seat(self, side: int, rest: str) -> None:
        self._take_seats(self.table.seated(side, player(rest, self._usual_bot().seconds)))

    def _swap(self, _rest: str) -> None:
        self._take_seats(self.table.seated(0, self.table.seats[1]).seated(1, self.table.seats[0]))

    def _take_seats(self, table: InteractiveGame) -> None:
        self.table = table
        self._waiting = False
        self._screen.say(seating(table))

    def _help(self, _rest: str) -> None:
        first, second = self.table.position.game.sides
        example = next(iter(self._legal()), "")
        self._screen.say(f"A line is a move{example and f', as in {example}'}, or one of these commands:")
        self._screen.say(*(f"  {usage:18}  {meaning}" for usage, meaning in COMMANDS.items()))
        self._screen.say(
            f"A PLAYER is person, bot, bot:SECONDS, or level:1 to level:10. {first} begins, then comes {second}."
        )

    def _prompt(self) -> str:
        if self._offered:
            return f"1 to {len(self._offered)}> "
        return "over> " if self.table.outcome else f"{self.table.position.game.sides[self.table.position.turn]}> "


def play_in_terminal(game: Game, params: str | None, load: str | None, seats: tuple[str, str], seconds: float) -> None:
    """Play in this terminal, from the start of a variant or from what a file holds; raises `BadCommand`.

    ``seats`` says who plays, as `bots.play.input_words.player` reads it, and ``seconds`` how long bots think by
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
