"""Results of games, causes of losses, and disqualifications."""

from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.games.catalogue import GAMES
from engine.games.interface import ANNULLED, Termination
from engine.match.clock import TimeControl
from engine.match.record import Header
from engine.match.verification import verify
from server.contest.fixtures import (
    FORFEIT,
    NO_ANSWER,
    NOT_STARTED,
    QUALIFICATION,
    WITHDRAWN,
    Fixture,
    GameResult,
)
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.arena_host import combine_faults
from server.contest.hosts.host import PlayerMissing
from server.contest.plan import plan
from server.contest.scoring import Cause, absence_result, find_disqualified, game_result, is_late, losses
from tests.engine.records import Table
from tests.engine.test_record import played
from tests.server.contest.played import better_wins, contest, play
from tests.server.contest.test_standings import RULES, faulty

DEFINITION = contest(3, RoundRobin(2), time_losses=2)
FIXTURE = plan(DEFINITION, []).due[0]


def test_every_loss_names_its_reason() -> None:
    one, other = FIXTURE.players
    told = {
        Cause.BOARD: GameResult(FIXTURE, 7, 0, "no_move", "black cannot move"),
        Cause.BAD_MOVE: GameResult(
            FIXTURE, 7, 0, Termination.BAD_MOVE, f"{other} (black) played 'x', BAD_MOVE_x: no move"
        ),
        Cause.RESIGN: GameResult(FIXTURE, 7, 0, Termination.RESIGN, f"{other} (black) resigned"),
        Cause.ADJUDICATED: GameResult(FIXTURE, 7, 0, Termination.ADJUDICATED, f"{one} (white) wins in 3 plies"),
        Cause.FORFEIT: GameResult(FIXTURE, None, 0, FORFEIT, f"{other} had been disqualified"),
        Cause.ABSENT: absence_result(FIXTURE, [other], f"{other} had been missing for 600 seconds"),
        Cause.WITHDRAWN: GameResult(FIXTURE, None, 0, WITHDRAWN, f"{other} had been withdrawn"),
        Cause.NOT_STARTED: absence_result(FIXTURE, [other], "no such file", NOT_STARTED),
        Cause.NO_ANSWER: absence_result(FIXTURE, [other], "had not said SEEK", NO_ANSWER),
        Cause.CRASHED: GameResult(FIXTURE, 7, 0, Termination.CRASHED, f"{other} (black) ended"),
        Cause.TIME: GameResult(FIXTURE, 7, 0, Termination.TIME, "late", 7, (5, 1_031_500)),
        Cause.HUNG: GameResult(FIXTURE, 7, 0, Termination.TIME, "late", 0, (5, 1_000_001), (True, False)),
        Cause.CONNECTION_LOST: GameResult(FIXTURE, 7, 0, Termination.TIME, "late", gone=(False, True)),
    }
    assert set(told) == set(Cause)
    for cause, game in told.items():
        (loss,) = losses(DEFINITION, game)
        assert (loss.name, loss.game, loss.side, loss.cause) == (other, game, game.fixture.players.index(other), cause)
        assert loss.sentence.startswith(game.detail.replace("BAD_MOVE_x: ", ""))
    (late,) = losses(DEFINITION, told[Cause.TIME])
    assert late.sentence == snapshot("late; 1 s used of 1 s allowed for 3 moves")
    (unmoved,) = losses(DEFINITION, told[Cause.HUNG])
    assert unmoved.sentence == snapshot("late; lost on time before the first move: all 1 s were used")


def test_draws_are_lost_by_nobody_but_for_those_in_which_nobody_was_ready() -> None:
    assert losses(DEFINITION, GameResult(FIXTURE, 1, None, Termination.REPETITION)) == ()
    both = losses(DEFINITION, GameResult(FIXTURE, 1, None, Termination.TIME, ready=(False, False)))
    assert [(loss.name, loss.cause) for loss in both] == [(name, Cause.HUNG) for name in FIXTURE.players]


def test_nobody_gets_anything_where_neither_player_has_come() -> None:
    neither = absence_result(FIXTURE, FIXTURE.players, "nobody came")
    assert [(loss.name, loss.cause) for loss in losses(DEFINITION, neither)] == [
        (name, Cause.ABSENT) for name in FIXTURE.players
    ]
    assert (neither.points(0), neither.points(1), neither.played) == (0, 0, False)


def test_so_many_losses_on_time_disqualify_and_nothing_else_does() -> None:
    due = plan(DEFINITION, []).due
    with_a2 = [fixture for fixture in due if "a2" in fixture.players]
    late = [GameResult(f, 1, 1 - f.players.index("a2"), Termination.TIME, "late") for f in with_a2]
    bad = [GameResult(f, 1, 1 - f.players.index("a2"), Termination.BAD_MOVE, "bad") for f in with_a2]
    assert find_disqualified(DEFINITION, late[:1] + bad[1:]) == {}
    assert find_disqualified(DEFINITION, [late[0]] * 3) == {}, "one game, told three times"
    (out,) = find_disqualified(DEFINITION, late[:3]).values()
    assert (out.name, out.reason, len(out.evidence)) == ("a2", snapshot("lost on time (3 games)"), 3)
    assert find_disqualified(replace(DEFINITION, time_losses=0), late) == {}


