"""A choice of games, from all that it depends on. Pure: the server makes it so, and who verifies a month does again."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from server.league.ladder.definition import LadderDefinition
from server.league.ladder.pairing.counts import GameCounts
from server.league.ladder.pairing.scheduler import RULES, Pairing, next_pairings, opening
from server.league.ladder.players import LadderPlayer, Rating

DROPPED_MEMORY = 20
"""A game that was dropped since its server had died counts as if it were being played until so many more games are
counted: it is not chosen again at once, since perhaps the server has died of it."""


class Candidates(msgspec.Struct, frozen=True, array_like=True):
    """Who could be chosen, and by which rules: the same for many choices."""

    rules: int
    """`RULES` of that time."""
    players: tuple[tuple[str, str, float | None], ...]
    """Names, owners and anchors, as of `LadderPlayer`; by name."""
    barred: tuple[tuple[str, str, str], ...]
    """Variants that two players do not play against each other, and these."""

    def by_name(self) -> dict[str, LadderPlayer]:
        """Return the players by name."""
        return {name: LadderPlayer(name, owner, anchor) for name, owner, anchor in self.players}


class Known(NamedTuple):
    """What is known of a ladder when games are chosen."""

    ratings: Mapping[str, Rating]
    """Of everybody who could be chosen, not decayed."""
    counts: GameCounts
    """Of all games that were counted."""
    running: Mapping[int, Pairing]
    """The games that were chosen and are neither counted nor dropped, by the numbers of their matches."""
    dropped: Sequence[Pairing]
    """Those that `DROPPED_MEMORY` is about, in the order in which they were dropped."""


def candidates(players: Collection[LadderPlayer], barred: Collection[tuple[str, frozenset[str]]] = ()) -> Candidates:
    """Return those who can be chosen, by the rules of now."""
    known = sorted((player.name, player.owner, player.anchor) for player in players)
    return Candidates(RULES, tuple(known), tuple(sorted((variant, min(pair), max(pair)) for variant, pair in barred)))


def choose(
    definition: LadderDefinition,
    those: Candidates,
    known: Known,
    slots: int,
    date: int,
    waiting: Collection[int] = (),
) -> list[tuple[Pairing, int]]:
    """Return the next games, and the opening of each, the most urgent first; at most ``slots``.

    ``date`` is a Unix time in seconds. ``waiting`` are matches that run no more and that only a later server can count.
    """
    running = [known.running[match] for match in sorted(known.running) if match not in waiting]
    barred = [(variant, frozenset(pair)) for variant, *pair in those.barred]
    weights = {one.key: one.weight for one in definition.variants}
    chosen = next_pairings(
        those.by_name(),
        known.ratings,
        known.counts,
        running,
        weights,
        slots,
        date,
        barred=barred,
        dropped=known.dropped,
    )
    return [(pairing, opening(definition.seed, known.counts, pairing)) for pairing in chosen]
