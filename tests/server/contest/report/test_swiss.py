import pytest
from msgspec.structs import replace

from server.contest.formats.swiss import Swiss
from server.contest.report.page import RoundCell, swiss_rounds
from server.contest.report.structure import ScheduledGame
from tests.server.contest.report.samples import sample_report


@pytest.mark.parametrize("stop", [45, 70, 10**6])
def test_the_points_of_all_rounds_are_those_of_the_table(stop: int) -> None:
    made = sample_report(9, Swiss(4), stop=stop)
    (stage,) = made.stages
    rows = swiss_rounds(stage, made)
    names = [line.name for line in stage.table]
    byes = {(bye.name, bye.round) for bye in stage.byes}
    for line, row in zip(stage.table, rows, strict=True):
        so_far = [cell.so_far for cell in row if cell is not None]
        assert so_far == sorted(so_far) and (so_far[-1] if so_far else 0) == line.points
        for number, cell in enumerate(row, 1):
            assert cell is None or cell.bye == ((line.name, number) in byes)
            if cell is not None and cell.opponent:
                back = rows[names.index(cell.opponent)][number - 1]
                assert back is not None and back.opponent == line.name
                assert {game.number for game in back.games} == {game.number for game in cell.games}
                assert cell.points + back.points <= len(cell.games)
                assert all(
                    one.began != other.began for one in cell.games for other in back.games if one.number == other.number
                )


def test_a_round_that_is_paired_has_its_opponents_before_the_first_result() -> None:
    made = sample_report(8, Swiss(2))
    (stage,) = made.stages
    one, other = stage.table[0].name, stage.table[1].name
    coming = ScheduledGame(stage=1, round=3, variant="morris", opening=1, first=one, second=other, running=False)
    rows = swiss_rounds(stage, replace(made, schedule=(coming,)))
    assert rows[0][2] == RoundCell(other, (), 0.0, stage.table[0].points, False)
    assert rows[1][2] == RoundCell(one, (), 0.0, stage.table[1].points, False)
    assert [row[2] for row in rows[2:]] == [None] * (len(rows) - 2)
