"""Comparisons: contests between two versions of a bot, which its author begins on the page of the bot."""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.duel.openings import usual_plies
from engine.games.catalogue import GAMES, unknown_game
from engine.games.interface import BadParameters
from server.contest import contest_file
from server.contest.contest_file import BadContest
from server.contest.interventions import Intervention, Kind
from server.contest.programs.sandbox.choice import contest_obstacle
from server.contest.report import formatting
from server.contest.report.structure import Report
from server.contest.runtime.organiser_commands import BadIntervention, intervene
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Contest, Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import NotAllowed, Person
from server.league.submissions.entering import ENTERED
from server.league.submissions.versions import Version, Versions, remove_tree
from server.ops.typed_json import decode

MAX_GAMES = 100
"""Games of a comparison: half an hour if each side uses ten seconds a game."""

BUDGET_MS = 10_000
"""Time of a side for a game, in milliseconds."""

MAX_STEM = 24
"""Characters of a bot's name in the names of entrants, which have at most 32."""


class Comparison(msgspec.Struct, frozen=True):
    """A comparison, as its page and `arena-bot compare` show it."""

    contest: int
    name: str
    is_over: bool
    done: int
    """Games that are over."""
    summary: str
    """The result so far, seen from the first version; empty before the first pair of games is over."""
    page: str


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

    def begin(
        self, person: Person, bot: str, numbers: tuple[int, int], game: str, parameters: str, games: int
    ) -> Comparison:
        """Begin a contest between two versions of a person's bot; without parameters it is of the usual variant.

        Raises `NotAllowed`.
        """
        if not 2 <= games <= MAX_GAMES or games % 2:
            raise NotAllowed(f"a comparison has an even number of games from 2 to {MAX_GAMES}, and not {games}")
        first, second = (self._passed(person, bot, number) for number in numbers)
        if first.id == second.id:
            raise NotAllowed("two different versions of a bot are compared")
        text = _contest_text(first, second, game, parameters, games, self._now())
        try:
            definition = contest_file.read(text, str)  # it names no files
        except BadContest as error:
            raise NotAllowed(str(error)) from None
        if obstacle := contest_obstacle(definition):
            raise NotAllowed(obstacle)
        with self._accounts.change() as database, closing(Store(self._data / FILE)) as store:
            rows = self._accounts.rows(
                "SELECT contest FROM comparisons JOIN bots ON bots.id = bot WHERE owner = ?", person.id
            )
            if any(store.contest(number).closed is None for (number,) in rows):
                raise NotAllowed("a comparison of yours is being played; wait until it is over, or cancel it")
            contest = store.open_contest(text, definition, self._now())
            database.execute("INSERT INTO comparisons SELECT ?, id FROM bots WHERE name = ?", (contest, bot))
            self._accounts.log(database, person.name, f"opened the contest {definition.name}")
        return Comparison(contest, definition.name, False, 0, "", f"/contest/{contest}")

    def of(self, bot: str) -> list[Comparison]:
        """Return the comparisons of a bot, the newest first."""
        rows = self._accounts.rows(
            "SELECT contest FROM comparisons JOIN bots ON bots.id = bot WHERE name = ? ORDER BY contest DESC", bot
        )
        with closing(Store(self._data / FILE)) as store:
            return [self._read(store.contest(number)) for (number,) in rows]

    def cancel(self, bot: str, contest: int, by: str) -> None:
        """End a comparison before its last game. Raises `NotAllowed`."""
        found = next((one for one in self.of(bot) if one.contest == contest), None)
        if found is None or found.is_over:
            raise NotAllowed(f"{bot} has no comparison {contest} that is being played")
        try:
            with closing(Store(self._data / FILE)) as store:
                intervene(store, contest, Intervention(0, self._now(), Kind.CANCEL))
        except BadIntervention as error:
            raise NotAllowed(str(error)) from None
        self._accounts.note(by, f"{found.name}: the contest was cancelled")

    def remove_programs(self) -> int:
        """Remove the copies of programs that comparisons used which are over. Return their number. Raises OSError."""
        removed = 0
        with closing(Store(self._data / FILE)) as store:
            for (number,) in self._accounts.rows("SELECT contest FROM comparisons"):
                entered = folder_of(self._data, number) / ENTERED
                if entered.exists() and store.contest(number).closed is not None:
                    remove_tree(entered)
                    removed += 1
        return removed

    def _read(self, row: Contest) -> Comparison:
        """Return a comparison as its report shows it, which the server writes every few seconds."""
        path, place = folder_of(self._data, row.id) / "report.json", f"/contest/{row.id}"
        try:
            report = decode(path.read_bytes(), type=Report)
        except (OSError, msgspec.DecodeError):  # not yet written, or changed by hand: the author's page shows the rest
            return Comparison(row.id, row.name, row.closed is not None, 0, "", place)
        return Comparison(row.id, row.name, report.state == "over", report.done, _summary(report), place)

    def _passed(self, person: Person, bot: str, number: int) -> Version:
        owner = self._accounts.owner(bot)
        if owner is None or owner.id != person.id:
            raise NotAllowed(f"{person.name} has no bot {bot!r}; make it on the page /me first")
        version = self._versions.version(bot, number)
        if version is None:
            raise NotAllowed(f"{bot} has no version {number}")
        if version.state not in ("active", "retired"):
            raise NotAllowed(f"version {number} of {bot} has not passed, or was deleted")
        return version


def _contest_text(first: Version, second: Version, game: str, parameters: str, games: int, date: datetime) -> str:
    """Return the contest file of a comparison. Raises `NotAllowed`."""
    if game not in GAMES:
        raise NotAllowed(unknown_game(game))
    rules = GAMES[game]
    try:
        variant = rules.parameters(parameters.replace(",", " ") or rules.default_parameters)
    except BadParameters as error:
        raise NotAllowed(f"the variant: {error}") from None
    entrants = "\n".join(
        f'[[entrants]]\nname = "{one.bot[:MAX_STEM]}.{one.number}"\nversion-of = "{one.bot}"\nversion = {one.number}'
        for one in (first, second)
    )
    name = f"{first.bot}: version {first.number} against {second.number}, {date:%Y-%m-%d %H:%M:%S}"
    return f"""name = {json.dumps(name)}
time = {{ budget = {BUDGET_MS} }}
time-losses = 0
games-at-once = 1
{entrants}
[[games]]
game = "{game}"
params = {json.dumps(variant)}
openings = {{ plies = {usual_plies(rules.start(variant))}, number = {games // 2} }}
[[stages]]
format = "round-robin"
pairs = {games // 2}
"""


def _summary(report: Report) -> str:
    """Return the result in a sentence, seen from the first version; empty until there is one."""
    if not report.comparisons or not sum(report.comparisons[0].pairs):
        return ""
    found = report.comparisons[0]
    first, swapped = report.entrants[0], found.one != report.entrants[0]
    pairs = found.pairs[::-1] if swapped else found.pairs
    elo = -found.elo if swapped else found.elo
    score = sum(points * number for points, number in enumerate(pairs)) / (4 * sum(pairs))
    sentence = f"{first} has {100 * score:.1f} % of {2 * sum(pairs)} games"
    if found.margin is None:
        return f"{sentence}; all pairs of games have ended alike, so there is no interval"
    low, high = (formatting.elo(elo + reach) for reach in (-found.margin, found.margin))
    return f"{sentence}: {formatting.elo(elo)} Elo, with 95 % between {low} and {high}"
