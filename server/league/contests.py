"""Versions of bots in contests: entered at the deadline of a contest, and compared by their authors.

A contest file may name a bot in place of a command. At the deadline of the contest the server enters the active version
of the bot, or the version that the file names. A version that came before the deadline and has steps left is waited
for. A link to the entered version lies in the contest's folder, so that its author may delete it.

A comparison is a contest between two versions of a bot, which its author begins on the page of the bot.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import trio

from engine.duel.openings import usual_plies
from engine.games.catalogue import GAMES, unknown_game
from server.contest import contest_file
from server.contest.definition import Definition, Entrant
from server.contest.fixtures import Intervention, Kind
from server.contest.programs.sandbox.seal import contest_obstacle
from server.contest.report import formatting
from server.contest.report.structure import Report
from server.contest.runtime.organiser_commands import BadIntervention, intervene
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Contest, Store
from server.league.accounts import Accounts, NotAllowed, Person
from server.league.submissions.upload import runnable
from server.league.submissions.versions import BUILD, PASSED, SERVER, Version, Versions, remove_tree
from server.ops.logs import log
from server.ops.typed_json import decode

LOOK_SECONDS = 1.0
"""Seconds between two looks for a deadline that has passed."""

ENTERED = "versions"
"""Subfolder of a contest with a folder for each entrant, which has its version."""


def check_versions(accounts: Accounts, definition: Definition, now: datetime) -> None:
    """Raise `BadContest` where a new contest has a deadline that is over, or an entrant is a bot that nobody has."""
    if definition.versions_until is not None and definition.versions_until <= now:
        until = definition.versions_until.isoformat()
        raise contest_file.BadContest(f"versions-until is {until}, which is over: name a later moment, or leave it out")
    for number, entrant in enumerate(definition.entrants, 1):
        if entrant.version_of and accounts.owner(entrant.version_of) is None:
            raise contest_file.BadContest(
                f"entrants[{number}].version-of is {entrant.version_of!r}, and no account has a bot of this name"
            )


def version_at(found: Sequence[Version], until: datetime) -> Version | None:
    """Return the version of a bot that plays after a deadline; ``found`` are all, the newest first.

    It is the active version. If that came later, it is the newest version before the deadline that has passed.
    """
    active = next((version for version in found if version.state == "active"), None)
    if active is None or active.received <= until:
        return active
    return next((version for version in found if version.state == "retired" and version.received <= until), None)


async def enter_versions(data: Path, versions: Versions, accounts: Accounts) -> None:
    """Choose the versions of all contests with a deadline that has passed, until cancelled."""
    began = datetime.now(UTC)
    while True:
        await trio.to_thread.run_sync(partial(enter_due, data, versions, accounts, datetime.now(UTC), began))
        await trio.sleep(LOOK_SECONDS)


def enter_due(data: Path, versions: Versions, accounts: Accounts, now: datetime, began: datetime) -> None:
    """Choose the versions that are due. Waits count from the moment when the server ``began``, at the earliest.

    Raises `BadStore` and OSError.
    """
    with closing(Store(data / FILE)) as store:
        for row, entrant, version, late in list(_choices(store, versions, now, began)):
            if version is None:
                asked = Intervention(0, now, Kind.WITHDRAW, entrant.name)
                what = f"{entrant.version_of} has no version that passed in time; {entrant.name} was withdrawn"
            else:
                place = (folder_of(data, row.id) / ENTERED / entrant.name).resolve()
                remove_tree(place)  # a killed server may have left it
                shutil.copytree(versions.folder(version) / BUILD, place, symlinks=True, copy_function=os.link)
                asked = Intervention(0, now, Kind.VERSION, entrant.name, command=runnable(version.command))
                asked = asked._replace(folder=str(place), version=version.number, sha256=version.sha256)
                what = f"{version.title} plays as {entrant.name}"
            with suppress(BadIntervention):  # the organiser was faster: cancelled, or the entrant withdrawn
                intervene(store, row.id, asked)
                accounts.note(SERVER, f"{row.name}: {what}{late}")
                log.info("contest_version_entered", contest=row.name, name=entrant.name, what=f"{what}{late}")


def _choices(
    store: Store, versions: Versions, now: datetime, began: datetime
) -> Iterator[tuple[Contest, Entrant, Version | None, str]]:
    """Yield contest, entrant and version where the choice is due; a clause names a version that came too late."""
    for row in store.contests():
        if row.closed is not None:
            continue
        definition = store.definition(row.id)
        until = definition.versions_until or row.opened
        waited = now >= max(until, began) + timedelta(seconds=definition.versions_wait)
        for entrant in definition.awaited_versions if until <= now else ():
            found = versions.of(entrant.version_of)
            if entrant.version:  # it plays, whichever is active and whenever it came
                found = [one for one in found if one.number == entrant.version]
            settled = not any(one.is_under_way and (entrant.version or one.received <= until) for one in found)
            if settled or waited:
                built = [one for one in found if one.state in PASSED and (versions.folder(one) / BUILD).is_dir()]
                version = next(iter(built), None) if entrant.version else version_at(built, until)
                late = "" if settled else "; another version is still under way, and was waited for in vain"
                yield row, entrant, version, late


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
    page: str
    is_over: bool
    done: int = 0
    """Games that are over."""
    summary: str = ""
    """The result so far, seen from the first version; empty before the first pair of games is over."""


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

        Raises `NotAllowed`, `BadContest` and `BadParameters`.
        """
        if not 2 <= games <= MAX_GAMES or games % 2:
            raise NotAllowed(f"a comparison has an even number of games from 2 to {MAX_GAMES}, and not {games}")
        self._accounts.check_owner(person, bot)
        first, second = (self._passed(bot, number) for number in numbers)
        if first == second:
            raise NotAllowed("two different versions of a bot are compared")
        text = _contest_text(first, second, game, parameters, games, self._now())
        definition = contest_file.read(text, str)  # it names no files
        if obstacle := contest_obstacle(definition):
            raise NotAllowed(obstacle)
        opened = f"opened the contest {definition.name}"
        with self._accounts.change(person.name, opened) as database, closing(Store(self._data / FILE)) as store:
            rows = self._accounts.rows(
                "SELECT contest FROM comparisons JOIN bots ON bots.id = bot WHERE owner = ?", person.id
            )
            if any(store.contest(number).closed is None for (number,) in rows):
                raise NotAllowed("a comparison of yours is being played; wait until it is over")
            contest = store.open_contest(text, definition, self._now())
            database.execute("INSERT INTO comparisons SELECT ?, id FROM bots WHERE name = ?", (contest, bot))
            return self._read(store.contest(contest))

    def of(self, bot: str) -> list[Comparison]:
        """Return the comparisons of a bot, the newest first."""
        rows = self._accounts.rows(
            "SELECT contest FROM comparisons JOIN bots ON bots.id = bot WHERE name = ? ORDER BY contest DESC", bot
        )
        with closing(Store(self._data / FILE)) as store:
            return [self._read(store.contest(number)) for (number,) in rows]

    def remove_programs(self) -> None:
        """Remove the copies of programs of all comparisons that are over. Raises OSError."""
        with closing(Store(self._data / FILE)) as store:
            for (number,) in self._accounts.rows("SELECT contest FROM comparisons"):
                entered = folder_of(self._data, number) / ENTERED
                if entered.exists() and store.contest(number).closed is not None:
                    remove_tree(entered)

    def _read(self, row: Contest) -> Comparison:
        """Return a comparison as its report shows it, which the server writes every few seconds."""
        path, place = folder_of(self._data, row.id) / "report.json", f"/contest/{row.id}"
        try:
            report = decode(path.read_bytes(), type=Report)
        except FileNotFoundError:
            return Comparison(row.id, row.name, place, is_over=False)
        return Comparison(row.id, row.name, place, report.state == "over", report.done, _summary(report))

    def _passed(self, bot: str, number: int) -> Version:
        version = self._versions.version(bot, number)
        if version is None or version.state not in PASSED or not (self._versions.folder(version) / BUILD).is_dir():
            raise NotAllowed(
                f"{bot} has no version {number} that has passed and is built; let it play, to have it built"
            )
        return version


def _contest_text(first: Version, second: Version, game: str, parameters: str, games: int, date: datetime) -> str:
    """Return the contest file of a comparison. Raises `NotAllowed` and `BadParameters`."""
    if game not in GAMES:
        raise NotAllowed(unknown_game(game))
    rules = GAMES[game]
    variant = rules.parameters(parameters.replace(",", " ") or rules.default_parameters)
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
    """Return the result in a sentence, seen from the first version; empty before the first pair of games is over."""
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


TIDY_SECONDS = 3600.0
"""Seconds between two removals of old files."""


async def keep_tidy(versions: Versions, comparisons: Comparisons) -> None:
    """Remove old files of versions and comparisons, now and every hour, until cancelled.

    Raises `BadStore` and OSError.
    """
    while True:
        await trio.to_thread.run_sync(versions.remove_old)
        await trio.to_thread.run_sync(comparisons.remove_programs)
        await trio.sleep(TIDY_SECONDS)
