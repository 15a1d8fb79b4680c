"""The index of games: a database beside the records, brought up to date a few records at a time, and its queries.

The records are the only source of the index, so a damaged index, or the index of another version, is deleted and made
anew. Each record is verified. A record that is not true has no game in the index. Changed records are read again, and
deleted records leave the index.

A search returns a page at a time with the newest games first. A profile has the results of a player.

Queries name its tables main.games, and so on: the attached database of contests has tables of the same names, and
SQLite would use those as long as a connection does not see the tables that another process has just made.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from engine.games.catalogue import GAMES
from engine.match.record import decoded
from engine.match.verification import verify
from server.contest.store.store import FILE as STORE, LADDER
from server.ops.typed_json import convert
from server.storage.database import Schema, connect, guarded, transaction
from server.storage.disk import SUFFIX
from server.web.http.request import Refused

FILE = "games.sqlite3"
"""Its name in a data directory."""

APPLICATION = 0x41524C49
"""Tells the file from databases of other programs: ARLI. Another number stands for other tables."""

MAX_BYTES = 2 * 1024 * 1024
"""A longer record has no game in the index."""

SETTLED_NS = 100_000_000
"""A later change of a folder has another time on every file system, if the last change is so old."""

TABLES = (
    # each record that was read, with the time of its file in nanoseconds and its size
    "CREATE TABLE records (match INTEGER PRIMARY KEY, changed INTEGER NOT NULL, size INTEGER NOT NULL)",
    # keys are names in lower case; times are microseconds
    """CREATE TABLE games (
        match INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        parameters TEXT NOT NULL,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        first_key TEXT NOT NULL,
        second_key TEXT NOT NULL,
        winner INTEGER CHECK (winner IN (0, 1)),
        result TEXT NOT NULL,
        reason TEXT NOT NULL,
        plies INTEGER NOT NULL,
        started TEXT NOT NULL,
        first_used INTEGER NOT NULL,
        second_used INTEGER NOT NULL
    )""",
    "CREATE INDEX by_first ON games (first_key, match)",
    "CREATE INDEX by_second ON games (second_key, match)",
    # seen: the time of the last change of the folder whose records are all here, or 0
    "CREATE TABLE state (seen INTEGER NOT NULL)",
    "INSERT INTO state VALUES (0)",
)


SCHEMA = Schema(APPLICATION, TABLES)


@contextmanager
def opened(data: Path) -> Iterator[sqlite3.Connection]:
    """Open the index of a data directory, or make it. Raises `DamagedStore` if it has to be deleted, and `BadStore`."""
    path = data / FILE
    with guarded(path), closing(connect(path, SCHEMA)) as connection:
        yield connection


def delete(data: Path) -> None:
    """Delete the index of a data directory. A process that has it open still uses the deleted file."""
    for suffix in ("-wal", "-shm", ""):  # a new file must never meet the log of an old one
        (data / f"{FILE}{suffix}").unlink(missing_ok=True)


class IndexProgress(msgspec.Struct, frozen=True):
    """How far the index is."""

    games: int
    left: int
    """Records that are still to be read."""
    complete: bool
    """Whether it has every record that stands in the folder."""


def bring_up(connection: sqlite3.Connection, data: Path, seconds: float) -> IndexProgress:
    """Index records of a data directory for some seconds, the newest first: at least one, if any is missing."""
    until = time.monotonic() + seconds
    changed = folder_changed(data)
    settled = time.time_ns() - changed > SETTLED_NS
    files = _files(data / "records")
    rows = connection.execute("SELECT match, changed, size FROM main.records")
    known = {match: (stamp, size) for match, stamp, size in rows}
    missing = sorted(match for match in files if files[match] != known.get(match))
    with transaction(connection):
        for match in known.keys() - files.keys():
            _forget(connection, match)
        while missing:
            match = missing.pop()
            _forget(connection, match)
            _index(connection, data / "records" / f"{match}{SUFFIX}", match)
            connection.execute("INSERT INTO main.records VALUES (?, ?, ?)", (match, *files[match]))
            if time.monotonic() > until:
                break
        connection.execute("UPDATE main.state SET seen = ?", (changed if settled and not missing else 0,))
    return progress(connection, data, len(missing))


def progress(connection: sqlite3.Connection, data: Path, left: int = 0) -> IndexProgress:
    """Return how far an index is; ``left`` is the number of records that are known to be missing."""
    (seen,) = connection.execute("SELECT seen FROM main.state").fetchone()
    (games,) = connection.execute("SELECT count(*) FROM main.games").fetchone()
    return IndexProgress(games, left, seen != 0 and seen == folder_changed(data))


def folder_changed(data: Path) -> int:
    """Return when a record last came or went, in nanoseconds."""
    return (data / "records").stat().st_mtime_ns


def _files(place: Path) -> dict[int, tuple[int, int]]:
    """Return the time of the last change and the size of each record, by the number of its match."""
    found = {}
    with os.scandir(place) as entries:
        for entry in entries:
            number = entry.name.removesuffix(SUFFIX)
            if number != entry.name and number.isascii() and number.isdecimal() and len(number) <= 15:
                try:
                    status = entry.stat()
                except FileNotFoundError:
                    continue
                found[int(number)] = (status.st_mtime_ns, status.st_size)
    return found


def _index(connection: sqlite3.Connection, path: Path, match: int) -> None:
    """Put the game of a record into the index, unless the record is not true or too long."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        summary = verify(decoded(content))
    except Exception:  # a fault in one record leaves the others
        return
    header = summary.header
    if len(content) > MAX_BYTES or header.match != match or not summary.result:
        return
    first, second = header.players
    row = (
        match,
        header.position.game.name,
        header.position.parameters,
        first,
        second,
        first.lower(),
        second.lower(),
        summary.winner,
        summary.result if summary.winner is None else "won",
        summary.reason,
        summary.history.plies,
        header.started,
        *summary.state.used,
    )
    connection.execute(f"INSERT INTO main.games VALUES ({', '.join('?' * len(row))})", row)


