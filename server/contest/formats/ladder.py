"""Ladder: free players meet others with about the same rating, until a limit of games or time.

Whoever has played least comes first, and gets the opponent whose rating is nearest, where one whom he has met in a
large part of his meetings seems further away than he is: so neighbours meet most, but not only each other. Ratings are
those of all games of the stage so far. A meeting is a pair of games in one variant, the variants in turn.
"""

from collections import Counter
from collections.abc import Collection

from server.contest.definition import Definition, Ladder
from server.contest.fixtures import Fixture, GameResult, Schedule, meeting, rated_games
from server.contest.scoring.disqualification import find_disqualified

SHARE_ELO = 1000.0
"""By so much in Elo an opponent seems further away who was the only one so far, by half of it one who was each second.

Where others are 100, 200, 300 and 400 Elo away, this gives them about 40, 30, 20 and 10 % of the meetings."""


LEAD = 1
"""Meetings by which those who connect may be ahead of the program that has played least, and still meet each other.

They need no cores, and begin at once: without this they would play many times as often as programs, which wait for
cores. A late comer is waited for by nobody: programs are always there."""


def ladder(
    definition: Definition,
    stage: int,
    format: Ladder,
    players: tuple[str, ...],
    games: list[GameResult],
    running: Collection[Fixture],
    free: Collection[str],
    seconds: float,
) -> Schedule:
    """Return the meetings that have begun, and new ones for pairs of free players.

    ``games`` are all that count, of earlier stages too. ``seconds`` is how long the ladder has run. It ends before its
    limits when fewer than two are left who were not disqualified, and has ended where later stages have games.
    """
    mine = [game for game in games if game.fixture.stage == stage]
    known = [game.fixture for game in mine] + [fixture for fixture in running if fixture.stage == stage]
    begun = {fixture.round: fixture for fixture in known}  # a round is one meeting here
    fixtures = [game for fixture in begun.values() for game in (fixture, fixture.swapped)]
    later = any(game.fixture.stage > stage for game in games)
    ended = later or (0 < format.seconds <= seconds) or (0 < format.games <= len(fixtures))
    out = find_disqualified(definition, games)
    left = [name for name in players if name not in out]
    if ended or len(left) < 2:
        return Schedule(tuple(fixtures))
    # who still has to play the second game of a pair is not free for another one
    owing = {name for fixture in set(fixtures) - {game.fixture for game in mine} for name in fixture.players}
    waiting = [name for name in left if name in free and name not in owing]
    number = 1 + max((fixture.round for fixture in known), default=0)
    for pair in _pairs(players, left, waiting, [fixture.players for fixture in begun.values()], mine, definition):
        if 0 < format.games <= len(fixtures):
            break
        variant = (number - 1) % len(definition.variants)
        fixtures += meeting(stage, number, pair, [variant], range(1), number - 1)
        number += 1
    return Schedule(tuple(fixtures), complete=False)


def _pairs(
    players: tuple[str, ...],
    left: list[str],
    waiting: list[str],
    meetings: list[tuple[str, str]],
    games: list[GameResult],
    definition: Definition,
) -> list[tuple[str, str]]:
    """Pair the waiting players, except an odd one; ``left`` are all who are not disqualified."""
    if len(waiting) < 2:
        return []
    from engine.statistics.likelihood import strengths  # loads numpy

    rating = strengths(rated_games(games), players, len(definition.variants))
    programs = {entrant.name for entrant in definition.entrants if not entrant.connects}
    met = Counter(frozenset(pair) for pair in meetings)
    had = Counter(name for pair in meetings for name in pair)
    least = min((had[name] for name in left if name in programs), default=None)
    ahead = {name for name in waiting if least is not None and name not in programs and had[name] > least + LEAD}
    waiting = sorted(waiting, key=lambda name: had[name])  # those who are even stay in order
    pairs = []
    while len(waiting) >= 2:
        name = waiting.pop(0)
        others = [other for other in waiting if not {name, other} <= ahead]
        if not others:
            continue
        opponent = min(others, key=lambda other: _distance(name, other, rating, met, had))
        waiting.remove(opponent)
        pairs.append((name, opponent) if met[frozenset((name, opponent))] % 2 == 0 else (opponent, name))
    return pairs


def _distance(
    name: str, other: str, rating: dict[str, float], met: Counter[frozenset[str]], had: Counter[str]
) -> float:
    share = met[frozenset((name, other))] / max(1, had[name])
    return abs(rating[name] - rating[other]) + SHARE_ELO * share
