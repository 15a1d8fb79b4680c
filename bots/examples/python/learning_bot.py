"""A bot that learns by playing itself what a position is worth, and then plays on the server.

    python learning_bot.py train gipf "3 3 9 9"     some seconds: writes learned.json
    python learning_bot.py                          plays with it

The value of a position is a sum of features, each times a weight, brought between -1, a loss, and 1, a win. After each
move the value of the position before is moved towards that of the one that play has led to: temporal-difference
learning, TD(0), of positions after a move (Sutton and Barto, Reinforcement Learning, 2nd edition, 6.8 and 9.3), with
steps divided by the square of the features' length. It works in every game and variant. To learn more, change
`features`.
"""

import json
import sys
from pathlib import Path
from random import Random

import numpy
from numpy.typing import NDArray

from bots.client import play
from bots.client.run import Bot, Clocks
from engine.games.catalogue import GAMES, start_of, unknown_game
from engine.games.history import History
from engine.games.interface import BadParameters, Position, Successor

LEARNED = Path("learned.json")

GAMES_TO_LEARN = 200
STEP = 0.3
"""By how much of the difference a value is moved, or nearly so."""
EXPLORED = 0.1
"""The part of the moves that are made at random while learning."""
MOVE_LIMIT = 200
"""A game of learning is a draw after so many moves."""

Weights = NDArray[numpy.float64]


def features(position: Position, side: int) -> list[float]:
    """Return what may matter to a side that has just moved, of itself and then of the other one, as `names_of` says."""
    found = [1.0]
    for each in (side, 1 - side):
        counts = [
            len(position.pieces[each]),
            position.reserves[each],
            position.captured[each],
            len(position.threats[each]),
            position.mobility[each],
            *position.lines[each],
        ]
        found += [count / 10 for count in counts]
    return found


def names_of(position: Position) -> list[str]:
    """Name the features of a variant."""
    lines = [f"lines of {count}" for count in range(len(position.lines[0]))]
    counts = ["pieces", "reserves", "captured", "threats", "mobility", *lines]
    return ["any position", *(f"{who} {name}" for who in ("own", "other") for name in counts)]


def value(weights: Weights, position: Position, side: int) -> float:
    """Return what a position is worth to a side, from -1 to 1."""
    outcome = position.verdict()
    if outcome is not None:
        return 0.0 if outcome.winner is None else 1.0 if outcome.winner == side else -1.0
    return float(numpy.tanh(weights @ features(position, side)))


def best(weights: Weights, position: Position, chance: Random) -> tuple[float, Successor]:
    """Return the move to the position of the greatest value, and that value; among equals a random one."""
    rated = [(value(weights, after.position, position.turn), chance.random(), after) for after in position.successors()]
    worth, _, after = max(rated, key=lambda each: each[:2])
    return worth, after


def train(start: Position, games: int, seed: int) -> Weights:
    """Play games against itself, and return the weights that it has learned. The same seed learns the same."""
    weights, chance = numpy.zeros(len(features(start, 0))), Random(seed)
    for _ in range(games):
        history = History.begin(start)
        seen, side = features(start, 0), start.turn
        while (outcome := history.verdict(MOVE_LIMIT)) is None:
            worth, after = best(weights, history.position, chance)
            if history.moves:
                _learn(weights, seen, -worth)  # what is good for one side is bad for the other
            if chance.random() < EXPLORED:
                after = chance.choice(list(history.position.successors()))
            side = history.position.turn
            history = history.after(after.move)
            seen = features(history.position, side)
        _learn(weights, seen, 0.0 if outcome.winner is None else 1.0 if outcome.winner == side else -1.0)
    return weights


def _learn(weights: Weights, seen: list[float], target: float) -> None:
    """Move the value of features towards a target."""
    found = numpy.array(seen)
    weights += STEP * (target - numpy.tanh(weights @ found)) * found / (found @ found)


class LearnedBot(Bot):
    """Plays the move that weights like best."""

    def __init__(self, weights: Weights, seed: int | None = None) -> None:
        """Take the weights; the seed chooses among moves of the same value."""
        self.weights, self.chance = weights, Random(seed)

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Look one move ahead."""
        return best(self.weights, position, self.chance)[1].move


def main(words: list[str]) -> None:
    """Learn a game, or play what was learned."""
    if words[:1] == ["train"] and len(words) > 1:
        if words[1] not in GAMES:
            sys.exit(unknown_game(words[1]))
        try:
            start = start_of(words[1], " ".join(words[2:]))
        except BadParameters as error:
            sys.exit(str(error))
        weights = train(start, GAMES_TO_LEARN, seed=1)
        named = dict(zip(names_of(start), weights.round(3).tolist(), strict=True))
        learned = {"game": start.game.name, "params": start.parameters, "weights": named}
        LEARNED.write_text(json.dumps(learned, indent=2) + "\n", encoding="utf-8")
        print(f"{LEARNED}: {named}")
    elif not words and LEARNED.exists():
        learned = json.loads(LEARNED.read_text(encoding="utf-8"))
        bot = LearnedBot(numpy.array(list(learned["weights"].values())))
        play(bot, game=learned["game"], params=learned["params"])
    else:
        sys.exit('first: python learning_bot.py train GAME "PARAMETERS"; then: python learning_bot.py')


if __name__ == "__main__":
    main(sys.argv[1:])
