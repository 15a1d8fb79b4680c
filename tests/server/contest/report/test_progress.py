from datetime import timedelta
from random import Random

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from server.contest.definition import Format
from server.contest.fixtures import GameResult
from server.contest.formats.meetings import Gauntlet, Ladder, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.plan import Present, plan
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment, estimate_left, forecast, progress_line, status_of
from server.contest.report.structure import ContestState, Pause, leaders
from server.contest.scoring import absence_result, missing_sentence
from tests.server.contest.played import CONTROL, by_seed, contest, play
from tests.server.contest.report.samples import OPENED, report_of, sample


@pytest.mark.parametrize(
    "formats",
    [(RoundRobin(2),), (Swiss(4),), (Swiss(3), RoundRobin()), (Gauntlet(("a1", "a2"), 2), Swiss(2)), (Ladder(30, 0),)],
)
@pytest.mark.parametrize("entrants", [5, 8])
def test_games_left_are_known_from_the_beginning_where_formats_fix_them(
    formats: tuple[Format, ...], entrants: int
) -> None:
    definition = contest(entrants, *formats, advance=4)
    names = tuple(entrant.name for entrant in definition.entrants)
    games = play(definition, by_seed(2), Random(3))
    for done in range(0, len(games) + 1, 5):
        now = plan(definition, games[:done], Present(frozenset(), names))
        found = estimate_left(definition, games[:done], now, Moment(OPENED, OPENED))
        assert found.games == len(games) - done


def test_time_left_is_the_part_of_budgets_that_recent_games_took_divided_by_how_many_are_played_at_a_time() -> None:
    definition = contest(4, RoundRobin(), RoundRobin(2))
    stage = definition.stages[1]
    slower = replace(stage, control=stage.control._replace(budget=3 * stage.control.budget))
    definition = replace(definition, stages=(definition.stages[0], slower))
    games = [
        GameResult(fixture, 1, 0, "line", used=(second * 10**6 - 5, 5))
        for fixture, second in zip(plan(definition, []).due, (10, 20, 30), strict=False)
    ]
    now = plan(definition, games)
    second_stage = 24 / 2 * 3 * 20
    found = estimate_left(definition, games, now, Moment(OPENED, OPENED))
    assert found.seconds == pytest.approx(9 / 2 * 20 + second_stage)
    found = estimate_left(definition, games, now, Moment(OPENED, OPENED, running=now.due[:3]))
    assert found.seconds == pytest.approx((9 * 20 + 24 * 3 * 20) / 3)
    new = estimate_left(definition, [], plan(definition, []), Moment(OPENED, OPENED))
    assert (new.games, new.measured) == (36, False)
    assert new.seconds == pytest.approx((12 / 2 + 24 / 2 * 3) * 2), "all budgets are used up, 1 s and 3 s a side"


def test_time_left_is_that_of_games_that_can_be_played_while_entrants_are_missing() -> None:
    definition = contest(4, RoundRobin(), RoundRobin(2))
    now = plan(definition, [])
    moment = Moment(OPENED, OPENED, missing=("a4",))
    assert estimate_left(definition, [], now, moment)[:2] == (36, 12)
    assert progress_line(definition, [], now, moment) == snapshot(
        "test: waiting for a4; 0 games played, 0 running, 36 left, about 12 s with all budgets used up for games of the others; stage 1 of 2, Round robin"
    )
    moment = moment._replace(missing=("a2", "a3", "a4"))
    assert progress_line(definition, [], now, moment) == snapshot(
        "test: waiting for a2, a3 and a4; 0 games played, 0 running, 36 left; stage 1 of 2, Round robin"
    )
    assert make_report(definition, [], now, moment).seconds_left is None


