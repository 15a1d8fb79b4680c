"""The results of a match: its table with Elo and the sequential test, and for scripts JSON and JUnit XML. Pure.

Elo and its 95 % interval come from pairs of games (`engine.statistics.elo`). Pairs enter the test in the order of the
schedule, without a gap: its decision depends neither on how many games are played at a time nor on which ends first.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.commands import reports
from engine.commands.reports import Case, Suite
from engine.games.catalogue import GAMES, variant_title
from engine.games.interface import Termination
from engine.statistics import elo
from engine.statistics.elo import Counts, Decision, Sprt, count_pairs, estimate
from engine.wire.words import aligned, number_of
from server.commands.match.setup import MatchSetup
from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.report import formatting
from server.contest.scoring import Cause, losses

NO_FAULTS = frozenset({Cause.BOARD, Cause.RESIGN, Cause.ADJUDICATED})
"""Causes of losses that are no fault of the player's program."""


class PlayedGame(msgspec.Struct, frozen=True):
    """A game of a match that is over, as it stands in JSON."""

    number: int
    """Its place in the schedule, from 1: the name of its record."""
    match: int | None
    """The number in its record and in the logs of its players; None if it was not played."""
    players: tuple[str, str]
    """Names; that of the first side of the game comes first."""
    variant: str
    """Its parameters."""
    points: tuple[float, float]
    """Points of both sides: 1, 0.5 or 0."""
    reason: str
    """How it ended, in a word."""
    sentence: str
    """The same for people."""
    causes: tuple[str, str]
    """Why each side has lost, a word of `server.contest.scoring.Cause`; empty where it has not."""
    plies: int
    moves: tuple[int, int]
    """Moves of each side."""
    used_ms: tuple[float, float]
    """Milliseconds that each side has used."""

    @property
    def pair(self) -> int:
        """The number of its pair, from 0."""
        return (self.number - 1) // 2


def played_game(definition: Definition, number: int, game: GameResult) -> PlayedGame:
    """Return a game of the schedule that is over."""
    causes = {loss.side: loss for loss in losses(definition, game)}
    variant = definition.variants[game.fixture.variant]
    assert variant.drawn is not None
    first = (game.plies + 1) // 2
    moves = (first, game.plies - first)
    if (GAMES[variant.game].start(variant.parameters).turn + variant.drawn.plies) % 2 == 1:
        moves = moves[::-1]
    return PlayedGame(
        number=number,
        match=game.match,
        players=game.fixture.players,
        variant=variant.parameters,
        points=(game.points(0), game.points(1)),
        reason=game.termination,
        sentence=next(iter(causes.values())).sentence if causes else game.detail or game.termination.replace("_", " "),
        causes=(causes[0].cause if 0 in causes else "", causes[1].cause if 1 in causes else ""),
        plies=game.plies,
        moves=moves,
        used_ms=(game.used[0] / 1000, game.used[1] / 1000),
    )


class FaultyGame(msgspec.Struct, frozen=True):
    """A game that a player has lost by a fault of its program."""

    number: int
    match: int | None
    cause: str
    sentence: str


