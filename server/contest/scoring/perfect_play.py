"""How perfectly entrants have played in variants of which a tablebase has every value."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from engine.record.exact_cost import CostSum, MoveCost
from server.contest.fixtures import Finished

MAX_THROWN_AWAY = 200
"""Moves that have changed a result which are listed; further ones are only counted."""

GameCosts: TypeAlias = Sequence[tuple[int, MoveCost | None]]
"""For each move of a game its side and its cost, None where that is not known; the first move comes first."""


class PerfectPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """What the moves of an entrant have cost in all its games of which that is known."""

    name: str
    games: int
    moves: int
    kept: int
    """Moves that kept the result."""
    wasted: int
    """Plies by which wins came later, or losses sooner."""
    wins_lost: int
    """Moves after which a win was none any more."""
    draws_lost: int
    """Moves that made a loss of a draw."""


class ThrownAway(msgspec.Struct, frozen=True, kw_only=True):
    """A move that has changed the result of a game, against the one who made it."""

    match: int
    ply: int
    """Its number in the game, from 1."""
    name: str
    opponent: str
    words: str
    """As in `engine.record.exact_cost.MoveCost`."""


class PerfectPlay(msgspec.Struct, frozen=True, kw_only=True):
    """What moves have cost in the games of a contest of which that is known."""

    games: int
    """Games of which it is known."""
    played: int
    """All that were played and count."""
    players: tuple[PerfectPlayer, ...]
    """Who has kept the result in the largest share of moves comes first."""
    thrown_away: tuple[ThrownAway, ...]
    """In the order of the games, the first `MAX_THROWN_AWAY` of them."""


def perfect_play(games: Sequence[Finished], costs: Mapping[int, GameCosts]) -> PerfectPlay | None:
    """Sum up what moves have cost; None where nothing is known. ``games`` are those that count, ``costs`` by match."""
    played = [(game.match, game.fixture.players) for game in games if game.played and game.match is not None]
    known = [(match, players, costs[match]) for match, players in played if match in costs]
    if not known:
        return None
    sums: dict[str, CostSum] = defaultdict(CostSum)
    count: dict[str, int] = defaultdict(int)
    thrown: list[ThrownAway] = []
    for match, players, moves in known:
        for name in players:
            count[name] += 1
        for ply, (side, cost) in enumerate(moves, 1):
            if cost is None:
                continue
            name, opponent = players[side], players[1 - side]
            sums[name] = sums[name].plus(cost)
            if cost.before != cost.after and len(thrown) < MAX_THROWN_AWAY:
                thrown.append(ThrownAway(match=match, ply=ply, name=name, opponent=opponent, words=cost.words))
    lines = [PerfectPlayer(name=name, games=count[name], **sums[name]._asdict()) for name in sums]
    lines.sort(key=lambda one: (-one.kept / one.moves, one.wasted, one.name))
    return PerfectPlay(games=len(known), played=len(played), players=tuple(lines), thrown_away=tuple(thrown))
