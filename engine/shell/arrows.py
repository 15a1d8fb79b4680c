"""The shell of arrows: the contest's protocol as text (docs/rules.md, section 2.3).

``InitGame <sec>`` begins a game with the board file in the next lines, which end with an empty line. It has no answer.
``turn <d> <sec>`` asks for a direction. If the first ``turn`` has the direction 255, the shell plays for the side to
move, else for the other side. On a new machine the search is interpreted until a process has compiled it.

Further rules:

- A game ends with the next `InitGame`. A command ends a board file early.
- If no arrow can be placed, the answer is 255, and the game is over.
- An opponent whose arrow points at an unusable field loses only on the next turn, so the shell still answers.
- A wrong line gets one sentence on stderr and no answer, and changes nothing. Wrong lines are unknown commands,
  commands without their numbers, a `turn` without a running game, a second 255, and directions above 7.
- A board file that cannot be read leaves no game.
- Seconds may have decimals. They are the remaining time when the line is read.
- ``strict`` has no effect.
"""

import re

from engine.games.arrows.position import ARROWS, NO_MOVE
from engine.games.interface import BadMove, BadPosition, History
from engine.search.searcher import AdaptiveSearcher, HistoryKeys, SearchLimits
from engine.search.time_management import allocate_time
from engine.shell import Shell

INIT = "InitGame"
TURN = "turn"
COMMANDS = (INIT, TURN)

SECONDS = r"[0-9]{1,9}(\.[0-9]{1,9})?"


class Commands(Shell):
    """The current game, and the commands."""

    def __post_init__(self) -> None:
        """Begin without a game."""
        self._history: History | None = None
        self._begun = False
        """Whether the game had a turn."""
        self._keys = HistoryKeys()
        # all boards share the compiled code
        self._searcher = AdaptiveSearcher(ARROWS.start(ARROWS.default_parameters))
        self._searcher.start_compiling()

    def run(self) -> None:
        """Execute all commands."""
        while (line := self.next_line()) is not None:
            read = self.clock()
            words = line.split()
            if not words:
                continue
            if words[0] == INIT and len(words) == 2 and re.fullmatch(SECONDS, words[1]):
                self._begin()
            elif words[0] == TURN and len(words) == 3 and re.fullmatch(SECONDS, words[2]):
                self._turn(words[1], float(words[2]), read)
            else:
                sentence = f"expected {INIT!r} and seconds, or {TURN!r}, a direction and seconds; not {line.strip()!r}"
                self.complain(sentence)

    def _begin(self) -> None:
        """Read a board file."""
        self._history, self._begun = None, False
        board: list[str] = []
        while (line := self.next_line()) is not None and line.strip():
            if line.split()[0] in COMMANDS:
                self.put_back(line)
                break
            board.append(line.rstrip("\r\n"))
        try:
            position = ARROWS.read("\n".join(board))
        except BadPosition as error:
            self.complain(f"there is no game, the board file cannot be read: {error}")
            return
        if position.game.warning(position.parameters):
            self.complain(f"warning: {position.game.warning(position.parameters)}")
        self._history = History.begin(position)

    def _turn(self, direction: str, seconds: float, read: float) -> None:
        """Play the opponent's move, and answer with a move. ``read`` is the time at which the line was read."""
        history = self._history
        if history is None:
            self.complain(f"there is no game: {INIT!r} and a board file come before {TURN!r}")
            return
        if direction != NO_MOVE:
            try:
                history = history.after(direction)
            except BadMove as error:
                self.complain(f"the opponent's move {direction}: {error}")
                return
        elif self._begun:
            self.complain(f"{NO_MOVE} stands for the first move of a game, but this one has begun")
            return
        self._begun = True
        self._history = history
        if history.position.is_over:
            self.write(NO_MOVE)
            return
        move = self._choose(history, seconds, read)
        self._history = history.after(move)
        self.write(move)

    def _choose(self, history: History, seconds: float, read: float) -> str:
        """Return the best move within the remaining time."""
        self.flush()
        time = allocate_time((seconds - (self.clock() - read)) * 1000, plies_ahead=history.position.plies_ahead)
        limits = SearchLimits(soft_ms=time.soft_ms, hard_ms=time.hard_ms)
        found = self._searcher.think(history.position, self._keys.before(history), limits, clock=self.clock)
        return found.move(history.position)
