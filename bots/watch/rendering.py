"""A watched match drawn for a terminal. Names and moves are never read as markup: all is `rich.text.Text`."""

import re

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bots.client.formatting import clock, time_control, variant
from bots.watch.watched_match import WatchedMatch

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
