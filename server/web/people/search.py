"""Questions to the index of games: a search, a page at a time with the newest first, and the profile of a player."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from engine.games.catalogue import GAMES
from server.contest.store.store import FILE as STORE
from server.ops.typed_json import convert
from server.web.http.errors import BAD_REQUEST, NOT_FOUND, Refused
from server.web.people.indexing import BUSY_SECONDS, Progress, progress

PAGE = 50
"""Games on a page."""

RESULTS = {
    "first": "winner = 0",
    "second": "winner = 1",
    "draw": "result = 'draw'",
    "annulled": "result = 'annulled'",
    "won": "(first_key = :player AND winner = 0 OR second_key = :player AND winner = 1)",
    "lost": "(first_key = :player AND winner = 1 OR second_key = :player AND winner = 0)",
}
"""Conditions of results. ``first`` is a win of the side that began; ``won`` and ``lost`` need a player."""

COLUMNS = "match, game, parameters, first, second, winner, result, reason, plies, started, first_used, second_used"

Text = Annotated[str, Meta(max_length=100)]
Number = Annotated[int, Meta(ge=0, lt=10**15)]
Day = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


class Asked(msgspec.Struct, frozen=True):
    """A question about games of a data directory."""

    data: str
    query: dict[str, str] = {}


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a search; docs/api.md describes them."""

    player: Text | None = None
    opponent: Text | None = None
    result: Literal["first", "second", "draw", "annulled", "won", "lost"] | None = None
    game: Text | None = None
    variant: Text | None = None
    reason: Text | None = None
    shortest: Number | None = None
    longest: Number | None = None
    since: Day | None = None
    until: Day | None = None
    contest: Number | None = None
    before: Number | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A game in a list."""

    match: int
    game: str
    parameters: str
    players: tuple[str, str]
    winner: int | None
    result: str
    """won, draw or annulled."""
    reason: str
    plies: int
    started: str
    used: tuple[int, int]
    """What the clocks of both were charged in all, in milliseconds."""
    contest: int | None = None
    round: int | None = None


class Games(msgspec.Struct, frozen=True, kw_only=True):
    """A page of games that were found."""

    found: int
    """How many there are in the index, on this page or not."""
    games: tuple[Row, ...]
    next: int | None
    """What to ask for as ``before`` to have the next page; None on the last one."""
    index: Progress


CONDITIONS = {
    "player": "(first_key = :player OR second_key = :player)",
    "opponent": "(first_key = :opponent OR second_key = :opponent)",
    "game": "game = :game",
    "variant": "parameters = :variant",
    "reason": "reason = :reason",
    "shortest": "plies >= :shortest",
    "longest": "plies <= :longest",
    "since": "started >= :since",
    "until": "started <= :until || 'T~'",
    "contest": "match IN (SELECT match FROM arena.pairings WHERE contest = :contest)",
    "before": "match < :before",
}
"""The condition of SQL for each parameter of a search but its result."""


def find(data: Path, connection: sqlite3.Connection, query: Mapping[str, str]) -> Games:
    """Return a page of games; raises `Refused`. docs/api.md describes the query."""
    asked = {name: text.strip() for name, text in query.items() if text.strip()}
    for name in ("player", "opponent"):
        if name in asked:
            asked[name] = asked[name].lower()
    if "variant" in asked:
        asked["variant"] = " ".join(asked["variant"].replace(",", " ").split())
    try:
        search = convert(asked, Search, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(BAD_REQUEST, f"the search cannot be read: {error}") from None
    if search.result in ("won", "lost") and search.player is None:
        raise Refused(BAD_REQUEST, f"a search for {search.result} games names a player")
    values = {name: value for name, value in msgspec.structs.asdict(search).items() if value is not None}
    conditions = [CONDITIONS[name] for name in values if name not in ("result", "before")]
    if search.result is not None:
        conditions.append(RESULTS[search.result])
    attach_contests(data, connection)
    connection.execute("BEGIN")  # all that follows is of one moment; closing the connection ends it
    where = " AND ".join(["TRUE", *conditions])
    (found,) = connection.execute(f"SELECT count(*) FROM main.games WHERE {where}", values).fetchone()
    if search.before is not None:
        where += f" AND {CONDITIONS['before']}"
    games = _games(connection, where, values, PAGE + 1)
    more = games[PAGE - 1].match if len(games) > PAGE else None
    return Games(found=found, games=games[:PAGE], next=more, index=progress(connection, data))


def attach_contests(data: Path, connection: sqlite3.Connection) -> None:
    """Attach the database of contests, which is only read, or an empty one if it has no contests yet."""
    path = data / STORE
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
    if path.exists():
        connection.execute("ATTACH ? AS arena", (f"{path.absolute().as_uri()}?mode=ro",))
        if connection.execute("SELECT 1 FROM arena.sqlite_schema WHERE name = 'pairings'").fetchone():
            return
        connection.execute("DETACH arena")
    connection.execute("ATTACH ':memory:' AS arena")
    connection.execute("CREATE TABLE arena.contests (id)")
    connection.execute("CREATE TABLE arena.pairings (contest, match, round)")


def _games(connection: sqlite3.Connection, where: str, values: Mapping[str, object], most: int) -> tuple[Row, ...]:
    """Return the newest games that fit, each with its contest and round."""
    rows = connection.execute(
        f"""WITH found AS (SELECT {COLUMNS} FROM main.games WHERE {where} ORDER BY match DESC LIMIT {most})
        SELECT found.*, contest, round FROM found LEFT JOIN arena.pairings
        ON pairings.match = found.match AND contest IN (SELECT id FROM arena.contests) ORDER BY found.match DESC""",
        values,
    )
    return tuple(
        Row(
            match=match,
            game=game,
            parameters=parameters,
            players=(first, second),
            winner=winner,
            result=result,
            reason=reason,
            plies=plies,
            started=started,
            used=(first_used // 1000, second_used // 1000),
            contest=contest,
            round=number,
        )
        for match, game, parameters, first, second, winner, result, reason, plies, started, first_used, second_used,
        contest, number in rows
    )  # fmt: skip


RECENT, OPPONENTS, VARIANTS = 5, 50, 30
"""Last games, and opponents and variants with the most games, that are listed."""

OWN = "(first_key = :player OR second_key = :player) AND result <> 'annulled'"
"""The condition of a player's games."""

