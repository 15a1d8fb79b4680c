"""A server process with pages, and players who make the moves that they are told to make."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import ClassVar, TypeAlias

import msgspec

from engine.games.catalogue import start_of
from engine.games.interface import History
from engine.wire import messages as m
from server.contest.formats.meetings import RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.report import contents, files
from server.contest.report.structure import Report
from tests.server.contest.played import CONTROL
from tests.server.contest.report.samples import sample, sample_report
from tests.server.process import Client, ServerProcess, free_port, seat
from tests.web.asking import Answer, fetch


class Site(ServerProcess):
    """A running server with pages, whose processes interpret: they never wait for the compiler."""

    variables: ClassVar[Mapping[str, str]] = {"NUMBA_DISABLE_JIT": "1"}

    def __init__(
        self,
        data: Path,
        *options: str,
        web_port: int = 0,
        folder: Path | None = None,
        python: str = sys.executable,
    ) -> None:
        """Take a data directory, the folder in which it is started, and the interpreter that runs it."""
        super().__init__(
            data, *options, pages=("--web", f"127.0.0.1:{web_port or free_port()}"), folder=folder, python=python
        )

    def wait(self) -> float:
        """Wait until it lets clients and browsers in."""
        seconds = super().wait()
        found = re.search(r"web=\[([0-9]+)\]", self.log)
        assert found is not None
        self.web_port = int(found[1])
        self.url = f"http://127.0.0.1:{self.web_port}"
        return seconds

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
        """Ask for a page."""
        return fetch(
            self.web_port, method, path, body, {name.replace("_", "-"): text for name, text in headers.items()}
        )


@contextmanager
def open_site(folder: Path, *options: str, web_port: int = 0) -> Iterator[Site]:
    """Run a server with pages; it must have logged no fault when it is stopped."""
    with Site(folder, *options, web_port=web_port) as site:
        yield site
        assert site.stop() == 0
    assert "level=error" not in site.log, site.log


APART = 700_000
"""Offset that is added to the numbers of matches."""


def write_reports(data: Path) -> Path:
    """Write the reports of a contest that is over, of one that is running, and of a knockout; return the directory."""
    running = sample_report(12, Swiss(5), stop=60)
    running = msgspec.structs.replace(running, compares_versions=True)  # so that it is no contest of today
    reports = sample_report(8, RoundRobin()), running, knockout()
    for number, report in enumerate(reports, 1):
        files.write_report_files(report, data / "contests" / str(number))
    return data


def renamed(report: Report, old: str, new: str) -> Report:
    """Return a report in which an entrant has another name, wherever it stands."""
    text = msgspec.json.encode(report).replace(f'"{old}"'.encode(), f'"{new}"'.encode())
    return msgspec.json.decode(text, type=Report)


def knockout() -> Report:
    """Return the report of a knockout, whose matches have numbers that no match of a site under test comes to."""
    definition, games, now, moment = sample(6, Knockout(tie_breaks=1, control=CONTROL), qualified=False)
    apart = [game._replace(match=game.match + APART) if game.match else game for game in games]
    return contents.make_report(definition, apart, now, moment)


def random_moves(game: str, parameters: str, plies: int) -> tuple[str, ...]:
    """Return the moves of a random game that is not over after them."""
    for seed in range(100):
        chance, history = Random(seed), History.begin(start_of(game, parameters))
        while history.plies < plies and history.outcome(plies + 1) is None:
            history = history.after(chance.choice(list(history.position.children())).move)
        if history.outcome(plies + 1) is None:
            return history.moves
    raise AssertionError("no such game was found")


class Table:
    """Two players of a match, the one that begins first."""

    def __init__(self, site: Site, game: str, options: str, names: tuple[str, str] = ("ann", "bob")) -> None:
        """Seat them, and let them be ready."""
        self.players = Client(site.port, names[0]), Client(site.port, names[1])
        self.match = seat(*self.players, options, game)
        self.plies = 0

    def move(self, move: str) -> None:
        """Play a move; both are told before this returns."""
        mover = self.players[self.plies % 2]
        mover.hear(m.Turn)
        mover.say(m.Move(m.Text(move)))
        for player in self.players:
            player.hear(m.Moved)
        self.plies += 1

    def resign(self) -> None:
        """Let the first player give up."""
        self.players[0].say(m.Resign())
        for player in self.players:
            player.hear(m.Result)

    def close(self) -> None:
        """Let both go."""
        for player in self.players:
            player.close()

    def leave(self) -> None:
        """End the match where that has not happened, and let both go."""
        with suppress(OSError):  # a test may have let them go
            self.players[0].say(m.Resign())
            self.players[0].ask(m.Ping(), m.Pong)
        self.close()


Seat: TypeAlias = Callable[..., Table]
"""Seats two players at the site of all tests, as `Table` does; they leave when the test is over."""
