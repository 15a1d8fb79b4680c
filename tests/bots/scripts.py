"""Scripts of a server for the tests of the client library, and bots that play on it."""

import pytest

from bots.bot import Bot, Choose, Clocks, GameResult, MatchMessage
from bots.client import play
from engine.games.interface import Position
from engine.wire.messages import Match, Start
from tests.bots.fake import FakeServer
from tests.bots.texts import BOARD, FIRST, SECOND

ANYTHING = """
> SEEK any
< SEEKING any
"""


def login_of(name: str) -> str:
    """Return how a bot of a name logs in."""
    return f"< ARENA 1 gipf-arena/0.1.0 open\n> LOGIN {name}\n< WELCOME {name}\n> PING settled\n< PONG settled\n"


LOGIN = login_of("newcomer")
SEEK = """
> SEEK gipf
< SEEKING gipf
"""
MATCH = f"""
< MATCH 17 gipf 4,4,15,15 white bob 60000 500 1000 secret
{BOARD}
"""
PLAYING = """
> READY
< START 59900 59800
"""
FIRST_TURN = f"""
< TURN 59900 59800
> MOVE {FIRST}
"""
MOVED_1 = f"< MOVED 1 white 59850 59800 {FIRST}\n"
MOVED_2 = f"< MOVED 2 black 59850 59700 {SECOND}\n"
RESULT = """
< RESULT 17 white resign 59850 59800 bob (black) resigned
> PING settled
"""
RESULT_THEN_SEEK = RESULT + "< PONG settled\n" + SEEK
QUIT = """
> QUIT
< BYE quit goodbye
"""
RESUME = f"""
< ARENA 1 gipf-arena/0.1.0 open
> RESUME 17 secret
< WELCOME newcomer
< MATCH 17 gipf 4,4,15,15 white bob 60000 500 1000 secret
{BOARD}
"""
START = "< START 59900 59800\n"
RESUMED = """
> PING settled
< PONG settled
"""
CRASHED = """
> CRASHED *
< RESULT 17 black crashed 1 1 newcomer (white) crashed
> PING settled
"""
TURN = "< TURN 59900 59800\n"


class Recorder(Bot):
    """Plays the first legal move and remembers what it was asked."""

    def __init__(self) -> None:
        self.prepared: list[Match] = []
        self.asked: list[tuple[Position, Clocks, int]] = []
        self.results: list[GameResult] = []

    def prepare(self, match: Match) -> None:
        self.prepared.append(match)

    def choose(self, position: Position, clocks: Clocks) -> str:
        assert self.history.position == position
        self.asked.append((position, clocks, self.history.plies))
        return position.legal_moves[0]

    def finished(self, result: GameResult) -> None:
        self.results.append(result)


class Failing(Bot):
    """Raises an exception in one of its methods, or chooses something else than a move."""

    def __init__(self, choice: object = None, *, at: str = "choose") -> None:
        self.choice = choice
        self.at = at

    def prepare(self, match: Match) -> None:
        if self.at == "prepare":
            raise RuntimeError("my book is missing")

    def handle_message(self, message: MatchMessage) -> None:
        if self.at == "handle_message" and isinstance(message, Start):
            raise RuntimeError("I am deaf")

    def choose(self, position: Position, clocks: Clocks) -> str:
        if self.choice is None and self.at == "choose":
            raise RuntimeError("I am lost")
        return self.choice if self.at == "choose" else FIRST  # type: ignore[return-value]

    def finished(self, result: GameResult) -> None:
        if self.at == "finished":
            raise RuntimeError("I cannot write")


def scripted(bot: Bot | Choose, *scripts: str, **options: object) -> tuple[list[GameResult], list[str]]:
    """Let a bot play on a scripted server; return the results and what was reported."""
    reported: list[str] = []
    with FakeServer(*scripts) as server:
        results = play(bot, port=server.port, name="newcomer", report=reported.append, **options)  # type: ignore[arg-type]
    return results, reported


def failing(error: type[Exception], bot: Bot | Choose, *scripts: str, **options: object) -> tuple[Exception, list[str]]:
    """The same where `play` raises an error."""
    reported: list[str] = []
    with FakeServer(*scripts) as server, pytest.raises(error) as caught:
        play(bot, port=server.port, name="newcomer", report=reported.append, **options)  # type: ignore[arg-type]
    return caught.value, reported
