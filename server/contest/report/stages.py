"""The part of a report about a stage: its table and its crosstable."""

from collections.abc import Mapping
from datetime import datetime

from server.contest.definition import Definition, Knockout, format_word
from server.contest.fixtures import QUALIFICATION, Finished, Fixture
from server.contest.formats.knockout import bracket
from server.contest.formats.plan import StageState
from server.contest.formats.standings import Cell, crosstable, standings
from server.contest.report import formatting
from server.contest.report.brackets import rounds
from server.contest.report.structure import Qualification, Qualified, Round, Stage
from server.contest.scoring.disqualification import Cause, find_disqualified, is_late, losses


def stage_report(
    definition: Definition,
    state: StageState,
    games: list[Finished],
    numbers: Mapping[Fixture, int],
    began: datetime | None,
) -> Stage:
    """Return the report of a stage; ``games`` are the counting games of all stages.

    ``numbers`` are those of the games in the report.
    """
    mine = [game for game in games if game.fixture.stage == state.number]
    of_stage = definition.stages[state.number]
    ranking = standings(definition, state.number, state.players, games, state.schedule.byes)
    won = {line.name: line.rounds_won for line in ranking if line.rounds_won is not None}
    met = crosstable(state.players, mine)
    cells = {
        name: {
            other: Cell(
                cell.points, cell.wins, cell.draws, cell.losses, tuple(numbers[game.fixture] for game in cell.games)
            )
            for other, cell in row.items()
        }
        for name, row in met.items()
    }
    names = [line.name for line in ranking]
    return Stage(
        number=state.number + 1,
        format=formatting.format_name(of_stage.format),
        kind=format_word(of_stage.format),
        time=formatting.control(of_stage.control),
        began=began,
        over=_over(state, games),
        games=len(mine),
        known=len(state.schedule.fixtures),
        table=tuple(ranking),
        crosstable=tuple(tuple(cells[name].get(other) for other in names) for name in names),
        byes=state.schedule.byes,
        bracket=_rounds(definition, state, games, won, numbers),
    )


def _rounds(
    definition: Definition,
    state: StageState,
    games: list[Finished],
    won: Mapping[str, int],
    numbers: Mapping[Fixture, int],
) -> tuple[Round, ...]:
    """Return the rounds of a knockout; none of other formats."""
    format = definition.stages[state.number].format
    if not isinstance(format, Knockout):
        return ()
    third = bracket(definition, state.number, format, state.players, games).third
    mine = [game for game in games if game.fixture.stage == state.number]
    return rounds(state.players, won, mine, numbers, third_place=format.third_place, third=third)


def qualification_report(definition: Definition, state: StageState, games: list[Finished]) -> Qualification:
    """Return the report of the qualification."""
    rules = definition.qualification
    assert rules is not None
    mine = [game for game in games if game.fixture.stage == QUALIFICATION]
    out = find_disqualified(definition, mine)
    lines = []
    for name in state.players:
        of_one = [game for game in mine if name in game.fixture.players]
        due = sum(name in fixture.players for fixture in state.schedule.fixtures)
        causes = [loss.cause for game in of_one for loss in losses(definition, game) if loss.name == name]
        won = sum(game.points(game.fixture.players.index(name)) == 1 for game in of_one)
        drawn = sum(game.shared for game in of_one)
        lines.append(
            Qualified(
                name=name,
                games=len(of_one),
                left=0 if name in out else due - len(of_one),
                wins=won,
                draws=drawn,
                losses=len(of_one) - won - drawn,
                late=sum(map(is_late, causes)),
                bad_moves=causes.count(Cause.BAD_MOVE),
                disqualified=out[name].reason if name in out else "",
            )
        )
    return Qualification(
        opponents=rules.opponents,
        time=formatting.control(rules.control),
        over=not any(line.left for line in lines),
        table=tuple(lines),
    )


def _over(state: StageState, games: list[Finished]) -> bool:
    return state.schedule.complete and {game.fixture for game in games}.issuperset(state.schedule.fixtures)
