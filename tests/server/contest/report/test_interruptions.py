"""What went wrong through no entrant's fault is said in every output of a report."""

from datetime import timedelta
from io import StringIO

from rich.console import Console

from engine.games.outcome import Termination
from server.contest.fixtures import SET_ASIDE, GameResult
from server.contest.formats.round_robin import RoundRobin
from server.contest.plan import plan
from server.contest.report import page, progress, text
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment
from server.contest.report.structure import Pause
from server.contest.scoring.disqualification import find_disqualified
from server.contest.standings import standings
from tests.server.contest.played import contest
from tests.server.contest.report.samples import OPENED

DEFINITION = contest(3, RoundRobin())


def test_annulled_games_games_set_aside_and_pauses_stand_in_text_and_page_with_their_reasons() -> None:
    first, second, *_ = plan(DEFINITION, []).due
    games = [
        GameResult(first, 7, None, Termination.SERVER_FAULT, "a fault: no space is left on the disk (ENOSPC)"),
        GameResult(second, None, None, SET_ASIDE, "the server died 5 times in this game"),
    ]
    lack = "a program cannot be started: the machine has no processes left (EAGAIN)"
    moment = Moment(
        OPENED + timedelta(hours=1),
        OPENED,
        pauses=[
            Pause(OPENED, OPENED + timedelta(minutes=3), "EMFILE"),
            Pause(OPENED + timedelta(minutes=9), None, lack),
        ],
    )
    now = plan(DEFINITION, games)
    made = make_report(DEFINITION, games, now, moment)
    written = StringIO()
    Console(file=written, width=200).print(text.render_report(made))
    for shown in (written.getvalue(), page.page(made)):
        for words in ("ENOSPC", "match 7", "set aside", "died 5 times", "EAGAIN", "EMFILE", "paused since"):
            assert words.lower() in shown.lower(), words
    assert "EAGAIN" in progress.progress_line(DEFINITION, games, now, moment)


def test_a_game_that_was_set_aside_is_a_loss_for_nobody_and_half_a_point_for_both() -> None:
    first = plan(DEFINITION, []).due[0]
    games = [GameResult(first, None, None, SET_ASIDE, "the server died 5 times in this game")]
    now = plan(DEFINITION, games)
    assert first not in now.due
    assert not find_disqualified(DEFINITION, games)
    table = {line.name: line for line in standings(DEFINITION, 0, now.stages[0].players, games)}
    for name in first.players:
        line = table[name]
        assert (line.points, line.games, line.losses, line.forfeits_won, line.forfeits_lost) == (0.5, 0, 0, 0, 0)
    assert not make_report(DEFINITION, games, now, Moment(OPENED, OPENED)).losses
