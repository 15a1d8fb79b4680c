"""A term in an afternoon: ``python -m tests.bench term --minutes 60``.

An organiser opens an arena in a fresh data directory, twelve authors send versions that pass and versions that are
broken, a ladder is played, and the server is killed about once a minute. Then a final of the versions that were active
at its deadline is held, graded, exported and verified. People use the commands and pages alone that README and
docs/league.md name. What is not true in the end fails the run.
"""

import random
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from server.league.ladder.definition import FixedLevel
from server.league.ladder.rating import LadderPlayer
from server.league.ladder.store import CountedGame
from tests.bench.term.people import Author, Organiser, command
from tests.bench.term.truth import check_final, check_pages, check_versions, read_report
from tests.bench.term.uploads import BROKEN, Upload, changed, good
from tests.server.league.ladder.counted import check_counted, check_nothing_left
from tests.server.ports import free_port
from tests.web.site import Site

NAMES = ("anna", "ben", "clara", "dirk", "eva", "finn", "greta", "hugo", "ida", "jan", "kim", "lea")

LEVELS = (1, 2)
"""Of the built-in bot, on the ladder."""

LADDER = """
time = { budget = 3_000, increment = 20 }
[[games]]
game = "mnk"
params = "5 5 4"
openings = { plies = 2, number = 100 }
weight = 2
[[games]]
game = "gipf"
params = "3 3 9 9"
openings = { plies = 2, number = 100 }
"""

FINAL = """
name = "Final"
versions-until = {until}
time = {{ budget = 10_000, increment = 50 }}
games = [{{ game = "mnk", params = "5 5 4", openings = {{ plies = 2, number = 50 }} }}]
stages = [{{ format = "swiss", rounds = {rounds} }}]
qualification = {{ opponents = ["random"], time = {{ budget = 10_000 }} }}
"""

RULE = """
[[points]]
for = "place"
most = 60
[[points]]
for = "score"
against = "random"
most = 40
full = 0.9
"""

END_SECONDS = 7200.0
"""After which what is waited for has failed to come."""

LOOK_SECONDS = 1.0

LARGE_MINUTES = 20.0
"""Shorter terms have fewer authors, since each version takes half a minute to be tried."""


class Term(NamedTuple):
    """How long a term is, and how large."""

    seconds: float
    """From the opening to the deadline of the final."""
    authors: int = len(NAMES)
    rounds: int = 2
    """So often each author sends a version."""
    kills: tuple[float, float] = (30.0, 90.0)
    """Seconds between two kills, at least and at most."""
    rounds_of_final: int = 4
    seed: int = 1
    uploads: tuple[Upload, ...] = ()
    """What passes; the example bots where nothing is named."""


class Found(NamedTuple):
    """What has happened in a term."""

    versions: Counter[tuple[str, str]]
    """How many of each kind ended how."""
    kills: int
    back: tuple[float, ...]
    """Seconds in which the server was there again, in order."""
    games: int
    """That the ladder counted."""
    dropped: int
    """Games of the ladder that a kill has cut off."""
    lost_by: Counter[str]
    """How games of the ladder ended."""
    final_games: int
    verdict: str
    """What was said of it."""
    pages: tuple[float, ...]
    """Milliseconds that each page took, in order."""
    grades: str


def run(minutes: float) -> None:
    """Hold a term of so many minutes until its deadline, and print what has happened."""
    rounds = max(2, min(6, round(minutes / 9)))
    large = minutes >= LARGE_MINUTES
    term = Term(60 * minutes, len(NAMES) if large else 5, rounds, rounds_of_final=5 if large else 2)
    folder = Path(tempfile.mkdtemp(prefix="term-"))
    print(f"the term is held in {folder}, which is kept if it fails", flush=True)
    found = hold(folder, term)
    shutil.rmtree(folder)
    print(table(found))


def table(found: Found) -> str:
    """Return a short table of what has happened."""
    kinds: dict[str, list[str]] = {}
    for (kind, state), number in sorted(found.versions.items()):
        kinds.setdefault(kind, []).append(f"{number} {state}")
    rows = [(f"versions: {kind}", ", ".join(states)) for kind, states in kinds.items()]
    rows += [
        ("kill -9", f"{found.kills}; back within {found.back[-1] if found.back else 0:.1f} s"),
        ("ladder", f"{found.games} games counted, none lost, none twice; {found.dropped} cut off by kills"),
        ("ends of these games", ", ".join(f"{end} {number}" for end, number in found.lost_by.most_common())),
        ("final", f"{found.final_games} games"),
        ("export", found.verdict),
        ("pages", f"{len(found.pages)} answered, the slowest in {found.pages[-1]:.0f} ms"),
    ]
    width = max(len(name) for name, _ in rows)
    told = "\n".join(f"{name:{width}}  {text}" for name, text in rows)
    return "\n\n".join((told, found.grades))


