"""What a terminal shows: boards, and a match as a spectator sees it.

Names and moves are never read as markup: all is `rich.text.Text`.
"""

import re
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bots.client.formatting import clock, time_control, variant
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Game, Successor
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.fields import read_note
from engine.wire.words import parameters_of

RUNNING = (["running"], ["preparing"])
"""States of a running match as they stand in LIST, one word."""


class WatchedMatch(NamedTuple):
    """A match that is watched, as far as it has come: a value that each message of the server makes a new one of."""

    watching: m.Watching
    history: History
    left: tuple[int, int]
    """What both sides had left, in milliseconds, when ``since`` was."""
    since: float
    """A moment on the spectator's clock, in seconds."""
    begun: m.Start | None = None
    """Initialisation is over."""
    last: Successor | None = None
    summary_before: str = ""
    """What was to be said of the position before the last move."""
    moved: tuple[m.Moved, ...] = ()
    result: m.Result | None = None
    notes: tuple[m.Noted, ...] = ()
    """What the players have noted, as far as spectators may know it."""

    @classmethod
    def begin(cls, watching: m.Watching, now: float) -> "WatchedMatch":
        """Begin to watch; raises KeyError for an unknown game and `GameError` for its parameters."""
        start = GAMES[watching.game].start(parameters_of(watching.parameters))
        return cls(watching, History.begin(start), (watching.budget, watching.budget), now)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return GAMES[self.watching.game]

    @property
    def players(self) -> tuple[str, str]:
        """The names, that of the side that begins first."""
        return (self.watching.first, self.watching.second)

    @property
    def turn(self) -> int | None:
        """The side whose clock runs; None before and after play."""
        return self.history.position.turn if self.begun is not None and self.result is None else None

    def clocks(self, now: float) -> tuple[int, int]:
        """Return what both sides have left at a moment, in milliseconds, not below 0."""
        left = list(self.left)
        if self.turn is not None:
            left[self.turn] -= int((now - self.since) * 1000)
        return (max(0, left[0]), max(0, left[1]))

    def after(self, message: m.Message, now: float) -> "WatchedMatch":
        """Return the match after a message; those that do not matter change nothing. Raises `GameError`."""
        match message:
            case m.Board(lines):
                start = self.game.read("".join(line + "\n" for line in lines))
                return self._replace(history=History.begin(start), moved=(), last=None)
            case m.Start(first, second):
                return self._replace(begun=message, left=(first, second), since=now)
            case m.Moved():
                return self._after_move(message, now)
            case m.Pong() if self.begun is not None:
                # All that was before has been told. START said what the clocks show now, the moves what they
                # showed then: the lesser of the two is the later one.
                left = (min(self.left[0], self.begun.first), min(self.left[1], self.begun.second))
                return self._replace(left=left, since=now)
            case m.Noted():
                return self._replace(notes=(*self.notes, message))
            case m.Result(match, _, _, first, second) if match == self.watching.match:
                return self._replace(result=message, left=(first, second), since=now)
        return self

    def _after_move(self, moved: m.Moved, now: float) -> "WatchedMatch":
        history = self.history.after(moved.move)
        return self._replace(
            history=history,
            last=Successor(history.moves[-1], history.position),
            summary_before=self.history.position.summary(),
            moved=(*self.moved, moved),
            left=(moved.first, moved.second),
            since=now,
        )

    def last_note(self, side: int) -> str:
        """Return the last note of a side in words; empty where there is none."""
        name = self.game.sides[side]
        return next((note_text(noted) for noted in reversed(self.notes) if noted.side == name), "")

    def ending(self) -> str:
        """Say how the match has ended; empty while it goes on."""
        if self.result is None:
            return ""
        _, result, reason, _, _, sentence = self.result
        if result in self.game.sides:
            who = f"{self.players[self.game.sides.index(result)]} ({result}) wins"
        else:
            who = "drawn" if result == "draw" else result
        return f"{who}, {reason}: {sentence}" if sentence else f"{who}, {reason}"


def note_text(noted: m.Noted) -> str:
    """Return a note in words; one that cannot be read, of a newer server, as it is."""
    try:
        return str(read_note(noted.note))
    except ProtocolError:
        return noted.note


def newest(listed: m.Matches, above: int = 0, *, running: bool = False) -> int | None:
    """Return the newest match of a list that has a number above one, or the newest ``running`` one; None if none."""
    lines = [words for line in listed.lines if (words := line.split()) and (not running or words[8:9] in RUNNING)]
    return max((int(words[0]) for words in lines if words[0].isdigit() and int(words[0]) > above), default=None)


SIDEBAR_WIDTH = 30
"""Width of clocks and moves to the right of the board; on narrower terminals they go above and below it."""

FRAME_COLUMNS, FRAME_ROWS = 7, 5
"""What the frame takes, with the gap between its columns, and the lines below it."""

