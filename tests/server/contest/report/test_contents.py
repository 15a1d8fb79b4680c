import re
from datetime import timedelta
from itertools import pairwise

import pytest
from inline_snapshot import snapshot

from engine.games.interface import Termination
from engine.statistics.elo import Decision
from engine.statistics.likelihood import ratings
from server.contest.definition import Format
from server.contest.fixtures import FORFEIT, SET_ASIDE, Fixture, GameResult, counted_games, rated_games
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Knockout
from server.contest.plan import plan
from server.contest.report import contents, progress
from server.contest.report.contents import compare_entrants, make_report
from server.contest.report.files import page
from server.contest.report.progress import Moment
from server.contest.report.structure import TEST, BracketRound, Pause, Report, ReportedMeeting
from server.contest.scoring import find_disqualified, losses, standings
from tests.server.contest.played import CONTROL, better_wins, contest
from tests.server.contest.report.samples import FORMATS, OPENED, report_of, sample, sample_report


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("stop", [1, 25, 10**6])
def test_tables_are_those_of_the_contest_at_any_moment(formats: tuple[Format, ...], stop: int) -> None:
    definition, games, now, moment = sample(7, *formats, stop=stop, advance=4)
    made = make_report(definition, games, now, moment)
    valid = counted_games(games)
    assert (made.done, [game.match for game in made.games]) == (len(valid), [game.match for game in games])
    assert made.state == ("over" if stop == 10**6 else "running")
    for stage, state in zip(made.stages, (one for one in now.stages if one.number >= 0), strict=True):
        assert (stage.number, stage.began) == (state.number + 1, moment.began[state.number])
        assert list(stage.table) == standings(definition, state.number, state.players, valid, state.schedule.byes)
        listed = [game.number for game in made.games if game.stage == stage.number and game.counts]
        in_cells = [number for row in stage.crosstable for cell in row if cell for number in cell.games]
        assert sorted(in_cells) == sorted(listed * 2), "each game stands in two cells"
        for line, row in zip(stage.table, stage.crosstable, strict=True):
            assert sum(cell.wins for cell in row if cell) == line.wins + line.forfeits_won
            for other, cell in zip(stage.table, row, strict=True):
                met = [made.games[number - 1] for number in (cell.games if cell else ())]
                assert all({game.first, game.second} == {line.name, other.name} for game in met)
        assert made.state == "running" or (stage.over and stage.games == stage.known)


def test_each_loss_of_an_entrant_has_its_cause_sentence_and_record() -> None:
    definition, games, now, moment = sample(7, RoundRobin())
    made = make_report(definition, games, now, moment, "r/")
    told = [loss for game in counted_games(games) for loss in losses(definition, game) if loss.name != "random"]
    assert [(loss.name, loss.cause, loss.sentence, loss.match) for loss in made.losses] == [
        (loss.name, loss.cause, loss.sentence, loss.game.match) for loss in told
    ]
    assert {loss.cause for loss in made.losses} >= {"board", "time", "bad_move", "hung", "forfeit"}
    for loss in made.losses:
        game = made.games[loss.game - 1]
        assert loss.name in (game.first, game.second) and game.counts
        assert loss.record == game.record == ("" if game.match is None else f"r/{game.match}.txt")
    out = find_disqualified(definition, games)
    assert {one.name: (one.reason, [loss.match for loss in one.evidence]) for one in made.disqualified} == {
        name: (one.reason, [loss.game.match for loss in one.evidence]) for name, one in out.items()
    }
    assert set(out) == {"a3", "a4", "a5"}


def test_results_say_what_does_not_count() -> None:
    definition = contest(2, RoundRobin())
    fixture = plan(definition, []).due[0]
    games = [
        GameResult(fixture, 1, None, "server_stop"),
        GameResult(fixture, 2, 0, "line"),
        GameResult(fixture, 3, 1, "line"),
        GameResult(fixture.swapped, None, None, FORFEIT),
    ]
    made = report_of(definition, games)
    assert [(game.result, game.counts, game.played) for game in made.games] == [
        ("annulled", False, True), ("first", True, True), ("second", False, True), ("none", True, False)
    ]  # fmt: skip
    assert made.stages[0].crosstable[0][1] is not None
    assert made.stages[0].crosstable[0][1].games == (2, 4)


def test_the_qualification_tells_what_everybody_has_shown() -> None:
    made = sample_report(6, RoundRobin()).qualification
    assert made is not None and made.over and made.opponents == ("random",)
    table = {line.name: line for line in made.table}
    assert table["a4"].disqualified and (table["a4"].bad_moves, table["a4"].late) == (1, 0)
    assert table["a5"].disqualified and (table["a5"].bad_moves, table["a5"].late, table["a5"].left) == (0, 1, 0)
    assert table["a1"].disqualified == "" and table["a1"].games == 4
    begun = sample_report(6, RoundRobin(), stop=5).qualification
    assert begun is not None and not begun.over and sum(line.left for line in begun.table) > 0