def hold(folder: Path, term: Term) -> Found:
    """Hold a term in a folder that is there, and return what has happened; raises AssertionError for what is wrong."""
    (folder / "ladder.toml").write_text(
        LADDER + "".join(f"[[levels]]\nlevel = {level}\n" for level in LEVELS), encoding="utf-8"
    )
    names = list(NAMES[: term.authors])
    with (
        Site(folder / "data", "--ladder", str(folder / "ladder.toml"), web_port=free_port()) as site,
        _kept_log(site, folder / "server.log"),
    ):
        organiser = Organiser(site)
        links = organiser.invite(names)
        authors = [Author(site, name, links[name], folder / name) for name in names]
        deadline = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=term.seconds)
        entrants = ",\n".join(f'{{ name = "{name}", version-of = "{name}" }}' for name in names)
        final = f"entrants = [{entrants}]\n" + FINAL.format(until=deadline.isoformat(), rounds=term.rounds_of_final)
        organiser.open_contest(final)
        chance = random.Random(term.seed)
        killer = Killer(site, term.kills, chance)
        passing = term.uploads or good()
        with killer.at_work():
            _send_all(authors, term, deadline)
            _wait(lambda: datetime.now(UTC) > deadline, site)
        authors[-1].submit(changed(passing[0], "too late"), by_form=True)
        _wait(lambda: read_report(site.data).get("done", 0) >= 2, site)
        killer.kill()
        organiser.announce("The final is being played")
        _wait(lambda: read_report(site.data).get("state") == "over", site)
        _wait(lambda: not any(one["is_under_way"] for author in authors for one in author.versions()), site)
        check_final(read_report(site.data), authors, deadline)
        grades = _grade(folder)
        verdict = _export(folder)
        pages = check_pages([(organiser, _public(names)), (organiser, ["/organise", "/people"])])
        for author in authors:
            own = [f"/bots/{author.name}/versions/{number + 1}" for number in range(len(author.sent))]
            pages += check_pages([(author, ["/me", f"/bots/{author.name}", *own])])
        assert site.stop() == 0
    games = killer.check()
    report = read_report(site.data)
    check_nothing_left(site.data, games, frozenset(game["match"] for game in report["games"] if game["match"]))
    assert "level=error" not in site.log, [line for line in site.log.splitlines() if "level=error" in line]
    return Found(
        check_versions(site.data, authors),
        killer.kills,
        tuple(sorted(killer.back)),
        len(games),
        site.log.count("ladder_game_dropped"),
        Counter(game.ended.termination for game in games),
        len(report["games"]),
        verdict,
        tuple(sorted(pages)),
        grades,
    )


class Killer:
    """Kills a server at random moments, and looks each time whether what was counted stands."""

    def __init__(self, site: Site, seconds: tuple[float, float], chance: random.Random) -> None:
        """Take the server, and between how many seconds the next kill comes."""
        self._site = site
        self._seconds = seconds
        self._chance = chance
        self._games: list[CountedGame] = []
        self.kills = 0
        self.back: list[float] = []
        """Seconds in which the server was there again."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Kill again and again until the context is left; what has been found wrong is raised then."""
        over = threading.Event()
        faults: list[BaseException] = []

        def work() -> None:
            try:
                while not over.wait(self._chance.uniform(*self._seconds)):
                    self._wait_for_a_moment(over)
                    status = self._site.process.poll()
                    assert status is None, f"the server has ended by itself, with status {status}"
                    self.kill()
            except BaseException as error:
                faults.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            if faults:
                raise faults[0]

    def _wait_for_a_moment(self, over: threading.Event) -> None:
        """Wait, every other time, until a game has just ended, so that it is being counted."""
        if self._chance.random() < 0.5:
            ended = self._site.logged("match_ended")
            while self._site.logged("match_ended") == ended and self._site.process.poll() is None:
                if over.wait(0.01):
                    return
            time.sleep(0.05 * self._chance.random())

    def kill(self) -> None:
        """Kill the server, look at what it has left, and start it again."""
        self._site.kill()
        self.check()
        self._site.start()
        self.back.append(self._site.wait())
        self.kills += 1

    def check(self) -> list[CountedGame]:
        """Hold what is counted against what was before; return it. The server must not be running."""
        fixed = [FixedLevel(level) for level in LEVELS]
        players = {level.name: LadderPlayer(level.name, "", level.anchor) for level in fixed}
        self._games = check_counted(self._site.data, self._games, players)
        return self._games


@contextmanager
def _kept_log(site: Site, file: Path) -> Iterator[None]:
    """Write what the server has logged into a file in the end, whatever has happened."""
    try:
        yield
    finally:
        file.write_text(site.log, encoding="utf-8")


def _send_all(authors: list[Author], term: Term, deadline: datetime) -> None:
    """Let authors send versions in turn, spread over the time until the deadline."""
    plan = [
        (author, _upload(term, place, turn), by_form)
        for turn in range(term.rounds)
        for place, author in enumerate(authors)
        for by_form in [(turn + place) % 3 == 2]
    ]
    began = datetime.now(UTC)
    for number, (author, upload, by_form) in enumerate(plan):
        due = began + (deadline - began) * (number / len(plan))
        time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
        author.submit(upload, by_form=by_form)


def _upload(term: Term, place: int, turn: int) -> Upload:
    """Return what an author sends in a turn: what passes and what does not, in turn."""
    passing = term.uploads or good()
    if turn % 2:
        return BROKEN[(place + turn // 2) % len(BROKEN)]
    return changed(passing[(place + turn // 2) % len(passing)], f"version {turn} of author {place}")


def _wait(done: Callable[[], bool], site: Site) -> None:
    end = time.monotonic() + END_SECONDS
    while not done():
        assert time.monotonic() < end, site.log[-5000:]
        time.sleep(LOOK_SECONDS)


def _grade(folder: Path) -> str:
    (folder / "rule.toml").write_text(RULE, encoding="utf-8")
    grades = command("bots", "grade", "rule.toml", "data/contests/1", "--csv", "grades.csv", folder=folder)
    assert (folder / "grades.csv").is_file()
    return grades


def _export(folder: Path) -> str:
    command("server", "contest", "export", "Final", "final.zip", "--data", "data", folder=folder)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(folder / "final.zip", elsewhere)
    return command("server", "verify", "final.zip", folder=elsewhere).splitlines()[-1]


def _public(names: list[str]) -> list[str]:
    places = [f"/ladder/{name}" for name in names] + [f"/player/{name}" for name in names]
    return ["/", "/ladder", "/ladder.json", "/contest/1", "/contest/1/live", *places]