MAX_ROWS = 20
"""Most rows of moves that are shown."""

SHORT_MS = 10_000
"""A clock with less is drawn in red."""


def plain_console() -> Console:
    """Return a console that reads nothing in a text as markup."""
    return Console(highlight=False, markup=False, emoji=False)


def print_lines(console: Console, *lines: str) -> None:
    """Print lines as they are: not wrapped, and never read as markup."""
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def render_match(show: WatchedMatch, now: float, width: int, height: int) -> RenderableType:
    """Render a match for a terminal of a width and height."""
    picture = show.history.position.picture(show.last).rstrip("\n").split("\n")
    board = paint_board("\n".join(picture), show.game.marks)
    board_width = max(map(len, picture))
    match = show.watching
    times = time_control(match.budget, match.increment)
    title = Text(f"match {match.match} · {variant(match)} · {times}")
    first, second = (_player(show, side, now) for side in (0, 1))
    body = Table.grid(padding=(0, 3), expand=True)
    content: RenderableType = body
    if width >= board_width + SIDEBAR_WIDTH + FRAME_COLUMNS:
        players = Text("\n").join([first, second, Text("")])
        rows = max(len(picture), min(height - FRAME_ROWS, MAX_ROWS)) - len(players.plain.split("\n"))
        body.add_column(width=board_width, no_wrap=True, vertical="middle")
        body.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        body.add_row(board, Text("\n").join([players, _moves(show, max(3, rows))]))
    else:
        body.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        body.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        body.add_row(first, second)
        players_rows = max(len(player.plain.split("\n")) for player in (first, second))
        rows = min(height - FRAME_ROWS, MAX_ROWS) - len(picture) - players_rows - 2
        moves: list[RenderableType] = [Rule(style="dim"), _moves(show, rows)] if rows > 0 else []
        content = Group(body, Rule(style="dim"), board, *moves)
    return Group(Panel(content, title=title, title_align="left", border_style="dim"), _status(show))


def paint_board(picture: str, marks: tuple[str, str]) -> Text:
    """Colour a board: pieces stand out, the last move most of all, and everything else is dim."""
    text = Text(picture.rstrip("\n"), style="dim")
    for mark in marks:
        # a mark that is a digit has a sign behind it, unlike the numbers at the rim
        pattern = rf"(?<!\w){mark}[^\w\s\]]+" if mark.isalnum() else re.escape(mark)
        text.highlight_regex(pattern, "bold not dim")
    text.highlight_regex(r"\[.{1,2}\]", "bold not dim green")
    return text


def split_summary(show: WatchedMatch, summary: str) -> tuple[str, str, str]:
    """Split the summary of a position into a part for each side, and the rest."""
    said = ["", "", ""]
    for part in filter(None, summary.split("; ")):
        side, colon, note = part.partition(": ")
        if colon and side in show.game.sides:
            said[show.game.sides.index(side)] = note
        else:
            said[2] += f"; {part}" if said[2] else part
    return (said[0], said[1], said[2])


def _player(show: WatchedMatch, side: int, now: float) -> Text:
    left = show.clocks(now)[side]
    running = show.turn == side
    text = Text()
    text.append(f"{show.game.marks[side]} ")
    text.append(show.players[side], "bold")
    text.append(f" {show.game.sides[side]}\n", "dim")
    text.append(f"  {clock(left)}", "bold red" if left < SHORT_MS and show.begun else "bold green" if running else "")
    text.append("  ◀ to move\n  " if running else "\n  ", "green")
    before = split_summary(show, show.summary_before)[side].split()
    for number, word in enumerate(split_summary(show, show.history.position.summary())[side].split()):
        changed = number < len(before) and word != before[number]
        text.append(word, "bold" if changed else "").append(" ")
    note = show.last_note(side)
    return text.append(f"\n  {note}", "italic dim") if note else text


def _moves(show: WatchedMatch, rows: int) -> Text:
    """List the last moves in a fixed number of rows."""
    shown = show.moved[-rows:]
    lines = [Text(f"{moved.ply:4} {moved.side} ", "dim").append(moved.move, "not dim") for moved in shown]
    return Text("\n").join([*lines, *[Text("")] * (rows - len(lines))])


def _status(show: WatchedMatch) -> Text:
    """Describe the state of the match in one line."""
    rest = split_summary(show, show.history.position.summary())[2]
    if show.result is not None:
        return Text(f" {show.ending()}", "bold")
    if show.begun is None:
        return Text(" both sides are getting ready", "dim")
    if not show.moved:
        return Text(f" play begins; {rest}".removesuffix("; "), "dim")
    last = show.moved[-1]
    return Text(f" last move: {last.ply} {last.side} {last.move}" + (f" ({rest})" if rest else ""))
