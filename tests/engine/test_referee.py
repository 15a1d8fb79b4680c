"""The referee: decisions that no walk of `tests/server/match/test_machines.py` comes to."""

import pytest
from inline_snapshot import snapshot

from engine.games.interface import ANNULLED, Outcome, Termination
from engine.match import referee
from engine.wire import messages as m
from tests.engine.records import MS, Table

ADJUDICATED = Outcome(0, Termination.ADJUDICATED, "proven")


def out_of_time() -> Table:
    """Return a match in which the clock of the second side has just run out, and nobody has looked."""
    table = Table().ready().play("1")
    deadline = referee.deadline(table.state)
    assert deadline is not None
    table.now = deadline
    return table


def test_a_clock_that_has_run_out_goes_before_what_comes_then() -> None:
    table = out_of_time()
    state, now = table.state, table.now
    for outcome in (ADJUDICATED, referee.program_ended(state.header, 0, "x", Termination.CRASHED)):
        assert referee.end(state, outcome, now) == (state, []), "the flag is left to be seen"
        assert referee.end(state, outcome, now - 1)[0].outcome == outcome
    for step in (referee.resign(state, 0, now), referee.report_crash(state, 0, "", now), referee.flag(state, now)):
        assert step[0].outcome is not None
        assert (step[0].outcome.winner, step[0].outcome.reason) == (0, Termination.TIME)
    legal = state.history.position.legal_moves[0]
    assert referee.move(state, 1, legal, now)[0].outcome == referee.flag(state, now)[0].outcome
    assert referee.move(state, 1, legal, now - 1)[0].outcome is None
    assert referee.flag(state, now - 1) == (state, [])


@pytest.mark.parametrize("why", sorted(ANNULLED))
def test_a_match_is_annulled_even_if_a_clock_has_run_out(why: Termination) -> None:
    table = out_of_time()
    state, _ = referee.end(table.state, Outcome(None, why, "so it is"), table.now)
    assert state.outcome == Outcome(None, why, "so it is")


def test_a_game_is_adjudicated_in_play_alone() -> None:
    beginning = Table().state
    assert referee.end(beginning, ADJUDICATED, 0) == (beginning, [])
    playing = Table().ready().state
    assert referee.end(playing, ADJUDICATED, 60 * MS)[0].outcome == ADJUDICATED


def test_after_a_restart_players_are_awaited_up_to_a_stamp_and_no_longer() -> None:
    for table in (Table().ready().play("1"), Table().ready(9), Table()):
        ready = table.state.ready
        table.restart()
        awaited = table.state.awaited
        assert awaited is not None and referee.deadline(table.state) == awaited.until
        assert referee.flag(table.state, awaited.until - 1) == (table.state, [])
        state, effects = referee.flag(table.state, awaited.until)
        assert state.awaited is None
        if state.playing:
            assert effects == [referee.GiveTurn(1)]
        else:
            assert state.clock.since == tuple(None if is_ready else awaited.until for is_ready in ready)
            assert [line.split()[0] for line in referee.lines_of(effects)] == ["runs"] * ready.count(False)


@pytest.mark.parametrize("side", [0, 1])
def test_who_comes_back_after_a_restart_is_awaited_no_longer_and_plays_on(side: int) -> None:
    table = Table().ready().play("1")
    table.restart()
    state, effects = referee.reconnect(table.state, side, table.now)
    assert state.awaited is not None and state.awaited.sides == (side == 1, side == 0)
    assert effects[2:] == [referee.GiveTurn(1)] * side


def test_the_time_use_of_each_side_is_its_own() -> None:
    state = Table().ready(40, 30).play("1", span=900).play("1", span=5).state
    assert [(use.longest, use.ply) for use in state.uses] == [(900 * MS, 1), (40 * MS, 0)]


