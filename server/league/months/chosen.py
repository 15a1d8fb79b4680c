"""Reads from the database how the games of a month were chosen. What is read is the same whenever the month is over."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from server.league.accounts.accounts import Accounts
from server.league.ladder.pairing.choices import CountedSoFar, read_roster
from server.league.ladder.pairing.choosing import DROPPED_MEMORY
from server.league.months.contents import Choice, Choices, ChosenGame, DroppedGame
from server.ops.typed_json import decode

_CHOICES = """SELECT id, counted, version, file, dropped, date, roster, slots, waiting FROM ladder_choices
    WHERE id > 0 AND counted >= ? AND counted < ? ORDER BY id"""

_DROPPED = """SELECT id, match, counted, died, variant, first, second FROM ladder_dropped
    WHERE id <= ?1 AND (id > ?2 OR died AND counted > ?3) ORDER BY id"""

_CHOSEN = "SELECT choice, match, variant, opening, first, second, roster FROM {} JOIN ladder_choices c ON c.id = choice"


def choices_of(accounts: Accounts, first: int, last: int) -> Choices:
    """Return how the games of a month were chosen, by the numbers of its first and last game. Raises `BadStore`."""
    rows = accounts.rows(_CHOICES, first - 1, last)
    begins, ends = (rows[0][0], rows[-1][0]) if rows else (0, -1)
    matches: dict[int, list[int]] = defaultdict(list)
    begun, others = [], []
    for is_counted_here, (choice, *game) in _chosen(accounts, first, last, begins, rows):
        if begins <= choice <= ends:
            matches[choice].append(game[0])
            if not is_counted_here:
                others.append(ChosenGame(*game))
        elif choice > 0 and (choice < begins or not rows):
            begun.append(ChosenGame(*game))
    choices = tuple(_choice(row, matches[row[0]]) for row in rows)
    dropped = (rows[-1][4], rows[0][4], first - 1 - DROPPED_MEMORY) if rows else (-1, 0, 0)
    unkept = accounts.rows(
        "SELECT 1 FROM ladder_games WHERE number BETWEEN ? AND ? AND choice = 0 LIMIT 1", first, last
    )
    rosters = {one.roster for one in choices} | {one.roster for one in (*begun, *others)} | ({0} if unkept else set())
    return Choices(
        choices=choices,
        rosters={number: read_roster(accounts, number) for number in sorted(rosters)},
        begun=tuple(sorted(begun, key=lambda game: game.match)),
        others=tuple(sorted(others, key=lambda game: game.match)),
        dropped=tuple(
            DroppedGame(number, match, counted, bool(died), *game)
            for number, match, counted, died, *game in accounts.rows(_DROPPED, *dropped)
        ),
        counts=CountedSoFar(accounts).until(first - 1).kept(),
    )


def _choice(row: Any, matches: Sequence[int]) -> Choice:
    number, counted, version, file, dropped, date, roster, slots, waiting = row
    left = decode(waiting or "[]", type=tuple[int, ...])
    chosen = tuple(sorted(matches))
    return Choice(number, counted, version, file, dropped, date, roster, slots, chosen, left)


def _chosen(accounts: Accounts, first: int, last: int, begins: int, choices: Sequence[Any]) -> list[tuple[bool, Any]]:
    """Return the games that were running at the first choice or were chosen later, and which are counted in the month.

    Those that run are read first: a server that counts one meanwhile moves it to where it is read later.
    """
    found = {}
    ends, dropped = (choices[-1][0], choices[0][4]) if choices else (0, 0)
    if choices:
        for row in accounts.rows(f"{_CHOSEN.format('ladder_running')} WHERE choice <= ?", ends):
            found[row[1]] = False, row
        query = f"{_CHOSEN.format('ladder_dropped d')} WHERE d.id > ? AND choice <= ?"
        for row in accounts.rows(query, dropped, ends):
            found[row[1]] = False, row
        query = f"{_CHOSEN.format('ladder_games')} WHERE number > ? AND choice <= ?"
        for row in accounts.rows(query, last, ends):
            found[row[1]] = False, row
    for row in accounts.rows(f"{_CHOSEN.format('ladder_games')} WHERE number BETWEEN ? AND ?", first, last):
        found[row[1]] = True, row
    return list(found.values())
