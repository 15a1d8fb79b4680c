"""Makes the export of a month of the ladder. Only reads, but for the signing key, which is made once."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from server.contest.export.container import LADDER, BadExport
from server.contest.export.contents import json_text, record_name, signed
from server.league.accounts.accounts import Accounts
from server.league.months.chosen import choices_of
from server.league.months.contents import (
    FORMAT,
    FilePlayed,
    Known,
    Month,
    MonthGame,
    VersionPlayed,
    bounds,
    came_into_play,
)
from server.ops.typed_json import decode
from server.storage.record_store import find_record

_GAMES = """SELECT number, match, variant, opening, first, second, first_version, second_version, score, termination,
    detail, plies, failed, ended, record, first_elo, first_deviation, second_elo, second_deviation
    FROM ladder_games WHERE ended >= ? AND ended < ? ORDER BY number"""

_LAST = """SELECT number, first_elo, first_deviation FROM ladder_games WHERE first = ?1 AND number < ?2
    UNION ALL SELECT number, second_elo, second_deviation FROM ladder_games WHERE second = ?1 AND number < ?2
    ORDER BY number DESC LIMIT 1"""

_LAST_RATED = """SELECT number, ended FROM ladder_games WHERE first = ?1 AND number < ?2 AND score IS NOT NULL
    UNION ALL SELECT number, ended FROM ladder_games WHERE second = ?1 AND number < ?2 AND score IS NOT NULL
    ORDER BY number DESC LIMIT 1"""

_FILES = "SELECT after, began, definition, ratings, id FROM ladder_files ORDER BY id"

_VERSIONS = """SELECT player, version, after, began, elo, deviation, coalesce((SELECT sha256 FROM versions
    JOIN bots ON bots.id = versions.bot WHERE bots.name = player AND versions.number = version), ''), id
    FROM ladder_versions ORDER BY id"""


def export_month(data: Path, accounts: Accounts, month: str) -> bytes:
    """Return the export of a month, with the games so far where it is not over.

    Raises `BadExport` where nothing was played in it, or it is none, `BadStore` and OSError.
    """
    contents = month_of(accounts, month)
    files = {LADDER: json_text(contents)}
    for game in contents.games:
        record = find_record(data, game.match) if game.record else None
        if record is not None:  # one that is missing is named when the export is verified
            files[record_name(game.match)] = record
    return signed(data, f"the ladder in {month}", files)


def month_of(accounts: Accounts, month: str) -> Month:
    """Return a month of the ladder; raises `BadExport` and `BadStore`."""
    rows = accounts.rows(_GAMES, *bounds(month))
    if not rows:
        raise BadExport(f"no game of the ladder ended in {month}")
    first, last = rows[0][0], rows[-1][0]
    read = [
        FilePlayed(after, began, definition, decode(ratings, type=dict[str, Known]), number)
        for after, began, definition, ratings, number in accounts.rows(_FILES)
    ]
    choices = choices_of(accounts, first, last)
    at = choices.choices[0] if choices.choices else None
    earlier = [one for one in read if one.after < first and (at is None or one.id <= at.file)]
    if not earlier:
        raise BadExport(f"games of {month} were played before the database kept the ladder files that they belong to")
    files = (earlier[-1], *(one for one in read[len(earlier) :] if one.after < last))
    versions = [VersionPlayed(*row) for row in accounts.rows(_VERSIONS)]
    before = [one for one in versions if one.after < first and (at is None or one.id <= at.version)]
    versions_here = tuple(one for one in versions[len(before) :] if one.after < last)
    names = {name for row in rows for name in row[4:6]} | {one.player for one in versions_here}
    names |= {name for roster in choices.rosters.values() for name, *_ in roster.players}
    known = {name: _opening(accounts, name, first, files[0], before) for name in sorted(names)}
    return Month(
        format=FORMAT,
        month=month,
        files=files,
        opening={name: rating for name, rating in known.items() if rating is not None},
        in_play={one.player: one for one in before if one.player in names},
        versions=versions_here,
        games=tuple(_games(rows, known, came_into_play(files[1:], versions_here))),
        choices=choices,
    )


def _games(
    rows: Sequence[Any], opening: Mapping[str, Known | None], events: list[FilePlayed | VersionPlayed]
) -> Iterator[MonthGame]:
    """Yield the games of rows, with the ratings before them."""
    ratings = {name: (known.elo, known.deviation) for name, known in opening.items() if known is not None}
    for number, match, variant, opened, first, second, version, other, score, *rest in rows:
        while events and events[0].after < number:
            event = events.pop(0)
            if isinstance(event, FilePlayed):
                ratings |= {name: (known.elo, known.deviation) for name, known in event.ratings.items()}
            else:
                ratings[event.player] = event.elo, event.deviation
        termination, detail, plies, failed, ended, record, *values = rest
        after = (values[0], values[1]), (values[2], values[3])
        yield MonthGame(
            number=number,
            match=match,
            variant=variant,
            opening=opened,
            players=(first, second),
            versions=(version, other),
            score=score,
            termination=termination,
            detail=detail,
            plies=plies,
            failed=(bool(failed & 1), bool(failed & 2)),
            ended=ended,
            record=record,
            before=(ratings.get(first, after[0]), ratings.get(second, after[1])),
            after=after,
        )
        ratings[first], ratings[second] = after


def _opening(
    accounts: Accounts, name: str, first: int, file: FilePlayed, versions: Sequence[VersionPlayed]
) -> Known | None:
    """Return the rating of a player before the first game of a month, by what came before it; None for a newcomer."""
    games, rated = accounts.rows(_LAST, name, first), accounts.rows(_LAST_RATED, name, first)
    found = [((one.after, 1, one.began), one.elo, one.deviation) for one in versions if one.player == name]
    if name in file.ratings:
        found.append(((file.after, 1, file.began), file.ratings[name].elo, file.ratings[name].deviation))
    found += [((number, 0, 0.0), elo, deviation) for number, elo, deviation in games]
    if not found:
        return None
    _, elo, deviation = max(found)
    return Known(elo, deviation, rated[0][1] if rated else None)