def test_ratings_are_those_of_the_games_between_entrants_who_have_played() -> None:
    definition, games, now, moment = sample(7, RoundRobin(2))
    made = make_report(definition, games, now, moment)
    names = [entrant.name for entrant in definition.entrants if entrant.name not in ("a4", "a5")]
    assert "a3" in find_disqualified(definition, games)
    found = ratings(rated_games(games), names, 2)
    assert made.ratings == found.table
    assert [one.advantage for one in made.variants] == list(found.advantage)


def test_who_always_wins_is_the_stronger_by_the_test() -> None:
    definition = contest(2, RoundRobin(40))
    games = [better_wins(fixture) for fixture in plan(definition, []).due]
    games[7] = games[7]._replace(winner=None)
    (one,) = report_of(definition, games).comparisons
    assert (one.one, one.other, one.verdict) == ("a1", "a2", "a1")
    assert one.pairs == (0, 0, 0, 1, 39) and one.margin is not None and one.elo > 300
    assert one.ratio >= TEST.upper
    (back,) = contents.compare_entrants(games, ["a2", "a1"])
    assert back.verdict == "a1" and back.ratio == pytest.approx(-one.ratio), "the test favours neither"
    assert TEST.decide(back.ratio) is Decision.H0


def test_the_opening_is_named_as_it_was_taken_round_the_list() -> None:
    definition = contest(2, RoundRobin(5))
    fixture = Fixture(0, 4, 0, 0, 3, ("a1", "a2"))
    made = make_report(definition, [GameResult(fixture, 1, 0, "line")], plan(definition, []), Moment(OPENED, OPENED))
    assert made.games[0].opening == 1


@pytest.mark.slow
def test_the_schedule_tells_what_is_played_and_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    definition, games, now, moment = sample(6, RoundRobin(2), stop=30)
    found = make_report(definition, games, now, moment)
    assert [game.running for game in found.schedule[:3]] == [True, True, False]
    told = {(game.stage - 1, game.round, (game.first, game.second), game.opening) for game in found.schedule}
    expected = {(due.stage, due.round, due.players, 1 + due.opening % 3) for due in now.due}
    assert told <= expected and len(found.schedule) == min(len(now.due), contents.MAX_COMING)
    monkeypatch.setattr(contents, "MAX_COMING", 5)
    cut = make_report(definition, games, now, moment)
    assert cut.schedule == found.schedule[:5]
    assert re.findall("[^<>]* more games [^<>]*", page(cut)) == snapshot(["15 more games can begin."])
    assert len(now.due) == 5 + 15
    assert make_report(*sample(3, RoundRobin())).schedule == ()


def test_games_of_missing_players_come_last_in_the_schedule_and_name_them() -> None:
    definition = contest(4, RoundRobin())
    moment = Moment(OPENED, OPENED, missing=("a1", "a3"))
    made = make_report(definition, [], plan(definition, []), moment)
    assert len(made.schedule) == 12
    assert [{game.first, game.second} for game in made.schedule[:2]] == [{"a2", "a4"}] * 2
    assert all(not game.waits_for for game in made.schedule[:2]) and all(game.waits_for for game in made.schedule[2:])
    assert "waits for a1 and a3" in page(made) and "waits for a2" not in page(made)


def bracket(made: Report) -> tuple[BracketRound, ...]:
    return made.stages[-1].bracket


def ends(meeting: ReportedMeeting) -> str | None:
    """Return who goes on."""
    return None if meeting.winner is None else meeting.players[meeting.winner]


@pytest.mark.parametrize("entrants", [2, 5, 8, 13])
@pytest.mark.parametrize("stop", [7, 10**6])
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


DEFINITION = contest(3, RoundRobin())


def test_annulled_games_games_set_aside_and_pauses_stand_in_the_page_with_their_reasons() -> None:
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
    half = [(line.points, line.games, line.losses, line.forfeits_lost) for line in made.stages[0].table if line.points]
    assert half == [(0.5, 0, 0, 0)] * 2 and not made.losses and second not in now.due, "a game set aside hurts nobody"
    shown = page(made)
    for words in ("ENOSPC", "match 7", "set aside", "died 5 times", "EAGAIN", "EMFILE", "paused since"):
        assert words in shown
    assert "EAGAIN" in progress.progress_line(DEFINITION, games, now, moment)


@pytest.mark.parametrize("termination", ["line", FORFEIT])
def test_half_pairs_and_games_not_played_tell_nothing(termination: str) -> None:
    fixture = Fixture(0, 1, 0, 0, 0, ("a1", "a2"))
    games = [GameResult(fixture, 1, 0, "line")]
    if termination == FORFEIT:
        games.append(GameResult(fixture.swapped, None, 1, FORFEIT))
    assert compare_entrants(games, ("a1", "a2")) == ()
