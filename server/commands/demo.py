"""``arena-server demo``: one match between two bots over TCP, shown in the terminal."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import trio

from engine.commands.program import answer
from engine.games.interface import Termination
from engine.match import verification
from engine.match.clock import TimeControl
from engine.match.record import BadRecord
from server.arena.arena import Arena
from server.commands.options import INTERRUPTED
from server.config.builtin_bot import LEVELLED, BuiltinBot
from server.config.settings import Settings
from server.ops import descendants
from server.serve import serve

HOST = "127.0.0.1"

CHECK_SECONDS = 0.05
"""Time between two checks of who is logged in."""


async def demonstrate(bots: tuple[BuiltinBot, BuiltinBot], variant: tuple[str, str], budget: int) -> int:
    """Play and show one match with a budget in milliseconds; return an exit status, 1 if a program fails.

    Ctrl-C stops it as it stops a server: a match that is being played may end. Where it does not, the status is 130.

    ``variant`` is the name of a game and its parameters. The bots and the watching client are the
    programs that everybody uses, started as they are.
    """
    names = (bots[0].name, bots[1].name if bots[1] != bots[0] else f"{bots[1].name}.2")
    answer(f"a demonstration: {' against '.join(names)}, {budget / 1000:g} s a side, over TCP on this machine")
    game, parameters = variant
    params = ("--params", parameters.replace(" ", ",")) if parameters else ()
    wish = ("--game", game, *params, "--budget", str(budget), "--games", "1", "--quiet")
    with tempfile.TemporaryDirectory(prefix="arena-demo-") as folder:
        settings = Settings(host=HOST, port=0, data=Path(folder), control=TimeControl.of_milliseconds(budget))
        status = 0
        async with trio.open_nursery() as nursery:

            async def host(*, task_status: trio.TaskStatus[Arena]) -> None:
                await serve(settings, task_status=task_status)  # returns when a signal has stopped the server
                nursery.cancel_scope.cancel()

            arena = await nursery.start(host)
            where = ("--host", HOST, "--port", str(arena.ports[0]))

            async def run_program(*arguments: str) -> None:
                nonlocal status
                # Ctrl-C is for the demonstration, which ends its bots
                process = await trio.run_process(
                    [sys.executable, "-P", "-m", "bots", *arguments],
                    check=False,
                    stdin=subprocess.DEVNULL,
                    env={**os.environ, descendants.VARIABLE: descendants.marker("demo")},
                    start_new_session=True,
                )
                if process.returncode != 0 and not arena.stopping:  # a server that stops ends its programs
                    status = 1
                    nursery.cancel_scope.cancel()

            answer(
                f"the server listens at {HOST} port {arena.ports[0]}; starting {names[0]}, {names[1]} and who watches"
            )
            if any(bot.kind == LEVELLED for bot in bots):
                answer("the search of alphabeta is compiled before its first match: a minute or two, once")
            async with trio.open_nursery() as programs:
                programs.start_soon(run_program, "watch", *where)
                while not arena.connected_sessions():
                    await trio.sleep(CHECK_SECONDS)  # even the shortest match is seen
                for bot, name, opponent in zip(bots, names, reversed(names), strict=True):
                    arguments = (*bot.arguments, *where, "--name", name, "--opponent", opponent, *wish)
                    nursery.start_soon(run_program, *arguments)
            while arena.matches:
                await trio.sleep(CHECK_SECONDS)
            nursery.cancel_scope.cancel()
        record = Path(folder, "records", "1.txt")
        if arena.stopping and not record.exists():
            answer("stopped before the match was over")
            return INTERRUPTED
        return status or _verify_record(record)


def _verify_record(record: Path) -> int:
    """Copy the record of the match to this folder, and print the result of its verification."""
    kept = shutil.copy(record, "demo-record.txt")
    try:
        summary = verification.verify(record.read_text(encoding="utf-8"))
    except BadRecord as error:
        print(f"\nThe record in {kept} is NOT true: {error}")
        return 1
    print(
        f"\nVerified: {summary.history.plies} moves, both clocks and the result ({summary.result}, {summary.reason})."
        f"\nThe record is in {kept}; check it again with: "
        + (
            "arena-engine"
            if shutil.which("arena-engine")
            else os.path.relpath(Path(sys.executable).with_name("arena-engine"))
        )
        + f" record {kept}"
    )
    return INTERRUPTED if summary.reason == Termination.SERVER_STOP else 0
