"""What each move of a contest's games has cost, where a tablebase has the variant: kept beside the report.

The file has a line for each game. Records never change, so what is kept holds; where the file is lost it is made again.
It is made when the contest is over, and so are tablebases that are missing: nothing of it takes time from a game.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
import structlog
import trio

from engine.games.catalogue import GAMES
from engine.record.exact_cost import MoveCost
from engine.solve.tablebase import making
from server.contest.definition import Definition, Variant
from server.contest.fixtures import Finished, counted_games
from server.contest.scoring.perfect_play import GameCosts
from server.contest.store.folders import folder_of
from server.ops.typed_json import decode
from server.ops.workers.worker_process import FAULTS, ask_once

log = structlog.get_logger()

FILE = "costs.jsonl"
"""Name of the file in the folder of a contest."""

SECONDS = 300.0
"""After which no further game is looked at; it takes some tenths of a second, making a tablebase a minute."""

PROCESS = "server.contest.store.move_cost_process"


class CostsOfGame(msgspec.Struct, frozen=True):
    """A line of the file."""

    match: int
    first: int
    """Whose move the first one is; the sides take turns."""
    moves: tuple[MoveCost | None, ...]
    """The cost of each move, None where it is not known."""


class Wanted(msgspec.Struct, frozen=True):
    """What the process is to do."""

    data: str
    contest: int
    matches: tuple[int, ...]


def kept_costs(data: Path, contest: int) -> dict[int, GameCosts]:
    """Return what is kept, by match; a line that cannot be read, as after a crash, says nothing."""
    found: dict[int, GameCosts] = {}
    try:
        lines = (folder_of(data, contest) / FILE).read_bytes().splitlines()
    except OSError:
        return found
    for line in lines:
        with suppress(msgspec.DecodeError):
            one = decode(line, type=CostsOfGame)
            found[one.match] = [((one.first + number) % 2, cost) for number, cost in enumerate(one.moves)]
    return found


def append(data: Path, contest: int, costs: CostsOfGame) -> None:
    """Keep the costs of a game; raises OSError. What a crash has left without an end becomes a line of its own."""
    path = folder_of(data, contest) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(msgspec.json.encode(costs) + b"\n")


async def look_up_costs(
    data: Path,
    contest: int,
    definition: Definition,
    games: Sequence[Finished],
    begun: Callable[[], object] = lambda: None,
) -> bool:
    """Have a process of low priority look up what moves have cost, and make missing tablebases, while time is left.

    Calls ``begun`` if there is anything to look up, and tells whether there was. Raises nothing but Cancelled: a report
    is complete without it.
    """
    matches = await trio.to_thread.run_sync(partial(_missing, data, contest, definition, games))
    if not matches:
        return False
    begun()
    wanted = msgspec.json.encode(Wanted(str(data), contest, matches))
    try:
        with trio.move_on_after(SECONDS):
            await ask_once(PROCESS, "costs", wanted)
    except (OSError, *FAULTS) as error:
        log.warning("move_costs_failed", contest=contest, error=str(error))
    return True


def _missing(data: Path, contest: int, definition: Definition, games: Sequence[Finished]) -> tuple[int, ...]:
    """List the matches that may have costs and have none yet."""
    solvable = {number for number, variant in enumerate(definition.variants) if _may_be_solved(variant)}
    if not solvable:
        return ()
    kept = kept_costs(data, contest)
    return tuple(
        game.match
        for game in counted_games(games)
        if game.played and game.match is not None and game.match not in kept and game.fixture.variant in solvable
    )


def _may_be_solved(variant: Variant) -> bool:
    start = GAMES[variant.game].start(variant.parameters)
    return making.can_have(start) and making.is_whole(start.kernel(compile=False))
