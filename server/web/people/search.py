"""Questions to the index of games: a search, a page at a time with the newest first, and the profile of a player."""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from engine.games.catalogue import GAMES
from server.contest.store.store import FILE as STORE
from server.ops.typed_json import convert
from server.web.http.errors import BAD_REQUEST, NOT_FOUND, Refused
from server.web.people.indexing import BUSY_SECONDS, Progress, progress

PAGE = 50
"""Games on a page."""

LONGEST_TEXT = 100
"""Characters of any one thing that is asked for."""

RESULTS = {"first": "winner = 0", "second": "winner = 1", "draw": "result = 'draw'", "annulled": "result = 'annulled'"}
"""Results as they are asked for: ``first`` is a win of the side that began. Beside them ``won`` and ``lost`` are those
of the player that is asked for."""

COLUMNS = "match, game, parameters, first, second, winner, result, reason, plies, started, first_used, second_used"


class Asked(msgspec.Struct, frozen=True):
    """A question about games of a data directory."""

    data: str
    query: dict[str, str] = {}


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


class Clause(msgspec.Struct, frozen=True):
    """A condition of SQL, and what stands for its question marks."""

    text: str
    values: tuple[str | int, ...] = ()


def find(data: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> Games:
    """Return a page of games; raises `Refused`. docs/api.md says what can be asked for."""
    clauses = conditions(asked)
    before = _number(asked, "before")
    attached = has_contests(data, connection)
    if asked.get("contest"):
        clauses.append(_of_contest(_number(asked, "contest"), attached))
    connection.execute("BEGIN")  # all that follows is of one moment; closing the connection ends it
    where, values = _joined(clauses)
    (found,) = connection.execute(f"SELECT count(*) FROM main.games{where}", values).fetchone()
    if before is not None:
        clauses.append(Clause("match < ?", (before,)))
    where, values = _joined(clauses)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM main.games{where} ORDER BY match DESC LIMIT {PAGE + 1}", values
    ).fetchall()
    games = with_contests(connection, [row_of(row) for row in rows[:PAGE]], attached)
    more = len(rows) > PAGE
    return Games(found=found, games=games, next=games[-1].match if more else None, index=progress(connection, data))


def row_of(row: tuple[object, ...]) -> Row:
    """Return a row of `COLUMNS` as a game."""
    match, game, parameters, first, second, winner, result, reason, plies, started, one, other = row
    fields = {
        "match": match,
        "game": game,
        "parameters": parameters,
        "players": (first, second),
        "winner": winner,
        "result": result,
        "reason": reason,
        "plies": plies,
        "started": started,
        "used": tuple(int(str(used)) // 1000 for used in (one, other)),
    }
    return convert(fields, Row)


def conditions(asked: Mapping[str, str]) -> list[Clause]:
    """Return what a search asks of games, contests aside; raises `Refused`."""
    for name, value in asked.items():
        if len(value) > LONGEST_TEXT:
            raise Refused(BAD_REQUEST, f"{name} has more than {LONGEST_TEXT} characters")
    found = []
    player, opponent = (asked.get(name, "").strip().lower() for name in ("player", "opponent"))
    for one, other in ((player, opponent), (opponent, player)):
        if one and (not other or one == player):
            found.append(_played_by(one, other))
            break
    found += _of_result(asked.get("result", ""), player)
    game = asked.get("game", "")
    if game:
        if game not in GAMES:
            raise Refused(BAD_REQUEST, f"there is no game {game!r}; there are {', '.join(GAMES)}")
        found.append(Clause("game = ?", (game,)))
    variant = " ".join(re.split(r"[\s,]+", asked.get("variant", "").strip()))
    if variant:
        found.append(Clause("parameters = ?", (variant,)))
    if asked.get("reason"):
        found.append(Clause("reason = ?", (asked["reason"],)))
    for name, sign in (("shortest", ">="), ("longest", "<=")):
        number = _number(asked, name)
        if number is not None:
            found.append(Clause(f"plies {sign} ?", (number,)))
    for name, sign, end in (("since", ">=", ""), ("until", "<=", "T~")):
        date = asked.get(name, "")
        if date:
            if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date):
                raise Refused(BAD_REQUEST, f"{name} is a day as 2026-11-20, not {date!r}")
            found.append(Clause(f"started {sign} ?", (date + end,)))
    return found


