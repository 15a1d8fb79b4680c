"""Bots of this process, asked for the moves of turns, in a debugger where that is wanted."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pdb import Pdb
from time import perf_counter
from typing import Unpack, cast

from bots.bot import Bot, Choice, Clocks, FunctionBot, Resigned, Said, place_of_choose
from bots.client.answers.choice import text_of
from bots.client.answers.notes import NotingClocks, make_note
from bots.client.errors import BotFailed
from bots.client.failures import describe_failure, traceback_of
from bots.client.run import to_stderr
from bots.workbench.replay.answers import Answer
from bots.workbench.replay.turns import Turn, match_of
from engine.games.history import History
from engine.games.interface import Position
from engine.record import Header
from engine.wire import messages as m
from engine.wire.notes import Note

Chooses = Callable[[Position, Clocks], Choice]


class BotHere:
    """A bot of this process. Each turn is the end of a match of its own, told to it from its beginning."""

    def __init__(self, bot: Bot, header: Header, *, debugger: bool = False) -> None:
        """Take a bot, and whether it is to stop in the debugger where it begins to choose."""
        self.bot = bot
        self._header = header
        self._debugger = debugger
        self._histories = [History.begin(header.position)]  # by the number of moves, each made once

    def answer(self, turn: Turn) -> Answer:
        """Return what the bot plays; a traceback of it is printed on stderr."""
        notes = _Notes(turn.ply)
        self.bot.noting = notes
        return self._answer(turn, notes)._replace(notes=tuple(notes.taken))

    def _answer(self, turn: Turn, notes: "_Notes") -> Answer:
        began = perf_counter()
        try:
            self._tell(turn)
            position = turn.history.position
            left = turn.milliseconds
            clocks = NotingClocks(left[turn.side], left[1 - turn.side], self._header.control.milliseconds[1])
            clocks.noting = notes
            began = perf_counter()
            chosen = self._choose(turn, position, clocks)
            seconds = perf_counter() - began
            return Answer(text_of(chosen, position, place_of_choose(self.bot)), "", seconds)
        except Resigned:
            return Answer("", "", perf_counter() - began)
        except BotFailed as failed:
            return Answer("", str(failed), perf_counter() - began)
        except (Exception, SystemExit) as error:
            seconds = perf_counter() - began
            print(traceback_of(error), end="", file=sys.stderr)
            return Answer("", describe_failure("to choose a move", error), seconds)

    def close(self) -> None:
        """Let go of the bot."""

    def _tell(self, turn: Turn) -> None:
        """Tell the bot of the match up to the turn, as after a lost connection."""
        with redirect_stdout(sys.stderr):
            self.bot.match, self.bot.history = match_of(self._header, turn.side), self._histories[0]
            self.bot.prepare(self.bot.match)
            for message in turn.shown:
                if isinstance(message, m.Moved):
                    self.bot.history = self._after(message)
                self.bot.told(message)

    def _after(self, moved: m.Moved) -> History:
        """Return the game up to a move."""
        if len(self._histories) == moved.ply:
            self._histories.append(self._histories[-1].after(moved.move))
        return self._histories[moved.ply]

    def _choose(self, turn: Turn, position: Position, clocks: Clocks) -> Choice:
        choose: Chooses = self.bot.function if isinstance(self.bot, FunctionBot) else self.bot.choose
        if not self._debugger:
            with redirect_stdout(sys.stderr):
                return choose(position, clocks)
        print(position.picture())
        print(f"ply {turn.ply}: {turn.recorded or f'no move ({turn.ending})'} in the record; c goes on, q ends it all")
        debugger = _Debugger()
        chosen: object = debugger.runcall(choose, position, clocks)
        if debugger.is_left:
            raise KeyboardInterrupt
        return cast(Choice, chosen)  # what is none is named by `text_of`


class _Notes:
    """Takes what a bot notes in a turn."""

    def __init__(self, ply: int) -> None:
        self.taken: list[Note] = []
        self._ply = ply

    def __call__(self, **said: Unpack[Said]) -> None:
        try:
            self.taken.append(make_note(self._ply, **said))
        except Exception as error:  # whatever a bot of no types says
            to_stderr(f"a note is left out: {error}")


class _Debugger(Pdb):
    """Python's debugger, which tells that it was left; `runcall` returns None then."""

    is_left = False

    def set_quit(self) -> None:
        """Take note of it."""
        self.is_left = True
        super().set_quit()
