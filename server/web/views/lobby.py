"""The lobby as a page shows it: players, running matches, results. Pure but for looking at the arena."""

from collections.abc import Iterator
from heapq import nsmallest
from itertools import islice

import msgspec

from engine.match.referee import State
from server.arena.arena import Arena
from server.arena.roles import Player
from server.match.match import Match
from server.web.views.board import Ending, ending_of
from server.web.views.contests import Entry

LISTED = 60
"""Running matches, and players, that are listed at a time; `running` lists the further matches."""

RESULTS = 25
"""Matches that have ended that are listed."""


class Presence(msgspec.Struct, frozen=True):
    """Somebody who is logged in."""

    name: str
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
    announcements: tuple[str, ...]
    """What organisers announce."""


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the running matches, the newest first."""

    found: int
    """How many there are, listed or not, of those that were asked for."""
    matches: tuple[Listed, ...]


def newest(arena: Arena) -> Iterator[Match]:
    """Yield the running matches, the newest first."""
    return reversed(arena.matches.values())


def running(arena: Arena, name: str, before: int) -> Running:
    """Return running matches with numbers below ``before`` of players whose names hold ``name``, whatever its case."""
    wanted = name.lower()
    fit = [match for match in newest(arena) if wanted in match.names[0] or wanted in match.names[1]]
    some = islice((match for match in fit if match.number < before), LISTED)
    return Running(found=len(fit), matches=tuple(listed(match.public, match.now()) for match in some))


def overview(arena: Arena, earlier: tuple[Listed, ...] | None, contests: tuple[Entry, ...] = ()) -> Overview:
    """Return the lobby of an arena; ``earlier`` are results of earlier servers, None as long as they are not known."""
    recent = [listed(match.public, match.now()) for match in list(arena.recent)[: -RESULTS - 1 : -1]]
    numbers = {one.match for one in recent}
    recent += [one for one in earlier or () if one.match not in numbers]
    return Overview(
        players=tuple(presences(arena, LISTED)),
        present=len(arena.sessions),
        running=tuple(listed(match.public, match.now()) for match in islice(newest(arena), LISTED)),
        playing=len(arena.matches),
        recent=tuple(recent[:RESULTS]),
        complete=earlier is not None,
        contests=contests,
        announcements=arena.announcements,
    )


def listed(state: State, now: int) -> Listed:
    """Return a match as a line of a list at a stamp of its clock."""
    position = state.header.position
    return Listed(
        match=state.header.match,
        game=position.game.name,
        parameters=position.parameters,
        sides=state.sides,
        players=state.header.players,
        plies=len(state.shown),
        clocks=state.clock.milliseconds(now),
        runs=state.clock.runs,
        ending=ending_of(state.outcome, state.sides),
    )


def presences(arena: Arena, most: int) -> Iterator[Presence]:
    """Yield the first players that are logged in, in the order of their names, and what they do."""
    waiting = set(arena.seeking_keys())
    return (_presence(arena.sessions[key], waiting) for key in nsmallest(most, arena.sessions))


def _presence(player: Player, waiting: set[str]) -> Presence:
    if player.match is not None:
        return Presence(player.name, "watches" if player.side is None else "plays", player.match.number)
    return Presence(player.name, "waits" if player.key in waiting else "rests", None)
