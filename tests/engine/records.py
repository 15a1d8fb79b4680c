"""Records of matches of every kind, each led by the referee that leads the server's, on stamps told by hand."""

from functools import cache

from engine.games.catalogue import GAMES
from engine.games.interface import Outcome, Termination
from engine.match import recovery, referee
from engine.match.clock import Stall, TimeControl
from engine.match.record import Header

MS = 1000


class Table:
    """One match. Times are in milliseconds and count from the last event."""

    def __init__(
        self,
        game: str = "gipf",
        parameters: str = "3 3 9 9",
        *,
        increment: int = 0,
        limit: int = 60,
        lag: int = 0,
        header: Header | None = None,
    ) -> None:
        """Begin it; both sides have 20 s, unless the header says otherwise."""
        control = TimeControl.of_milliseconds(20_000, increment)
        date = "2026-11-20T20:15:00.000Z"
        position = GAMES[game].start(parameters)
        usual = Header(17, position, ("alice", "bob"), control, limit, "gipf-arena/0.1.0", date, lag * MS)
        self.state = referee.begin(header or usual)
        self.text = self.state.header.text()
        self.now = 0

    def take(self, step: referee.Step) -> None:
        """Write what a step writes, and give the turn that it gives."""
        self.state, effects = step
        self.text += "".join(referee.lines_of(effects))
        for effect in effects:
            if isinstance(effect, referee.GiveTurn):
                self.state = referee.start_turn(self.state, self.after(0.125))
            elif isinstance(effect, referee.GiveTime):
                self.take(referee.start_initialisation(self.state, effect.side, self.after(0.25)))

    def after(self, span: float) -> int:
        """Let time go by; return the stamp then."""
        self.now += round(span * MS)
        return self.now

    def ready(self, *spans: float) -> "Table":
        """Let the second side be ready, then the first one."""
        for side, span in zip((1, 0), spans or (30.5, 12.25), strict=False):
            self.take(referee.ready(self.state, side, self.after(span)))
        return self

    def play(self, *texts: str, span: float = 700.375) -> "Table":
        """Play moves; a number stands for so many, each the third of those that are legal."""
        for text in texts:
            for _ in range(int(text) if text.isdigit() and len(text) < 3 and text != "0" else 1):
                legal = self.state.history.position.legal_moves
                move = legal[3 % len(legal)] if text.isdigit() else text
                side = self.state.history.position.turn
                self.take(referee.move(self.state, side, move, self.after(span)))
        return self

    def note(self, side: int, content: str) -> "Table":
        """Note something of the game."""
        self.take(referee.note(self.state, side, content))
        return self

    def stall(self, before: float, span: float) -> "Table":
        """Stand still for a while."""
        begin = self.after(before)
        self.take(referee.credit_stall(self.state, Stall(begin, self.after(span))))
        return self

    def lag(self, measured: float) -> "Table":
        """Measure the lag of the side that waits, as is done when the other one moves, which has to follow."""
        self.after(100)
        turn = self.state.history.position.turn
        self.take(referee.allow_lag(self.state, 1 - turn, round(measured * MS)))
        return self

    def drop(self, side: int, away: float | None = 2.5) -> "Table":
        """Lose a connection, and resume it after a while, or never."""
        self.take(referee.disconnect(self.state, side, self.after(1.5)))
        if away is not None:
            self.take(referee.reconnect(self.state, side, self.after(away)))
        return self

    def restart(self, *back: int, down: float = 4000) -> "Table":
        """Let the server die, start again, and these sides come back."""
        leftover = recovery.examine(self.state.header.match, self.text.encode())
        assert leftover.summary is not None and not leftover.fault, leftover.fault
        self.now = max(self.now, leftover.summary.latest)
        self.state, lines = recovery.restore(leftover.summary, self.after(down), self.now + 10_000_000)
        self.text += lines
        for side in back:
            self.take(referee.reconnect(self.state, side, self.after(5)))
        return self

    def resign(self, side: int) -> str:
        """Give up."""
        self.take(referee.resign(self.state, side, self.after(40)))
        return self.text

    def say_crashed(self, side: int) -> str:
        """Give up because the program has failed."""
        self.take(referee.report_crash(self.state, side, "ValueError", self.after(40)))
        return self.text

    def flag(self, late: float = 0.375) -> str:
        """Let a clock run out, and be seen so much later."""
        deadline = referee.deadline(self.state)
        assert deadline is not None
        self.now = deadline + round(late * MS)
        self.take(referee.flag(self.state, self.now))
        return self.text

    def annul(self, why: Termination, sentence: str) -> str:
        """End the match without a result."""
        self.take(referee.end(self.state, Outcome(None, why, sentence), self.after(60)))
        return self.text

    def adjudicate(self, winner: int | None) -> str:
        """End the match with what its position is proven to be worth."""
        outcome = Outcome(winner, Termination.ADJUDICATED, "solving has proven it")
        self.take(referee.end(self.state, outcome, self.after(60)))
        return self.text

    def crash(self, side: int) -> str:
        """End the program of a side."""
        self.drop(side, None)
        outcome = referee.program_ended(self.state.header, side, "ended by signal SIGSEGV", Termination.CRASHED)
        self.take(referee.end(self.state, outcome, self.after(20)))
        return self.text