def _forget(connection: sqlite3.Connection, match: int) -> None:
    connection.execute("DELETE FROM main.records WHERE match = ?", (match,))
    connection.execute("DELETE FROM main.games WHERE match = ?", (match,))


PAGE = 50
"""Games on a page."""

NAMES = 200
"""Names of players that a page of a search suggests, at most."""


def played_by(side: str, parameter: str) -> str:
    """Return the condition that a player, or one of its further copies as ``ann.2``, had a side."""
    name = f":{parameter}"  # in ASCII, a colon follows the digits
    return f"({side}_key = {name} OR {side}_key BETWEEN {name} || '.0' AND {name} || '.:')"


RESULTS = {
    "first": "winner = 0",
    "second": "winner = 1",
    "draw": "result = 'draw'",
    "annulled": "result = 'annulled'",
    "won": f"({played_by('first', 'player')} AND winner = 0 OR {played_by('second', 'player')} AND winner = 1)",
    "lost": f"({played_by('first', 'player')} AND winner = 1 OR {played_by('second', 'player')} AND winner = 0)",
}
"""Conditions of results. ``first`` is a win of the side that began; ``won`` and ``lost`` need a player."""

COLUMNS = "match, game, parameters, first, second, winner, result, reason, plies, started, first_used, second_used"

Text = Annotated[str, msgspec.Meta(max_length=100)]
Number = Annotated[int, msgspec.Meta(ge=0, lt=10**15)]


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
    since: date | None = None
    until: date | None = None
    contest: Number | None = None
    before: Number | None = None


class ListedGame(msgspec.Struct, frozen=True, kw_only=True):
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
    started: datetime
    used: tuple[int, int]
    """Total time charged to each player, in milliseconds."""
    contest: int | None = None
    contest_name: str | None = None
    round: int | None = None


class Games(msgspec.Struct, frozen=True, kw_only=True):
    """A page of games that were found."""

    found: int
    """How many there are in the index, on this page or not."""
    games: tuple[ListedGame, ...]
    next: int | None
    """Value of ``before`` for the next page; None on the last page."""
    index: IndexProgress
    names: tuple[str, ...] = ()
    """Only on the first page: names that begin with the searched player or opponent. Without both, any names."""


