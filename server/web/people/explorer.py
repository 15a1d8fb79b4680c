"""The opening explorer: what was played in a position, how it went, and how strong the players were."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import GameError
from server.web.http.errors import short
from server.web.people.indexing import Progress, progress
from server.web.people.positions import EXPLORED, position_key
from server.web.people.search import COLUMNS, BadQuery, Row, has_contests, row_of, with_contests

NEWEST = 10
"""Games that went on from a position that are listed."""


class Continuation(msgspec.Struct, frozen=True, kw_only=True):
    """A move that was played in a position, and how these games went for who made it."""

    move: str
    games: int
    won: int
    drawn: int
    lost: int
    rating: float | None
    """The average rating of those who made it, in Elo as on the pages of players; None where nobody is rated yet."""


class Explored(msgspec.Struct, frozen=True, kw_only=True):
    """What was played in a position."""

    moves: tuple[Continuation, ...]
    """The most frequent one first."""
    games: tuple[Row, ...]
    """Games that went on from the position, the newest first."""
    plies: int
    """So many moves of each game are in the index, both sides' counted; later positions are not found."""
    index: Progress


def explore(data: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> Explored:
    """Return what was played in a position; raises `BadQuery`.

    The position is asked for by ``game`` and ``variant`` or ``start``, a position as text, and ``moves`` from there,
    separated by commas.
    """
    key = position_key(_position(asked).position)
    rows = connection.execute(
        "SELECT move, count(*), sum(won), sum(drawn), avg(elo) FROM main.plays"
        " LEFT JOIN main.strengths USING (game, player) WHERE position = ? GROUP BY move ORDER BY count(*) DESC, move",
        (key,),
    )
    moves = tuple(
        Continuation(move=move, games=games, won=won, drawn=drawn, lost=games - won - drawn, rating=elo)
        for move, games, won, drawn, elo in rows
    )
    columns = ", ".join(f"games.{name}" for name in COLUMNS.split(", "))
    newest = connection.execute(
        f"SELECT DISTINCT {columns} FROM main.plays JOIN main.games USING (match) WHERE position = ?"
        " ORDER BY match DESC LIMIT ?",
        (key, NEWEST),
    )
    games = [row_of(row) for row in newest]
    return Explored(
        moves=moves,
        games=with_contests(connection, games, has_contests(data, connection)),
        plies=EXPLORED,
        index=progress(connection, data),
    )


def _position(asked: Mapping[str, str]) -> History:
    name, moves = asked.get("game", ""), [move for move in asked.get("moves", "").split(",") if move]
    if name not in GAMES:
        raise BadQuery(f"there is no game {short(name)!r}; there are {', '.join(GAMES)}")
    if len(moves) > EXPLORED:
        raise BadQuery(f"these are {len(moves)} moves, and positions are known after {EXPLORED} at most")
    game = GAMES[name]
    try:
        if asked.get("start"):
            history = History.begin(game.read(asked["start"]))
        else:
            history = History.begin(game.start(asked.get("variant") or game.default_parameters))
        for move in moves:
            history = history.after(move)
    except GameError as error:
        raise BadQuery(short(str(error))) from None
    return history
