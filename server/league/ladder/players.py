"""Players of the ladder, their games and ratings: plain data."""

import msgspec


class LadderPlayer(msgspec.Struct, frozen=True):
    """Somebody who plays on the ladder: a bot, whichever version of it is active, or a level of the built-in bot."""

    name: str
    """That of the bot, or of the level, as ``alphabeta:3``."""
    owner: str
    """Its author; empty for players that belong to nobody, as levels."""
    anchor: float | None = None
    """Its rating in Elo where that is a fixed point of the scale; None for all others."""


class LadderGame(msgspec.Struct, frozen=True):
    """A game that counts."""

    number: int
    """Games count from 1, in the order in which they were counted."""
    variant: str
    """Key of the ladder's variants, as ``gipf 3 3 9 9``."""
    first: str
    """Name of the player who began."""
    second: str
    score: float
    """Of who began: 1, 0.5 or 0."""
    ended: float
    """Unix time in seconds; not before that of the game before."""


class VersionStart(msgspec.Struct, frozen=True):
    """A new version of a bot became active; its games are those with higher numbers."""

    player: str
    after: int
    """Number of the last game that had been counted by then; 0 where there was none."""


class Rating(msgspec.Struct, frozen=True):
    """Somebody's strength as of the last game, on the scale of the fixed points."""

    elo: float
    deviation: float
    """How uncertain it is: a standard deviation, in Elo; 0 for fixed points."""
    games: int = 0
    """Those of the version that is active now."""
    last: float | None = None
    """When the last of all games ended, those of earlier versions too, in Unix seconds; None where there was none."""
