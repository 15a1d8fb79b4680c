"""A Python bot in the turns of a match that was played: its answers now, as text and as JSON."""

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from enum import StrEnum
from functools import partial
from itertools import accumulate
from pathlib import Path
from pdb import Pdb
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, Unpack, cast

from bots.bot import Bot, Choice, Clocks, FunctionBot, NoteFields, Resigned
from bots.client.errors import ArenaError, BotFailed, describe_failure, traceback_of
from bots.client.session import make_note, text_of
from bots.client.watchdog import Interrupted, Watchdog, interrupt
from bots.workbench.play_file import loaded
from engine.commands import reports
from engine.commands.program import say, split_command
from engine.games.interface import BadMove, History, Position
from engine.match import referee
from engine.match.clock import Clock
from engine.match.record import Header
from engine.match.verification import Summary
from engine.wire import messages as m
from engine.wire.fields import Note, write_note
from engine.wire.words import number_of


class RecordedTurn(NamedTuple):
    """A turn of one side, when TURN was sent."""

    side: int
    histories: tuple[History, ...]
    """The game before it, from the first position on."""
    left: tuple[int, int]
    """Remaining time of both sides, in milliseconds, as TURN has it."""
    shown: tuple[m.Start | m.Moved, ...]
    """Messages that the player got since its match began, as after a lost connection."""
    recorded: str
    """The move in the record, legal or not; empty where there is none."""
    ending: str
    """Why the record has no legal move here: the reason of the loss, ``ended`` or ``unfinished``; empty where it has
    one."""

    @property
    def ply(self) -> int:
        """The number of the move that was asked for, from 1."""
        return len(self.histories)

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.histories[-1].position


def turns_of(summary: Summary, side: int) -> list[RecordedTurn]:
    """Return the turns of a side, with the one in which the match ended, if it was to move then."""
    state = summary.state
    if state.ready != (True, True):
        return []
    histories = tuple(accumulate(state.history.moves, History.after, initial=History.begin(summary.header.position)))
    lefts = [Clock(stopped.left).milliseconds(0) for stopped in (summary.initialised[-1], *summary.played)]
    start, turns = m.Start(*lefts[0]), []
    for plies, (history, left) in enumerate(zip(histories, lefts, strict=True)):
        is_last = history is histories[-1]
        if history.position.turn == side and not (is_last and history.outcome(summary.header.move_limit)):
            move, ending = (
                (summary.refused or "", _ending(summary, side)) if is_last else (state.history.moves[plies], "")
            )
            turns.append(RecordedTurn(side, histories[: plies + 1], left, (start, *state.shown[:plies]), move, ending))
    return turns


def _ending(summary: Summary, side: int) -> str:
    """Say why a side that was to move has made no legal move: how it has lost, or that the match went no further."""
    ending = summary.reason if summary.winner == 1 - side else "ended"
    return ending if summary.result else "unfinished"


class Agreement(StrEnum):
    """How an answer compares with the record."""

    SAME = "same"
    """The move of the record, or another text for what leads to the same position; or the bot resigns again."""
    DIFFERENT = "differs"
    FAILED = "fails"
    """No legal move in time."""
    NEW = "new"
    """A legal move, where the record has none."""


class ReplayedAnswer(NamedTuple):
    """A bot's answer in a turn, its time, and the comparison with the record."""

    turn: RecordedTurn
    move: str = ""
    """The move, as the bot has it; empty where there is none."""
    failure: str = ""
    """Why there is no legal move in time, in a sentence."""
    seconds: float = 0.0
    notes: tuple[Note, ...] = ()
    """The bot's notes on the turn."""
    is_overdue: bool = False
    """Whether the bot was interrupted, since its clock was used up."""
    outcome: Agreement = Agreement.FAILED

    def compare(self, *, late_counts: bool = True) -> "ReplayedAnswer":
        """Compare with the record, and write the move in canonical text.

        An answer that took longer than the clock had has failed, where that counts.
        """
        turn, left = self.turn, self.turn.left[self.turn.side]
        if self.failure:
            return self
        if not self.move:
            outcome = Agreement.SAME if turn.ending == "resign" else Agreement.DIFFERENT
            return self._replace(outcome=outcome, failure="resigns")
        try:
            move, after = turn.position.child(self.move)
        except BadMove as error:
            return self._replace(move="", failure=f"plays {self.move!r}: {error}")
        if late_counts and self.seconds * 1000 > left:
            return self._replace(move=move, failure=f"plays {move} after the {left} ms that it had")
        if turn.ending:
            return self._replace(move=move, outcome=Agreement.NEW)
        is_same = after.key == turn.position.play(turn.recorded).key
        return self._replace(move=move, outcome=Agreement.SAME if is_same else Agreement.DIFFERENT)


