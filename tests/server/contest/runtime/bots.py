"""Contests in an arena, with bots in the same process that play by seed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import trio

from engine.games.catalogue import GAMES
from engine.games.interface import History
from engine.wire import messages as m
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.format import Standing
from server.contest.plan import plan
from server.contest.runtime.service import ContestService
from server.contest.scoring import standings
from server.contest.store.store import FILE, Store
from server.storage.record_store import RecordStore
from tests.server.contest.played import play
from tests.server.harness import ArenaHarness, Client, open_arena
from tests.waiting import BUILD_SECONDS

SANDBOX = 'sandbox = "none"\n'
"""First line of the file of a contest that is not about sandboxes: to make a sandbox takes longer than the game."""

DICE = Path(__file__).with_name("dice.py")
"""The program that plays by seed."""


def choose_by_seed(seed: str, told: list[str], moves: tuple[str, ...]) -> str:
    """Choose by what has been played so far: the same game always goes the same way."""
    digest = sha256(" ".join((seed, *told)).encode()).digest()
    return moves[int.from_bytes(digest[:8], "big") % len(moves)]


def game_by_seed(definition: Definition, fixture: Fixture) -> tuple[GameResult, tuple[str, ...]]:
    """Return the game of two programs that play by seed, as it is without a server: its result, and its moves."""
    start = GAMES[definition.variants[fixture.variant].game].read(definition.position(fixture))
    history = History.begin(start)
    while (outcome := history.outcome(definition.move_limit)) is None:
        told, name = ["", *start.text().splitlines(), *history.moves], fixture.players[history.position.turn]
        history = history.after(choose_by_seed(name, told, tuple(history.position.legal_moves)))
    return GameResult(fixture, None, outcome.winner, outcome.reason, plies=history.plies), history.moves


def games_by_seed(definition: Definition) -> list[GameResult]:
    """Return the games of a contest of entrants that play by seed, as they are without a server."""
    return play(definition, lambda fixture: game_by_seed(definition, fixture)[0])


async def play_by_seed(harness: ArenaHarness, name: str, seek: str = "any", token: str = "") -> None:
    """Play what comes, as a bot that plays by its name; until the server closes."""
    client = await harness.connect(name, token)
    await client.say(m.Seek(seek))
    told: list[str] = []
    while (message := await client.next()) is not None:
        match message:
            case m.Match():
                told = []
            case m.Board() if not told:
                told = ["", *message.lines]
                await client.say(m.Ready())
            case m.Moved():
                told.append(message.move)
            case m.Turn():
                await client.say(m.AskMoves())
            case m.Moves():
                await client.say(m.Move(m.Text(choose_by_seed(name, told, message.lines))))
            case m.Result():
                await client.say(m.Seek(seek))


async def seeking(harness: ArenaHarness, *names: str) -> list[Client]:
    """Connect players that wait for any game."""
    clients = [await harness.connect(name) for name in names]
    for client in clients:
        await client.say(m.Seek("any"))
    return clients


@asynccontextmanager
async def running_contest(folder: Path, file: str = "", *bots: str) -> AsyncIterator[tuple[ArenaHarness, Store, int]]:
    """Hold the contest of a file, or the one that is there, in an arena over a data directory, with these bots."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(Store(folder / FILE)) as store, closing(Store(folder / FILE)) as looked_at:
        contest = store.open_contest(file, read_definition(file), datetime.now(UTC)) if file else store.contests()[0].id
        kept = store.kept_matches(RecordStore(folder).unfinished_matches())
        async with open_arena(folder, results=kept) as harness, trio.open_nursery() as nursery:
            nursery.start_soon(ContestService(harness.arena, store).run)
            for name in bots:
                nursery.start_soon(play_by_seed, harness, name)
            try:
                yield harness, looked_at, contest
            finally:
                nursery.cancel_scope.cancel()


def read_definition(file: str) -> Definition:
    return contest_file.read(file, lambda name: Path(name).read_text(encoding="utf-8"))


async def wait_until_over(store: Store, contest: int) -> list[GameResult]:
    """Wait until a contest is over, and return its games."""
    with trio.fail_after(BUILD_SECONDS):
        while all(row.closed is None for row in store.contests() if row.id == contest):
            await trio.sleep(0.01)
    return store.games(contest)


def final_table(definition: Definition, games: list[GameResult], stage: int = 0) -> list[Standing]:
    state = next(state for state in plan(definition, games).stages if state.number == stage)
    return standings(definition, stage, state.players, games, state.schedule.byes)
