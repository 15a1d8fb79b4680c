"""What learning programs get: what the bot that learns has learned, actions a second, moves of records a second."""

import resource
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter

import numpy

from bots.bot import Clocks
from bots.examples.python.learning_bot import GAMES_TO_LEARN, LearnedBot, Weights, features, train
from bots.random_bot import RandomBot
from bots.workbench.learning.episode import Episode
from engine.cli import run as engine_command
from engine.games.catalogue import start_of
from engine.games.history import History
from engine.games.interface import Position, moves
from tests.engine.records import Table

VARIANTS = (("gipf", "3 3 9 9"), ("gipf", "4 4 15 15"), ("arrows", "8 8"), ("mnk", "5 5 4"), ("morris", ""))

GAMES = 200

ACTIONS = 2000

RECORDS = (100, 1000)

CLOCKS = Clocks(60_000, 60_000, 0)


def run() -> None:
    """Print a line for each variant, and one for each number of records."""
    for game, parameters in VARIANTS:
        start = start_of(game, parameters)
        before = points(numpy.zeros(len(features(start, 0))), start)
        began = perf_counter()
        weights = train(start, GAMES_TO_LEARN, seed=1)
        learned = perf_counter() - began
        print(
            f"learning: {game} {parameters}: {points(weights, start):5.1f} of {GAMES} against random moves, before "
            f"{before:.1f}; learned in {learned:.1f} s; {_actions_a_second(game, parameters):.0f} actions a second"
        )
    for count in RECORDS:
        print(_export(count))


def points(weights: Weights, start: Position, games: int = GAMES) -> float:
    """Return what the bot wins against random moves in games in which it begins, and does not, in turn."""
    learned, random, total = LearnedBot(weights, seed=1), RandomBot(2), 0.0
    for number in range(games):
        history = History.begin(start)
        while (outcome := history.verdict(300)) is None:
            bot = learned if history.position.turn == number % 2 else random
            history = history.after(bot.choose(history.position, CLOCKS))
        total += 0.5 if outcome.winner is None else outcome.winner == number % 2
    return total


def _actions_a_second(game: str, parameters: str) -> float:
    """Return how many random actions are made a second, each with its mask and observation."""
    begin, chance = Episode.begin(game, parameters), Random(1)
    episode, began = begin, perf_counter()
    for _ in range(ACTIONS):
        episode.observe(episode.turn)
        episode.mask()
        episode = episode.after(chance.choice(episode.legal))
        if not episode.legal:
            episode = begin
    return ACTIONS / (perf_counter() - began)


def _export(count: int) -> str:
    """Export that many records of random games of GIPF; return how fast, and what memory this process has used."""
    chance = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        written = 0
        for number in range(count):
            table = Table("gipf", "4 4 15 15", limit=200).ready()
            while "\nresult " not in table.text[-300:]:
                table.play(chance.choice(moves(table.state.history.position)), span=1)
            written += table.state.history.plies
            (Path(folder) / f"{number}.txt").write_text(table.text, encoding="utf-8")
        began = perf_counter()
        engine_command(["export", folder, "--output", f"{folder}/moves.ndjson"])
        took = perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"learning: {count} records exported at {written / took:.0f} moves a second; {peak:.0f} MB at most so far"
