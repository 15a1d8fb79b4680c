"""A match as a contest of format pairs: its players, games, openings and test, and which game comes when. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from engine.duel.openings import usual_plies
from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from engine.statistics.elo import Sprt
from server.commands.match.players import MatchPlayer
from server.contest.definition import Definition, DrawnOpenings, Entrant, Sandbox, Stage, Variant
from server.contest.fixtures import Fixture
from server.contest.formats.round_robin import Pairs, all_meetings

MAX_GAMES_AT_ONCE = 1000
"""Games at a time on a cluster, whose workers are the bound."""


class PlayerSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player, as far as its games depend on it."""

    name: str
    command: str
    """As it was written on the command line."""
    digest: str
    """SHA-256 of the files that the command names; empty where it names none."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="match"):
    """What every game of a match depends on: the text of the contest in the file of results."""

    players: tuple[PlayerSetting, ...]
    game: str
    variants: tuple[str, ...]
    """Their parameters, in canonical text."""
    budget: int
    """Milliseconds that a side has for a game."""
    increment: int
    """Milliseconds that a move adds."""
    openings: str
    """Random moves and their seed."""
    move_limit: int
    sandbox: bool
    """Whether programs are sealed."""


class MatchSetup(NamedTuple):
    """A match that can be played."""

    setting: Setting
    definition: Definition
    """The contest."""
    fixtures: tuple[Fixture, ...]
    """All games in order, both games of a pair behind each other."""
    test: Sprt | None
    """The test that ends the match, of the first player against the second; None for none."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the players, as they stand on the command line."""
        return tuple(player.name for player in self.setting.players)


def make_setup(
    players: Sequence[MatchPlayer],
    game: str,
    variants: Sequence[str],
    control: TimeControl,
    *,
    plies: int | None,
    seed: int,
    games: int,
    concurrency: int,
    move_limit: int,
    start_seconds: int,
    sandbox: Sandbox,
    test: Sprt | None,
    folder: str,
) -> MatchSetup:
    """Return a match of ``games`` games between every two players, a multiple of two for each variant.

    An opening has ``plies`` random moves, or what suits the game; ``folder`` is where programs are started that have
    none of their own. With a ``concurrency`` of 0 as many games are played at a time as a cluster has room for.
    """
    elo0, elo1 = (None, None) if test is None else (test.elo0, test.elo1)
    budget, increment = control.milliseconds
    definition = Definition(
        name="match",
        entrants=tuple(Entrant(player.name, player.command, folder=player.folder) for player in players),
        variants=tuple(
            Variant(game, parameters, drawn=DrawnOpenings(_plies(game, parameters, plies), seed))
            for parameters in variants
        ),
        stages=(Stage(Pairs(games, elo0, elo1), control),),
        move_limit=move_limit,
        time_losses=0,
        games_at_once=concurrency or MAX_GAMES_AT_ONCE,
        cores=2 * concurrency,
        folder=folder,
        start_seconds=start_seconds,
        sandbox=sandbox,
    )
    setting = Setting(
        players=tuple(PlayerSetting(player.name, player.written, player.digest) for player in players),
        game=game,
        variants=tuple(variants),
        budget=budget,
        increment=increment,
        openings=f"{'usual' if plies is None else plies} plies, seed {seed}",
        move_limit=move_limit,
        sandbox=sandbox is Sandbox.SEALED,
    )
    names = tuple(player.name for player in players)
    schedule = all_meetings(games // (2 * len(variants)), 0, names, len(variants), 1)
    return MatchSetup(setting, definition, schedule.fixtures, test)


def _plies(game: str, parameters: str, plies: int | None) -> int:
    return usual_plies(GAMES[game].start(parameters)) if plies is None else plies