class PlayerRow(msgspec.Struct, frozen=True):
    """A player in the table, and in JSON."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    """Its part of the points, 0 to 1; 0 without games."""
    elo: float | None
    """Its strength against its opponents; None before its first pair."""
    elo_margin_95: float | None
    """Half of the 95 % interval; None also where all pairs have ended alike."""
    los: float | None
    """Likelihood of superiority."""
    pairs_by_points: Counts
    """How many of its pairs have had each result, that of 0 points first."""
    losses_by_cause: dict[str, int]
    faults: tuple[FaultyGame, ...]
    """Losses by faults of its program, in the order of the games."""
    ms_a_move: float
    """Milliseconds a move, on average, with initialisation; 0 without moves."""


class MatchTally:
    """The results of a match so far."""

    def __init__(self, names: Sequence[str], test: Sprt | None) -> None:
        """Begin without games; a test is one of the first player, of two."""
        self._names = tuple(names)
        self._games: dict[int, PlayedGame] = {}
        self.pairs = elo.Tally(test)
        """The pairs of the first player in their order, without a gap."""

    @property
    def games(self) -> tuple[PlayedGame, ...]:
        """The games that count, in order: all, or those up to the pair with which the test has ended."""
        end = math.inf if self.pairs.decision is Decision.OPEN else 2 * self.pairs.pairs
        return tuple(self._games[number] for number in sorted(self._games) if number <= end)

    @property
    def count(self) -> int:
        """The number of games that count."""
        return len(self._games if self.pairs.decision is Decision.OPEN else self.games)

    def add(self, game: PlayedGame) -> None:
        """Count a game."""
        self._games[game.number] = game
        both = [self._games.get(2 * game.pair + place) for place in (1, 2)]
        points = [
            one.points[one.players.index(self._names[0])] for one in both if one and self._names[0] in one.players
        ]
        if len(points) == 2:
            self.pairs.add(game.pair, round(2 * sum(points)))

    def explain(self, number: int, sentence: str) -> None:
        """Add to the sentence of a game."""
        game = self._games[number]
        self._games[number] = msgspec.structs.replace(game, sentence=f"{game.sentence}; {sentence}")

    def rows(self) -> list[PlayerRow]:
        """Return the table, in the order in which players were named."""
        return [_row(name, [game for game in self.games if name in game.players]) for name in self._names]


def _row(name: str, games: Sequence[PlayedGame]) -> PlayerRow:
    sides = [(game, game.players.index(name)) for game in games]
    results = Counter(game.points[side] for game, side in sides)
    counts = count_pairs((game.pair, game.points[side]) for game, side in sides)
    found = estimate(counts) if any(counts) else None
    lost = [(game, game.causes[side]) for game, side in sides if game.causes[side]]
    return PlayerRow(
        name,
        len(games),
        results[1.0],
        results[0.5],
        results[0.0],
        (results[1.0] + results[0.5] / 2) / max(1, len(games)),
        None if found is None else found.elo,
        None if found is None or math.isinf(found.margin) else found.margin,
        None if found is None else found.los,
        counts,
        dict(Counter(cause for _, cause in lost).most_common()),
        tuple(
            FaultyGame(game.number, game.match, cause, game.sentence) for game, cause in lost if cause not in NO_FAULTS
        ),
        sum(game.used_ms[side] for game, side in sides) / (sum(game.moves[side] for game, side in sides) or math.inf),
    )


MAX_FAULTS = 3
"""Faults of a player that are told one by one, the last ones."""

HEAD = ("player", "games", "won", "drawn", "lost", "score", "Elo", "95 %", "ms a move", "lost by")


class MatchProgress(NamedTuple):
    """How far a match has come."""

    tally: MatchTally
    games: int
    """Games of the whole match."""

    @property
    def is_complete(self) -> bool:
        """Tell whether the match is over: by its last game, or by its test."""
        return self.tally.count == self.games or self.tally.pairs.decision is not Decision.OPEN

    @property
    def line(self) -> str:
        """Return how many games are over."""
        return f"{self.tally.count} of {number_of(self.games, 'game')}"


def title(setup: MatchSetup) -> str:
    """Return one line on who plays what."""
    setting = setup.setting
    who = f"{setup.names[0]} against {setup.names[1]}" if len(setup.names) == 2 else " - ".join(setup.names)
    variants = variant_title(f"{setting.game} {' / '.join(setting.variants)}")
    time = formatting.control(setup.definition.stages[0].control)
    return f"{who}: {variants}, {time}, {number_of(len(setup.fixtures), 'game')}"


def table(now: MatchProgress, test: Sprt | None) -> list[str]:
    """Return the whole table: two players as they were named, more of them with the best score first."""
    rows = now.tally.rows()
    shown = rows if len(rows) == 2 else sorted(rows, key=lambda row: -row.score)
    cells = (
        (
            row.name,
            str(row.games),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            f"{100 * row.score:.1f} %" if row.games else "",
            "" if row.elo is None else f"{row.elo:+.0f}",
            "" if row.elo_margin_95 is None else f"+- {row.elo_margin_95:.0f}",
            f"{row.ms_a_move:.1f}" if row.ms_a_move else "",
            ", ".join(f"{_word(cause)} {count}" for cause, count in row.losses_by_cause.items()),
        )
        for row in shown
    )
    lines = aligned([HEAD, *cells], left=(0, len(HEAD) - 1))
    if test is not None:
        lines.append(test_line(now.tally, test, [row.name for row in rows]))
    return [*lines, now.line]


def test_line(tally: MatchTally, test: Sprt, names: Sequence[str]) -> str:
    """Return what the sequential test says."""
    what = {
        "H0": f"H0: {names[0]} is not stronger than {names[1]} by {test.elo1:g} Elo",
        "H1": f"H1: {names[0]} is stronger than {names[1]} by more than {test.elo0:g} Elo",
        "open": "open",
    }[tally.pairs.decision]
    ratio = f"LLR {tally.pairs.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f})"
    return f"SPRT {test.elo0:g} to {test.elo1:g} Elo: {ratio}, {what}"


def fault_lines(rows: Sequence[PlayerRow]) -> Iterator[str]:
    """Yield lines on games that were lost by a fault of a player's program: what went wrong in the last ones."""
    for row in rows:
        if not row.faults:
            continue
        yield f"{row.name} lost {number_of(len(row.faults), 'game')} by its own fault; the last:"
        for fault in row.faults[-MAX_FAULTS:]:
            match = "" if fault.match in (None, fault.number) else f" (match {fault.match} in its record and logs)"
            yield f"  game {fault.number}{match}: {_word(fault.cause)}: {formatting.printable(fault.sentence)}"