def test_qualification_disqualifies_with_the_evidence() -> None:
    definition = contest(5, RoundRobin(), qualification=RULES, time_losses=1)
    out = find_disqualified(definition, play(definition, faulty))
    assert {name: (found.reason, [loss.game.match for loss in found.evidence]) for name, found in out.items()} == {
        "a2": (snapshot("hung in initialisation (1 game) in the qualification"), [5]),
        "a3": (snapshot("lost on time (2 games) in the qualification"), [6, 7]),
        "a5": (snapshot("illegal moves (1 game) in the qualification"), [8]),
    }
    assert all(loss.game.fixture.stage == QUALIFICATION for found in out.values() for loss in found.evidence)


def test_builtin_bots_are_never_disqualified() -> None:
    definition = contest(2, RoundRobin(), qualification=RULES)
    due = plan(definition, []).due
    late = [GameResult(f, 1, 1 - f.players.index("random"), Termination.TIME, ready=(False, False)) for f in due]
    assert find_disqualified(definition, late) == {}
    assert find_disqualified(definition, [better_wins(f) for f in plan(contest(2, RoundRobin()), []).due]) == {}


def test_who_cannot_be_started_is_out_at_once_unless_nobody_ever_is() -> None:
    (game,) = [absence_result(FIXTURE, [FIXTURE.players[0]], "no such file", NOT_STARTED)]
    played = GameResult(plan(DEFINITION, []).due[1], 1, 0, "line")
    (found,) = find_disqualified(replace(DEFINITION, time_losses=1000), [played, game]).values()
    assert (found.name, found.reason, len(found.evidence)) == (
        FIXTURE.players[0],
        snapshot("cannot be started (1 game)"),
        1,
    )
    assert find_disqualified(replace(DEFINITION, time_losses=0), [game]) == {}
    (silent,) = [absence_result(FIXTURE, [FIXTURE.players[0]], "it said nothing", NO_ANSWER)]
    assert find_disqualified(DEFINITION, [silent]) == {}


def test_two_who_do_not_come_each_have_their_own_reason() -> None:
    a, b = FIXTURE.players
    failed = {b: PlayerMissing("b said nothing", (b,), termination=NO_ANSWER)}
    failed[a] = PlayerMissing("a is no program", (a,), termination=NOT_STARTED)
    found = combine_faults(failed, FIXTURE.players)
    game = absence_result(FIXTURE, found.names, str(found), found.termination)
    assert (game.termination, game.winner, game.played) == ("not_started+no_answer", None, False)
    assert [(loss.name, loss.cause) for loss in losses(DEFINITION, game)] == [
        (a, Cause.NOT_STARTED),
        (b, Cause.NO_ANSWER),
    ]
    assert list(find_disqualified(replace(DEFINITION, time_losses=1000), [game])) == [a]


def test_a_termination_that_a_sandbox_gives_is_its_own_cause_and_counts() -> None:
    """Whatever `Termination` gets: none may pass for a loss by the rules of the board."""
    by_rule = {Termination.REPETITION, Termination.NO_PROGRESS, Termination.MOVE_LIMIT, *ANNULLED}
    for how in set(Termination) - by_rule - {Termination.RESIGN, Termination.ADJUDICATED, Termination.BAD_MOVE}:
        (loss,) = losses(DEFINITION, GameResult(FIXTURE, 7, 0, how))
        assert (loss.cause, is_late(loss.cause)) == (how, True)


ANN_AND_BOB = Fixture(0, 1, 0, 0, 0, ("ann", "bob"))


def test_a_match_and_its_record_come_to_the_same() -> None:
    date, control = "2026-11-20T20:15:00.000Z", TimeControl(1_000_000, 7_000)
    header = Header(7, GAMES["gipf"].start("2 3 5 5"), ("ann", "bob"), control, 60, "test", date)
    table = Table(header=header).ready(10, 5).play("a1-b2", span=5)
    game = game_result(ANN_AND_BOB, replace(table.state, absent=(None, 20_000)))
    assert (game.match, game.winner, game.termination, game.plies) == (7, 0, "dead_lock", 1)
    assert (game.used, game.ready, game.gone) == ((20_000, 10_000), (True, True), (False, True))
    assert game_result(ANN_AND_BOB, verify(table.text).state) == game._replace(gone=(False, False))


def test_time_used_counts_what_increments_have_given() -> None:
    text = played(stop_after=9, end="time")
    summary = verify(text)
    game = game_result(ANN_AND_BOB, summary.state)
    white, black = (10_000_000 + 1_500 * moves - left for moves, left in zip((5, 4), summary.left, strict=True))
    assert game.used == (white, black)
    assert black > 10_000_000 > white > 0
    assert (game.winner, game.termination, game.detail) == (0, "time", summary.sentence)
