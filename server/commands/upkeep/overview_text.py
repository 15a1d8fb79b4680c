"""What goes on at a server, as tables for a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.games.catalogue import variant_title
from engine.wire.words import number_of
from server.contest.report.formatting import printable
from server.league.console.overview import ContestLine, LadderLine, Machine, Overview

GIGABYTE = 2**30


def render_overview(now: Overview) -> Iterator[RenderableType]:
    """Yield the parts of what is printed, in the order of the console's page."""
    if now.contests:
        yield _table(("Contest", "Opened, UTC", "State", "Games", "First"), [_contest(one) for one in now.contests])
    if now.ladder is not None:
        yield from _ladder(now.ladder)
    if now.matches:
        yield _table(
            ("Match", "Players", "Game", "Moves"),
            [
                (str(one.match), " – ".join(one.players), variant_title(f"{one.game} {one.parameters}"), str(one.plies))
                for one in now.matches
            ],
        )
    yield Text(_more(number_of(now.playing, "match", "matches") + " running", now.playing - len(now.matches)))
    if now.players:
        yield _table(
            ("Name", "State"),
            [(one.name, one.doing + (f" match {one.match}" if one.match else "")) for one in now.players],
        )
    yield Text(
        _more(f"{now.present} logged in", now.present - len(now.players))
        + f"; {number_of(now.seeking, 'player waits', 'players wait')} for an opponent"
        + f"; {number_of(now.guests, 'connection has', 'connections have')} not logged in"
    )
    yield from _machine(now.machine)
    for upload in now.uploads:
        yield Text(f"version {upload.number} of {upload.bot}: {upload.state}")


def _contest(one: ContestLine) -> tuple[str, ...]:
    state = f"over since {one.closed:%Y-%m-%d %H:%M}" if one.closed else "paused" if one.is_paused else "open"
    games, progress = "", one.progress
    if progress is not None:
        games = f"{progress.done} of {progress.known}"
        if progress.running:
            games += f", {progress.running} running"
    return one.name, f"{one.opened:%Y-%m-%d %H:%M}", state, games, "" if progress is None else progress.leader


def _ladder(ladder: LadderLine) -> Iterator[RenderableType]:
    state = f"paused since {ladder.paused}, " if ladder.paused else ""
    yield Text(f"ladder: {state}{number_of(ladder.running, 'game')} being played")
    if ladder.fault:
        yield Text(printable(f"its file is wrong, and it goes on as before: {ladder.fault}"))
    for game in ladder.set_aside:
        yield Text(printable(f"set aside, number {game.number}: {game.sentence}"))


def _machine(machine: Machine) -> Iterator[RenderableType]:
    free = f"{machine.free_bytes // GIGABYTE} GB free"
    yield Text(
        f"{machine.cores_taken} of {number_of(machine.cores, 'core')} taken by programs of contests; "
        f"{number_of(machine.processors, 'processor')}, load {machine.load:.1f}; {free}"
    )
    if machine.cluster_workers:
        workers = number_of(machine.cluster_workers, "worker")
        yield Text(f"cluster: {workers}, with room for {number_of(machine.cluster_games, 'game')}")


def _more(said: str, hidden: int) -> str:
    return f"{said}, of which {hidden} not listed" if hidden > 0 else said


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in heads:
        table.add_column(head)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return Padding(table, (0, 0, 1, 0))
