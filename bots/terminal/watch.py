"""The spectator: follows a running match live in a terminal, or line by line where the output is none."""

import codecs
import re
import sys
import time
from contextlib import suppress
from io import TextIOWrapper
from typing import NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from bots.bot import match_title
from bots.client.connection import Address, Connection, address, reconnect_pauses
from bots.client.errors import ConnectionLost, Refused, ServerFault, Unreachable
from engine.games.catalogue import GAMES
from engine.games.endings import headline
from engine.games.interface import Child, Game, GameError, History
from engine.wire import messages as m
from engine.wire.fields import read_note
from engine.wire.words import parameters_of, without_code


class WatchedMatch(NamedTuple):
    """A match that is watched, as far as it has come: a value that each message of the server makes a new one of."""

    watching: m.Watching
    history: History
    left: tuple[int, int]
    """Remaining time of both sides at the moment ``since``, in milliseconds."""
    since: float
    """A moment on the spectator's clock, in seconds."""
    begun: m.Start | None = None
    """START of the match; None during initialisation."""
    moved: tuple[m.Moved, ...] = ()
    notes: tuple[str, str] = ("", "")
    """The last note of each side that spectators may see."""
    result: m.Result | None = None

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
        """The names; the side that begins is first."""
        return (self.watching.first, self.watching.second)

    @property
    def turn(self) -> int | None:
        """The side whose clock runs; None before and after play."""
        return self.history.position.turn if self.begun is not None and self.result is None else None

    def clocks(self, now: float) -> tuple[int, int]:
        """Return the remaining time of both sides at a moment, in milliseconds, not below 0."""
        left = list(self.left)
        if self.turn is not None:
            left[self.turn] -= int((now - self.since) * 1000)
        return (max(0, left[0]), max(0, left[1]))

    def after(self, message: m.Message, now: float) -> "WatchedMatch":
        """Return the match after a message; those that do not matter change nothing. Raises `GameError`."""
        match message:
            case m.Board(lines):
                start = self.game.read("".join(line + "\n" for line in lines))
                return self._replace(history=History.begin(start), moved=())
            case m.Start(first, second):
                return self._replace(begun=message, left=(first, second), since=now)
            case m.Moved(_, _, first, second, move):
                history, moved = self.history.after(move), (*self.moved, message)
                return self._replace(history=history, moved=moved, left=(first, second), since=now)
            case m.Pong() if self.begun is not None:
                # The catch-up ends here. START has the present clocks and each MOVED those of its move: the smaller
                # one of both is the later one.
                left = (min(self.left[0], self.begun.first), min(self.left[1], self.begun.second))
                return self._replace(left=left, since=now)
            case m.Noted(_, side) if side in self.game.sides:
                notes = list(self.notes)
                notes[self.game.sides.index(side)] = note_text(message)
                return self._replace(notes=(notes[0], notes[1]))
            case m.Result(match, _, _, first, second) if match == self.watching.match:
                return self._replace(result=message, left=(first, second), since=now)
        return self

    def ending(self) -> str:
        """Say how the match has ended; empty while it goes on."""
        if self.result is None:
            return ""
        _, result, reason, _, _, sentence = self.result
        winner = self.game.sides.index(result) if result in self.game.sides else None
        said = headline(self.players, winner, reason, self.history.plies)
        return f"{said} ({without_code(sentence)})" if sentence else said


def clock(ms: int) -> str:
    """Format a clock: minutes and seconds, and tenths in the last minute."""
    if ms < 60_000:
        return f"{ms // 1000}.{ms % 1000 // 100} s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def note_text(noted: m.Noted) -> str:
    """Return a note in words; one that cannot be read, of a newer server, as it is."""
    try:
        return str(read_note(noted.note))
    except m.ProtocolError:
        return noted.note


RUNNING = (["running"], ["preparing"])
"""States of a running match as they stand in LIST, one word."""


