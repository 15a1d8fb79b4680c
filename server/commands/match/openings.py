"""Where the games of a match begin: random moves that a seed reproduces, or positions of a file."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from engine.duel.openings import usual_plies
from engine.games.catalogue import GAMES, variant_title
from engine.games.interface import Game, GameError
from server.contest.formats.openings import BadOpening, from_moves, from_text, random_openings

MOVES = "moves:"
"""Begins an opening of a file that is moves from the start, separated by semicolons."""


class Openings:
    """The openings of a variant, drawn as they are needed; after the last one comes the first again."""

    def __init__(self, drawn: Iterator[str], where: str) -> None:
        """Take the texts of positions, without end or not; ``where`` names the variant in errors."""
        self._drawn = drawn
        self._known: list[str] = []
        self._complete = False
        self._where = where

    def position(self, number: int) -> str:
        """Return the text of the position in which games of an opening begin, counted from 0; raises `BadOpening`."""
        if not self._complete and len(self._known) <= number:
            missing = number + 1 - len(self._known)
            found = list(islice(self._drawn, missing))
            self._known += found
            self._complete = len(found) < missing
        if not self._known:
            raise BadOpening(f"no game of {self._where} goes on after so many random moves: --plies needs fewer")
        return self._known[number % len(self._known)]


def drawn_openings(game: Game, parameters: str, plies: int | None, seed: int) -> Openings:
    """Return openings of random moves, ``plies`` in number: 0 for the start alone, None for what suits the game."""
    start = game.start(parameters)
    plies = usual_plies(start) if plies is None else plies
    where = variant_title(f"{game.name} {parameters}")
    if plies == 0:
        return Openings(iter([start.text()]), where)
    return Openings(random_openings(game, parameters, plies, seed), where)


def read_openings(text: str, game: str, variants: Sequence[str]) -> Callable[[str], Openings]:
    """Read a file of openings, and return the function that gives those of a variant; raises `BadOpening`.

    Openings are separated by empty lines. Each is a position of one of the variants, or a line that begins with
    ``moves:``, for moves from the start of every variant.
    """
    rules = GAMES[game]
    found: dict[str, list[str]] = {parameters: [] for parameters in variants}
    blocks = [block for block in re.split(r"\n[ \t]*(?:\n|$)", text.replace("\r\n", "\n")) if block.strip()]
    for number, block in enumerate(blocks, 1):
        try:
            if block.strip().lower().startswith(MOVES):
                moves = [move.strip() for move in block.strip()[len(MOVES) :].split(";") if move.strip()]
                for parameters, positions in found.items():
                    positions.append(from_moves(rules, parameters, moves))
            else:
                parameters = _parameters(rules, block, variants)
                found[parameters].append(from_text(rules, parameters, f"{block}\n"))
        except BadOpening as error:
            raise BadOpening(f"opening {number}: {error}") from None
    for parameters, positions in found.items():
        if not positions:
            raise BadOpening(f"there is no opening of {variant_title(f'{game} {parameters}')}")
    return lambda parameters: Openings(iter(found[parameters]), variant_title(f"{game} {parameters}"))


def _parameters(game: Game, text: str, variants: Sequence[str]) -> str:
    """Return the variant of a position; raises `BadOpening` where it is none of the match."""
    try:
        parameters = game.read(f"{text}\n").parameters
    except GameError as error:
        raise BadOpening(str(error)) from None
    if parameters not in variants:
        known = " or ".join(variant_title(f"{game.name} {one}") for one in variants)
        raise BadOpening(f"the position is one of {variant_title(f'{game.name} {parameters}')}, not of {known}")
    return parameters