@cache
def records() -> dict[str, str]:
    """Return a record of each kind by its name."""
    return {
        "won on the board": Table("mnk", "3 3 3", increment=250).ready().play("a1", "b1", "a2", "b2", "a3").text,
        "move limit": Table("morris", "", limit=4).ready().play("4").text,
        "resigned after a gap": Table("arrows", "8 8").ready().drop(0).play("2").resign(0),
        "illegal move": Table(increment=100).ready().play("2").drop(1).play("a1-a9").text,
        "resigned on turn": Table().ready().play("3").resign(1),
        "resigned out of turn": Table().ready().play("3").resign(0),
        "resigned while initialising": Table().ready(9.5).resign(0),
        "time": Table(increment=100).ready().play("3").flag(),
        "time without a connection": Table(increment=100).ready().play("3").drop(1, None).flag(),
        "time of both": Table().flag(),
        "time while initialising": Table().ready(8.25).flag(),
        "crashed": Table().ready().play("3").crash(1),
        "said to have crashed": Table().ready().play("3").say_crashed(0),
        "adjudicated": Table("mnk", "3 3 3").ready().play("3").adjudicate(0),
        "adjudicated draw": Table("mnk", "3 3 3").ready().play("2").adjudicate(None),
        "organiser": Table().ready().play("2").annul(Termination.ORGANISER, "the house is on fire"),
        "server stop": Table().ready(5.5).annul(Termination.SERVER_STOP, "the server was stopped"),
        "stalls": Table(increment=50)
        .stall(3, 150)
        .ready()
        .stall(50, 400)
        .play("1")
        .stall(20, 300)
        .stall(20, 200)
        .play("2")
        .flag(),
        "lag": Table(lag=100).ready().play("1").lag(7.5).play("1").lag(30).play("4").resign(0),
        "restart": Table().ready().play("3").restart(1, 0).play("2").restart(0, 1).drop(0).play("1").flag(),
        "restart while initialising": Table().ready(8).restart(1, 0).ready(0, 30).play("2").resign(0),
        "notes": Table("mnk", "3 3 3")
        .note(1, "warm")
        .ready()
        .note(0, "score=-0.5 depth=3 nodes=17 pv=a1,b1 text=two in a line")
        .drop(1)
        .play("a1", "b1")
        .note(1, "ply=2 depth=1")
        .note(0, "ply=1 that was well")
        .play("a2")
        .restart(1, 0)
        .note(1, "ply=4 text=lost = lost")
        .play("b2", "a3")
        .text,
        "notes and lag": Table(lag=100)
        .ready()
        .note(0, "pv=a5-b5_b:_e5_h2")
        .lag(7.5)
        .play("1")
        .note(0, "slow")
        .resign(1),
    }