Result = TypeVar("Result")


class BotHere:
    """A bot of this process. Each turn is the end of a match of its own, told to it from its beginning."""

    def __init__(self, bot: Bot, header: Header, *, debugger: bool = False) -> None:
        """Take a bot, and whether it is to stop in the debugger where it begins to choose."""
        self.bot = bot
        self._header = header
        self._debugger = debugger
        self._overdue = ""
        """Which method has used up its clock, in a sentence; empty for none."""

    def answer(self, turn: RecordedTurn) -> ReplayedAnswer:
        """Return what the bot plays, not yet compared; a traceback of it is printed on stderr."""
        notes: list[Note] = []

        def take_note(**said: Unpack[NoteFields]) -> None:
            try:
                notes.append(make_note(turn.ply, **said))
            except Exception as error:  # whatever a bot of no types says
                say(f"a note is left out: {error}")

        self.bot.noting = take_note
        left, increment = turn.left, self._header.control.milliseconds[1]
        clocks = Clocks(left[turn.side], left[1 - turn.side], increment, take_note)
        self._overdue = ""
        began = perf_counter()
        move = failure = ""
        try:
            with Watchdog(BotHere._call.__code__, self._report_overdue, lambda: True) as watchdog:
                self._tell(turn, watchdog)
                began = perf_counter()
                move = text_of(self._choose(turn, clocks, watchdog), turn.position)
        except Resigned:
            pass
        except BotFailed as failed:
            failure = str(failed)
        except Interrupted:
            failure = self._overdue
        except (Exception, SystemExit) as error:
            print(traceback_of(error), end="", file=sys.stderr)
            failure = describe_failure("to choose a move", error)
        seconds = perf_counter() - began
        return ReplayedAnswer(turn, move, failure, seconds, tuple(notes), is_overdue=bool(self._overdue))

    def _tell(self, turn: RecordedTurn, watchdog: Watchdog) -> None:
        """Tell the bot of the match up to the turn, as after a lost connection."""
        with redirect_stdout(sys.stderr):
            self.bot.match = referee.announcement(self._header, turn.side, "replay")  # nobody has kept the token
            self.bot.history = turn.histories[0]
            self._call(watchdog, "prepare", self.bot.match.budget, lambda: self.bot.prepare(self.bot.match))
            for message in turn.shown:
                if isinstance(message, m.Moved):
                    self.bot.history = turn.histories[message.ply]
                self._call(watchdog, "handle_message", turn.left[turn.side], partial(self.bot.handle_message, message))

    def _choose(self, turn: RecordedTurn, clocks: Clocks, watchdog: Watchdog) -> Choice:
        choose = self.bot.function if isinstance(self.bot, FunctionBot) else self.bot.choose
        if not self._debugger:
            with redirect_stdout(sys.stderr):
                return self._call(watchdog, "choose", clocks.mine_ms, lambda: choose(turn.position, clocks))
        print(turn.position.picture())
        print(f"ply {turn.ply}: {turn.recorded or f'no move ({turn.ending})'} in the record; c goes on, q ends it all")
        debugger = _Debugger(clocks.mine_ms)
        chosen: object = debugger.run_watched(choose, turn.position, clocks)
        if debugger.is_left:
            raise KeyboardInterrupt
        return cast(Choice, chosen)  # what is none is named by `text_of`

    def _call(self, watchdog: Watchdog, name: str, milliseconds: int, method: Callable[[], Result]) -> Result:
        """Call a method of the bot, which has so many milliseconds."""
        with watchdog.watching(name, milliseconds):
            return method()

    def _report_overdue(self, sentence: str, stack: str) -> None:
        """Report a method that has used up its clock; called in another thread."""
        self._overdue = sentence
        print(stack, end="", file=sys.stderr)


class _Debugger(Pdb):
    """Python's debugger, which stops a method whose clock is used up, and tells that it was left."""

    is_left = False

    def __init__(self, milliseconds: int) -> None:
        """Take the clock of the method."""
        super().__init__()
        self._milliseconds = milliseconds
        self._timer = threading.Timer(0, self._stop)

    def run_watched(self, method: Callable[..., object], *arguments: object) -> object:
        """Stop where a method begins, and return its result; None if the debugger was left."""
        handler = signal.signal(signal.SIGINT, cast(Any, self.sigint_handler))  # stops where the method stands
        try:
            result: object = self.runcall(method, *arguments)
            return result
        finally:
            self._timer.cancel()
            signal.signal(signal.SIGINT, handler)

    def interaction(self, *arguments: Any) -> None:
        """Let the clock stand while a person types commands, and run anew from then on."""
        self._timer.cancel()
        super().interaction(*arguments)
        self._timer = threading.Timer(self._milliseconds / 1000, self._stop)
        self._timer.daemon = True
        self._timer.start()

    def set_quit(self) -> None:
        """Take note of it."""
        self.is_left = True
        super().set_quit()

    def _stop(self) -> None:
        self.message(f"\nThe clock of {self._milliseconds} ms is used up.")
        interrupt(threading.main_thread().ident or 0)