PLAYED = """WITH played AS (
    SELECT match, game, parameters, reason, winner, 0 AS side, first AS name, second AS opponent,
        second_key AS opponent_key, (plies + 1) / 2 AS moves, first_used AS used
    FROM main.games WHERE first_key = :player AND result <> 'annulled'
    UNION ALL
    SELECT match, game, parameters, reason, winner, 1, second, first, first_key, plies / 2, second_used
    FROM main.games WHERE second_key = :player AND result <> 'annulled')"""
"""The games of a player, from the player's view."""

SCORE = """count(*) FILTER (WHERE winner = side), count(*) FILTER (WHERE winner IS NULL),
    count(*) FILTER (WHERE winner = 1 - side)"""


class Score(msgspec.Struct):
    """Games under some heading, annulled ones aside, from the view of the player."""

    name: str
    game: str = ""
    won: int = 0
    drawn: int = 0
    lost: int = 0


def profile(data: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the profile of the player that is asked for by ``name``; raises `Refused`."""
    name = asked.get("name", "").strip()
    if not name:
        raise Refused(BAD_REQUEST, "say with name= who is meant")
    attach_contests(data, connection)
    connection.execute("BEGIN")  # all that follows is of one moment; closing the connection ends it
    values = {"player": name.lower()}

    def select(what: str) -> list[tuple[Any, ...]]:
        return connection.execute(f"{PLAYED} SELECT {what}", values).fetchall()

    def scores(heading: str, group: str, most: int) -> list[Score]:
        rows = select(f"{heading}, {SCORE} FROM played GROUP BY {group} ORDER BY count(*) DESC LIMIT {most}")
        return [Score(*row) for row in rows]

    # SQLite takes the name from the row of the last match
    ((last, spelt, won, drawn, lost, used, moves),) = select(
        f"max(match), name, {SCORE}, ifnull(sum(used), 0), sum(moves) FROM played"
    )
    if last is None and progress(connection, data).complete:
        raise Refused(NOT_FOUND, f"nobody called {name!r} has played a game here that counts")
    sides = scores("side, game", "game, side", VARIANTS)
    return {
        "name": spelt or name,
        "score": Score("", "", won, drawn, lost),
        "opponents": scores("opponent, ''", "opponent_key", OPPONENTS),
        "variants": scores("parameters, game", "game, parameters", VARIANTS),
        "colours": [msgspec.structs.replace(row, name=GAMES[row.game].sides[int(row.name)]) for row in sides],
        "causes": select("reason, count(*) FROM played WHERE winner = 1 - side GROUP BY reason ORDER BY 2 DESC"),
        "seconds_a_game": used / 1_000_000 / max(1, won + drawn + lost),
        "seconds_a_move": used / 1_000_000 / max(1, moves or 0),
        "recent": _games(connection, OWN, values, RECENT),
        "index": progress(connection, data),
    }
