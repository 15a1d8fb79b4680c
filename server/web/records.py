"""Questions about records, each answered by a process of its own (`server.web.telling`), within bounds."""

import sys

import structlog
import trio

from server.web.errors import NOT_TRUE, Refused

log = structlog.get_logger()

SECONDS = {"frames": 20.0, "values": 75.0}
"""Longest that an answer may take. Values include compiling a search, which is done once for a variant."""

MOST_WAITING = 16
"""Questions that wait for their turn; further ones are told to try later."""

KEPT_BYTES = 32 * 1024 * 1024
"""Answers about the server's own records that are kept, the last ones that were asked for."""


class Teller:
    """Answers one question of each kind at a time."""

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._turns = {kind: trio.CapacityLimiter(1) for kind in SECONDS}
        self._kept: dict[tuple[str, int], bytes] = {}

    async def of_match(self, kind: str, match: int, text: str) -> bytes:
        """Return what `ask` returns, for the record of a match of the server, which never changes."""
        key = (kind, match)
        answer = self._kept.pop(key, None)
        if answer is None:
            answer = await self.ask(kind, text.encode())
        self._kept[key] = answer
        while sum(map(len, self._kept.values())) > KEPT_BYTES and len(self._kept) > 1:
            del self._kept[next(iter(self._kept))]
        return answer

    async def ask(self, kind: str, record: bytes) -> bytes:
        """Return the JSON that tells of a record: its frames or its values. Raises `Refused` where it is not true."""
        turns = self._turns[kind]
        if turns.statistics().tasks_waiting >= MOST_WAITING:
            raise Refused(503, "too many records are being read now; try again in a minute")
        async with turns:
            with trio.move_on_after(SECONDS[kind]):
                return await _answer(kind, record)
        raise Refused(422, f"the record takes longer than {SECONDS[kind]:.0f} seconds to read")


async def _answer(kind: str, record: bytes) -> bytes:
    command = [sys.executable, "-P", "-m", "server.web.telling", kind]
    done = await trio.run_process(
        command, stdin=record, check=False, capture_stdout=True, capture_stderr=True, deliver_cancel=_kill
    )
    fault = done.stderr.decode(errors="replace").strip()
    if done.returncode == 0:
        return bytes(done.stdout)
    if done.returncode == NOT_TRUE:
        raise Refused(422, f"this is no true record: {fault}")
    log.error("a record could not be told", kind=kind, status=done.returncode, fault=fault[-2000:])
    raise Refused(500, "a fault of the server's own, which was written to its log")


async def _kill(process: trio.Process) -> None:
    process.kill()
