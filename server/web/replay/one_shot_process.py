"""Processes that answer one question and end."""

import subprocess
import sys

import trio


async def run(module: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a module of this package to its end; it is killed where that is cancelled."""
    command = [sys.executable, "-P", "-m", f"server.web.replay.{module}", *arguments]
    return await trio.run_process(
        command, stdin=stdin, check=False, capture_stdout=True, capture_stderr=True, deliver_cancel=_kill
    )


async def _kill(process: trio.Process) -> None:
    process.kill()
