"""What a match is: its players, games, openings and test, and which game comes when. Pure, but for drawing openings.

A match is a round robin of a contest, in which every two players meet again and again: in each meeting they play a pair
of games, colours swapped, from one opening of each variant. So the first games of a match are the same ones however
many there are to be.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.duel.openings import usual_plies
from engine.duel.statistics import Sprt
from engine.games.catalogue import GAMES, variant_title
from engine.games.interface import Game
from engine.match.clock import TimeControl
from server.commands.match.players import MatchPlayer
from server.contest.definition import Definition, Entrant, RoundRobin, Sandbox, Stage, Variant
from server.contest.fixtures import Fixture
from server.contest.formats.openings import BadOpening, random_openings
from server.contest.formats.round_robin import round_robin


class Openings:
    """Openings of random moves of a variant, drawn as they are needed; after the last one comes the first again."""

    def __init__(self, game: Game, parameters: str, plies: int | None, seed: int) -> None:
        """Take the number of moves: 0 for the start alone, None for what suits the game."""
        start = game.start(parameters)
        plies = usual_plies(start) if plies is None else plies
        self._drawn = random_openings(game, parameters, plies, seed) if plies else iter([start.text()])
        self._known: list[str] = []
        self._where = variant_title(f"{game.name} {parameters}")

    def position(self, number: int) -> str:
        """Return the text of the position in which games of an opening begin, counted from 0; raises `BadOpening`."""
        self._known += islice(self._drawn, max(0, number + 1 - len(self._known)))
        if not self._known:
            raise BadOpening(f"no game of {self._where} goes on after so many random moves: --plies needs fewer")
        return self._known[number % len(self._known)]


STAGE = 0
"""A match has one stage."""


class PlayerSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player, as far as its games depend on it."""

    name: str
    command: str
    """As it was written on the command line."""
    digest: str
    """SHA-256 of the files that the command names; empty where it names none."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="match"):
    """What every game of a match depends on: the first line of its file of results."""

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
    """The match as a contest, without openings."""
    openings: Mapping[str, Openings]
    """By the parameters of the variant."""
    fixtures: tuple[Fixture, ...]
    """All games in order, both games of a pair behind each other."""
    test: Sprt | None
    """The test that ends the match, of the first player against the second; None for none."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the players, as they stand on the command line."""
        return tuple(player.name for player in self.setting.players)

    def game_definition(self, fixture: Fixture, opening: str) -> Definition:
        """Return the definition for one game, whose variant has its opening alone."""
        variants = list(self.definition.variants)
        variants[fixture.variant] = replace(variants[fixture.variant], openings=(opening,))
        return replace(self.definition, variants=tuple(variants))

    def opening(self, fixture: Fixture) -> str:
        """Return the text of the position in which a game begins; drawing it may take some milliseconds.

        Raises `server.contest.formats.openings.BadOpening`.
        """
        return self.openings[self.definition.variants[fixture.variant].parameters].position(fixture.opening)


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
    """Return a match of ``games`` games between every two players, a multiple of `games_in_meeting`.

    An opening has ``plies`` random moves, or what suits the game; ``folder`` is where programs are started that have
    none of their own.
    """
    stage = Stage(RoundRobin(games // games_in_meeting(len(variants))), control)
    definition = Definition(
        name="match",
        entrants=tuple(Entrant(player.name, player.command, folder=player.folder) for player in players),
        variants=tuple(Variant(game, parameters, ()) for parameters in variants),
        stages=(stage,),
        move_limit=move_limit,
        time_losses=0,
        cores=2 * concurrency,
        folder=folder,
        start_seconds=start_seconds,
        sandbox=sandbox,
    )
    names = tuple(player.name for player in players)
    schedule = round_robin(definition, STAGE, RoundRobin(games // games_in_meeting(len(variants))), names)
    budget, increment = control.milliseconds
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
    drawn = {parameters: Openings(GAMES[game], parameters, plies, seed) for parameters in variants}
    return MatchSetup(setting, definition, drawn, schedule.fixtures, test)


def games_in_meeting(variants: int) -> int:
    """Return how many games two players have from one opening of each variant."""
    return 2 * variants
