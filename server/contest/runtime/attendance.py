"""Attendance: which entrants that connect by themselves are present, and how long others have been missing."""

from collections.abc import Collection, Mapping

import trio

from server.contest.definition import Definition
from server.contest.fixtures import Fixture, GameResult
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.scoring.game_result import results_by_absence

LOOK_SECONDS = 1.0
"""How often to look whether something has changed that nobody tells."""

STEADY_SECONDS = 2.0
"""An entrant that was missing is there again when it has waited for so long, or a match of it has begun.

One that comes and goes all the time is there at some looks, and never long enough to play."""


class Attendance:
    """The attendance of the entrants of a contest that connect by themselves."""

    def __init__(self, contest_players: ContestPlayers, connecting: frozenset[str]) -> None:
        """Take the names, and the contest players that wait."""
        self.connecting = connecting
        self.absent: tuple[str, ...] = ()
        """Those who were not there at the last look."""
        self._contest_players = contest_players
        self._missing: dict[str, float] = {}
        """For how many seconds entrants have been missing."""
        self._looked = float("-inf")

    def absent_from(self, definition: Definition, fixture: Fixture) -> list[str]:
        """Return the players of a game that should connect, and do not wait."""
        return [
            name
            for name in fixture.players
            if name in self.connecting and not self._contest_players.connected(name, fixture, definition)
        ]

    def look(
        self, definition: Definition, due: Collection[Fixture], running: Mapping[Fixture, int | None], *, counts: bool
    ) -> list[Fixture]:
        """Return the games whose players are present; measure how long others have been missing.

        Time in which the server stood still does not count, nor that before a look that does not ``count``.
        """
        if not self.connecting:
            return list(due)
        playing = {name for fixture, match in running.items() if match is not None for name in fixture.players}
        absent = {fixture: self.absent_from(definition, fixture) for fixture in due}
        missing = {name for names in absent.values() for name in names} - playing
        now = trio.current_time()
        passed, self._looked = min(now - self._looked, 2 * LOOK_SECONDS), now
        if not counts:
            passed = 0.0
        steady = {name for name in self._missing if self._is_steady(name, now)}
        known = {name: seconds for name, seconds in self._missing.items() if name not in playing | steady - missing}
        self._missing = known | {name: known[name] + passed if name in known else 0.0 for name in missing}
        self.absent = tuple(sorted(missing))
        return [fixture for fixture, names in absent.items() if not names]

    def _is_steady(self, name: str, now: float) -> bool:
        since = self._contest_players.waiting_since(name)
        return since is not None and now - since >= STEADY_SECONDS

    def given_up(self, definition: Definition, due: Collection[Fixture]) -> list[GameResult]:
        """Return the games that entrants lose by missing longer than the contest's patience."""
        out = {name for name in self.absent if self._missing[name] >= definition.patience}
        return [
            game
            for fixture in due
            for game in results_by_absence(
                [fixture], out.intersection(self.absent_from(definition, fixture)), definition.patience
            )
        ]
