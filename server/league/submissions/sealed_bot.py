"""Run a bot in a sandbox for the conformance test, which starts this module as it would start the bot.

The test runs outside. Only the connections that the bot makes lead to it.
"""

import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import trio

from engine.wire.seat import variable
from server.contest.definition import Bounds
from server.contest.programs.sandbox.process import SIGNALLED, running
from server.contest.programs.sandbox.seal import SECRETS, Seal, VisibleFiles, sealed_environment

CPU_SECONDS = 900
"""Processor time of a bot, from its start to its end."""

STDERR = 2
"""The descriptor that the bot prints to."""


async def main(folder: Path, *command: str) -> int:
    """Run a command in a folder until it ends, and return its exit status; raises OSError."""
    port = int(os.environ[variable("port")])
    seal = Seal(VisibleFiles(folder, (folder,)), Bounds(), CPU_SECONDS, niceness=0)
    environment = sealed_environment(
        os.environ,
        {name: value for name, value in os.environ.items() if name.startswith(variable("")) and name != SECRETS},
    )
    async with running(command, environment, seal, port, STDERR) as box, trio.open_nursery() as nursery:
        if (listener := await box.listener()) is not None:
            nursery.start_soon(trio.serve_listeners, partial(_join, port), [listener])
        status, excess = await box.end()
        nursery.cancel_scope.cancel()
    if excess is not None:
        print(excess.sentence, file=sys.stderr)
    return status if status >= 0 else SIGNALLED - status


async def _join(port: int, bot: trio.SocketStream) -> None:
    """Join a connection of the bot to the test; close it where the test accepts none."""
    with suppress(OSError):
        async with bot, await trio.open_tcp_stream("127.0.0.1", port) as test, trio.open_nursery() as nursery:
            nursery.start_soon(_copy, bot, test)
            nursery.start_soon(_copy, test, bot)


async def _copy(source: trio.SocketStream, target: trio.SocketStream) -> None:
    """Copy one direction of a connection; close both connections where one of them breaks."""
    try:
        async for data in source:
            await target.send_all(data)
        await target.send_eof()
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        await trio.aclose_forcefully(source)
        await trio.aclose_forcefully(target)


if __name__ == "__main__":
    sys.exit(trio.run(main, Path(sys.argv[1]), *sys.argv[2:]))