def newest(listed: m.Matches, above: int = 0, *, running: bool = False) -> int | None:
    """Return the newest match of a list that has a number above one, or the newest ``running`` one; None if none."""
    lines = [words for line in listed.lines if (words := line.split()) and (not running or words[8:9] in RUNNING)]
    return max((int(words[0]) for words in lines if words[0].isdigit() and int(words[0]) > above), default=None)


OTHER_ROWS = 6
"""Rows of a scene beside its board and its moves."""

MAX_ROWS = 20
"""Most rows of moves that are shown."""


def render_match(show: WatchedMatch, now: float, height: int) -> Group:
    """Render a match for a terminal of a height: the board, the players, the last moves, and the state."""
    position = show.history.position
    last = Child(show.history.moves[-1], position) if show.moved else None
    board = paint_board(position.picture(last), show.game.marks)
    rows = min(MAX_ROWS, height - OTHER_ROWS - len(board.plain.split("\n")))
    moves = [f"{moved.ply:4} {moved.side} {moved.move}" for moved in show.moved[-rows:]] if rows > 0 else []
    state = show.ending() or ("play goes on" if show.begun else "both sides are getting ready")
    lines = [Text(match_title(show.watching), "bold"), board, *(_player(show, side, now) for side in (0, 1))]
    lines += [Text(position.summary(), "dim"), *map(Text, moves), Text(state, "bold")]
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def _player(show: WatchedMatch, side: int, now: float) -> Text:
    words = (show.game.marks[side], show.players[side], show.game.sides[side], clock(show.clocks(now)[side]))
    is_to_move = show.turn == side
    text = Text(" ".join(words) + ("  ◀ to move" if is_to_move else ""), "bold green" if is_to_move else "")
    return text.append(f"  {show.notes[side]}", "italic dim")


LOOK_SECONDS = 0.2
"""How often to look whether a match has begun."""

FRAME_SECONDS = 0.1
"""How often the clocks are drawn: they show tenths."""

MIN_RECONNECT_SECONDS = 10.0
"""How long to try to come back after a lost connection."""


def watch(
    match: int | None,
    *,
    host: str,
    port: int,
    tls: bool = False,
    tls_ca: str = "",
    follow: bool = False,
    record: bool = False,
    console: Console | None = None,
) -> None:
    """Watch a match. Without a number it is the newest one that is running, or the next one that begins.

    ``follow``: go on with the next match after it, until interrupted.
    ``record``: fetch and print the record in the end. Raises `bots.client.errors.ArenaError`.
    """
    console = console or plain_console()
    above, number = 0, match
    where = address(host, port, tls=tls, tls_ca=tls_ca)
    connection = Connection(*where)
    try:
        while True:
            try:
                if number is None:
                    number = _find(connection, above, console)
                (_live if console.is_terminal else _line_by_line)(connection, _begin(connection, number), console)
                if record:
                    _print_record(connection, number, console)
                if not follow:
                    return
                match, above, number = None, number, None
            except ConnectionLost as lost:
                print_lines(console, f"{lost}; trying to come back")
                connection.close()
                connection = _reconnect(lost, where)
            except Refused as refused:
                if match is not None or refused.code != m.Code.UNKNOWN_MATCH:
                    raise
                number = None  # it has ended since it was listed
            except GameError as error:
                raise ServerFault(f"the match cannot be followed: {error}") from error
    finally:
        connection.close()


def _reconnect(lost: ConnectionLost, where: Address) -> Connection:
    for _ in reconnect_pauses(MIN_RECONNECT_SECONDS):
        with suppress(Unreachable):
            return Connection(*where)
    raise Unreachable(f"{lost}; the server could not be reached again")


def _find(connection: Connection, above: int, console: Console) -> int:
    """Return the newest match that is running, or else, after waiting, one that has begun and ended meanwhile."""
    is_waiting = False
    while True:
        connection.send(m.List())
        listed = connection.answer(m.Matches)
        number = newest(listed, above, running=True) or (newest(listed, above) if is_waiting else None)
        if number is not None:
            return number
        if not is_waiting:
            print_lines(console, "waiting for a match to begin")
            is_waiting, above = True, max(above, newest(listed) or 0)
        time.sleep(LOOK_SECONDS)


