"""Lost connections, against a server that plays from a script: how the client library comes back."""

from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot

from bots.client import BotFailed, Unreachable, connection, session
from bots.client.connection import reconnect_pauses
from engine.wire import messages as m
from tests.bots import texts
from tests.bots.scripts import (
    ANYTHING,
    CRASHED,
    FIRST_TURN,
    LOGIN,
    MATCH,
    MOVED_1,
    MOVED_2,
    PLAYING,
    QUIT,
    RESULT,
    RESUME,
    RESUMED,
    SEEK,
    START,
    TURN,
    Failing,
    Recorder,
    failing,
    scripted,
)
from tests.bots.texts import FIRST, SECOND, THIRD

pytestmark = pytest.mark.usefixtures("short_pauses")


BEGUN = LOGIN + SEEK + MATCH + PLAYING
ASKED = BEGUN + FIRST_TURN
START_AGAIN = RESUME + START
ON_TURN = START_AGAIN + f"< TURN 59000 59800\n> PING settled\n> MOVE {FIRST}\n< PONG settled\n" + MOVED_1
OVER = "< RESULT 17 black time 0 1 too late\n> PING settled\n> PING settled\n"
THIRD_TURN = f"< TURN 59850 59700\n> MOVE {THIRD}\n< MOVED 3 white 1 1 {THIRD}\n"


def behind_the_loss(reported: list[str]) -> list[str]:
    """Return what was reported after the one line on a lost connection."""
    (lost,) = [at for at, line in enumerate(reported) if line.endswith("; trying to come back")]
    return reported[lost + 1 :]


@pytest.mark.parametrize(
    ("cut", "resumed", "asked", "played"),
    [
        (
            LOGIN + SEEK + "< MATCH 17 gipf 4,4,15,15 white bob 60000 500 1000 secret\ndrop",
            RESUME + RESUMED + PLAYING + FIRST_TURN + MOVED_1 + RESULT,
            [0],
            [FIRST],
        ),
        (LOGIN + SEEK + MATCH + "> READY\nreset", RESUME + RESUMED + PLAYING + RESULT, [], []),
        (LOGIN + SEEK + MATCH + "> READY\ndrop", ON_TURN + RESULT, [0], [FIRST]),
        (
            ASKED + MOVED_1 + "drop",
            START_AGAIN + MOVED_1 + RESUMED + MOVED_2 + THIRD_TURN + RESULT,
            [0, 2],
            [FIRST, SECOND, THIRD],
        ),
        (ASKED + "drop", ON_TURN + RESULT, [0], [FIRST]),
        (ASKED + "drop", START_AGAIN + MOVED_1 + RESUMED + RESULT, [0], [FIRST]),
        (ASKED + "drop", RESUME + RESUMED + PLAYING + FIRST_TURN + MOVED_1 + RESULT, [0], [FIRST]),
    ],
    ids=[
        "before READY",
        "READY is said again",
        "play has begun meanwhile",
        "waiting",
        "on turn, without thinking twice",
        "the move had arrived",
        "a power cut takes the server back to before the start",
    ],
)
def test_a_match_is_resumed(cut: str, resumed: str, asked: list[int], played: list[str]) -> None:
    bot = Recorder()
    results, reported = scripted(bot, cut, resumed + QUIT)
    assert len(bot.prepared) == 1 and [plies for _, _, plies in bot.asked] == asked
    assert [(result.history.moves, result.score) for result in results] == [(tuple(played), 1.0)]
    assert behind_the_loss(reported)[0] == "back again"


def test_the_result_of_a_match_that_was_over_before_the_bot_came_back() -> None:
    bot = Recorder()
    results, reported = scripted(bot, ASKED + "drop", START_AGAIN + MOVED_1 + OVER + QUIT)
    assert [(result.history.moves, result.score) for result in results] == [((FIRST,), 0.0)]
    assert len(bot.asked) == 1
    assert [line.partition(":")[0] for line in behind_the_loss(reported)] == ["match 17"]


SECOND_MATCH = SEEK + (MATCH + PLAYING + RESULT).replace("17", "18") + QUIT
GONE = "< ARENA 1 gipf-arena/0.1.0 open\n> RESUME 17 secret\n< ERROR bad_token match 17 is gone\n" + QUIT
TAKEN = "< ARENA 1 gipf-arena/0.1.0 open\n> LOGIN newcomer\n< ERROR name_taken somebody is logged in\n" + QUIT


@pytest.mark.parametrize(
    ("scripts", "games", "played"),
    [
        ((BEGUN + "drop", START_AGAIN + OVER + "< PONG settled\n< PONG settled\n" + SECOND_MATCH), 2, [17, 18]),
        ((BEGUN + "drop", GONE, LOGIN + SECOND_MATCH), 2, [18]),
        ((LOGIN + SEEK + "drop", TAKEN, LOGIN + SECOND_MATCH), 1, [18]),
    ],
    ids=["another match follows", "a match that cannot be resumed counts as played", "the own name is still taken"],
)
def test_a_bot_is_back_in_the_lobby(scripts: tuple[str, ...], games: int, played: list[int]) -> None:
    results, reported = scripted(Recorder(), *scripts, games=games)
    assert [result.match.match for result in results] == played
    assert any(line.endswith("(bad_token)") for line in reported) == (GONE in scripts)


def test_resume_after_a_failure_says_so_again() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + TURN + "> CRASHED *\ndrop"
    resumed = RESUME + "< START 1 1\n< TURN 1 1\n" + RESUMED + CRASHED + QUIT
    error, _ = failing(BotFailed, Failing(), cut, resumed)
    assert str(error).endswith("I am lost")


