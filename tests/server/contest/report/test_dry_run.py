"""What a contest is going to take, told before its first game."""

from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from server.contest.definition import Definition, RoundRobin, Variant
from server.contest.formats.plan import plan
from server.contest.report.estimate import Moment, estimate_left, estimate_stages
from server.contest.report.progress import dry_run_lines, dry_run_of
from server.contest.runtime.snapshot import measured_shares
from server.contest.store.store import FILE, Store
from tests.server.contest.played import CONTROL, better_wins, contest
from tests.server.contest.report.samples import OPENED


def told(definition: Definition, share: float | None = None, measured: int = 0) -> list[str]:
    moment = Moment(OPENED, OPENED, cores=4, share=share)
    now = plan(definition, [])
    stages = estimate_stages(definition, [], now, moment)
    return dry_run_lines(dry_run_of(definition, stages, estimate_left(definition, [], now, moment), measured))


def test_games_of_earlier_contests_in_the_same_variants_tell_how_long_one_takes(tmp_path: Path) -> None:
    definition = contest(2, RoundRobin())
    budgets = 2 * CONTROL.budget / 1_000_000
    with closing(Store(tmp_path / FILE)) as store:
        assert measured_shares(store, definition) == []
        number = store.open_contest("file", definition, OPENED)
        for match, fixture in enumerate(plan(definition, []).due, 1):
            store.begin(number, fixture, match)
            store.finish(number, better_wins(fixture)._replace(match=match, seconds=budgets / 4))
        shares = measured_shares(store, definition)
        other = replace(definition, variants=(Variant("mnk", "3 3 3", ("",)),))
        assert measured_shares(store, other) == []
    assert shares == [0.25] * 2 * len(definition.variants)
    lines = told(definition, 0.25, len(shares))
    assert "about " in lines[0]
    assert lines[1] == "the expected time is by 2 games of earlier contests in these variants"
