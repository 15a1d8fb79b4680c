"""The comparisons in the database: who has asked for which, and what came out.

Each is a match between two versions of a bot that have passed. An author has one at a time; they are played in the
order in which they were asked for. The games of one that was stopped stay, and it goes on with the next one.
"""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from engine.games.catalogue import GAMES, unknown_game
from engine.games.interface import BadParameters
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed, Person
from server.league.submissions.versions import BUILD, COMPARISONS, SERVER, Version, Versions
from server.ops.typed_json import decode

ComparisonState = Literal["waiting", "playing", "over", "failed", "cancelled"]
"""How far a comparison has come."""

LEFT: tuple[ComparisonState, ...] = ("waiting", "playing")

RESULTS, RECORDS, REPORT, LOG = "results.jsonl", "records", "report.json", "log.txt"
"""What is in the folder of a comparison."""

MAX_DEATHS = 3
"""A comparison during which so many servers have died is played no more."""

MAX_GAMES = 100
"""Of a comparison: half an hour, where each side uses ten seconds a game."""

_COLUMNS = """comparisons.id, bots.name, one.number, other.number, people.name, asked, game, parameters, games,
    comparisons.state, comparisons.sentence, result"""


class Result(msgspec.Struct, frozen=True):
    """What came out, seen from the first version: a line of the table of ``arena-bot match --json``."""

    wins: int
    draws: int
    losses: int
    score: float
    """From 0 to 1."""
    elo: float | None = None
    elo_margin_95: float | None = None
    """Half of the 95 % interval; None as long as all pairs have ended alike."""


class Comparison(NamedTuple):
    """A match between two versions of a bot."""

    number: int
    bot: str
    first: int
    second: int
    """Numbers of the versions."""
    by: str
    """Who has asked for it."""
    asked: datetime
    game: str
    parameters: str
    games: int
    state: ComparisonState
    sentence: str
    """Why it failed; else empty."""
    result: Result | None
    """None until it is over."""

    @property
    def is_left(self) -> bool:
        """Whether games are left to play."""
        return self.state in LEFT