CONDITIONS = {
    "player": f"({played_by('first', 'player')} OR {played_by('second', 'player')})",
    "opponent": f"({played_by('first', 'opponent')} OR {played_by('second', 'opponent')})",
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

FORMS = {
    "result": f"one of {', '.join(RESULTS)}",
    **dict.fromkeys(("since", "until"), "a date, as 2026-11-27"),
    **dict.fromkeys(("shortest", "longest", "contest", "before"), "a whole number of at most 15 digits"),
}
"""The form of each parameter of a search that is no plain text, as a sentence ends."""


def find(data: Path, connection: sqlite3.Connection, query: Mapping[str, str]) -> Games:
    """Return a page of games; raises `Refused`. docs/api.md describes the query."""
    asked = {name: text.strip().lower() for name, text in query.items() if text.strip()}
    if "variant" in asked:
        asked["variant"] = " ".join(asked["variant"].replace(",", " ").split())
    try:
        search = convert(asked, Search, strict=False)
    except msgspec.ValidationError as error:
        name = str(error).rpartition("$.")[2].removesuffix("`")
        form = FORMS.get(name, "a text of at most 100 characters")
        raise Refused(400, f"{name} is {asked[name]!r:.60}; it has to be {form}") from None
    if search.result in ("won", "lost") and search.player is None:
        raise Refused(400, f"a search for {search.result} games names a player")
    values = {name: value for name, value in msgspec.to_builtins(search).items() if value is not None}
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
    beginnings = [name for name in (search.player, search.opponent) if name is not None] or [""]
    names = _names(connection, beginnings) if search.before is None else ()
    return Games(found=found, games=games[:PAGE], next=more, index=progress(connection, data), names=names)


def _names(connection: sqlite3.Connection, beginnings: list[str]) -> tuple[str, ...]:
    """Return some names of players that begin so, and are longer."""
    found: set[str] = set()
    for beginning in beginnings:
        for side in ("first", "second"):
            rows = connection.execute(
                f"SELECT max({side}) FROM main.games WHERE {side}_key > ? AND {side}_key < ?"
                f" GROUP BY {side}_key ORDER BY {side}_key LIMIT {NAMES}",
                (beginning, beginning + chr(0x10FFFF)),
            )
            found.update(name for (name,) in rows)
    return tuple(sorted(found, key=str.lower)[:NAMES])


def attach_contests(data: Path, connection: sqlite3.Connection) -> None:
    """Attach the database of contests, which is only read, or an empty one if it has no contests yet."""
    path = data / STORE
    if path.exists():
        connection.execute("ATTACH ? AS arena", (f"{path.absolute().as_uri()}?mode=ro",))
        if connection.execute("SELECT 1 FROM arena.sqlite_schema WHERE name = 'pairings'").fetchone():
            return
        connection.execute("DETACH arena")
    connection.execute("ATTACH ':memory:' AS arena")
    connection.execute("CREATE TABLE arena.contests (id, name)")
    connection.execute("CREATE TABLE arena.pairings (contest, match, round)")


def _games(
    connection: sqlite3.Connection, where: str, values: Mapping[str, object], most: int
) -> tuple[ListedGame, ...]:
    """Return the newest games that fit, each with its contest and round, which games of the ladder lack."""
    rows = connection.execute(
        f"""WITH found AS (SELECT {COLUMNS} FROM main.games WHERE {where} ORDER BY match DESC LIMIT {most})
        SELECT found.*, contest, name, round FROM found LEFT JOIN
        (arena.pairings JOIN arena.contests ON contests.id = contest AND contest != {LADDER})
        ON pairings.match = found.match ORDER BY found.match DESC""",
        values,
    )
    return tuple(
        ListedGame(
            match=match,
            game=game,
            parameters=parameters,
            players=(first, second),
            winner=winner,
            result=result,
            reason=reason,
            plies=plies,
            started=datetime.fromisoformat(started),
            used=(first_used // 1000, second_used // 1000),
            contest=contest,
            contest_name=contest_name,
            round=number,
        )
        for match, game, parameters, first, second, winner, result, reason, plies, started, first_used, second_used,
        contest, contest_name, number in rows
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
        raise Refused(400, "say with name= who is meant")
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
        raise Refused(404, f"nobody called {name!r} has played a game here that counts")
    sides = scores("side, game", "game, side", VARIANTS)
    return {
        "name": spelt or name,
        "score": Score("", "", won, drawn, lost),
        "opponents": scores("opponent, ''", "opponent_key", OPPONENTS),
        "variants": scores("parameters, game", "game, parameters", VARIANTS),
        "colours": [msgspec.structs.replace(row, name=GAMES[row.game].sides[int(row.name)]) for row in sides],
        "causes": select("reason, count(*) FROM played WHERE winner = 1 - side GROUP BY reason ORDER BY 2 DESC"),
        "seconds_a_game": used / 1_000_000 / max(1, won + drawn + lost),
        "seconds_a_move": used / 1_000_000 / moves if moves else None,
        "recent": _games(connection, OWN, values, RECENT),
        "index": progress(connection, data),
    }
