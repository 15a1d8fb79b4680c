"""A match as a game of a contest: its round, and the other games of the same two entrants."""

import msgspec


class Listed(msgspec.Struct, frozen=True):
    """A game of a report, as far as it is needed here."""

    match: int | None
    stage: int
    round: int
    opening: int
    first: str
    second: str


class Listing(msgspec.Struct, frozen=True):
    """The games of a report, in its order."""

    name: str
    games: tuple[Listed, ...]


class GameOfContest(msgspec.Struct, frozen=True, kw_only=True):
    """Where a match belongs."""

    contest: int
    name: str
    """Of the contest."""
    stage: int
    """From 1; 0 is the qualification."""
    round: int
    opening: int
    place: int
    """Among the games that these two have played in the contest, from 1."""
    count: int
    previous: int | None
    """Number of the match before this one, by the same two; None where it is the first."""
    next: int | None


def game_of_contest(listing: Listing, contest: int, match: int) -> GameOfContest:
    """Return where a match belongs that is among the games of a contest."""
    game = next(game for game in listing.games if game.match == match)
    players = {game.first, game.second}
    met = sorted(
        other.match for other in listing.games if other.match is not None and {other.first, other.second} == players
    )
    at = met.index(match)
    return GameOfContest(
        contest=contest,
        name=listing.name,
        stage=game.stage,
        round=game.round,
        opening=game.opening,
        place=at + 1,
        count=len(met),
        previous=met[at - 1] if at else None,
        next=met[at + 1] if at + 1 < len(met) else None,
    )
