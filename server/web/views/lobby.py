"""The lobby and running matches as pages show them: players, results, and matches in lists and with small boards."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from engine.games.boards.layout import Drawing, Layout
from engine.games.boards.svg import NO_NAMES, STEP, box, ground, group, look, marks, paint, places_of
from engine.games.catalogue import USUAL_GAME
from engine.match.referee import MatchState
from engine.wire.fields import pieces
from engine.wire.seat import Seat, environment_variables
from engine.wire.words import ANY
from server.arena.arena import Arena
from server.contest.fixtures import QUALIFICATION
from server.contest.report.structure import ContestState, Report, ScheduledGame
from server.match.match import Match
from server.web.views.board import EndOfGame, ending_of
from server.web.views.contests import ListedContest

LISTED = 60
"""Running matches, and players, that are listed at a time; `running` lists the further matches."""

RESULTS = 25
"""Matches that have ended that are listed."""


class ListedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the list."""

    match: int
    game: str
    parameters: str
    sides: tuple[str, str]
    players: tuple[str, str]
    plies: int
    clocks: tuple[int, int]
    runs: tuple[bool, bool]
    ending: EndOfGame | None


def newest(arena: Arena) -> Iterator[Match]:
    """Yield the running matches, the newest first."""
    return reversed(arena.matches.values())


def running(arena: Arena, name: str, before: int) -> dict[str, Any]:
    """Return running matches with numbers below ``before`` of players whose names hold ``name``, whatever its case."""
    wanted = name.lower()
    fit = [match for match in newest(arena) if wanted in match.names[0] or wanted in match.names[1]]
    some = islice((match for match in fit if match.number < before), LISTED)
    return {"found": len(fit), "matches": tuple(listed(match.public, match.now()) for match in some)}


class StartLines(NamedTuple):
    """How to start a bot: what it plays and needs, and the lines for the command line."""

    takes_part: bool
    """Whether it plays in the contest of the page."""
    needs_token: bool
    posix: str
    powershell: str


def how_to_start(arena: Arena, host: str, report: Report | None) -> StartLines:
    """Return the lines that start a bot, in the contest of a report or, where nobody can join it, freely.

    A token is named where the server needs one, or an entrant that connects does. May be called in any thread.
    """
    connecting = () if report is None or report.state == ContestState.OVER else report.connecting
    hashes = (arena.contest_players.token_of(name.lower()) or arena.token_of(name.lower()) for name in connecting)
    needs_token = arena.settings.tokens is not None or any(known is not None for known in hashes)
    game = ANY if connecting else USUAL_GAME
    seat = Seat(host, arena.ports[0], "NAME", game, "TOKEN" if needs_token else "")
    variables = {name: value for name, value in environment_variables(seat).items() if value}
    posix = "".join(f"{name}={value} " for name, value in variables.items())
    powershell = "".join(f'$env:{name}="{value}"; ' for name, value in variables.items())
    return StartLines(bool(connecting), needs_token, f"{posix}python3 mybot.py", f"{powershell}python mybot.py")


def overview(
    arena: Arena, earlier: tuple[ListedMatch, ...] | None, contests: tuple[ListedContest, ...] = ()
) -> dict[str, Any]:
    """Return the lobby of an arena; ``earlier`` are results of earlier servers, None as long as they are not known."""
    recent = [listed(match.public, match.now()) for match in list(arena.recent)[: -RESULTS - 1 : -1]]
    numbers = {one.match for one in recent}
    recent += [one for one in earlier or () if one.match not in numbers]
    return {
        "players": tuple(presences(arena, LISTED)),
        "present": len(arena.sessions),
        "running": tuple(listed(match.public, match.now()) for match in islice(newest(arena), LISTED)),
        "playing": len(arena.matches),
        "recent": tuple(recent[:RESULTS]),
        "complete": earlier is not None,
        "contests": contests,
        "announcements": arena.announcements,
    }


def listed(state: MatchState, now: int) -> ListedMatch:
    """Return a match as a line of a list at a stamp of its clock."""
    position = state.header.position
    return ListedMatch(
        match=state.header.match,
        game=position.game.name,
        parameters=position.parameters,
        sides=state.sides,
        players=state.header.players,
        plies=len(state.shown),
        clocks=state.clock.milliseconds(now),
        runs=state.clock.runs,
        ending=ending_of(state.outcome, state.sides, state.header.players, len(state.shown)),
    )


def presences(arena: Arena, most: int) -> Iterator[dict[str, Any]]:
    """Yield the first players that are logged in, in the order of their names, and what they do."""
    waiting = set(arena.seeking_keys())
    for key in nsmallest(most, arena.sessions):
        player = arena.sessions[key]
        if player.match is not None:
            doing = "watches" if player.side is None else "plays"
            yield {"name": player.name, "doing": doing, "match": player.match.number}
        else:
            yield {"name": player.name, "doing": "waits" if key in waiting else "rests", "match": None}


QUALIFYING = QUALIFICATION + 1
"""The number of the qualification in the schedule of a report."""

BOARDS = 5
"""Running matches that a page shows with their boards: a large one and a row of small ones."""

LINGER_SECONDS = 10.0
"""How long the board of a match that is over still shows its result."""

TRIM = {"hexagon": 1.3, "cells": 0.95, "squares": 0.0}
"""Steps by which a board without names is narrower and lower than a board with names."""