def _begin(connection: Connection, number: int) -> WatchedMatch:
    connection.send(m.Watch(number))
    watching = connection.answer(m.Watching)
    connection.send(m.Ping())
    if watching.game not in GAMES:
        raise ServerFault(f"the match cannot be followed: the game {watching.game!r} is unknown here")
    return WatchedMatch.begin(watching, time.monotonic())


def _live(connection: Connection, watched_match: WatchedMatch, console: Console) -> None:
    """Draw the match again and again, with clocks that run."""
    with Live(console=console, auto_refresh=False, redirect_stderr=False, redirect_stdout=False) as live:
        while True:
            live.update(render_match(watched_match, time.monotonic(), console.height), refresh=True)
            if watched_match.result is not None:
                return
            frame = time.monotonic() + FRAME_SECONDS
            while watched_match.result is None and (left := frame - time.monotonic()) > 0:
                watched_match = watched_match.after(connection.receive(left), time.monotonic())


def _line_by_line(connection: Connection, watched_match: WatchedMatch, console: Console) -> None:
    """Print a line for everything that happens."""
    sides = watched_match.game.sides
    players = ", ".join(f"{side}: {name}" for side, name in zip(sides, watched_match.players, strict=True))
    print_lines(console, f"{match_title(watched_match.watching)}, {players}")
    while True:
        message = connection.receive()
        watched_match = watched_match.after(message, time.monotonic())
        if isinstance(message, m.Start):
            print_lines(console, "play begins")
        elif isinstance(message, m.Moved):
            left = ", ".join(f"{side} {clock(ms)}" for side, ms in zip(sides, watched_match.left, strict=True))
            print_lines(console, f"{message.ply:4} {message.side} {message.move}  ({left})")
        elif isinstance(message, m.Noted):
            unmade = " (not made)" if message.ply > watched_match.history.plies else ""
            print_lines(console, f"{message.ply:4} {message.side}{unmade} noted: {note_text(message)}")
        elif watched_match.result is not None:
            print_lines(console, *filter(None, (watched_match.history.position.summary(), watched_match.ending())))
            return


def _print_record(connection: Connection, number: int, console: Console) -> None:
    """Print the record of a match that has just ended; the server may not keep it."""
    connection.send(m.AskRecord(number))
    try:
        print_lines(console, *connection.answer(m.Record).lines)
    except Refused as refused:
        print_lines(console, str(refused))


PLAIN_GLYPHS = str.maketrans("●○×·∙■│─↑↗→↘↓↙←↖◀…–−’", "XOX.+#|-01234567<.--'")
"""ASCII for characters that a terminal may lack. Arrows become the numbers of their directions, as in moves."""


def _plain_glyphs(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(PLAIN_GLYPHS)
    return text.encode("ascii", "backslashreplace").decode(), error.end


codecs.register_error("plain_glyphs", _plain_glyphs)


def plain_console() -> Console:
    """Return a console that reads nothing in a text as markup, and prints ASCII where the terminal lacks characters."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="plain_glyphs")
    return Console(highlight=False, markup=False, emoji=False)


def print_lines(console: Console, *lines: str) -> None:
    """Print lines as they are: not wrapped, and never read as markup."""
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def paint_board(picture: str, marks: tuple[str, str]) -> Text:
    """Colour a board: pieces stand out, the last move most of all, and everything else is dim."""
    text = Text(picture.rstrip("\n"), style="dim")
    for mark in marks:
        # a mark that is a digit has a sign behind it, unlike the numbers at the rim
        text.highlight_regex(rf"(?<!\w){mark}[^\w\s\]]+" if mark.isalnum() else re.escape(mark), "bold not dim")
    text.highlight_regex(r"\[.{1,2}\]", "bold not dim green")
    return text