class Comparisons:
    """The comparisons of a data directory. Its methods may be called from any thread; all raise `BadStore`."""

    def __init__(
        self,
        data: Path,
        accounts: Accounts,
        versions: Versions,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take the accounts, whose database it shares, and the versions."""
        self._data = data
        self._accounts = accounts
        self._versions = versions
        self._now = now

    def folder(self, comparison: Comparison) -> Path:
        """Return the folder of a comparison, absolute."""
        return (self._data / COMPARISONS / str(comparison.number)).absolute()

    def games_played(self, comparison: Comparison) -> int:
        """Return how many games are over; raises OSError."""
        try:
            return max(0, (self.folder(comparison) / RESULTS).read_bytes().count(b"\n") - 1)
        except FileNotFoundError:
            return 0

    def ask(
        self, person: Person, bot: str, numbers: tuple[int, int], game: str, parameters: str, games: int
    ) -> Comparison:
        """Ask for a match between two versions of a person's bot, of a variant; without parameters the usual one.

        Raises `NotAllowed` and OSError.
        """
        variant = _variant(game, parameters)
        if not 2 <= games <= MAX_GAMES or games % 2:
            raise NotAllowed(f"a comparison has an even number of games from 2 to {MAX_GAMES}, and not {games}")
        self._versions.check_quota(person)
        with self._accounts.change() as database:
            owner = self._accounts.owner(bot)
            if owner is None or owner.id != person.id:
                raise NotAllowed(f"{person.name} has no bot {bot!r}; make it on the page /me first")
            first, second = (self._passed(bot, number) for number in numbers)
            if first.id == second.id:
                raise NotAllowed("two different versions of a bot are compared")
            if self._rows(f"WHERE people.id = ? AND comparisons.state IN {LEFT}", person.id):
                raise NotAllowed("a comparison of yours is being played, or waits; wait until it is over, or cancel it")
            added = database.execute(
                """INSERT INTO comparisons (first, second, person, asked, game, parameters, games, state, sentence)
                VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', '')""",
                (first.id, second.id, person.id, self._now().isoformat(), game, variant, games),
            ).lastrowid
            what = f"versions {first.number} and {second.number} of {first.bot}"
            self._accounts.log(database, person.name, f"asked for a comparison of {what}")
        return self._rows("WHERE comparisons.id = ?", added)[0]

    def next(self) -> Comparison | None:
        """Return the comparison whose turn it is: one that has begun, else the one that waits longest."""
        rows = self._rows(
            f"WHERE comparisons.state IN {LEFT} ORDER BY comparisons.state = 'waiting', comparisons.id LIMIT 1"
        )
        return rows[0] if rows else None

    def left(self) -> list[Comparison]:
        """Return all that are being played or wait, in order."""
        return self._rows(f"WHERE comparisons.state IN {LEFT} ORDER BY comparisons.state = 'waiting', comparisons.id")

    def all(self) -> list[Comparison]:
        """Return the comparisons of all bots, the oldest first."""
        return self._rows("ORDER BY comparisons.id")

    def of(self, bot: str) -> list[Comparison]:
        """Return the comparisons of a bot, the newest first."""
        return self._rows("WHERE bots.name = ? ORDER BY comparisons.id DESC", bot)

    def comparison(self, bot: str, number: int) -> Comparison | None:
        """Return a comparison of a bot."""
        rows = self._rows("WHERE bots.name = ? AND comparisons.id = ?", bot, number)
        return rows[0] if rows else None

    def begin(self, comparison: Comparison) -> None:
        """Note that a comparison is being played, until `stop`."""
        self._change(comparison, "playing", "", None)
        self._set_under_way(comparison, True)

    def stop(self, comparison: Comparison) -> None:
        """Note that a comparison is not being played at the moment: it was ended or stopped in order."""
        self._set_under_way(comparison, False)

    def note_deaths(self) -> list[Comparison]:
        """Count the death of a server for what was being played then; return what it has died of too often.

        That is played no more. To be called when a server starts.
        """
        rows = self._rows(f"WHERE under_way AND comparisons.state IN {LEFT}")
        with self._accounts.change() as database:
            database.execute("UPDATE comparisons SET deaths = deaths + under_way, under_way = 0 WHERE under_way")
        fatal = {
            number for (number,) in self._accounts.rows(f"SELECT id FROM comparisons WHERE deaths >= {MAX_DEATHS}")
        }
        given_up = [one for one in rows if one.number in fatal]
        for one in given_up:
            self.fail(one, f"the server has died {MAX_DEATHS} times while it was played")
            what = f"set comparison {one.number} of {one.bot} aside: {MAX_DEATHS} servers have died during it"
            self._accounts.note(SERVER, what)
        return given_up

    def _set_under_way(self, comparison: Comparison, under_way: bool) -> None:
        with self._accounts.change() as database:
            database.execute("UPDATE comparisons SET under_way = ? WHERE id = ?", (under_way, comparison.number))

    def end(self, comparison: Comparison, result: Result) -> None:
        """Note what came out."""
        self._change(comparison, "over", "", result)

    def fail(self, comparison: Comparison, sentence: str) -> None:
        """Note why a comparison cannot be played."""
        self._change(comparison, "failed", sentence, None)

    def cancel(self, comparison: Comparison, by: str) -> None:
        """Play no more games of a comparison; those that were played stay. Raises `NotAllowed`."""
        if not comparison.is_left:
            raise NotAllowed(f"comparison {comparison.number} is not being played, and does not wait")
        self._change(comparison, "cancelled", "", None)
        with self._accounts.change() as database:
            self._accounts.log(database, by, f"cancelled comparison {comparison.number} of {comparison.bot}")

    def delete_records(self, comparison: Comparison, by: str) -> None:
        """Delete the files of a comparison that has nothing left to play; the result stays.

        Raises `NotAllowed` and OSError.
        """
        if comparison.is_left:
            raise NotAllowed(f"comparison {comparison.number} has games left to play; cancel it first")
        folder = self.folder(comparison)
        if folder.exists():
            shutil.rmtree(folder)
            self._accounts.note(by, f"deleted the records of comparison {comparison.number} of {comparison.bot}")

    def _change(self, comparison: Comparison, state: ComparisonState, sentence: str, result: Result | None) -> None:
        """Change what is left to play; what was cancelled meanwhile stays that."""
        text = None if result is None else msgspec.json.encode(result).decode()
        with self._accounts.change() as database:
            database.execute(
                f"UPDATE comparisons SET state = ?, sentence = ?, result = ? WHERE id = ? AND state IN {LEFT}",
                (state, sentence, text, comparison.number),
            )

    def _passed(self, bot: str, number: int) -> Version:
        version = self._versions.version(bot, number)
        if version is None:
            raise NotAllowed(f"{bot} has no version {number}")
        if version.state not in ("active", "retired"):
            raise NotAllowed(f"version {number} of {bot} has not passed, or was deleted")
        if not (self._versions.folder(version) / BUILD).is_dir():
            raise NotAllowed(f"what was built of version {number} of {bot} is gone; let it play, and it is built again")
        return version

    def _rows(self, rest: str, *values: Any) -> list[Comparison]:
        query = f"""SELECT {_COLUMNS} FROM comparisons JOIN versions AS one ON one.id = first
            JOIN versions AS other ON other.id = second JOIN bots ON bots.id = one.bot
            JOIN people ON people.id = person {rest}"""
        return [_comparison(*row) for row in self._accounts.rows(query, *values)]


def _comparison(number: int, bot: str, first: int, second: int, by: str, asked: str, *rest: Any) -> Comparison:
    game, parameters, games, state, sentence, result = rest
    found = None if result is None else decode(result, type=Result)
    date = datetime.fromisoformat(asked)
    return Comparison(number, bot, first, second, by, date, game, parameters, games, state, sentence, found)


def _variant(game: str, parameters: str) -> str:
    """Return the parameters of a variant in canonical text; raises `NotAllowed`."""
    if game not in GAMES:
        raise NotAllowed(unknown_game(game))
    rules = GAMES[game]
    try:
        found = rules.parameters(parameters.replace(",", " ") or rules.default_parameters)
    except BadParameters as error:
        raise NotAllowed(f"the variant: {error}") from None
    if rules.start(found).verdict() is not None:
        raise NotAllowed(f"{game} {found} is over before it begins")
    return found
