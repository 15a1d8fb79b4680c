"""``arena-engine tune``: the weights of an evaluation that explain the games of a duel best."""

from pathlib import Path

import msgspec

from engine.commands.inputs import game_named, say_compiling, start_of, unpacked
from engine.commands.program.output import Rejected, answer, say
from engine.duel.game_file import BadGames
from engine.duel.games import Pair
from engine.duel.results import Setting, pairs_of, setting_of
from engine.duel.tuning import Fit, fit, samples_of
from engine.games.interface import BadMove
from engine.wire.words import number_of


def tune(results: Path, /) -> None:
    """Find the weights of the evaluation that explain the games of a duel best, and print them as JSON.

    Shown are those of A, from which this begins, and the new ones. The same file gives the same weights. They are what
    a side of a duel takes as weights=FILE, and the better ones only where a duel shows it.

    Parameters
    ----------
    results
        File that arena-engine duel has kept games in, compressed where its name ends in .xz; some thousands of games
        tell enough. Both sides should be about equally strong, but not the same, or each game is played twice.
    """
    setting, pairs = _games(results)
    start = start_of(game_named(setting.game), setting.parameters)
    weights = start.game.weights
    if weights is None:
        raise Rejected(f"{results}: the evaluation of {setting.game} has no weights to be tuned")
    try:
        present = weights.named(setting.a.weights)
        fixed = [name in weights.fixed for name in present]
        features = weights.features(start.parameters)
        if start.kernel().compiled:
            say_compiling(start)
        samples = samples_of(
            pairs,
            start,
            setting.opening_plies,
            start.kernel(),
            lambda state: tuple(0 if stays else ahead for stays, ahead in zip(fixed, features(state), strict=True)),
        )
        found = fit(samples, tuple(present.values()))
    except (BadMove, ValueError) as error:
        raise Rejected(f"{results}: {error}") from None
    say(f"{number_of(len(samples.results), 'quiet position')} of {2 * len(pairs)} games")
    _explain(present, found, weights.fixed)
    tuned = dict(zip(present, map(round, found.weights), strict=True)) | {name: present[name] for name in weights.fixed}
    answer(msgspec.json.format(msgspec.json.encode(tuned), indent=2).decode())


def _games(results: Path) -> tuple[Setting, list[Pair]]:
    """Return what a duel's file holds, pairs in the order of their numbers; raises `Rejected`."""
    content = unpacked(results)
    try:
        setting, pairs = setting_of(content), pairs_of(content)
    except BadGames as error:
        raise Rejected(f"{results}: {error}") from None
    return setting, sorted(pairs, key=lambda pair: pair.number)


def _explain(present: dict[str, int], found: Fit, fixed: tuple[str, ...]) -> None:
    """Tell people how sure the weights are, and how much better they explain games."""
    for (name, weight), new, margin in zip(present.items(), found.weights, found.errors, strict=True):
        if name in fixed:
            say(f"{name:10} {weight:5} stays")
        else:
            say(f"{name:10} {weight:5} -> {new:7.1f} +- {1.96 * margin:.1f}")
    say(f"log loss in pairs held out: {found.loss_before:.5f} before, {found.loss_after:.5f} after")
