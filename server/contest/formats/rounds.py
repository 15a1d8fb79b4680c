"""Swiss system and knockout: formats in which each round follows from the results of the rounds before.

*Swiss*: each round pairs players with similar points who have not met; an odd one has a bye. A round is the matching of
least cost of all players, so that no choice made early leaves somebody without an opponent. Among entrants with as many
points the upper half meets the lower half in order, as in the Dutch system (FIDE Handbook C.04.3). Costs are compared
one after the other: second byes, second meetings, differences in points, and only then places. The matching is Edmonds'
(1965), as networkx has it after Galil (1986). Colours need no rule: each meeting is played with both.

*Knockout*: the winner of each meeting goes on, until one player is left. Seeds stand in the bracket so that the best
two can only meet in the final, the best four in the half finals, and so on. Where the number of players is no power of
two, the best have byes in the first round. A meeting that has ended even goes on with one pair of games after the
other, as many as the contest allows; then the better seed goes on. A match for the third place is part of the last
round.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

from msgspec.structs import replace

from engine.match.clock import TimeControl
from engine.wire.words import number_of
from server.config.declared import Key, Range
from server.contest.fixtures import Bye, Fixture, GameResult, Schedule, meeting, points
from server.contest.formats.format import Batch, Ranked, StageFormat, StageView, Standing

ROUNDS_KEPT = 64
"""Pairings that are kept: the rounds of a contest are asked for after each of its games."""


class EarlierRounds(NamedTuple):
    """The state before a round that its pairing depends on."""

    points: tuple[float, ...]
    """In the order of the players, those of byes included."""
    met: frozenset[tuple[frozenset[str], int]]
    """Players that have met, and how often."""
    byes: tuple[Bye, ...]


class Swiss(StageFormat, frozen=True, tag="swiss"):
    """Each round pairs players with the same number of points who have not met yet."""

    by_rounds: ClassVar[bool] = True
    rounds: Annotated[int, Range(1, 1000)]

    @property
    def title(self) -> str:
        """Return the name with the number of rounds."""
        return f"Swiss, {number_of(self.rounds, 'round')}"

    def schedule(self, stage: StageView) -> Schedule:
        """Return the rounds up to the first that is not over. Players who were disqualified before are not paired."""
        over = {game.fixture for game in stage.results}
        fixtures: list[Fixture] = []
        byes: tuple[Bye, ...] = ()
        met: Counter[frozenset[str]] = Counter()
        for number in range(1, self.rounds + 1):
            here = (stage.number, number)
            before = [game for game in stage.results if (game.fixture.stage, game.fixture.round) < here]
            out = stage.disqualified(before, here)
            playing = tuple(name for name in stage.players if name not in out)
            score = points(game for game in before if game.fixture.stage == stage.number)
            for bye in byes:
                score[bye.name] += stage.meeting_games
            scores = tuple(score[name] for name in playing)
            pairs, left_over = pair(playing, EarlierRounds(scores, frozenset(met.items()), byes))
            if left_over is not None:
                byes = (*byes, Bye(number, left_over))
            met.update(frozenset(meeting) for meeting in pairs)
            round = [fixture for meeting in pairs for fixture in stage.meeting(number, meeting)]
            fixtures += round
            if not over.issuperset(round):
                return Schedule(tuple(fixtures), byes, complete=number == self.rounds)
        return Schedule(tuple(fixtures), byes)

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by points, then Buchholz, Sonneborn-Berger and wins."""
        return [(one, (one.points, one.buchholz, one.sonneborn_berger, one.wins + one.forfeits_won)) for one in lines]

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the rounds that are left."""
        behind = max((fixture.round for fixture in schedule.fixtures), default=0)
        return [open, *(Batch((left // 2) * size, left) for _ in range(self.rounds - behind))]

    def fault(self, first: bool, entrants: int) -> str:
        """Refuse as many rounds as entrants."""
        why = f"of {entrants} entrants some would meet twice after round {entrants - 1}"
        return "" if self.rounds < entrants else f".rounds is {self.rounds}, but {why}"


Pairing: TypeAlias = tuple[tuple[tuple[str, str], ...], str | None]
"""The meetings of a round, and who has a bye."""


@lru_cache(maxsize=ROUNDS_KEPT)
def pair(players: tuple[str, ...], past: EarlierRounds) -> Pairing:
    """Return the meetings of a round, the leaders first, and who has a bye; ``players`` are in order of seeding.

    From table to table the better and the worse one in turn begin the first game. Takes seconds for hundreds of
    players, but once.
    """
    import networkx  # takes a fifth of a second, which other servers need not wait for

    score = dict(zip(players, past.points, strict=True))
    ranking = sorted(players, key=lambda name: -score[name])
    size = len(ranking)
    if size < 2:
        return (), (ranking[0] if ranking else None)
    costs = _costs(ranking, score, past)
    graph = networkx.Graph()
    graph.add_nodes_from(range(size + size % 2))
    # each part of a cost outweighs all that can come together in the parts behind it
    bases = [1 + sum(parts) for parts in zip(*costs.values(), strict=True)]
    for (place, other), cost in costs.items():
        weight = 0
        for base, value in zip(bases, cost, strict=True):
            weight = weight * base + value
        graph.add_edge(place, other, weight=-weight)
    matching = sorted(sorted(edge) for edge in networkx.max_weight_matching(graph, maxcardinality=True))
    pairs = [(ranking[place], ranking[other]) for place, other in matching if other < size]
    left_over = next((ranking[place] for place, other in matching if other == size), None)
    return tuple(two if table % 2 == 0 else two[::-1] for table, two in enumerate(pairs)), left_over


Cost = tuple[int, int, int, int]
"""Second byes, second meetings, the square of the difference in half points, and how far from the place wished for."""


def _costs(ranking: list[str], score: dict[str, float], past: EarlierRounds) -> dict[tuple[int, int], Cost]:
    """Return the cost of each meeting, and of each bye, which is a meeting with an additional last player."""
    size = len(ranking)
    met = dict(past.met)
    had = Counter(bye.name for bye in past.byes)
    equals = Counter(score.values())
    half_points = [round(2 * score[name]) for name in ranking]
    costs = {}
    for place, name in enumerate(ranking):
        for other in range(place + 1, size):
            apart = half_points[place] - half_points[other]
            wish = equals[score[name]] // 2 if apart == 0 else 1
            times = met.get(frozenset((name, ranking[other])), 0)
            costs[place, other] = (0, times, apart**2, (other - place - wish) ** 2)
        if size % 2 == 1:
            # the last one who has had no bye is to have it
            behind = half_points[place] - half_points[-1]
            costs[place, size] = (had[name], 0, behind**2, (size - 1 - place) ** 2)
    return costs


class BracketMeeting(NamedTuple):
    """A meeting of a bracket."""

    players: tuple[str | None, str | None]
    """None for a player that is not known yet, and for the missing opponent of a bye."""
    winner: str | None
    """None while it is open."""


class Bracket(NamedTuple):
    """The state of a knockout."""

    schedule: Schedule
    rounds: tuple[tuple[BracketMeeting, ...], ...]
    """All rounds up to the final, without the match for the third place."""
    third: BracketMeeting | None
    """The match for the third place, if there is one."""


class Knockout(StageFormat, frozen=True, tag="knockout", kw_only=True):
    """The winner of a meeting goes on, the loser is out."""

    by_rounds: ClassVar[bool] = True
    byes_score: ClassVar[bool] = False
    tie_breaks: Annotated[int, Range(0, 100, "pairs of games")] = 4
    """Pairs of games, at most, that are added one by one to a meeting that has ended even."""
    control: Annotated[TimeControl, Key("tie-break-time")]
    """Time control of the added games."""
    third_place: bool = False
    """Whether those who have lost the semi-finals meet for the third place."""

    @property
    def title(self) -> str:
        """Return the name."""
        return "Knockout"

    def schedule(self, stage: StageView) -> Schedule:
        """Return the rounds up to the first that is not over."""
        return bracket(self, stage).schedule

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by the rounds that players have got through, then by the match for the third place."""
        found = bracket(self, stage)
        won = Counter(meeting.winner for round in found.rounds for meeting in round)
        third = found.third and found.third.winner
        return [(replace(one, rounds_won=won[one.name]), (won[one.name], one.name == third)) for one in lines]

    def control_of(self, control: TimeControl, pairs: int, pair: int) -> TimeControl:
        """Return the control of tie-breaks for a pair that was added to a meeting."""
        return self.control if pair >= pairs else control

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the rounds that are left, without tie-breaks."""
        behind = max((fixture.round for fixture in schedule.fixtures), default=0)
        rounds = max(0, players - 1).bit_length()
        batches = [open]
        for number in range(behind + 1, rounds + 1):
            slots = 2 ** (rounds - number)
            meetings = players - slots if number == 1 else slots
            meetings += number == rounds and self.third_place and players > 3
            batches.append(Batch(meetings * size, 2 * meetings))
        return batches


def bracket(format: Knockout, stage: StageView) -> Bracket:
    """Return all rounds. No game of a round is due before the round before is over."""
    players, results = stage.players, {game.fixture: game for game in stage.results}
    slots = [players[seed] if seed < len(players) else None for seed in seeds(len(players))]
    losers: list[str | None] = []
    fixtures: list[Fixture] = []
    rounds: list[tuple[BracketMeeting, ...]] = []
    third: BracketMeeting | None = None
    complete = True
    while len(slots) > 1:
        number, pairs = len(rounds) + 1, [*zip(slots[::2], slots[1::2], strict=True)]
        if format.third_place and len(pairs) == 1 and len(players) > 3:
            pairs.append((losers[0], losers[1]))
        meetings = []
        for pair in pairs:
            names = sorted(filter(None, pair), key=players.index)
            winner = names[0] if len(names) == number == 1 else None  # a bye
            if complete and len(names) == 2:
                played, winner = _meet(format, stage, number, (names[0], names[1]), results)
                fixtures += played
            meetings.append(BracketMeeting(pair, winner))
        complete = complete and all(one.winner is not None for one in meetings)
        if len(meetings) > len(slots) // 2:
            third = meetings.pop()
        rounds.append(tuple(meetings))
        slots = [one.winner for one in meetings]
        losers = [one.winner and one.players[1 - one.players.index(one.winner)] for one in meetings]
    byes = tuple(Bye(1, one.winner) for one in (rounds[0] if rounds else ()) if one.winner and None in one.players)
    return Bracket(Schedule(tuple(fixtures), byes, complete), tuple(rounds), third)


def seeds(players: int) -> list[int]:
    """Return the seeds, from 0, in the order of the bracket; those of ``players`` and more stand for byes."""
    order = [0]
    while len(order) < players:
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return order


def _meet(
    format: Knockout, stage: StageView, number: int, players: tuple[str, str], results: dict[Fixture, GameResult]
) -> tuple[list[Fixture], str | None]:
    """Return the games of a meeting that are needed so far, and the winner; None if it is undecided."""
    pairs, variants = stage.pairs, range(stage.variants)
    opening = (number - 1) * (pairs + format.tie_breaks)
    fixtures = meeting(stage.number, number, players, variants, range(pairs), opening)
    for added in range(format.tie_breaks + 1):
        if not all(fixture in results for fixture in fixtures):
            return fixtures, None
        score = points(results[fixture] for fixture in fixtures)
        if score[players[0]] != score[players[1]]:
            return fixtures, max(players, key=score.__getitem__)
        if added < format.tie_breaks:
            more, variant = pairs + added, variants[added % len(variants)]
            fixtures += meeting(stage.number, number, players, [variant], range(more, more + 1), opening + more)
    return fixtures, players[0]
