"""What the table of `bots.play.terminal_game` looks like in a terminal, and how lines are read from one."""

import sys
from collections.abc import Callable, Sequence

from rich.console import Console

from bots.watch.rendering import paint_board, print_lines
from engine.games.history import InteractiveGame, Player
from engine.games.interface import Successor
from engine.search.searcher import SearchResult
from engine.wire.words import number_of

Read = Callable[[str], str]
"""Shows a prompt and returns a line; raises EOFError when there is none left."""


class Screen:
    """Prints lines as they are: not wrapped, and never read as markup."""

    def __init__(self, console: Console) -> None:
        """Take where to print."""
        self._console = console

    def say(self, *lines: str) -> None:
        """Print lines."""
        print_lines(self._console, *lines)

    def show(self, table: InteractiveGame) -> None:
        """Draw the board, and say where the game stands."""
        position, game, moved = table.position, table.position.game, table.history.moves
        last = Successor(moved[-1], position) if moved else None
        self._console.print(paint_board(position.picture(last), game.marks), soft_wrap=True)
        if position.summary():
            self.say(position.summary())
        outcome = table.outcome
        if outcome is None:
            self.say(f"{game.sides[position.turn]} ({game.marks[position.turn]}) to move")
        else:
            result = "a draw" if outcome.winner is None else f"{outcome.result(game.sides)} wins"
            self.say(f"the game is over, {result}: {outcome.detail}")

    def list(self, texts: Sequence[str]) -> None:
        """Print short texts side by side, as many a line as there is room for."""
        width = max(map(len, texts), default=0)
        columns = max(1, self._console.width // (width + 2))
        for at in range(0, len(texts), columns):
            self.say("  ".join(f"{text:{width}}" for text in texts[at : at + columns]).rstrip())


def seating(table: InteractiveGame) -> str:
    """Describe who plays each side."""
    sides = table.position.game.sides
    return "; ".join(f"{side}: {_who(player)}" for side, player in zip(sides, table.seats, strict=True))


def _who(player: Player) -> str:
    if player.level is not None:
        return f"a bot of level {player.level}"
    return f"a bot that thinks {player.seconds:g} s a move" if player.is_bot else "a person"


def describe_search(thought: SearchResult) -> str:
    """Describe the depth and score of a search."""
    if thought.score is None and thought.nodes == 0:
        return "a random move"
    if thought.score is None:
        return f"nothing searched in {thought.seconds:.1f} s"
    plies = thought.plies_to_end
    if plies is None and thought.is_known:
        return f"a draw with best play, {thought.seconds:.1f} s"
    if plies is None:
        return f"depth {thought.depth}, score {thought.score:+}, {thought.seconds:.1f} s"
    sides, turn = thought.position.game.sides, thought.position.turn
    winner = sides[turn if plies > 0 else 1 - turn]
    return f"{winner} wins in {number_of(abs(plies), 'ply', 'plies')}, {thought.seconds:.1f} s"


def reader(completions: Callable[[str], list[str]]) -> Read:
    """Return what reads lines: with a prompt, history and completion in a terminal, plainly from anything else."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _read_plainly
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


def _read_plainly(_prompt: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")