class ReplayedPlayer(NamedTuple):
    """A bot in the place of a player of the record."""

    name: str
    side: int
    bot: BotHere


@contextmanager
def player(bot: str, header: Header, side: str | None, *, debugger: bool) -> Iterator[ReplayedPlayer]:
    """Load the bot of a Python file, which may have arguments behind it.

    Without a side it gets the side of the player of its name. Raises `ArenaError`.
    """
    try:
        words = split_command(bot)
    except ValueError:  # a quotation without an end
        words = []
    if not words or not words[0].endswith(".py"):
        raise ArenaError(f"the bot is {bot!r}, but it has to be a Python file, as in mybot.py")
    with loaded(Path(words[0]), words[1:]) as file:
        file.bot.connected()
        yield ReplayedPlayer(
            file.name,
            _side_of(header, side, (file.name, Path(words[0]).stem)),
            BotHere(file.bot, header, debugger=debugger),
        )


def _side_of(header: Header, wanted: str | None, names: Sequence[str]) -> int:
    """Return the side that is asked for, or that of the player who has one of the names."""
    sides = header.position.game.sides
    if wanted is not None:
        if wanted not in sides:
            raise ArenaError(f"--side is {sides[0]} or {sides[1]} here, not {wanted}")
        return sides.index(wanted)
    known = {name.lower() for name in names}
    found = [side for side in (0, 1) if header.players[side].lower() in known]
    if len(found) != 1:
        both = f"{header.who(0)} and {header.who(1)}"
        raise ArenaError(f"{len(found)} of {both} have the name {names[0]}: say by --side whose turns to replay")
    return found[0]


TITLES = f"{'ply':>4} {'clock':>10}  {'record':20} {'bot':20} {'took':>10}"


def lines(answer: ReplayedAnswer) -> list[str]:
    """Return a turn: its clock and the bot's time in seconds, the move of the record and the bot's; and its notes."""
    turn = answer.turn
    left = turn.left[turn.side] / 1000
    ended = ": ".join(filter(None, (turn.recorded, turn.ending)))
    recorded = f"({ended})" if turn.ending else turn.recorded  # a move in brackets is not legal
    words = f"{turn.ply:4} {left:10.3f}  {recorded:20} {answer.move or '-':20} {answer.seconds:10.3f}"
    more = f": {answer.failure}" if answer.failure else ""
    if answer.outcome == Agreement.SAME and answer.move not in ("", turn.recorded):
        more = " position"
    return [f"{words}  {answer.outcome}{more}", *(f"{'':6}note: {note}" for note in answer.notes)]


def closing(name: str, summary: Summary, side: int, answers: Sequence[ReplayedAnswer]) -> str:
    """Return how many turns were answered in which way, and how long that took."""
    count = Counter(answer.outcome for answer in answers)
    words = {Agreement.SAME: "the same", Agreement.DIFFERENT: "different"}
    words |= {Agreement.NEW: "where the record has no move", Agreement.FAILED: "failed"}
    parts = [f"{count[outcome]} {text}" for outcome, text in words.items() if count[outcome]]
    seconds = sum(answer.seconds for answer in answers)
    sides = summary.header.position.game.sides
    return f"{name} as {sides[side]}: {number_of(len(answers), 'turn')}, {', '.join(parts)}; {seconds:.3f} s"


def as_json(name: str, summary: Summary, side: int, answers: Sequence[ReplayedAnswer]) -> str:
    """Return all turns and answers."""
    header = summary.header
    count = Counter(answer.outcome for answer in answers)
    return reports.as_json(
        {
            "report": "replay",
            "match": header.match,
            "game": header.position.game.name,
            "params": header.position.parameters,
            "bot": name,
            "side": header.position.game.sides[side],
            "player": header.players[side],
            **{outcome.name.lower(): count[outcome] for outcome in Agreement},
            "turns": [_plain(answer) for answer in answers],
        }
    )


def _plain(answer: ReplayedAnswer) -> dict[str, object]:
    turn = answer.turn
    return {
        "ply": turn.ply,
        "clock_ms": turn.left[turn.side],
        "opponents_clock_ms": turn.left[1 - turn.side],
        "record": turn.recorded or None,
        "ending": turn.ending or None,
        "move": answer.move or None,
        "outcome": answer.outcome.name.lower(),
        "failure": answer.failure or None,
        "seconds": round(answer.seconds, 6),
        "notes": [write_note(note._replace(ply=None)) for note in answer.notes],
    }
