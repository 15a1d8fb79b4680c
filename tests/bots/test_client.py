"""The client library against a server that plays from a script."""

import re
import socket
from typing import Any

import pytest
from inline_snapshot import snapshot

from bots.bot import Clocks, Resigned
from bots.client import ArenaError, Refused, ServerFault, Unreachable, connection, play, session
from engine.games.interface import Position
from engine.wire import messages as m
from tests.bots.fake import FakeServer
from tests.bots.scripts import (
    ANYTHING,
    FIRST_TURN,
    LOGIN,
    MATCH,
    MOVED_1,
    MOVED_2,
    PLAYING,
    QUIT,
    RESULT,
    RESULT_THEN_SEEK,
    RESUME,
    RESUMED,
    SEEK,
    START,
    Recorder,
    failing,
    login_of,
    scripted,
)
from tests.bots.texts import FIRST, SECOND, THIRD

pytestmark = pytest.mark.usefixtures("short_pauses")


def test_the_game_any_waits_for_what_a_contest_wants_played() -> None:
    bot = Recorder()
    script = LOGIN + ANYTHING + MATCH + PLAYING + FIRST_TURN + MOVED_1 + RESULT + QUIT
    results, _ = scripted(bot, script, game="any", games=1)
    assert [result.match.game for result in results] == ["gipf"]


def test_a_match_that_the_server_suspends_is_resumed() -> None:
    bot = Recorder()
    suspended = LOGIN + SEEK + MATCH + PLAYING + "< BYE suspended the server stops; come back to match 17\n"
    results, reported = scripted(bot, suspended, RESUME + START + RESUMED + FIRST_TURN + MOVED_1 + RESULT + QUIT)
    assert len(results) == len(bot.prepared) == 1
    assert reported == snapshot(
        [
            "match 17: GIPF 4 4 15 15, 60 s + 500 ms a move, white against bob",
            "the server stops; come back to match 17; trying to come back",
            "back again",
            "match 17: won as white against bob (resign: bob (black) resigned)",
        ]
    )


def test_a_match_from_login_to_quit() -> None:
    bot = Recorder()
    second_turn = f"< TURN 59850 59700\n> MOVE {THIRD}\n< MOVED 3 white 59840 59700 {THIRD}\n"
    script = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + MOVED_2 + second_turn + RESULT + QUIT
    results, reported = scripted(bot, script)
    assert [match.match for match in bot.prepared] == [17]
    assert [(clocks, plies) for _, clocks, plies in bot.asked] == [
        (Clocks(59900, 59800, 500), 0),
        (Clocks(59850, 59700, 500), 2),
    ]
    assert bot.results == results
    assert results[0].score == 1.0
    assert results[0].history.moves == (FIRST, SECOND, THIRD)
    assert reported == snapshot(
        [
            "match 17: GIPF 4 4 15 15, 60 s + 500 ms a move, white against bob",
            "match 17: won as white against bob (resign: bob (black) resigned)",
        ]
    )


@pytest.mark.parametrize(("result", "score"), [("white", 1.0), ("black", 0.0), ("draw", 0.5), ("annulled", None)])
def test_scores(result: str, score: float | None) -> None:
    script = LOGIN + SEEK + MATCH + PLAYING + f"< RESULT 17 {result} why 1 1\n> PING settled\n" + QUIT
    results, _ = scripted(Recorder(), script)
    assert results[0].score == score


def test_matches_in_sequence_on_one_connection() -> None:
    match = MATCH + PLAYING + FIRST_TURN + MOVED_1
    second = match.replace("MATCH 17", "MATCH 18") + RESULT.replace("17", "18")
    bot = Recorder()
    results, _ = scripted(bot, LOGIN + SEEK + match + RESULT_THEN_SEEK + second + QUIT, games=2)
    assert [result.match.match for result in results] == [17, 18]
    assert [plies for _, _, plies in bot.asked] == [0, 0]


def test_a_match_may_begin_without_a_seek() -> None:
    script = (
        LOGIN
        + SEEK
        + MATCH
        + PLAYING
        + RESULT
        + MATCH.replace("17", "18")
        + """
        < PONG settled
        > READY
        < RESULT 18 draw move_limit 1 1
        > PING settled
    """
        + QUIT
    )
    results, _ = scripted(Recorder(), script, games=2)
    assert [result.result for result in results] == ["white", "draw"]


