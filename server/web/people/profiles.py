"""What the page of a player shows: results, time used, and the last games."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from engine.games.catalogue import GAMES
from server.web.http.errors import BAD_REQUEST, NOT_FOUND, Refused
from server.web.people.indexing import Progress, progress
from server.web.people.search import COLUMNS, Row, has_contests, row_of, with_contests

RECENT, OPPONENTS, VARIANTS = 5, 50, 30
"""Last games, and opponents and variants with the most games, that are listed."""


class Score(msgspec.Struct, kw_only=True):
    """Games under some heading, annulled ones aside, from the view of the player."""

    name: str
    game: str = ""
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """How many there are."""
        return self.won + self.drawn + self.lost


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A player."""

    name: str
    score: Score
    opponents: tuple[Score, ...]
    variants: tuple[Score, ...]
    colours: tuple[Score, ...]
    causes: tuple[tuple[str, int], ...]
    """Why games were lost, and how many, the most frequent one first."""
    seconds_a_game: float
    """What was charged in a game, on average."""
    seconds_a_move: float
    longest_turn: tuple[int, float] | None
    """The match of the longest turn, and its seconds."""
    recent: tuple[Row, ...]
    index: Progress


class Played(NamedTuple):
    """A game of the player, and its side in it."""

    game: Row
    side: int


Heading: TypeAlias = Callable[[Played], tuple[str, str]]
"""What a game is counted under: a name, and its game where that belongs to it."""


def profile(data: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> Profile:
    """Return the profile of the player that is asked for by ``name``; raises `Refused`."""
    name = asked.get("name", "").strip()
    if not name:
        raise Refused(BAD_REQUEST, "say with name= who is meant")
    key = name.lower()
    attached = has_contests(data, connection)
    connection.execute("BEGIN")  # all that follows is of one moment; closing the connection ends it
    rows = connection.execute(
        f"SELECT {COLUMNS}, first_key, first_longest, second_longest FROM main.games"
        " WHERE (first_key = ?1 OR second_key = ?1) AND result <> 'annulled' ORDER BY match",
        (key,),
    ).fetchall()
    width = COLUMNS.count(",") + 1
    played = [Played(row_of(row[:width]), 0 if row[width] == key else 1) for row in rows]
    if not played and progress(connection, data).complete:
        raise _nobody(name)
    longest = max(
        ((row[width + 1 + one.side], one.game.match) for row, one in zip(rows, played, strict=True)), default=None
    )
    moves = sum((one.game.plies + 1 - one.side) // 2 for one in played)
    seconds = sum(one.game.used[one.side] for one in played) / 1000
    return Profile(
        name=played[-1].game.players[played[-1].side] if played else name,
        score=(_scores(played, lambda one: ("", ""), 1) or (Score(name=""),))[0],
        opponents=_scores(played, lambda one: (one.game.players[1 - one.side], ""), OPPONENTS),
        variants=_scores(played, lambda one: (one.game.parameters, one.game.game), VARIANTS),
        colours=_scores(played, lambda one: (GAMES[one.game.game].sides[one.side], one.game.game), VARIANTS),
        causes=tuple(Counter(one.game.reason for one in played if _result(one) == "lost").most_common()),
        seconds_a_game=seconds / max(1, len(played)),
        seconds_a_move=seconds / max(1, moves),
        longest_turn=None if longest is None else (longest[1], longest[0] / 1_000_000),
        recent=with_contests(connection, [one.game for one in played[: -RECENT - 1 : -1]], attached),
        index=progress(connection, data),
    )


def _nobody(name: str) -> Refused:
    return Refused(NOT_FOUND, f"nobody called {name!r} has played a game here that counts")


def _result(one: Played) -> str:
    if one.game.winner is None:
        return "drawn"
    return "won" if one.game.winner == one.side else "lost"


def _scores(played: Sequence[Played], heading: Heading, most: int) -> tuple[Score, ...]:
    found: dict[tuple[str, str], Score] = {}
    for one in played:
        name, game = heading(one)
        score = found.setdefault((name.lower(), game), Score(name=name, game=game))
        setattr(score, _result(one), getattr(score, _result(one)) + 1)
    return tuple(sorted(found.values(), key=lambda score: -score.games)[:most])