def _played_by(player: str, opponent: str) -> Clause:
    if not opponent:
        return Clause("(first_key = ? OR second_key = ?)", (player, player))
    both = "first_key = ? AND second_key = ?"
    return Clause(f"({both} OR {both})", (player, opponent, opponent, player))


def _of_result(result: str, player: str) -> list[Clause]:
    if not result:
        return []
    if result in RESULTS:
        return [Clause(RESULTS[result])]
    if result not in ("won", "lost"):
        raise Refused(BAD_REQUEST, f"there is no result {result!r}; there are {', '.join(RESULTS)}, won and lost")
    if not player:
        raise Refused(BAD_REQUEST, f"name a player: that is who has {result}")
    first = 0 if result == "won" else 1
    return [
        Clause(f"((first_key = ? AND winner = {first}) OR (second_key = ? AND winner = {1 - first}))", (player, player))
    ]


def _number(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name, "").strip()
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise Refused(BAD_REQUEST, f"{name} is a number of 1 to 15 digits, not {text!r}")
    return int(text)


def _joined(clauses: list[Clause]) -> tuple[str, tuple[str | int, ...]]:
    text = " AND ".join(clause.text for clause in clauses)
    return f" WHERE {text}" if text else "", tuple(value for clause in clauses for value in clause.values)


def has_contests(data: Path, connection: sqlite3.Connection) -> bool:
    """Attach the database of contests, which is only read, where there is one; tell whether there is."""
    path = data / STORE
    if not path.exists():
        return False
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
    connection.execute("ATTACH ? AS arena", (f"{path.absolute().as_uri()}?mode=ro",))
    tables = connection.execute("SELECT count(*) FROM arena.sqlite_schema WHERE name = 'pairings'").fetchone()
    return bool(tables[0])


def _of_contest(contest: int | None, attached: bool) -> Clause:
    if not attached or contest is None:
        return Clause("0")
    return Clause("match IN (SELECT match FROM arena.pairings WHERE contest = ?)", (contest,))


def with_contests(connection: sqlite3.Connection, games: list[Row], attached: bool) -> tuple[Row, ...]:
    """Return games with the contest and the round that each belongs to."""
    if not attached or not games:
        return tuple(games)
    marks = ", ".join("?" * len(games))
    rows = connection.execute(
        "SELECT match, contest, round FROM arena.pairings"
        f" WHERE contest IN (SELECT id FROM arena.contests) AND match IN ({marks})",
        [game.match for game in games],
    )
    places = {match: (contest, round_) for match, contest, round_ in rows}
    return tuple(
        msgspec.structs.replace(game, contest=places[game.match][0], round=places[game.match][1])
        if game.match in places
        else game
        for game in games
    )


RECENT, OPPONENTS, VARIANTS = 5, 50, 30
"""Last games, and opponents and variants with the most games, that are listed."""


class Score(msgspec.Struct, kw_only=True):
    """Games under some heading, annulled ones aside, from the view of the player."""

    name: str
    game: str = ""
    won: int = 0
    drawn: int = 0
    lost: int = 0


class Played(NamedTuple):
    """A game of the player, and its side in it."""

    game: Row
    side: int


Heading: TypeAlias = Callable[[Played], tuple[str, str]]
"""What a game is counted under: a name, and its game where that belongs to it."""


def profile(data: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> dict[str, Any]:
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
    return {
        "name": played[-1].game.players[played[-1].side] if played else name,
        "score": (_scores(played, lambda one: ("", ""), 1) or (Score(name=""),))[0],
        "opponents": _scores(played, lambda one: (one.game.players[1 - one.side], ""), OPPONENTS),
        "variants": _scores(played, lambda one: (one.game.parameters, one.game.game), VARIANTS),
        "colours": _scores(played, lambda one: (GAMES[one.game.game].sides[one.side], one.game.game), VARIANTS),
        "causes": tuple(Counter(one.game.reason for one in played if _result(one) == "lost").most_common()),
        "seconds_a_game": seconds / max(1, len(played)),
        "seconds_a_move": seconds / max(1, moves),
        "longest_turn": None if longest is None else (longest[1], longest[0] / 1_000_000),
        "recent": with_contests(connection, [one.game for one in played[: -RECENT - 1 : -1]], attached),
        "index": progress(connection, data),
    }


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
    return tuple(sorted(found.values(), key=lambda score: -(score.won + score.drawn + score.lost))[:most])
