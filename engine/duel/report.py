"""What the pairs of a duel come to, in words."""

from collections.abc import Iterator

from engine.duel.games import NAMES
from engine.duel.results import Tally
from engine.duel.sprt import Sprt
from engine.duel.statistics import estimate
from engine.wire.words import number_of


def progress(tally: Tally, test: Sprt) -> str:
    """Return a line on where a duel stands; nothing is estimated before the first pair."""
    words = [f"games {2 * tally.pairs}", score(tally)]
    if tally.pairs:
        words += [strength(tally), f"llr {tally.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f})"]
    return "  ".join(words)


def summary(tally: Tally) -> Iterator[str]:
    """Yield the lines at the end of a duel of at least one pair, that with the result last."""
    yield "pairs with 0 to 2 points for A, by halves: " + " ".join(map(str, tally.counts))
    yield "games ended by " + ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common())
    for name, used, lost in zip(NAMES, tally.used, tally.time_losses, strict=True):
        ms, nodes = used.ms / max(1, used.moves), used.nodes / max(1, used.moves)
        yield f"{name} used {ms:.2f} ms and {nodes:.0f} nodes a move, and lost {number_of(lost, 'game')} on time"
    yield f"result {score(tally)}  {strength(tally)}  sprt {tally.decision}"


def score(tally: Tally) -> str:
    """Return the games that A has won, drawn and lost."""
    return f"A +{tally.wins} ={tally.draws} -{tally.losses}"


def strength(tally: Tally) -> str:
    """Return how much stronger A is, with the 95 % interval, and how likely it is that A is stronger at all."""
    elo, margin, los = estimate(tally.counts)
    return f"elo {elo:.1f} +- {margin:.1f}  los {100 * los:.1f}%"