def _word(cause: str) -> str:
    return "time" if cause == Termination.TIME else cause.replace("_", " ")


def as_json(setup: MatchSetup, now: MatchProgress, status: int) -> str:
    """Return everything about a match: its setting, table, test and games; ``status`` is the command's exit status."""
    test, tally = setup.test, now.tally
    found = {
        "report": "match",
        "status": status,
        "complete": now.is_complete,
        "setting": setup.setting,
        "games_planned": now.games,
        "players": tally.rows(),
        "sprt": None
        if test is None
        else {
            **test._asdict(),
            "llr": tally.pairs.ratio,
            "lower": test.lower,
            "upper": test.upper,
            "pairs": tally.pairs.pairs,
            "decision": tally.pairs.decision,
        },
        "games": tally.games,
    }
    return reports.as_json(msgspec.to_builtins(found))


def as_junit(setup: MatchSetup, now: MatchProgress, *, strict: bool) -> str:
    """Return the tests of a match: that it was played to its end, the sequential test, and, if strict, the faults.

    One of them fails wherever the exit status of the command is not 0.
    """
    rows, test = now.tally.rows(), setup.test
    shown = "\n".join([*table(now, test), *fault_lines(rows)])
    faults = {"the match is played to its end": "" if now.is_complete else f"{now.line} played"}
    if test is not None:
        name = f"{rows[0].name} is stronger than {rows[1].name} (SPRT {test.elo0:g} to {test.elo1:g} Elo)"
        faults[name] = "" if now.tally.pairs.decision is Decision.H1 else test_line(now.tally, test, setup.names)
    if strict:
        lost = number_of(len(rows[0].faults), "game")
        faults[f"{rows[0].name} loses no game by a fault"] = f"{lost} lost by a fault" if rows[0].faults else ""
    cases = [Case(name, "failed", why, shown) if why else Case(name) for name, why in faults.items()]
    return reports.junit([Suite(f"arena-bot match {' '.join(setup.names)}", cases)])
