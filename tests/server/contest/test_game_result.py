from engine.games.catalogue import GAMES
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header
from engine.match.verification import verify
from server.contest.fixtures import Fixture
from server.contest.scoring.results import game_result
from tests.engine.test_record import played

FIXTURE = Fixture(0, 1, 0, 0, 0, ("ann", "bob"))


def test_a_match_and_its_record_come_to_the_same() -> None:
    date, control = "2026-11-20T20:15:00.000Z", TimeControl(1_000_000, 7_000)
    header = Header(7, GAMES["gipf"].start("2 3 5 5"), ("ann", "bob"), control, 60, "test", date)
    state, lines = referee.begin(header), header.text()
    for side in (0, 1):
        state, effects = referee.ready(state, side, 10_000 * (side + 1))
        lines += "".join(referee.lines_of(effects))
    state = referee.start_turn(state, 20_000)
    state, effects = referee.move(state, 0, "a1-b2", 25_000)
    lines += "".join(referee.lines_of(effects))
    game = game_result(FIXTURE, state._replace(absent=(None, 20_000)))
    assert (game.match, game.winner, game.termination, game.plies) == (7, 0, "dead_lock", 1)
    assert (game.used, game.ready, game.gone) == ((15_000, 20_000), (True, True), (False, True))
    assert game_result(FIXTURE, verify(lines).state) == game._replace(gone=(False, False))


def test_time_used_counts_what_increments_have_given() -> None:
    text = played(stop_after=9, end="time")
    summary = verify(text)
    game = game_result(FIXTURE, summary.state)
    white, black = (10_000_000 + 1_500 * moves - left for moves, left in zip((5, 4), summary.left, strict=True))
    assert game.used == (white, black)
    assert black > 10_000_000 > white > 0
    assert (game.winner, game.termination, game.detail) == (0, "time", summary.sentence)
