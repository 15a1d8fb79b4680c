"""Openings of contests: positions that are given as text or moves, or random moves that a seed reproduces (pure)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from threading import Lock

from engine.duel.openings import openings
from engine.games.catalogue import GAMES, title_of, variant_title
from engine.games.interface import BadMove, Game, GameError, Position


class BadOpening(ValueError):
    """A position in which no game can begin. ``str(error)`` says why."""


def from_text(game: Game, parameters: str, text: str) -> str:
    """Return a position in canonical text; raises `BadOpening`."""
    try:
        position = game.read(text)
    except GameError as error:
        raise BadOpening(str(error)) from None
    if position.parameters != parameters:
        raise BadOpening(f"the position is one of {title_of(position)}, not {parameters}")
    return _begun(position)


def from_moves(game: Game, parameters: str, moves: Sequence[str]) -> str:
    """Return the position after moves from the start, in text; raises `BadOpening`."""
    position = game.start(parameters)
    for number, move in enumerate(moves, 1):
        try:
            position = position.play(move)
        except BadMove as error:
            raise BadOpening(f"move {number}, {move!r}, cannot be played: {error}") from None
    return _begun(position)


def generated(game: Game, parameters: str, plies: int, number: int, seed: int) -> tuple[str, ...]:
    """Return up to ``number`` distinct positions after ``plies`` random moves; raises `BadOpening` if there are none.

    In none of them the game is over, or can be ended by the next move.
    """
    found = tuple(islice(random_openings(game, parameters, plies, seed), number))
    if not found:
        raise BadOpening(f"no game of {variant_title(f'{game.name} {parameters}')} goes on after {plies} random moves")
    return found


def random_openings(game: Game, parameters: str, plies: int, seed: int) -> Iterator[str]:
    """Yield distinct positions after ``plies`` random moves, as `generated` returns them, until there are no more."""
    # no imbalance: no move of the side to move ends the game
    judged = openings(
        game.start(parameters),
        plies,
        seed,
        lambda position: int(any(child.position.is_over for child in position.children())),
        bound=0,
    )
    yield from (opening.position.text() for opening in judged)


@lru_cache(maxsize=16)
def _drawing(game: str, parameters: str, plies: int, seed: int) -> tuple[list[str], Iterator[str], Lock]:
    """Return the openings of a variant that were drawn so far, the next ones, and a lock for both."""
    rules = GAMES[game]
    return (
        [],
        random_openings(rules, parameters, plies, seed) if plies else iter([rules.start(parameters).text()]),
        Lock(),
    )


def drawn_opening(game: str, parameters: str, plies: int, seed: int, number: int) -> str:
    """Return the text of an opening of random moves, counted from 0; the same arguments give the same one.

    To draw it takes some milliseconds the first time. Raises `BadOpening` where there is none.
    """
    known, following, lock = _drawing(game, parameters, plies, seed)
    with lock:
        known += islice(following, max(0, number + 1 - len(known)))
    if not known:
        where = variant_title(f"{game} {parameters}")
        raise BadOpening(f"no game of {where} goes on after so many random moves: --plies needs fewer")
    return known[number % len(known)]


def _begun(position: Position) -> str:
    if (verdict := position.outcome) is not None:
        raise BadOpening(f"the game is over there: {verdict.reason}")
    return position.text()
