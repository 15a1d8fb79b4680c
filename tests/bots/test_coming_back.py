"""Lost connections, against a server that plays from a script: how the client library comes back."""

import pytest

from bots.client import connection, session
from bots.client.connection import ReconnectBackoff
from bots.client.run import BotFailed, Unreachable
from engine.games.interface import moves
from engine.wire import messages as m
from tests.bots import texts
from tests.bots.scripts import (
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
    TURN,
    Failing,
    Recorder,
    failing,
    scripted,
)
from tests.bots.texts import FIRST, SECOND, THIRD

pytestmark = pytest.mark.usefixtures("short_pauses")


def test_resume_before_ready() -> None:
    cut = LOGIN + SEEK + "< MATCH 17 gipf 4,4,15,15 white bob 60000 500 1000 secret\ndrop"
    bot = Recorder()
    results, reported = scripted(bot, cut, RESUME + RESUMED + PLAYING + FIRST_TURN + MOVED_1 + RESULT + QUIT)
    assert len(bot.prepared) == len(bot.asked) == len(results) == 1
    assert reported[1].endswith("; trying to come back")
    assert reported[2].startswith("back again, after 0.")


def test_resume_after_ready_says_it_again() -> None:
    cut = LOGIN + SEEK + MATCH + "> READY\nreset"
    bot = Recorder()
    scripted(bot, cut, RESUME + RESUMED + PLAYING + RESULT + QUIT)
    assert len(bot.prepared) == 1


def test_resume_when_play_has_begun_meanwhile() -> None:
    cut = LOGIN + SEEK + MATCH + "> READY\ndrop"
    bot = Recorder()
    resumed = RESUME + "< START 59900 59800\n< TURN 59900 59800\n> PING settled\n" + f"> MOVE {FIRST}\n< PONG settled\n"
    scripted(bot, cut, resumed + MOVED_1 + RESULT + QUIT)
    assert len(bot.asked) == 1


def test_resume_while_waiting() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + "drop"
    bot = Recorder()
    resumed = RESUME + "< START 59900 59800\n" + MOVED_1 + RESUMED + MOVED_2 + f"< TURN 59850 59700\n> MOVE {THIRD}\n"
    results, _ = scripted(bot, cut, resumed + f"< MOVED 3 white 1 1 {THIRD}\n" + RESULT + QUIT)
    assert results[0].history.moves == (FIRST, SECOND, THIRD)
    assert [plies for _, _, plies in bot.asked] == [0, 2]


def test_resume_on_turn_does_not_think_twice() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + "drop"
    bot = Recorder()
    resumed = RESUME + "< START 59900 59800\n< TURN 59000 59800\n> PING settled\n" + f"> MOVE {FIRST}\n< PONG settled\n"
    scripted(bot, cut, resumed + MOVED_1 + RESULT + QUIT)
    assert len(bot.asked) == 1


def test_resume_after_the_move_had_arrived() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + "drop"
    bot = Recorder()
    resumed = RESUME + "< START 59900 59800\n" + MOVED_1 + RESUMED + RESULT + QUIT
    results, _ = scripted(bot, cut, resumed)
    assert results[0].history.moves == (FIRST,)


def test_resume_when_the_match_is_over() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + "drop"
    over = "< START 59900 59800\n" + MOVED_1 + "< RESULT 17 black time 0 1 too late\n> PING settled\n> PING settled\n"
    results, _ = scripted(Recorder(), cut, RESUME + over + QUIT)
    assert results[0].score == 0.0


def test_resume_when_the_match_is_over_and_another_follows() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + "drop"
    over = "< START 59900 59800\n< RESULT 17 black time 0 1 too late\n> PING settled\n> PING settled\n"
    pongs = "< PONG settled\n< PONG settled\n"
    second = SEEK + MATCH.replace("17", "18") + PLAYING + RESULT.replace("17", "18")
    results, _ = scripted(Recorder(), cut, RESUME + over + pongs + second + QUIT, games=2)
    assert [result.match.match for result in results] == [17, 18]


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
    assert sum(line.startswith("back again, after ") for line in reported) == 1