def test_the_allowance_is_the_lag_in_whole_milliseconds_within_a_bound() -> None:
    state = Table(lag=100).ready().state
    for lag, allowance in ((999, 0), (1_000, 1_000), (7_999, 7_000), (100_000, 100_000), (250_000, 100_000)):
        assert referee.allow_lag(state, 1, lag)[0].clock.allowances == (0, allowance)


def test_the_first_refused_line_of_a_side_stands_in_its_loss() -> None:
    table = Table().ready().play("1")
    state = referee.refuse(referee.refuse(table.state, 1, "MOV a1: no such request"), 1, "later")
    state = referee.refuse(state, 0, "x" * 300)
    assert state.refusals == ("x" * 199 + "…", "MOV a1: no such request")
    lost = referee.flag(state, 99_000_000)[0].outcome
    assert lost is not None and lost.detail == snapshot(
        "bob (black) ran out of time: 78.3 s beyond a budget of 20 s; 98.3 s of 98.3 s went to move 2; its opponent used 743 ms; bob (black) wrote a line that was refused: MOV a1: no such request"
    )


def test_who_is_told_what_of_the_clocks() -> None:
    table = Table(increment=100).ready().play("1")
    state = table.state
    left = state.clock.milliseconds(table.now)
    assert referee.turn_message(state, table.now) == m.Turn(left[1], left[0])
    assert referee.announcement(state.header, 1, "5ec7e7") == m.Match(
        17, "gipf", "3,3,9,9", "black", "alice", 20_000, 100, 60, "5ec7e7"
    )
    over = referee.resign(state, 0, table.now)[0]
    left = over.clock.milliseconds(table.now)
    assert referee.result(over, table.now) == m.Result(17, "black", "resign", *left, m.Text("alice (white) resigned"))


def test_questions_are_answered_and_nothing_else() -> None:
    position = Table().state.history.position
    assert referee.answer(m.Ping(m.Text("x"))) == m.Pong(m.Text("x"))
    assert referee.answer(m.AskBoard(), position) == m.board_of(position.text())
    assert referee.answer(m.AskMoves(), position) == m.Moves(m.Block(tuple(position.legal_moves)))
    assert [referee.answer(request) for request in (m.AskBoard(), m.AskMoves(), m.Quit())] == [None] * 3
    help = referee.answer(m.AskHelp())
    assert isinstance(help, m.Help) and len(help.lines) == len(m.REQUESTS)


def test_a_move_before_the_clock_runs_costs_nothing() -> None:
    state = referee.begin(Table().state.header)
    for side in (0, 1):
        state, _ = referee.ready(state, side, 0)
    state, _ = referee.move(state, 0, state.history.position.legal_moves[0], 5 * MS)
    assert state.used == (0, 0) and state.uses[0].uncharged == 0


def test_a_move_may_end_the_match_by_a_rule() -> None:
    table = Table(limit=1).ready().play("1")
    assert table.state.outcome is not None and table.state.outcome.reason == Termination.MOVE_LIMIT
    assert [line.split()[0] for line in table.text.splitlines()[-2:]] == ["move", "result"]


def test_a_bad_move_loses_and_stands_in_the_record() -> None:
    table = Table().ready()
    now = table.after(40)
    state, effects = referee.move(table.state, 0, "a1-a9", now)
    assert state.outcome is not None and state.outcome[:2] == (1, Termination.BAD_MOVE)
    assert state.outcome.detail.startswith("alice (white) played 'a1-a9', BAD_MOVE_")
    refused, result = referee.lines_of(effects)
    assert refused.startswith("refused white ") and refused.endswith(" a1-a9\n")
    assert result.split()[:3] == ["result", "black", "bad_move"]


def test_of_two_who_are_away_each_comes_back_alone() -> None:
    for side in (0, 1):
        table = Table().ready().drop(side, None)
        assert referee.reconnect(table.state, side, 99 * MS)[0].gone == (False, False)
        state = table.drop(1 - side, None).state
        state, _ = referee.reconnect(state, side, 99 * MS)
        assert state.gone == (side == 1, side == 0)
