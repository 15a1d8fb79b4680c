"""The lobby as a page shows it: who is here, what is played, what has ended. Pure but for looking at the hall."""

import msgspec

from server.hall import Hall, Player
from server.match import Match
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


def overview(hall: Hall) -> Overview:
    """Return the lobby of a hall as it is now."""
    waiting = set(hall.waiting())
    sessions = sorted(hall.sessions.values(), key=lambda player: player.name.lower())
    newest = sorted(hall.matches.values(), key=lambda match: -match.number)[:LISTED]
    return Overview(
        players=tuple(_presence(player, waiting) for player in sessions[:LISTED]),
        present=len(sessions),
        running=tuple(listed(match, board=place < BOARDS) for place, match in enumerate(newest)),
        playing=len(hall.matches),
        recent=tuple(listed(match) for match in list(hall.recent)[: -RESULTS - 1 : -1]),
    )


def listed(match: Match, *, board: bool = False) -> Listed:
    """Return a match of the server as a line of a list, with its position where that is wanted."""
    header, state = match.header, match.public
    return Listed(
        match=match.number,
        game=header.position.game.name,
        parameters=header.position.parameters,
        sides=state.sides,
        players=header.players,
        plies=state.history.plies,
        clocks=state.clock.milliseconds(match.now()),
        runs=(state.clock.since[0] is not None, state.clock.since[1] is not None),
        ending=ending_of(state.outcome, state.sides),
        board=view(state.history.position) if board else None,
    )


def _presence(player: Player, waiting: set[str]) -> Presence:
    if player.match is not None:
        return Presence(player.name, player.house, "watches" if player.side is None else "plays", player.match.number)
    return Presence(player.name, player.house, "waits" if player.name in waiting else "rests", None)