def test_a_ladder_by_hours_ends_when_they_are_over() -> None:
    definition = contest(4, Ladder(0, 3600))
    moment = Moment(OPENED + timedelta(minutes=50), OPENED, began={0: OPENED})
    now = plan(definition, [], Present(frozenset(), ("a1", "a2", "a3", "a4"), {0: 3000}))
    assert estimate_left(definition, [], now, moment)[:2] == (4, 600)
    both = replace(definition, stages=(replace(definition.stages[0], format=Ladder(20, 3600)),))
    games = [GameResult(fixture, 1, 0, "line", used=(10**7, 0)) for fixture in now.due]
    assert estimate_left(both, games, plan(both, games), moment)[:2] == (16, 80), "its games are over first"


def test_the_forecast_of_a_new_contest_counts_games_and_time() -> None:
    definition = contest(4, RoundRobin(), Knockout(tie_breaks=1, control=CONTROL))
    assert forecast(contest(4, RoundRobin()), 4) == snapshot("12 games on 4 cores: about 12 s with all budgets used up")
    assert forecast(definition, 1) == snapshot("18 games on 1 core: about 20 s with all budgets used up")
    assert forecast(contest(4, Ladder(0, 3600)), 4) == snapshot("0 games on 4 cores: about 1:00:00 h")


def test_the_line_says_all_without_control_characters() -> None:
    definition, games, now, moment = sample(7, Swiss(4), Knockout(tie_breaks=2, control=CONTROL), stop=40, advance=4)
    moment = moment._replace(missing=("a1", "a2", "a3", "a4", "a5", "a6"))
    definition = replace(definition, name="Autumn\x1b[2J\u202e")
    assert progress_line(definition, games, now, moment) == snapshot(
        "Autumn\\x1b[2J\\u202e: running, waiting for a1, a2, a3, a4, a5 and 1 more; 37 games played, 1 running, 29 left; stage 1 of 2, Swiss, 4 rounds"
    )


def test_a_contest_has_one_state_and_its_sentence_has_the_names() -> None:
    definition, games, _, moment = sample(4, RoundRobin(), stop=5, qualified=False)
    began = Moment(OPENED, OPENED)

    def status(games: list[GameResult] = games, **now_: object) -> tuple[ContestState, str]:
        found = status_of(definition, games, plan(definition, games), began._replace(**now_))  # type: ignore[arg-type]
        return found.state, found.sentence

    assert status([]) == (ContestState.PLANNED, snapshot("planned: no game has begun"))
    assert status([], missing=("a1",)) == (ContestState.WAITING, snapshot("waiting for a1"))
    assert status(missing=("a1", "a2", "a3")) == (ContestState.WAITING, snapshot("waiting for a1, a2 and a3"))
    assert status(running=moment.running) == (ContestState.RUNNING, snapshot("running"))
    assert status(running=moment.running, missing=("a4",)) == (
        ContestState.RUNNING,
        snapshot("running, waiting for a4"),
    )
    paused = Pause(OPENED, None, "by the organiser")
    assert status(pauses=[paused], missing=("a1",))[0] is ContestState.PAUSED
    assert status(pauses=[replace(paused, ended=OPENED)])[0] is ContestState.RUNNING
    assert status(closed=OPENED)[0] is ContestState.OVER
    won = status_of(*sample(4, RoundRobin(), qualified=False))
    assert won.sentence == snapshot("over: a1 has won")


@pytest.mark.parametrize("formats", [(Knockout(tie_breaks=1, control=CONTROL),), (Swiss(3),), (RoundRobin(),)])
def test_a_bye_or_a_win_by_absence_is_no_leader_before_a_game_was_played(formats: tuple[Format, ...]) -> None:
    definition = contest(5, *formats)
    games: list[GameResult] = []
    while due := plan(definition, games).due:
        report = report_of(definition, games)
        assert leaders(report.stages[-1].table) == ()
        games.append(absence_result(due[0], due[0].players[:1], missing_sentence(due[0].players[:1], 600)))
    over = report_of(definition, games)
    assert (over.state, over.champions, over.status) == (ContestState.OVER, (), snapshot("over: nobody has won"))
