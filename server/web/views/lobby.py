"""The lobby as a page shows it: players, running matches, results. Pure but for looking at the arena."""

from heapq import nsmallest
from itertools import islice

import msgspec

from server.arena.arena import Arena
from server.arena.roles import Player
from server.match.match import Match
from server.match.referee import State
from server.web.views.board import Ending, View, ending_of, target, view
from server.web.views.contests import Entry

BOARDS = 6
"""Running matches that are shown with their boards, the newest ones."""

LISTED = 60
"""Running matches, and players, that are listed at a time; `running` tells the further matches."""

FINISHED_SECONDS = 10
"""How long a match that had its board in the lobby keeps it when it is over, with its result."""

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
    announcements: tuple[str, ...] = ()
    """What organisers announce."""


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the running matches, the newest first."""

    found: int
    """How many there are, listed or not, of those that were asked for."""
    matches: tuple[Listed, ...]


class Boards:
    """Positions as pages draw them, each drawn once: of a board of 12 fields on a side that takes a millisecond."""

    def __init__(self) -> None:
        """Begin with none."""
        self._drawn: dict[int, tuple[int, View]] = {}
        self._over: dict[int, float] = {}

    def of(self, match: Match) -> View:
        """Return the position of a match as it was drawn last; it is drawn now where it never was."""
        known = self._drawn.get(match.number)
        return self.draw(match) if known is None else known[1]

    def draw(self, match: Match) -> View:
        """Draw the position of a match as spectators see it, where it has changed; return it."""
        history = match.public.history
        plies, drawn = self._drawn.get(match.number, (-1, None))
        if drawn is None or plies != history.plies:
            last = target(history.moves[-1], history.position) if history.moves else None
            drawn = msgspec.structs.replace(view(history.position), last=last)
            self._drawn[match.number] = history.plies, drawn
        return drawn

    def lasts(self, number: int, now: float) -> bool:
        """Tell whether a match that is over keeps its board, at a time in seconds; it is over since this first call."""
        return number in self._drawn and now < self._over.setdefault(number, now) + FINISHED_SECONDS

    def keep(self, numbers: set[int]) -> None:
        """Forget all matches but these."""
        self._drawn = {number: drawn for number, drawn in self._drawn.items() if number in numbers}
        self._over = {number: since for number, since in self._over.items() if number in numbers}


def newest(arena: Arena, most: int) -> list[Match]:
    """Return the running matches that began last."""
    return list(islice(reversed(arena.matches.values()), most))


def running(arena: Arena, name: str, before: int) -> Running:
    """Return running matches with numbers below ``before`` of players whose names hold ``name``, whatever its case."""
    wanted = name.lower()
    fit = [match for match in reversed(arena.matches.values()) if wanted in match.names[0] or wanted in match.names[1]]
    some = islice((match for match in fit if match.number < before), LISTED)
    return Running(found=len(fit), matches=tuple(listed(match.public, match.now()) for match in some))


def overview(
    arena: Arena,
    earlier: tuple[Listed, ...] | None,
    contests: tuple[Entry, ...] = (),
    boards: Boards | None = None,
    now: float = 0.0,
) -> Overview:
    """Return the lobby of an arena as it is now, a time in seconds, with contests.

    ``earlier`` are results of earlier servers, None as long as they are not known. ``boards`` are those drawn before.
    """
    waiting = set(arena.seeking_keys())
    shown = newest(arena, LISTED)
    boards = boards or Boards()
    ended = list(arena.recent)[: -RESULTS - 1 : -1]
    finished = {match.number for match in ended if boards.lasts(match.number, now)}
    boards.keep({match.number for match in shown[:BOARDS]} | finished)
    recent = [
        listed(match.public, match.now(), boards.draw(match) if match.number in finished else None) for match in ended
    ]
    numbers = {one.match for one in recent}
    recent += [one for one in earlier or () if one.match not in numbers]
    return Overview(
        players=tuple(presence(arena.sessions[key], waiting) for key in nsmallest(LISTED, arena.sessions)),
        present=len(arena.sessions),
        running=tuple(
            listed(match.public, match.now(), boards.of(match) if place < BOARDS else None)
            for place, match in enumerate(shown)
        ),
        playing=len(arena.matches),
        recent=tuple(recent[:RESULTS]),
        complete=earlier is not None,
        contests=contests,
        announcements=arena.announcements,
    )


def listed(state: State, now: int, board: View | None = None) -> Listed:
    """Return a match as a line of a list at a stamp of its clock, perhaps with its position."""
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
        board=board,
    )


def presence(player: Player, waiting: set[str]) -> Presence:
    """Return what somebody does; ``waiting`` are the keys of those who wait for an opponent."""
    if player.match is not None:
        return Presence(player.name, "watches" if player.side is None else "plays", player.match.number)
    return Presence(player.name, "waits" if player.key in waiting else "rests", None)
