"""Contests that are played into a store without a server, with the organiser's commands in between."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from engine.games.interface import Termination
from server.contest.definition import Definition, Format
from server.contest.fixtures import ACTIONS, Fixture, GameResult, Intervention, Kind, counted_games
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.plan import Plan, Present, plan
from server.contest.report.contents import make_report
from server.contest.report.structure import Report
from server.contest.runtime.organiser_commands import BadIntervention, intervene
from server.contest.runtime.service import take_snapshot
from server.contest.scoring import standings
from server.contest.store.store import FILE, Store
from server.contest.verification import check_schedule
from tests.server.contest.played import CONTROL, better_wins, contest

DATE = datetime(2026, 11, 22, 7, 0, tzinfo=UTC)

SWISS = contest(6, Swiss(4), time_losses=2)


class Held:
    """A contest in a store, played as a runner does: by what the store says alone."""

    def __init__(self, folder: Path, definition: Definition) -> None:
        self.store = Store(folder / FILE)
        self.id = self.store.open_contest("file", definition, DATE)
        self.number = self.store.last_match()
        self.result: Callable[[Fixture], GameResult] = better_wins

    @property
    def plan(self) -> Plan:
        return plan(self.store.definition(self.id), self.store.games(self.id))

    def play(self, until: Callable[[Fixture], bool] = lambda _: False) -> Plan:
        """Play game by game to the end, or until the next one is such a fixture."""
        while True:
            now = self.plan
            for game in now.forfeited:
                self.store.finish(self.id, game)
            if not now.due:
                if now.over:
                    assert self.strays(self.plan) == []
                    return now
                continue
            if until(now.due[0]):
                return now
            self.number += 1
            assert self.store.begin(self.id, now.due[0], self.number, len(self.store.interventions(self.id)))
            self.store.finish(self.id, self.result(now.due[0])._replace(match=self.number))

    def strays(self, now: Plan) -> list[str]:
        return check_schedule(self.store.definition(self.id), self.store.results(self.id), now, closed=True)

    def report(self) -> Report:
        return make_report(*take_snapshot(self.store, self.id, DATE))

    def intervene(self, kind: Kind, name: str = "", match: int | None = None, *command: str) -> str:
        done = intervene(self.store, self.id, Intervention(0, DATE, kind, name, match, command))
        return f"{done.describe()}; {ACTIONS[done.kind].effect}"

    def refused(self, kind: Kind, name: str = "", match: int | None = None, *command: str) -> str:
        before = self.store.interventions(self.id)
        with pytest.raises(BadIntervention) as caught:
            self.intervene(kind, name, match, *command)
        assert self.store.interventions(self.id) == before
        return str(caught.value)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Callable[[Definition], Held]]:
    made: list[Held] = []

    def make(definition: Definition) -> Held:
        made.append(Held(tmp_path, definition))
        return made[-1]

    yield make
    for one in made:
        one.store.close()


def in_round(number: int, place: int = 0) -> Callable[[Fixture], bool]:
    seen: list[Fixture] = []

    def found(fixture: Fixture) -> bool:
        if fixture.round == number and fixture not in seen:
            seen.append(fixture)
        return len(seen) > place

    return found


@pytest.mark.parametrize(
    "definition", [SWISS, contest(6, RoundRobin()), contest(6, Knockout(tie_breaks=1, control=CONTROL))]
)
def test_who_is_withdrawn_plays_no_more_and_has_done_nothing_wrong(
    definition: Definition, held: Callable[[Definition], Held]
) -> None:
    found = held(definition)
    found.play(in_round(2, 1))
    before = found.store.games(found.id)
    assert found.intervene(Kind.WITHDRAW, "A1") == snapshot(
        "a1 was withdrawn; games that are not over are lost, without blame; a game that is being played is ended"
    )
    last = found.play()
    assert last.over
    games = found.store.games(found.id)
    assert games[: len(before)] == before, "what was played stands"
    after = [game for game in games[len(before) :] if "a1" in game.fixture.players]
    assert {game.termination for game in after} <= {"withdrawn"}
    assert all(game.points(game.fixture.players.index("a1")) == 0 for game in after)
    if isinstance(definition.stages[0].format, Swiss):
        assert {fixture.round for game in games for fixture in [game.fixture] if "a1" in fixture.players} == {1, 2}
    else:
        assert after
    state = last.stages[-1]
    table = standings(found.store.definition(found.id), 0, state.players, games, state.schedule.byes)
    assert (table[-1].name, table[-1].disqualified) == ("a1", snapshot("withdrawn by the organiser"))
    assert table[-1].time_losses == 0
    assert (
        found.refused(Kind.WITHDRAW)
        == found.refused(Kind.REINSTATE)
        == found.refused(Kind.COMMAND)
        == snapshot("no entrant of 'test' is called ''; there are a1, a2, a3, a4, a5, a6")
    )
    assert found.refused(Kind.WITHDRAW, "a1") == snapshot("a1 plays no more already: withdrawn by the organiser")


def test_a_game_is_replayed_under_another_number_and_the_first_result_is_told_but_does_not_count(
    held: Callable[[Definition], Held],
) -> None:
    found = held(SWISS)
    found.play(in_round(2))
    game = found.store.games(found.id)[0]
    assert found.intervene(Kind.REPLAY, match=game.match) == snapshot(
        "the result of match 1 was annulled; the game is played again; the record stays"
    )
    annulled = found.store.games(found.id)[0]
    assert (annulled.match, annulled.winner, annulled.termination) == (game.match, None, "organiser")
    assert found.plan.due == (game.fixture,)
    assert found.refused(Kind.REPLAY, match=game.match) == snapshot(
        "match 1 was annulled, and its game is played again already"
    )
    found.result = lambda fixture: better_wins(fixture)._replace(winner=None)
    found.play(in_round(2))
    again = [other for other in counted_games(found.store.games(found.id)) if other.fixture == game.fixture]
    assert [(other.match, other.winner) for other in again] == [(found.number, None)]


def test_no_game_is_replayed_on_which_others_rest_and_nobody_reinstated_who_plays(
    held: Callable[[Definition], Held],
) -> None:
    found = held(SWISS)
    found.play(in_round(2, 1))
    assert found.refused(Kind.REINSTATE, "a4") == snapshot("a4 is neither disqualified nor withdrawn")
    assert found.refused(Kind.REPLAY, match=1) == snapshot(
        "match 1 cannot be replayed: round 2 has begun, and rests on its result"
    )
    assert found.refused(Kind.REPLAY, match=99) == snapshot(
        "no game of 'test' has the number 99; the report lists them"
    )
    assert found.store.begin(found.id, found.plan.due[0], 50)
    assert found.refused(Kind.REPLAY, match=50) == snapshot("match 50 is still being played")


def test_a_new_command_holds_for_the_next_games_and_the_definition_that_is_kept_stays(
    held: Callable[[Definition], Held],
) -> None:
    definition = contest(3, RoundRobin())
    entrants = (replace(definition.entrants[0], command=("./a1",)), *definition.entrants[1:])
    found = held(replace(definition, entrants=entrants))
    found.intervene(Kind.COMMAND, "a1", None, "python3", "--fast")
    assert found.refused(Kind.COMMAND, "a1", None, "python3", "a1.py") == snapshot(
        "there is no file a1.py, and a1 would be disqualified; nothing was changed"
    )
    assert found.store.definition(found.id).entrants[0].command == ("python3", "--fast")
    assert found.refused(Kind.COMMAND, "a2", None, "./a2") == snapshot(
        "a2 connects by itself, and has no command that could be changed"
    )
    assert found.refused(Kind.COMMAND, "a1") == snapshot(
        "a command is missing: it stands behind --, as in: command a1 -- python3 bot.py"
    )
    assert found.refused(Kind.COMMAND, "a1", None, "pyhton3", "a1.py") == snapshot(
        "pyhton3 is no program that can be started from ., and a1 would be disqualified; nothing was changed"
    )
    assert found.refused(Kind.COMMAND, "a1", None, "./nosuch") == snapshot(
        "./nosuch is no program that can be started from ., and a1 would be disqualified; nothing was changed"
    )
    found.store.open_contest("file", replace(definition, entrants=entrants), DATE)


def test_nothing_begins_or_ends_that_rests_on_what_the_organiser_has_just_changed(
    held: Callable[[Definition], Held],
) -> None:
    found = held(contest(2, RoundRobin()))
    due = found.plan.due
    found.intervene(Kind.WITHDRAW, "a2")
    assert not found.store.begin(found.id, due[0], 1, 0) and not found.store.fixtures(found.id)
    assert not found.store.close_contest(found.id, DATE, 0)
    assert found.store.close_contest(found.id, DATE, 1)


def test_a_contest_is_paused_and_resumed_and_both_stand_in_its_report(held: Callable[[Definition], Held]) -> None:
    found = held(SWISS)
    assert found.refused(Kind.RESUME) == snapshot("the organiser has not paused test")
    assert found.intervene(Kind.PAUSE) == snapshot(
        "the contest was paused; games that are running are played to their ends, and no other begins"
    )
    assert found.refused(Kind.PAUSE) == snapshot("test is paused already")
    report = found.report()
    assert [(one.began, one.ended, one.reason) for one in report.pauses] == [(DATE, None, snapshot("by the organiser"))]
    assert report.due == 6, "what is due stays so"
    found.intervene(Kind.RESUME)
    assert found.play().over
    report = found.report()
    assert [one.ended for one in report.pauses] == [DATE]
    assert [one.sentence for one in report.interventions] == snapshot(
        ["the contest was paused", "the contest was resumed"]
    )
    assert "cancelled" not in report.status


def test_a_cancelled_contest_is_over_with_the_table_that_it_has(held: Callable[[Definition], Held]) -> None:
    found = held(SWISS)
    found.play(in_round(2, 1))
    before = found.store.games(found.id)
    found.number += 1
    running = found.plan.due[0]
    found.intervene(Kind.PAUSE)
    assert found.store.begin(found.id, running, found.number, 1)
    assert found.intervene(Kind.CANCEL) == snapshot(
        "the contest was cancelled; games that are running are annulled, and the table stays as it is"
    )
    definition = found.store.definition(found.id)
    assert not plan(definition, before, Present(frozenset({running}))).over, "its running game is annulled first"
    annulled = GameResult(running, found.number, None, Termination.ORGANISER)
    found.store.finish(found.id, annulled)
    now = found.plan
    assert now.over and now.due == () and now.forfeited == ()
    assert counted_games(found.store.games(found.id)) == before
    assert found.refused(Kind.WITHDRAW, "a1") == snapshot("the contest 'test' was cancelled, and ends now")
    assert found.store.close_contest(found.id, DATE, 2)
    assert found.refused(Kind.WITHDRAW, "a1") == snapshot(
        "the contest 'test' was over on 2026-11-22 07:00 UTC: it stays so"
    )
    report = found.report()
    assert (report.status, report.left, report.pauses[-1].ended) == (
        snapshot("over: cancelled by the organiser"),
        0,
        DATE,
    )
    assert check_schedule(definition, before, now, closed=True) == []
    state = now.stages[-1]
    assert report.stages[-1].table == tuple(standings(definition, 0, state.players, before, state.schedule.byes))


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.integers(3, 5))
def test_no_game_is_a_stray_whatever_the_organiser_does(chance: random.Random, entrants: int) -> None:
    """Three games run at a time; a third of all losses are losses on time."""
    third = Knockout(third_place=True, control=CONTROL)
    formats: list[Format] = [RoundRobin(), Swiss(2), Knockout(tie_breaks=1, control=CONTROL), third]
    stages = chance.sample(formats, chance.choice([1, 2]))
    definition = replace(contest(entrants, *stages, advance=chance.choice([0, 3])), time_losses=2)
    with TemporaryDirectory() as folder:
        found = Held(Path(folder), definition)
        with closing(found.store):
            play_with_interventions(found, chance)


def play_with_interventions(found: Held, chance: random.Random) -> None:
    """Play a contest to its end, and show that all its games are in its schedule."""
    running = list[tuple[Fixture, int, int]]()
    while True:
        present = Present(frozenset(fixture for fixture, *_ in running))
        now = plan(found.store.definition(found.id), found.store.games(found.id), present)
        if now.over and not now.forfeited:
            break
        known = len(found.store.interventions(found.id))
        for game in now.forfeited:
            found.store.finish(found.id, game)
        for fixture in now.due[: 3 - len(running)]:
            found.number += 1
            assert found.store.begin(found.id, fixture, found.number, known)
            running.append((fixture, found.number, known))
        if running:
            fixture, match, began = running.pop(chance.randrange(len(running)))
            ends = Termination.TIME if chance.random() < 0.3 else "line"
            found.store.finish(found.id, GameResult(fixture, match, chance.randrange(2), ends, interventions=began))
        if chance.random() < 0.2:
            kind = chance.choice([Kind.WITHDRAW, Kind.REINSTATE, Kind.REINSTATE, Kind.REPLAY])
            with suppress(BadIntervention):
                if kind is Kind.REPLAY:
                    found.intervene(kind, "", chance.randint(1, found.number))
                else:
                    found.intervene(kind, f"a{chance.randint(1, 5)}")
    assert found.strays(now) == []
