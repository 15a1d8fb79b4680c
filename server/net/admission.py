"""Admission: listeners that survive a lack of descriptors or memory, and quotas of connections, messages and work.

The rate limiter admits or refuses what a listener has accepted.
"""

import errno
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import trio

from engine.wire.ends import IN_MATCH, SessionState
from engine.wire.messages import Code, ProtocolError
from engine.wire.words import number_of
from server.config.settings import (
    ANSWER_BYTES,
    FIRST_MESSAGES,
    PLAYING_MESSAGES,
    SEEK_COST,
    TRUSTED_AT_ONCE,
    TRUSTED_MESSAGES,
    WORK,
    Limits,
    Rate,
    address_of,
    is_trusted,
)
from server.ops.faults import machine_fault
from server.ops.logs import log

RETRY_SECONDS = 0.1
"""Pause after a failure to accept a connection."""

CLOSE_SECONDS = 1.0
"""Deadline for closing listeners."""

REFUSAL_SECONDS = 0.5
"""Deadline for accepting a connection with the spare descriptor, and for sending the refusal."""

CLOSED_SECONDS = 1.0
"""Time after the last failure during which clients may be unable to connect."""

BACKLOG = 1024
"""Length of the queue of connections to accept: a whole contest may connect at once."""

_LACKS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})


class CannotListen(OSError):
    """An address and port cannot be used. ``str(error)`` names both, and says what to do."""


async def listen(host: str, port: int, option: str) -> list[trio.SocketListener]:
    """Listen at an address, or all addresses of a name; raises `CannotListen`, which names the ``option`` to change."""
    try:
        return await trio.open_tcp_listeners(port, host=host, backlog=BACKLOG)
    except OSError as error:
        reason = getattr(error.__cause__ or error, "strerror", None) or str(error)
        raise CannotListen(
            f"cannot listen on {host}, port {port} ({reason}); choose another place with {option}"
        ) from None


async def close_all(listeners: Sequence[trio.SocketListener]) -> None:
    """Close listeners, also while the caller is being cancelled."""
    with trio.move_on_after(CLOSE_SECONDS, shield=True):
        for listener in listeners:
            await listener.aclose()


class AcceptStatus:
    """Whether connections can be accepted: a player who cannot connect is not charged as absent."""

    def __init__(self) -> None:
        """Start in the state of accepting."""
        self._closed_until = float("-inf")

    @property
    def closed(self) -> bool:
        """Tell whether clients may be unable to connect through a fault of the server."""
        return trio.current_time() < self._closed_until

    def failed(self, error: OSError) -> None:
        """Note that accepting a connection failed."""
        if not self.closed:
            log.error("accept_failed", error=machine_fault(error))
        self._closed_until = trio.current_time() + CLOSED_SECONDS


class Listener(trio.abc.Listener[trio.SocketStream]):
    """A listener that waits and retries when the machine lacks descriptors or memory.

    It keeps a spare descriptor. When no other descriptor is left, the listener refuses connections with it.
    """

    def __init__(self, listener: trio.SocketListener, accept_status: AcceptStatus, refusal: bytes = b"") -> None:
        """Wrap a listener; failures are noted in the status. A refused peer is sent the ``refusal``."""
        self._listener = listener
        self._accept_status = accept_status
        self._refusal = refusal
        self._spare = -1
        self._take_spare()

    async def accept(self) -> trio.SocketStream:
        """Wait for a connection."""
        while True:
            # without descriptors accept fails at once, whether or not somebody connects
            await trio.lowlevel.wait_readable(self._listener.socket)
            self._take_spare()  # before a connection takes the last descriptor, and nobody is refused
            try:
                return await self._listener.accept()
            except OSError as error:
                if error.errno not in _LACKS:
                    raise
                self._accept_status.failed(error)
                await self._refuse()
                await trio.sleep(RETRY_SECONDS)

    async def _refuse(self) -> None:
        """Refuse the next connection with the spare descriptor."""
        self._release_spare()
        with trio.move_on_after(REFUSAL_SECONDS), suppress(OSError, trio.BrokenResourceError):
            async with await self._listener.accept() as stream:
                await stream.send_all(self._refusal)
                await stream.send_eof()
                while await stream.receive_some():  # a connection that is closed with unread bytes loses the refusal
                    pass
        self._take_spare()

    def _take_spare(self) -> None:
        if self._spare < 0:
            with suppress(OSError):  # the next attempt to accept tries again
                self._spare = os.open(os.devnull, os.O_RDONLY)

    def _release_spare(self) -> None:
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1

    async def aclose(self) -> None:
        """Leave the wrapped listener open, so that a service that has failed can begin again. Its owner closes it."""
        self._release_spare()


