"""Brackets: who stands where, held against the games and the table of the stage."""

from itertools import pairwise

import pytest

from server.contest.formats.knockout import Knockout
from server.contest.report.contents import make_report
from server.contest.report.structure import Meeting, Report, Round
from tests.server.contest.played import CONTROL
from tests.server.contest.report.samples import sample


def bracket(made: Report) -> tuple[Round, ...]:
    return made.stages[-1].bracket


def ends(meeting: Meeting) -> str | None:
    """Return who goes on."""
    return None if meeting.winner is None else meeting.players[meeting.winner]


@pytest.mark.parametrize("entrants", [2, 3, 5, 8, 13])
@pytest.mark.parametrize("stop", [1, 7, 25, 10**6])
def test_winners_meet_in_the_next_round(entrants: int, stop: int) -> None:
    made = make_report(*sample(entrants, Knockout(tie_breaks=1, control=CONTROL), stop=stop, qualified=False))
    rounds = bracket(made)
    assert [len(round.meetings) for round in rounds] == [2**left for left in reversed(range(len(rounds)))]
    assert rounds[-1].name == "Final" and len(rounds[0].meetings) < entrants <= 2 * len(rounds[0].meetings)
    first = [name for meeting in rounds[0].meetings for name in meeting.players]
    assert sorted(name for name in first if name is not None) == sorted(made.entrants)
    assert first.count(None) == sum(meeting.bye for round in rounds for meeting in round.meetings)
    for before, after in pairwise(rounds):
        winners = [ends(meeting) for meeting in before.meetings]
        assert [name for meeting in after.meetings for name in meeting.players] == winners
    got_through = {line.name: line.rounds_won for line in made.stages[-1].table}
    for name in made.entrants:
        assert got_through[name] == sum(ends(meeting) == name for round in rounds for meeting in round.meetings)


@pytest.mark.parametrize("stop", [5, 10**6])
def test_meetings_have_the_games_of_their_players(stop: int) -> None:
    made = make_report(*sample(7, Knockout(tie_breaks=2, control=CONTROL), stop=stop, qualified=False))
    listed: list[int] = []
    for number, round in enumerate(bracket(made), 1):
        for meeting in round.meetings:
            games = [made.games[game - 1] for game in meeting.games]
            assert all({game.first, game.second} == set(meeting.players) and game.round == number for game in games)
            for name, points in zip(meeting.players, meeting.points, strict=True):
                won = [{"first": game.first, "second": game.second}.get(game.result) == name for game in games]
                assert points == sum(won) + sum(game.result == "draw" for game in games) / 2
            listed += meeting.games
    of_stage = [game.number for game in made.games if game.stage == 1 and game.counts]
    assert sorted(listed) == sorted(of_stage) and listed