def test_what_the_server_tells_is_passed_on_once() -> None:
    told: list[object] = []
    bot = Recorder()
    bot.handle_message = told.append  # type: ignore[assignment, method-assign]
    lost = LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + MOVED_1 + "drop"
    start = "< START 59900 59800\n"
    back = RESUME + start + MOVED_1 + MOVED_2 + "< OPPONENT gone\n" + RESUMED + RESULT + QUIT
    scripted(bot, lost, back)
    assert told == [
        m.Start(59900, 59800),
        m.Moved(1, "white", 59850, 59800, m.Text(FIRST)),
        m.Moved(2, "black", 59850, 59700, m.Text(SECOND)),
        m.Opponent("gone"),
        m.Result(17, "white", "resign", 59850, 59800, m.Text("bob (black) resigned")),
    ]


class GivesUp(Recorder):
    """Gives up on its first turn."""

    def choose(self, position: Position, clocks: Clocks) -> str:
        raise Resigned


def test_a_bot_may_resign() -> None:
    turn = "< TURN 59900 59800\n> RESIGN\n"
    results, reported = scripted(GivesUp(), LOGIN + SEEK + MATCH + PLAYING + turn + RESULT + QUIT)
    assert len(results) == 1 and len(reported) == 2


def test_what_the_server_said_last_is_read_before_the_connection_counts_as_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that stops has closed the connection already when the client answers RESULT by PING."""

    def broken(self: connection.Connection, message: m.Message, send: Any = connection.Connection.send) -> None:
        if any(isinstance(left, m.Bye) for left in self._inbox):
            assert isinstance(self._stream, socket.socket)
            self._stream.shutdown(socket.SHUT_WR)
        send(self, message)

    monkeypatch.setattr(connection.Connection, "send", broken)
    stop = "< RESULT 17 annulled server_stop 1 1 it was stopped\n< BYE stopping the server is shutting down\ndrop"
    error, reported = failing(Refused, Recorder(), LOGIN + SEEK + MATCH + PLAYING + stop, games=2)
    assert isinstance(error, Refused) and error.code == "stopping"
    assert len(reported) == 2


def test_a_bot_whose_moves_are_for_the_server_to_judge() -> None:
    class Free(Recorder):
        checked = False

        def choose(self, position: Position, clocks: Clocks) -> str:
            return "a1-a1"

    turn = "< TURN 59900 59800\n> MOVE a1-a1\n< RESULT 17 black bad_move 1 1\n> PING settled\n"
    results, _ = scripted(Free(), LOGIN + SEEK + MATCH + PLAYING + turn + QUIT)
    assert results[0].reason == "bad_move"


def test_a_bot_says_that_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "WAIT_SECONDS", 0.01)

    def report(line: str) -> None:
        assert line == snapshot("waiting for an opponent: gipf budget=5000")
        raise KeyboardInterrupt

    script = LOGIN + "> SEEK gipf budget=5000\n< SEEKING gipf budget=5000\n" + QUIT
    with FakeServer(script) as server, pytest.raises(KeyboardInterrupt):
        play(Recorder(), port=server.port, name="newcomer", report=report, budget=5000)


# What the server refuses.


def test_a_move_that_comes_too_late_does_not_disturb_the_next_match() -> None:
    late = f"""
        < TURN 20 59800
        > MOVE {FIRST}
        < RESULT 17 black time 0 59800 too late
        > PING settled
        < ERROR not_your_turn MOVE is for your own turn
        < PONG settled
    """
    script = LOGIN + SEEK + MATCH + PLAYING + late + SEEK + MATCH.replace("17", "18") + PLAYING
    results, reported = scripted(Recorder(), script + RESULT.replace("17", "18") + QUIT, games=2)
    assert [result.score for result in results] == [0.0, 1.0]
    assert any(line.endswith(" (not_your_turn)") for line in reported)


def test_a_move_is_not_sent_when_the_result_is_there_already() -> None:
    lost = "< TURN 20 59800\n< RESULT 17 black time 0 59800 too late\n> PING settled\n"
    results, _ = scripted(Recorder(), LOGIN + SEEK + MATCH + PLAYING + lost + QUIT)
    assert results[0].score == 0.0


def test_a_bot_reports_which_opponent_it_waits_for() -> None:
    seek = "> SEEK gipf opponent=bob\n< SEEKING gipf opponent=bob\n< AWAITED bob playing\n< PLAYS bob 16\n"
    _, reported = scripted(Recorder(), LOGIN + seek + MATCH + PLAYING + RESULT + QUIT, opponent="bob")
    assert reported[:2] == snapshot(["waiting for bob, who plays", "bob plays match 16"])


def test_a_bot_reports_that_its_opponent_is_unknown() -> None:
    sentence = "nobody is called bbo so far; here is bob; is bob meant?"
    seek = f"> SEEK gipf opponent=bbo\n< SEEKING gipf\n< AWAITED bbo absent\n< NOTICE unknown_player {sentence}\n"
    _, reported = scripted(Recorder(), LOGIN + seek + MATCH + PLAYING + RESULT + QUIT, opponent="bbo")
    assert reported[1] == sentence
    assert reported[0] == snapshot("waiting for bbo, who is not connected")


def test_a_bot_plays_under_the_name_that_the_server_gives_it_and_comes_back_under_it() -> None:
    given = LOGIN.replace("WELCOME newcomer", "WELCOME newcomer-2")
    held = "< ARENA 1 gipf-arena/0.1.0 open\n> LOGIN newcomer-2\n< WELCOME newcomer-3\n" + QUIT
    again = login_of("newcomer-2") + SEEK + MATCH + PLAYING + RESULT + QUIT
    results, reported = scripted(Recorder(), given + SEEK + "drop", held, again)
    assert len(results) == 1
    assert reported[0] == snapshot("newcomer plays already on this machine, so this bot plays as newcomer-2")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (PLAYING + "< OPPONENT gone\n< OPPONENT back\n", snapshot(["bob is gone", "bob is back"])),
        (
            "> READY\n< ERROR wrong_state READY is not possible now\n" + START,
            snapshot(["the server says: READY is not possible now (wrong_state)"]),
        ),
    ],
    ids=["opponent", "refused-ready"],
)
def test_events_of_a_match_are_reported(told: str, said: list[str]) -> None:
    _, reported = scripted(Recorder(), LOGIN + SEEK + MATCH + told + RESULT + QUIT)
    assert reported[1:-1] == said


ARENA = "< ARENA 1 gipf-arena/0.1.0 open\n"


@pytest.mark.parametrize(
    ("error", "script", "said"),
    [
        (
            Refused,
            ARENA + "> LOGIN newcomer\n< ERROR bad_name so it is\n" + QUIT,
            snapshot("the server says: so it is (bad_name)"),
        ),
        (
            Refused,
            LOGIN + "> SEEK gipf\n< ERROR too_many try again later\n" + QUIT,
            snapshot("the server says: try again later (too_many)"),
        ),
        (
            Refused,
            LOGIN + SEEK + "< CANCELLED\n< ERROR server_fault the match cannot be begun\n" + QUIT,
            snapshot("the server says: the match cannot be begun (server_fault)"),
        ),
        (
            Refused,
            LOGIN + SEEK + "< BYE too_many the server is full\n> QUIT",
            snapshot("the server says: the server is full (too_many)"),
        ),
        (Refused, "< BYE too_many the server is full\n", snapshot("the server says: the server is full (too_many)")),
        (
            Refused,
            LOGIN + SEEK + MATCH + PLAYING + FIRST_TURN + "< ERROR line_too_long what a move\n> RESIGN\n" + QUIT,
            snapshot("the server says: what a move (line_too_long)"),
        ),
        (
            ServerFault,
            LOGIN + SEEK + MATCH + PLAYING + "< MOVED 1 black 1 1 a1-a1\n> RESIGN\n" + QUIT,
            snapshot(
                "the server's move a1-a1 is refused by the rules here: a1 is a dot; a push goes onto a field of the board"
            ),
        ),
        (
            ServerFault,
            LOGIN + SEEK + "< MATCH 17 halma 8 white bob 60000 0 1000 secret\n" + QUIT,
            snapshot("the match is one of halma 8, unknown here"),
        ),
        (
            Unreachable,
            "< HTTP/1.1 400 Bad Request",
            snapshot(
                "what answers at 127.0.0.1 port PORT does not greet as an arena does: the server closed the connection"
            ),
        ),
        (
            Unreachable,
            "< WELCOME newcomer",
            snapshot("what answers at 127.0.0.1 port PORT does not greet as an arena does"),
        ),
        (
            Unreachable,
            "< ARENA x",
            snapshot(
                "what answers at 127.0.0.1 port PORT does not greet as an arena does: the server broke the protocol: version is a whole number, not 'x'; it is written: ARENA version server access"
            ),
        ),
        (
            Unreachable,
            "< ARENA 2 gipf-arena/9 open",
            snapshot("the server speaks version 2 of the protocol, this client version 1"),
        ),
        (
            Unreachable,
            "drop",
            snapshot(
                "what answers at 127.0.0.1 port PORT does not greet as an arena does: the server closed the connection"
            ),
        ),
    ],
)
def test_a_session_ends_with_one_sentence(error: type[ArenaError], script: str, said: str) -> None:
    caught, _ = failing(error, Recorder(), script)
    assert re.sub(r"port \d+", "port PORT", str(caught)) == said
