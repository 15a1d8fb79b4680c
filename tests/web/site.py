"""A server process with pages, and players who make the moves that they are told to make."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.games.catalogue import GAMES
from engine.wire import messages as m
from server.contest.definition import Knockout, RoundRobin, Swiss
from server.contest.report import contents, files
from server.contest.report.structure import Report
from tests.server.commands.test_process import Client
from tests.server.contest.played import CONTROL
from tests.server.contest.report.samples import sample, sample_report


class Site:
    """A running server."""

    def __init__(self, folder: Path, *options: str, web_port: int = 0) -> None:
        """Start it over a data directory."""
        where = ["--port", "0", "--web", f"127.0.0.1:{web_port}", "--data", str(folder)]
        command = [sys.executable, "-P", "-m", "server", "serve", *where, *options]
        self.folder = folder
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.log = ""
        while not (found := re.search(r"ports=\[([0-9]+)\] web=\[([0-9]+)\]", self.log)):
            line = self.process.stderr.readline()
            assert line, f"the server ended: {self.log}"
            self.log += line
        self.port, self.web_port = int(found[1]), int(found[2])
        self.url = f"http://127.0.0.1:{self.web_port}"

    def stop(self) -> int:
        """Stop it in order, and return its exit status; what it has logged is in `log`."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        assert self.process.stderr is not None
        if not self.process.stderr.closed:
            with self.process.stderr:
                self.log += self.process.stderr.read()
        return self.process.wait(300)


@contextmanager
def open_site(folder: Path, *options: str, web_port: int = 0) -> Iterator[Site]:
    """Run a server with pages; it must have logged no fault when it is stopped."""
    site = Site(folder, *options, web_port=web_port)
    try:
        yield site
    finally:
        status = site.stop()
    assert status == 0 and "level=error" not in site.log, site.log


def write_reports(data: Path) -> Path:
    """Write the reports of a contest that is over, of one that is running, and of a knockout; return the directory."""
    reports = sample_report(8, RoundRobin()), sample_report(12, Swiss(5), stop=60), knockout()
    for number, report in enumerate(reports, 1):
        files.write(report, data / "contests" / str(number))
    return data


def knockout() -> Report:
    """Return the report of a knockout."""
    return contents.report(*sample(6, Knockout(tie_breaks=1, control=CONTROL), qualified=False))


class Table:
    """Two players of a match, the one that begins first."""

    def __init__(self, site: Site, game: str, options: str, names: tuple[str, str] = ("ann", "bob")) -> None:
        """Seat them, and let them be ready."""
        self.players = [Client(site.port, name) for name in names]
        first, second = self.players
        first.say(m.Seek(game, m.Text(f"{options} colour={GAMES[game].sides[0]} opponent={names[1]}")))
        first.hear(m.Seeking)
        second.say(m.Seek(game, m.Text(f"{options} opponent={names[0]}")))
        self.match: int = max(player.hear(m.Match).match for player in self.players)
        for player in self.players:
            player.say(m.Ready())
        for player in self.players:
            player.hear(m.Start)
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
