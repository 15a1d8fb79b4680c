"""The table of a stage, from its games (pure).

Points are 1 for a win and a half for a draw, a game that somebody had to forfeit included. Then the order is

    round robin     points, Sonneborn-Berger, wins
    Swiss           points, Buchholz, Sonneborn-Berger, wins
    gauntlet        rating, since challengers and others play different numbers of games
    ladder          rating, since everybody plays whom he gets
    knockout        rounds got through, then the match for the third place

Players who are still even share the place, and stand in the order of seeding. Disqualified players come last.
Sonneborn-Berger is, for each game, the points of the opponent for a win and half of them for a draw. Buchholz is the
sum of the opponents' points, one for each meeting. A bye gives the points of a meeting won in all games; for Buchholz
it counts as an opponent with as many points as the player, like the virtual opponent of the FIDE Handbook (C.07).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from engine.games.outcome import Termination
from server.contest.definition import Definition
from server.contest.fixtures import Bye, GameResult, counted_games, points, rated_games
from server.contest.formats.format import StageView, Standing
from server.contest.interventions import END
from server.contest.scoring import Disqualification, find_disqualified


def stage_view(
    definition: Definition, stage: int, players: tuple[str, ...], games: Sequence[GameResult], **present: Any
) -> StageView:
    """Return a stage as its format sees it; ``games`` are all that count, ``present`` further fields."""
    variants = len(definition.variants)

    def rate(games: Iterable[GameResult], players: Sequence[str]) -> dict[str, float]:
        from engine.statistics.likelihood import strengths  # loads numpy

        return strengths(rated_games(games), players, variants)

    return StageView(
        stage,
        players,
        variants,
        definition.stages[stage].pairs,
        games,
        lambda games, before: find_disqualified(definition, games, before),
        rate,
        **present,
    )


def standings(
    definition: Definition,
    stage: int,
    players: tuple[str, ...],
    games: Collection[GameResult],
    byes: Collection[Bye] = (),
    before: tuple[int, int] = END,
) -> list[Standing]:
    """Return the table of a stage, the best first; ``players`` are in order of seeding, ``games`` all so far.

    With ``before``, a stage and a round, as it was when that round was paired; ``games`` are those before it then.
    """
    valid = counted_games(games)
    view, format = stage_view(definition, stage, players, valid), definition.stages[stage].format
    out, had, score = (
        find_disqualified(definition, valid, before),
        Counter(bye.name for bye in byes),
        points(view.games),
    )
    for name, count in had.items() if format.byes_score else ():
        score[name] += count * view.meeting_games
    mine: defaultdict[str, list[tuple[GameResult, int]]] = defaultdict(list)
    for game in view.games:
        for side, name in enumerate(game.fixture.players):
            mine[name].append((game, side))
    lines = [_line(name, mine[name], score, had[name], out.get(name)) for name in players]
    ranked = [((not line.disqualified, *marks), line) for line, marks in format.rank(view, lines)]
    ranked.sort(key=lambda one: one[0], reverse=True)  # those who are even stay in order
    placed: list[Standing] = []
    for number, (marks, line) in enumerate(ranked, 1):
        shared = number > 1 and ranked[number - 2][0] == marks
        placed.append(msgspec.structs.replace(line, place=placed[-1].place if shared else number))
    return placed


def _line(
    name: str, games: list[tuple[GameResult, int]], points: Mapping[str, float], byes: int, out: Disqualification | None
) -> Standing:
    """Return the line of a player, without its place, from its games and its side in each."""
    played = [(game, side) for game, side in games if game.played]
    unplayed = [game.points(side) for game, side in games if not game.played]
    used = [game.used[side] for game, side in played]
    opponents = {(game.fixture.players[1 - side], game.fixture.round) for game, side in games}
    return Standing(
        place=0,
        name=name,
        points=points[name],
        games=len(played),
        wins=sum(game.winner == side for game, side in played),
        draws=sum(game.winner is None for game, _ in played),
        losses=sum(game.winner == 1 - side for game, side in played),
        forfeits_won=unplayed.count(1.0),
        forfeits_lost=unplayed.count(0.0),
        byes=byes,
        sonneborn_berger=sum((game.points(side) * points[game.fixture.players[1 - side]] for game, side in games), 0.0),
        buchholz=sum(points[other] for other, _ in opponents) + byes * points[name],
        rating=None,
        rounds_won=None,
        firsts=sum(side == 0 for _, side in played),
        used=sum(used),
        longest=max(used, default=0),
        time_losses=sum(game.termination == Termination.TIME and game.winner != side for game, side in played),
        disqualified=out.reason if out else "",
    )