def test_a_match_that_cannot_be_resumed_counts_as_played() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + "drop"
    gone = "< ARENA 1 gipf-arena/0.1.0 open\n> RESUME 17 secret\n< ERROR bad_token match 17 is gone\n" + QUIT
    second = LOGIN + SEEK + MATCH.replace("17", "18") + PLAYING + RESULT.replace("17", "18") + QUIT
    results, reported = scripted(Recorder(), cut, gone, second, games=2)
    assert [result.match.match for result in results] == [18]
    assert reported[2].startswith("match 17 cannot be resumed: ")


def test_back_in_the_lobby_when_the_own_name_is_still_taken() -> None:
    taken = "< ARENA 1 gipf-arena/0.1.0 open\n> LOGIN newcomer\n< ERROR name_taken somebody is logged in\n" + QUIT
    results, _ = scripted(Recorder(), LOGIN + SEEK + "drop", taken, LOGIN + SEEK + MATCH + PLAYING + RESULT + QUIT)
    assert len(results) == 1


def test_a_server_that_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MIN_RECONNECT_SECONDS", 0.05)
    error, _ = failing(Unreachable, Recorder(), LOGIN + SEEK + "drop")
    assert str(error).endswith("; the server could not be reached again")


@pytest.mark.parametrize(
    ("seek", "options", "seconds"),
    [
        (SEEK, {}, session.MIN_RECONNECT_SECONDS),
        ("> SEEK ladder\n< SEEKING ladder\n", {"game": "ladder", "games": 0}, session.LADDER_RECONNECT_SECONDS),
    ],
    ids=["a match", "the ladder"],
)
def test_who_plays_on_the_ladder_without_end_waits_for_a_server_that_is_away_for_hours(
    monkeypatch: pytest.MonkeyPatch, seek: str, options: dict[str, object], seconds: float
) -> None:
    patience = []

    class Backoff(ReconnectBackoff):
        def __init__(self, seconds: float) -> None:
            patience.append(seconds)
            super().__init__(0.0)

    monkeypatch.setattr(session, "ReconnectBackoff", Backoff)
    failing(Unreachable, Recorder(), LOGIN + seek + "drop", **options)
    assert patience == [seconds] and session.LADDER_RECONNECT_SECONDS >= 12 * 3600


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


def test_a_silent_server_is_asked_for_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch, 1)
    script = LOGIN + SEEK + "> PING\n< PONG\n" + MATCH + PLAYING + RESULT + QUIT
    results, _ = scripted(Recorder(), script)
    assert len(results) == 1


def test_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch, 2)
    dead = LOGIN + SEEK + "> PING\nhold"
    results, reported = scripted(Recorder(), dead, LOGIN + SEEK + MATCH + PLAYING + RESULT + QUIT)
    assert len(results) == 1
    assert reported[0] == "the server gave no sign of life for 60 seconds; trying to come back"


def test_moves_that_a_power_cut_has_taken_back_are_answered_anew() -> None:
    """The server goes on from before; what was chosen for another position would be no legal move here."""
    turn = "< TURN 59850 59700\n"
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + MOVED_2 + turn + f"> MOVE {THIRD}\ndrop"
    other = moves(texts.START.resolve(FIRST).position)[1]
    reply = moves(texts.START.resolve(FIRST).position.resolve(other).position)[0]
    bot = Recorder()
    heard: list[object] = []
    bot.told = heard.append  # type: ignore[assignment, method-assign]
    resumed = RESUME + "< START 59900 59800\n" + MOVED_1 + RESUMED + f"< MOVED 2 black 59850 59700 {other}\n" + turn
    results, _ = scripted(
        bot, cut, resumed + f"> MOVE {reply}\n< MOVED 3 white 59850 59700 {reply}\n" + RESULT + QUIT
    )  # fmt: skip
    assert [plies for _, _, plies in bot.asked] == [0, 2, 2]
    assert results[0].history.moves == (FIRST, other, reply)
    assert [told.move for told in heard if isinstance(told, m.Moved)] == [FIRST, SECOND, other, reply]


def test_a_power_cut_that_takes_a_match_back_to_before_its_start_is_survived() -> None:
    cut = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + "drop"
    bot = Recorder()
    scripted(bot, cut, RESUME + RESUMED + PLAYING + FIRST_TURN + MOVED_1 + RESULT + QUIT)
    assert len(bot.prepared) == 1