def test_a_second_loss_while_coming_back() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + "drop"
    again = "< ARENA 1 gipf-arena/0.1.0 open\n> RESUME 17 secret\ndrop"
    half = "< ARENA 1 gipf-arena/0.1.0 open\n> RESUME 17 secret\n< WELCOME newcomer\n< MATCH 17 gipf\ndrop"
    resumed = RESUME + "< START 59900 59800\n" + RESUMED + RESULT + QUIT
    results, reported = scripted(Recorder(), cut, "drop", again, half.replace("< MATCH 17 gipf", "<<MATCH 17"), resumed)
    assert len(results) == 1
    assert reported.count("back again") == 1


def test_a_server_that_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MIN_RECONNECT_SECONDS", 0.05)
    error, _ = failing(Unreachable, Recorder(), LOGIN + SEEK + "drop")
    assert str(error).rpartition("; ")[2] == snapshot("the server could not be reached again")


@pytest.mark.parametrize(
    ("seek", "options", "seconds"),
    [
        (SEEK, {}, session.MIN_RECONNECT_SECONDS),
        ("> SEEK ladder\n< SEEKING ladder\n", {"game": "ladder", "games": 0}, session.ENDLESS_RECONNECT_SECONDS),
        (ANYTHING, {"game": "any", "games": 0}, session.ENDLESS_RECONNECT_SECONDS),
    ],
    ids=["a match", "the ladder", "contests"],
)
def test_a_bot_that_plays_without_end_waits_for_a_server_that_is_away_for_hours(
    monkeypatch: pytest.MonkeyPatch, seek: str, options: dict[str, object], seconds: float
) -> None:
    patience = []

    def pauses(seconds: float) -> Iterator[None]:
        patience.append(seconds)
        return reconnect_pauses(0.0)

    monkeypatch.setattr(session, "reconnect_pauses", pauses)
    failing(Unreachable, Recorder(), LOGIN + seek + "drop", **options)
    assert patience == [seconds] and session.ENDLESS_RECONNECT_SECONDS >= 12 * 3600


@pytest.mark.parametrize(
    "stopped",
    [
        LOGIN + ANYTHING + "< BYE stopping the server is shutting down\n> QUIT\n",
        LOGIN + "> SEEK any\n< ERROR stopping no new match\n< BYE stopping the server is shutting down\n> QUIT\n",
        LOGIN + ANYTHING + "drop",
    ],
    ids=["while it waits", "while it asks for a game", "after a kill"],
)
def test_a_bot_that_plays_without_end_comes_back_after_a_stop_and_ends_with_its_contest(stopped: str) -> None:
    over = LOGIN + ANYTHING + "< BYE over the contest 'Autumn' is over\n> QUIT\n"
    results, reported = scripted(Recorder(), stopped, over, game="any", games=0)
    assert not results
    assert behind_the_loss(reported) == ["back again", "the contest 'Autumn' is over"]


def silent(patch: pytest.MonkeyPatch, times: int) -> None:
    """Let so many silences of the server count as long ones, from the first SEEK on."""
    silences = [connection.QUIET_SECONDS] * times
    seeks: list[m.Seek] = []
    read_on, send_on = connection.Connection._read, connection.Connection.send

    def read(self: connection.Connection, seconds: float) -> bool:
        if not seconds or not seeks or not silences:
            return read_on(self, seconds)
        found = read_on(self, 0.05)
        if not found:
            silences.pop()
            self._quiet_at = 0.0
        return found

    def send(self: connection.Connection, message: m.Message) -> None:
        send_on(self, message)
        if isinstance(message, m.Seek):
            seeks.append(message)

    patch.setattr(connection.Connection, "_read", read)
    patch.setattr(connection.Connection, "send", send)


def test_moves_that_a_power_cut_has_taken_back_are_answered_anew() -> None:
    """The server goes on from before; what was chosen for another position would be no legal move here."""
    turn = "< TURN 59850 59700\n"
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + MOVED_2 + turn + f"> MOVE {THIRD}\ndrop"
    other = texts.START.play(FIRST).legal_moves[1]
    reply = texts.START.play(FIRST).play(other).legal_moves[0]
    bot = Recorder()
    heard: list[object] = []
    bot.handle_message = heard.append  # type: ignore[assignment, method-assign]
    resumed = RESUME + "< START 59900 59800\n" + MOVED_1 + RESUMED + f"< MOVED 2 black 59850 59700 {other}\n" + turn
    results, _ = scripted(
        bot, cut, resumed + f"> MOVE {reply}\n< MOVED 3 white 59850 59700 {reply}\n" + RESULT + QUIT
    )  # fmt: skip
    assert [plies for _, _, plies in bot.asked] == [0, 2, 2]
    assert results[0].history.moves == (FIRST, other, reply)
    assert [told.move for told in heard if isinstance(told, m.Moved)] == [FIRST, SECOND, other, reply]


@pytest.mark.parametrize(
    ("silences", "scripts", "said"),
    [
        (
            1,
            (LOGIN + SEEK + "> PING\n< PONG\n" + MATCH + PLAYING + RESULT + QUIT,),
            snapshot("match 17: GIPF 4 4 15 15, 60 s + 500 ms a move, white against bob"),
        ),
        (
            2,
            (LOGIN + SEEK + "> PING\nhold", BEGUN + RESULT + QUIT),
            snapshot("the server gave no sign of life for 60 seconds; trying to come back"),
        ),
    ],
    ids=["is asked for a sign of life", "is given up"],
)
def test_a_silent_server(silences: int, scripts: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch, silences)
    results, reported = scripted(Recorder(), *scripts)
    assert len(results) == 1
    assert reported[0] == said
