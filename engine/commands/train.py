"""``arena-engine train``: tables of patterns that explain the scores of self-play best."""

from pathlib import Path

from engine.commands.inputs import game_named, say_compiling, start_of
from engine.commands.program import Rejected, answer, say
from engine.commands.usage_errors import reason
from engine.duel.game_file import BadGames
from engine.duel.selfplay import FILE, ScoredGame, in_order
from engine.duel.training import fit, samples_of
from engine.games.catalogue import title_of, variant_title
from engine.games.interface import Kernel
from engine.search.capabilities import LOGIT
from engine.wire.words import number_of


def train(*files: Path, seed: int = 1) -> None:
    """Find the tables of patterns that explain the scores of self-play best, and print them as JSON.

    The same files and seed give the same tables. They are what a side of a duel takes as weights=FILE.

    Parameters
    ----------
    files
        Files of arena-engine selfplay with games of one variant; some hundred thousand positions are enough.
    seed
        Of the order in which positions are gone through, and of the numbers from which training begins.
    """
    if not files:
        raise Rejected("FILES: name a file of arena-engine selfplay at least")
    kernel: Kernel | None = None
    variant = ("", "")
    games: list[ScoredGame] = []
    for file in files:
        try:
            content = file.read_bytes()
            setting = FILE.setting_of(content)
            found = in_order(FILE.games_of(content))
        except BadGames as error:
            raise Rejected(f"{file}: {error}") from None
        except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
            raise Rejected(f"{file}: cannot be read: {reason(error)}") from None
        if kernel is None:
            variant = setting.game, setting.parameters
        elif variant != (setting.game, setting.parameters):
            other = variant_title(f"{setting.game} {setting.parameters}")
            raise Rejected(f"{file}: these are games of {other}, not {variant_title(' '.join(variant))}")
        start = start_of(game_named(setting.game), setting.parameters)
        kernel = start.kernel()
        games.extend(found)
    assert kernel is not None
    weights = start.game.weights
    patterns = None if weights is None else weights.patterns(start.parameters)
    if patterns is None:
        raise Rejected(f"{files[0]}: {title_of(start)} has no patterns to be trained")
    try:
        if kernel.compiled:
            say_compiling(start)
        samples = samples_of(games, kernel, patterns.entries)
        say(f"{number_of(len(samples.targets), 'position')} of {number_of(len(games), 'game')}")
        model = fit(samples, patterns.count, seed, _tell)
        answer(patterns.file(model.numbers, LOGIT).decode().rstrip())
    except (BadGames, ValueError) as error:
        raise Rejected(f"{files[0]}: {error}") from None


def _tell(epoch: int, loss: float) -> None:
    say(f"epoch {epoch}: divergence {loss:.5f} in games held out")
