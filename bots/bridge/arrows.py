"""Bridge for programs with the module protocol of the arrows contest (docs/rules.md, 2.3).

``InitGame <sec>``, the pairs of the board file and an empty line begin a game and are not answered; ``turn <d> <sec>``
asks for a direction, 0 to 7, and 255 in answer gives up. Seconds are those left when the line is written, with three
decimals; thinking about a board file is charged to the first turn. An answer that is no direction is sent all the
same, for the server to judge. The program learns that a game is over only by the next ``InitGame``.
"""

import re
import time
from collections import deque

from bots.bot import Clocks, Resigned
from bots.bridge.bridge import GRACE_SECONDS, ProgramBot
from bots.bridge.program import ProgramFailed
from engine.games.arrows.position import NO_MOVE
from engine.games.interface import Position
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.coding import REQUEST_BYTES, LineReader


class ArrowsBot(ProgramBot):
    """A bot that runs a program with the arrows contest's module protocol."""

    def _begun(self) -> None:
        self._lines = LineReader(REQUEST_BYTES)
        self._inbox: deque[str] = deque()

    def _announce(self, match: m.Match) -> None:
        self._forget_late_answers()
        pairs = (re.sub("#.*", "", line).strip() for line in self.history.position.text().splitlines())
        self._say(f"InitGame {match.budget / 1000:.3f}", *filter(None, pairs), "")

    def _ask(self, position: Position, clocks: Clocks) -> str:
        self._forget_late_answers()
        opponents = self.history.moves[-1] if self.history.moves else NO_MOVE
        self._say(f"turn {opponents} {clocks.mine_ms / 1000:.3f}")
        answer = self._answer(time.monotonic() + clocks.mine_ms / 1000 + GRACE_SECONDS)
        if answer is None:
            raise ProgramFailed(f"the program did not answer in the {clocks.mine_ms} ms that it had")
        if answer == NO_MOVE:
            raise Resigned
        return answer

    def _say(self, *lines: str) -> None:
        assert self._program is not None
        self._program.ask("".join(f"{line}\n" for line in lines).encode())

    def _forget_late_answers(self) -> None:
        """Discard lines that the program wrote without being asked."""
        while self._answer(time.monotonic()) is not None:
            pass

    def _answer(self, deadline: float) -> str | None:
        """Return the next line that is not blank; None if none arrives in time."""
        assert self._program is not None
        while not self._inbox:
            data = self._program.hear(deadline)
            if not data:
                return None
            for line in self._lines.feed(data):
                if isinstance(line, ProtocolError):
                    raise ProgramFailed(f"the program's answer cannot be read: {line}")
                if line.strip():
                    self._inbox.append(line.strip())
        return self._inbox.popleft()