def small_board(drawing: Drawing, title: str, prefix: str) -> Markup:
    """Draw a board as SVG inside a page, in few bytes, since each move sends it again.

    Pieces refer to drawings of their kind, and cells are a pattern. The ids of both begin with a prefix.
    """
    layout = drawing.layout
    width, height = ((length - TRIM[layout.kind]) * STEP for length in (layout.width, layout.height))
    parts = list(ground(drawing, NO_NAMES))
    drawings: list[str] = []
    if layout.kind == "cells":
        pattern, parts[1] = _pattern(layout, f"{prefix}-cells")
        drawings.append(pattern)
    parts += marks(drawing)
    places = places_of(layout)
    kinds: dict[tuple[int, int | None], str] = {}
    for piece in drawing.pieces:
        kind = kinds.setdefault((piece.side, piece.direction), f"{prefix}-{len(kinds)}")
        x, y = places[piece.field]
        parts.append(f'<use href="#{kind}" x="{x:g}" y="{y:g}"/>')
    drawings += (group(f'id="{kind}"', look(layout, *sort)) for sort, kind in kinds.items())
    shown = f"{-width / 2:g} {-height / 2:g} {width:g} {height:g}"
    return Markup('<svg class="board" viewBox="{}" role="img" aria-label="{}"><defs>{}</defs>{}</svg>').format(
        shown, title, Markup("".join(drawings)), Markup("".join(parts))
    )


def _pattern(layout: Layout, name: str) -> tuple[str, str]:
    """Return the pattern of a cell, with an id, and the rectangle that it fills."""
    (left, top), (right, bottom) = ((x * STEP, y * STEP) for _, x, y in (layout.fields[0], layout.fields[-1]))
    corner, half = f'x="{left - STEP / 2:g}" y="{top - STEP / 2:g}"', STEP / 2
    inner = box(half, half, 92, 92, 10, paint("cell"))
    tiled = f'width="{STEP}" height="{STEP}" patternUnits="userSpaceOnUse"'
    size = f'width="{right - left + STEP:g}" height="{bottom - top + STEP:g}"'
    return f'<pattern id="{name}" {corner} {tiled}>{inner}</pattern>', f'<rect {corner} {size} fill="url(#{name})"/>'


def board_of(match: Match) -> Markup:
    """Draw the position of a match as spectators see it."""
    history = match.public.history
    position = history.position
    marked = position.marked_field(history.moves[-1]) if history.moves else None
    return small_board(replace(position.drawing(), marked=marked), position.summary(), f"piece-{match.number}")


def evaluation_of(match: Match) -> str:
    """Write how a player rates the position that spectators see, from the side that began; empty if no note says so."""
    plies = match.public.history.plies
    for noted in reversed(match.public_notes):
        if noted.ply in (plies, plies + 1) and noted.note.score is not None:
            return pieces((1, -1)[noted.side] * noted.note.score)
    return ""


class Tiles:
    """The matches that a page shows with their boards. A match that is over keeps its place for some seconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self._shown: list[Match] = []
        self._last: Match | None = None
        self._over: dict[int, float] = {}
        """Matches that are over: when that was noticed first."""
        self._boards: dict[int, tuple[int, Markup]] = {}
        """Boards by the number of the match, with the number of moves."""

    def choose(self, running: Iterable[Match], most: int, now: float, last: Match | None = None) -> None:
        """Show running matches, the best first, at most ``most``; ``now`` is in seconds.

        A match keeps its place until it is over and its result was shown. The best match then takes the first place,
        and another one any other place: no other board moves. ``last`` is a finished match that is shown if there is
        no other one.
        """
        over = [match for match in self._shown if match.public.outcome is not None]
        self._over = {match.number: self._over.get(match.number, now) for match in over}
        lasting = [match for match in over if now < self._over[match.number] + LINGER_SECONDS]
        best = [match for match in running if match.public.outcome is None]
        places = [match if match in lasting or match in best else None for match in self._shown[:most]]
        if best and (not places or places[0] is None):
            places = [best[0], *(None if match is best[0] else match for match in places[1:])]
        waiting = iter([match for match in best if match not in places])
        filled = [match or next(waiting, None) for match in places]
        self._shown = [*(match for match in filled if match is not None), *waiting][:most]
        self._last = last

    def tiles(self) -> Iterator[dict[str, Any]]:
        """Yield each match with its board. Each board is drawn once: a large one takes a millisecond."""
        known, self._boards = self._boards, {}
        for match in self._shown or filter(None, [self._last]):
            plies, board = known.get(match.number, (-1, Markup()))
            if plies != match.public.history.plies:
                plies, board = match.public.history.plies, board_of(match)
            self._boards[match.number] = plies, board
            yield {
                "match": listed(match.public, match.now()),
                "board": board,
                "stock": match.public.history.position.drawing().stock,
                "evaluation": evaluation_of(match),
            }


def games_of(report: Report, matches: Iterable[Match]) -> list[Match]:
    """Return the running matches of a contest, as far as its report can tell, the best first.

    These are the matches of later rounds, then the matches of players with better places.
    """
    variants, entrants = {one.name for one in report.variants}, set(report.entrants)
    games = []
    for match in matches if report.state != "over" else ():
        players, position = match.header.players, match.header.position
        is_known = set(players) <= entrants or _scheduled(report, players) is not None
        if is_known and f"{position.game.name} {position.parameters}".strip() in variants:
            games.append(match)
    table = report.stages[-1].table if report.stages else ()
    places = {line.name: line.place for line in table}

    def rank(match: Match) -> tuple[int, int, int]:
        players = match.header.players
        standing = sum(places.get(name, len(table) + 1) for name in players)
        return -round_of(report, players), standing, match.number

    return sorted(games, key=rank)


def round_of(report: Report, players: tuple[str, str]) -> int:
    """Return the round of a running game, 0 where the report does not know of it yet."""
    found = _scheduled(report, players)
    return found.round if found is not None and found.stage != QUALIFYING else 0


def _scheduled(report: Report, players: tuple[str, str]) -> ScheduledGame | None:
    return next((game for game in report.schedule if game.running and (game.first, game.second) == players), None)