SEATED = IN_MATCH | {SessionState.SEEKING}
"""Protocol states of sessions that play or seek."""


PATROL_SECONDS = 2.0
"""Time between two checks for connections that have been silent for too long."""

MAX_LOGGED_ADDRESSES = 5
"""Refused addresses that a log line names."""


def processor_time() -> int:
    """Return the processor time of this thread in microseconds."""
    return time.thread_time_ns() // 1000


class TooMany(Exception):
    """A connection is refused or closed; the sentence gives the reason."""


class LimitedSession(Protocol):
    """Interface of a session for the rate limiter."""

    @property
    def state(self) -> SessionState:
        """Return the protocol state of the session."""

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE and close the connection."""


class AddressUsage:
    """Usage of all connections of an address. All trusted addresses count as one."""

    def __init__(self, limits: Limits, *, trusted: bool) -> None:
        """Start unused. A trusted address has no limits of connections and messages, but one of work."""
        self.trusted = trusted
        self.quotas: set[ConnectionQuota] = set()
        self.connects = Rate()
        self.requests = Rate()
        self.queue = trio.Lock()
        self._per_second = TRUSTED_MESSAGES if trusted else limits.messages_of_address
        self._at_once = TRUSTED_AT_ONCE if trusted else limits.messages_at_once

    def owed(self, now: int) -> float:
        """Return for how many microseconds requests of sessions that do not play have to wait."""
        return self.requests.owed(now, self._per_second, self._at_once)

    def use(self, now: int, cost: float) -> None:
        """Charge requests."""
        self.requests.use(now, cost, self._per_second)


class ConnectionQuota:
    """The quota of one connection: a rate of its own, and one that it shares with its address, in messages.

    A request of a trusted address counts by its work alone, and its MOVE is free.
    """

    def __init__(
        self,
        host: str,
        address: AddressUsage,
        limits: Limits,
        clock: Callable[[], int],
        worked: Callable[[], int] = processor_time,
    ) -> None:
        """Start unused. ``worked`` returns the processor time of this thread in microseconds; tests replace it."""
        now = clock()
        self.worked = worked
        self.host = host
        self.seat_token = ""
        """Token of the only contest seat that this connection may take; empty for any."""
        self.session: LimitedSession | None = None
        self.limited = not address.trusted
        self._address = address
        self._limits = limits
        self._clock = clock
        self._at_once = limits.messages_at_once if self.limited else TRUSTED_AT_ONCE
        unearned = max(0, limits.messages_at_once - FIRST_MESSAGES) if self.limited else 0
        self._own = Rate(now + 1_000_000 * unearned / limits.messages)
        self._delayed_seconds = 0.0
        self._heard = self._line_since = now
        self._unfinished = False

    def read(self, data: bytes, now: int) -> None:
        """Note bytes that arrived at a stamp."""
        self._heard = now
        if data.endswith(b"\n"):
            self._unfinished = False
        elif not self._unfinished or b"\n" in data:
            self._unfinished, self._line_since = True, now

    def seek(self) -> None:
        """Charge the address for a SEEK; raises `ProtocolError` if too many of its sessions seek or play."""
        if not self.limited:
            return
        # not charged to the session: that would delay the moves of the match that begins
        self._address.use(self._clock(), SEEK_COST)
        seated = sum(quota.session is not None and quota.session.state in SEATED for quota in self._address.quotas)
        if seated >= self._limits.matches:
            raise ProtocolError(
                Code.TOO_MANY,
                f"{self._limits.matches} sessions of your address seek or play; wait until one is done",
            )

    def may_go_on(self, now: int, *, more: bool) -> bool:
        """Tell whether a session that plays may make its next request without waiting; ``more`` as for `wait`.

        ``now`` may be an earlier stamp; then there may be less to wait for than this knows.
        """
        if self._own.owed(now, self._per_second(), self._at_once):
            return False
        if not more:
            self._delayed_seconds = 0.0
        return True

    async def wait(self, more: bool) -> None:
        """Wait until a request may be answered: first for the session, then for the turn of its address.

        Sessions that play skip the latter: a flood from their address costs them no time. ``more`` tells whether the
        peer has sent more without waiting for the answer. Raises `TooMany` if a limited peer has done so for too long,
        and the session is to be closed.
        """
        if owed := self._own.owed(self._clock(), self._per_second(), self._at_once):
            if more and self.limited:
                self._delayed_seconds += owed / 1_000_000
                if self._delayed_seconds > self._limits.flood_seconds:
                    raise TooMany(
                        f"you go on sending more than the {self._per_second():.0f} messages a second read from you"
                    )
            await trio.sleep(owed / 1_000_000)
        elif not more:
            self._delayed_seconds = 0.0
        address = self._address
        if not self._is_playing and (address.queue.locked() or address.owed(self._clock())):
            async with address.queue:
                await trio.sleep(address.owed(self._clock()) / 1_000_000)

    def use(self, messages: int, sent: int, work: int, *, seek: bool = False) -> None:
        """Charge requests with the bytes of their answers and the microseconds of their work."""
        now = self._clock()
        cost = messages + sent // ANSWER_BYTES + work // WORK if self.limited else work / WORK
        if self.limited or seek or not self._is_playing:
            self._address.use(now, cost)
        if self.limited or not seek:
            self._own.use(now, cost, self._per_second())

    @property
    def _is_playing(self) -> bool:
        return self.session is not None and self.session.state in IN_MATCH

    def _per_second(self) -> float:
        playing = self._is_playing
        if not self.limited:
            return TRUSTED_MESSAGES if playing else TRUSTED_MESSAGES / 2
        share = self._limits.messages_of_address / max(1, len(self._address.quotas))
        return min(self._limits.messages, max(share, PLAYING_MESSAGES) if playing else share)

    def close_if_overdue(self, now: int) -> None:
        """Close a session with an overdue unfinished line, or of a guest that is silent for too long."""
        if self.session is None:
            return
        if self._unfinished and now - self._line_since > self._limits.line_seconds * 1_000_000:
            sentence = f"a line was begun {number_of(self._limits.line_seconds, 'second')} ago and has no end"
            self.session.close("unfinished", sentence)
        elif self.session.state is SessionState.GUEST and now - self._heard > self._limits.guest_seconds * 1_000_000:
            sentence = f"nothing was said for {number_of(self._limits.guest_seconds, 'second')}; log in to stay"
            self.session.close("silent", sentence)

    def leave(self) -> None:
        """Release the quota of a closed connection."""
        self.session = None
        self._address.quotas.discard(self)


class RateLimiter:
    """Admits or refuses connections, and keeps their quotas."""

    def __init__(
        self, limits: Limits, max_connections: int, clock: Callable[[], int], worked: Callable[[], int] = processor_time
    ) -> None:
        """Take the limits, the maximum number of connections, and a clock in microseconds.

        ``worked`` returns the processor time of this thread in microseconds; tests replace it.
        """
        self._worked = worked
        self._trusted = AddressUsage(limits, trusted=True)
        self._limits = limits
        self._max_connections = max_connections
        self._clock = clock
        self._addresses: dict[str, AddressUsage] = {}
        self.quotas: set[ConnectionQuota] = set()
        """Quotas of all open connections."""
        self.refused: Counter[str] = Counter()
        """Number of refused connections by address, since the last log line."""
        self.total_refused = 0
        """Number of refused connections since the server started."""

    def admit(self, host: str) -> ConnectionQuota:
        """Admit a connection; raises `TooMany`. Call `leave` when an admitted one is closed."""
        now, limits = self._clock(), self._limits
        if len(self.quotas) >= self._max_connections:
            raise self._refuse(host, f"{self._max_connections} connections are open; try later")
        address = self._trusted
        if not is_trusted(host, limits):
            address = self._addresses.setdefault(address_of(host), AddressUsage(limits, trusted=False))
            if len(address.quotas) >= limits.connections:
                raise self._refuse(host, f"{limits.connections} connections of your address are open; close some")
            if not address.connects.allows(now, 1, limits.connects, limits.connects_at_once):
                raise self._refuse(host, f"your address makes more than {limits.connects} connections a second")
        quota = ConnectionQuota(host, address, limits, self._clock, self._worked)
        address.quotas.add(quota)
        self.quotas.add(quota)
        return quota

    def leave(self, quota: ConnectionQuota) -> None:
        """Release the quota of a closed connection."""
        quota.leave()
        self.quotas.discard(quota)

    def close_overdue(self) -> None:
        """Close overdue connections, and forget unused addresses: 1,000 take half a millisecond."""
        now = self._clock()
        for quota in list(self.quotas):
            quota.close_if_overdue(now)
        for key, address in list(self._addresses.items()):
            if not address.quotas and address.connects.unused(now) and address.requests.unused(now):
                del self._addresses[key]

    def _refuse(self, host: str, sentence: str) -> TooMany:
        self.refused[address_of(host)] += 1
        self.total_refused += 1
        return TooMany(sentence)


async def patrol(rate_limiter: RateLimiter) -> None:
    """Close overdue connections and log refused ones at intervals, until cancelled."""
    while True:
        await trio.sleep(PATROL_SECONDS)
        rate_limiter.close_overdue()
        refused, rate_limiter.refused = rate_limiter.refused, Counter()
        if refused:
            log.warning(
                "connections_refused",
                count=refused.total(),
                addresses=len(refused),
                most=refused.most_common(MAX_LOGGED_ADDRESSES),
            )
