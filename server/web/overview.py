"""The lobby as a page shows it: who is here, what is played, what has ended. Pure but for looking at the hall."""

import msgspec

from server.hall import Hall, Player
from server.referee import State
from server.web.contests import Entry
from server.web.views import Ending, View, ending_of, view

BOARDS = 6
"""Running matches that are shown with their boards, the newest ones."""

LISTED = 60
"""Running matches, and players, that are listed; of more only the number is told."""

RESULTS = 25
"""Matches that have ended that are listed."""


class Presence(msgspec.Struct, frozen=True):
    """Somebody who is logged in."""

    name: str
    house: bool
    doing: str
    """plays, watches, waits or rests."""
    match: int | None


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the list."""

    match: int
    game: str
    parameters: str
    sides: tuple[str, str]
    players: tuple[str, str]
    plies: int
    clocks: tuple[int, int]
    runs: tuple[bool, bool]
    ending: Ending | None
    board: View | None = None


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """The lobby."""

    players: tuple[Presence, ...]
    present: int
    """How many are logged in, listed or not."""
    running: tuple[Listed, ...]
    playing: int
    """How many matches are running."""
    recent: tuple[Listed, ...]
    """The last results, those of earlier servers behind those of this one."""
    complete: bool
    """Whether those of earlier servers are known."""
    contests: tuple[Entry, ...]


def overview(hall: Hall, earlier: tuple[Listed, ...] | None, contests: tuple[Entry, ...] = ()) -> Overview:
    """Return the lobby of a hall as it is now, with contests.

    ``earlier`` are results of earlier servers, None as long as they are not known.
    """
    waiting = set(hall.waiting())
    sessions = sorted(hall.sessions.values(), key=lambda player: player.name.lower())
    newest = sorted(hall.matches.values(), key=lambda match: -match.number)[:LISTED]
    recent = [listed(match.public, match.now()) for match in list(hall.recent)[: -RESULTS - 1 : -1]]
    numbers = {one.match for one in recent}
    recent += [one for one in earlier or () if one.match not in numbers]
    return Overview(
        players=tuple(_presence(player, waiting) for player in sessions[:LISTED]),
        present=len(sessions),
        running=tuple(listed(match.public, match.now(), board=place < BOARDS) for place, match in enumerate(newest)),
        playing=len(hall.matches),
        recent=tuple(recent[:RESULTS]),
        complete=earlier is not None,
        contests=contests,
    )


def listed(state: State, now: int, *, board: bool = False) -> Listed:
    """Return a match as a line of a list at a stamp of its clock, with its position where that is wanted."""
    position = state.header.position
    return Listed(
        match=state.header.match,
        game=position.game.name,
        parameters=position.parameters,
        sides=state.sides,
        players=state.header.players,
        plies=state.history.plies,
        clocks=state.clock.milliseconds(now),
        runs=(state.clock.since[0] is not None, state.clock.since[1] is not None),
        ending=ending_of(state.outcome, state.sides),
        board=view(state.history.position) if board else None,
    )


def _presence(player: Player, waiting: set[str]) -> Presence:
    if player.match is not None:
        return Presence(player.name, player.house, "watches" if player.side is None else "plays", player.match.number)
    return Presence(player.name, player.house, "waits" if player.key in waiting else "rests", None)
