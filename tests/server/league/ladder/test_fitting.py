"""All games of the ladder are fitted every night, by a simulated clock."""

from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing

from server.league.accounts.accounts import Accounts
from server.league.ladder.fitting import HOUR, fit_every_night, is_due, read_fit
from server.league.ladder.players import LadderPlayer
from server.league.ladder.rating import DAY
from server.league.ladder.store import BegunGame, EndedGame, LadderStore
from tests.server.harness import at_once

PLAYERS = {name: LadderPlayer(name, name) for name in ("ann-1", "bob-1")}


@pytest.mark.parametrize(
    ("last", "since", "now", "due"),
    [
        (None, 100.0, 100.1, False),  # a server that has just begun
        (None, 100.1, 101.1, True),
        (100.2, 0.0, 100.9, False),
        (100.2, 0.0, 101.2, True),
        (100.2, 101.9, 101.95, True),  # the server did not run that night
    ],
)
def test_a_fit_is_due_once_a_night(last: float | None, since: float, now: float, due: bool) -> None:
    asked = [None if day is None else day * DAY for day in (last, since, now)]
    assert is_due(asked[0], asked[1] or 0.0, asked[2] or 0.0) is due


async def test_all_games_are_fitted_every_night(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    def now() -> float:
        return 100 * DAY + HOUR - 1000 + trio.current_time()

    with closing(Accounts(tmp_path)) as accounts:
        store = LadderStore(accounts, now)
        for player in PLAYERS.values():
            store.seat(player, 1, PLAYERS)
        for match in range(1, 61):
            game = BegunGame(match, "mnk 3 3 3", 0, ("ann-1", "bob-1"), (1, 1))
            store.count(EndedGame(game, float(match % 3 > 0), "line", "", 5, (False, False), "5a"), PLAYERS, 3)
        fits = []
        for seconds in (900, 200, DAY - 200, 200):
            with trio.move_on_after(seconds):
                await fit_every_night(store, lambda: PLAYERS, now=now, in_thread=at_once)
            fits.append(store.last_fit())
        before, first, same, second = fits
        assert before is None and first is not None and same == first
        assert second is not None and second[0] == pytest.approx(first[0] + DAY, abs=100)
        found = read_fit(first[1])
        assert (found.games, found.agreement.players) == (60, 2)
        assert found.likely["ann-1"] - found.likely["bob-1"] == pytest.approx(
            80, abs=5
        )  # 40 of 60 points, with a prior
        assert found.agreement.mean is not None and found.agreement.mean < 20
