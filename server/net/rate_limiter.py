"""The rate limiter: quotas of connections, messages and work by address."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Protocol

import trio

from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import IN_MATCH, State
from engine.wire.words import number_of
from server.config.limits import (
    ALL_TRUSTED_WORK,
    FIRST_MESSAGES,
    PLAYING_MESSAGES,
    PLAYING_WORK,
    SEEK_COST,
    TRUSTED_WORK,
    WORK_AT_ONCE,
    Limits,
    Rate,
    address_of,
    is_trusted,
)

SEATED = IN_MATCH | {State.SEEKING}
"""Protocol states of sessions that play or seek."""


CHECKS_PER_PASS = 200
"""Connections or addresses checked in one pass of the event loop: they take a tenth of a millisecond."""

_NO_WAIT = nullcontext()


class TooMany(Exception):
    """A connection is refused or closed; the sentence gives the reason."""


class LimitedSession(Protocol):
    """What the rate limiter needs of a session."""

    @property
    def state(self) -> State:
        """Return the protocol state of the session."""

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE and close the connection."""


class _AddressUsage:
    """Usage of one address."""

    def __init__(self) -> None:
        self.quotas: set[ConnectionQuota] = set()
        self.connects = Rate()
        self.requests = Rate()
        self.queue = trio.Lock()


class TrustedUsage:
    """Shared usage of all trusted sessions that do not play: half of the event loop's time, in turns."""

    def __init__(self) -> None:
        """Start unused."""
        self.work = Rate()
        self.queue = trio.Lock()


class ConnectionQuota:
    """The quota of one connection. Stamps are on the clock of the rate limiter."""

    def __init__(
        self,
        host: str,
        address: _AddressUsage | None,
        limits: Limits,
        clock: Callable[[], int],
        worked: Callable[[], int] | None = None,
        trusted: TrustedUsage | None = None,
    ) -> None:
        """Start unused; ``address`` is None for a session without message limits, charged by its work alone.

        ``worked`` returns the processor time of this thread in microseconds; tests replace it.
        """
        now = clock()
        self.worked = worked or processor_time
        """Returns the processor time of the event loop's thread, in microseconds."""
        self.host = host
        self.seat_token = ""
        """Token of the only contest seat that this connection may take; empty for any."""
        self.session: LimitedSession | None = None
        self.limited = address is not None
        self._address = address
        self._limits = limits
        self._clock = clock
        self._rate = Rate(now + 1_000_000 * max(0, limits.messages_at_once - FIRST_MESSAGES) / limits.messages)
        self._playing_rate = Rate()
        self._delayed_seconds = 0.0
        self._seek_cost = 0
        self._trusted = trusted or TrustedUsage()
        self._work = Rate()
        self._playing_work = Rate()
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
        """Charge a SEEK; raises `ProtocolError` if too many sessions of the address seek or play."""
        if self._address is None:
            return
        self._seek_cost += SEEK_COST
        seated = sum(quota.session is not None and quota.session.state in SEATED for quota in self._address.quotas)
        if seated >= self._limits.matches:
            sentence = f"{self._limits.matches} sessions of your address seek or play; wait until one is done"
            raise ProtocolError(Code.TOO_MANY, sentence)

    async def turn(self, more: bool) -> AbstractAsyncContextManager[object]:
        """Wait until a request of a `limited` session may be answered, inside the returned context; then call `used`.

        First the session has to `pay`, then it waits for the turn of its address. Sessions that play skip the latter: a
        flood from their address costs them no time.
        """
        await self.pay(more)
        return _NO_WAIT if self._is_playing else self._in_turn()

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        address, limits = self._address, self._limits
        assert address is not None
        async with address.queue:
            owed = address.requests.owed(self._clock(), limits.messages_of_address, limits.messages_at_once)
            if owed:
                await trio.sleep(owed / 1_000_000)
            yield

    def may_go_on(self, now: int, *, more: bool) -> bool:
        """Tell whether a session plays, and may make its next request without waiting; ``more`` as for `pay`.

        ``now`` may be an earlier stamp; then there may be less to wait for than this knows.
        """
        if not self._is_playing:
            return False
        if not self.limited:
            return not self._playing_work.owed(now, PLAYING_WORK, WORK_AT_ONCE)
        if self._playing_rate.owed(now, self._messages_per_second(), self._limits.messages_at_once):
            return False
        if not more:
            self._delayed_seconds = 0.0
        return True

    async def pay(self, more: bool) -> None:
        """Wait until a `limited` session has paid off its earlier requests.

        ``more`` tells whether the peer has sent more without waiting for the answer. Raises `TooMany` if it has done so
        for too long, and the session is to be closed.
        """
        rate = self._playing_rate if self._is_playing else self._rate
        per_second = self._messages_per_second()
        owed = rate.owed(self._clock(), per_second, self._limits.messages_at_once)
        if not owed:
            if not more:
                self._delayed_seconds = 0.0
            return
        pause = owed / 1_000_000
        if more:
            self._delayed_seconds += pause
            if self._delayed_seconds > self._limits.flood_seconds:
                raise TooMany(
                    f"you go on sending more than the {per_second:.0f} messages a second that are read from you"
                )
        await trio.sleep(pause)

    def used(self, cost: int) -> None:
        """Charge a `limited` session for an answered request."""
        assert self._address is not None
        limits, now = self._limits, self._clock()
        cost, sought, self._seek_cost = cost + self._seek_cost, self._seek_cost, 0
        self._address.requests.use(now, cost, limits.messages_of_address)
        # the cost of a SEEK is paid off before the next one, not during the match that it may have started
        rate = self._playing_rate if self._is_playing and not sought else self._rate
        rate.use(now, cost, self._messages_per_second())

    async def rest(self) -> None:
        """Wait until a session that is not `limited` has paid off its earlier work."""
        if self._is_playing:
            owed = self._playing_work.owed(self._clock(), PLAYING_WORK, WORK_AT_ONCE)
        else:
            owed = self._work.owed(self._clock(), TRUSTED_WORK, WORK_AT_ONCE)
        if owed:
            await trio.sleep(owed / 1_000_000)
        if not self._is_playing and (self._trusted.queue.locked() or self._shared_debt()):
            async with self._trusted.queue:
                await trio.sleep(self._shared_debt() / 1_000_000)

    def _shared_debt(self) -> float:
        return self._trusted.work.owed(self._clock(), ALL_TRUSTED_WORK, WORK_AT_ONCE)

    def made_work(self, work: int, *, sought: bool) -> None:
        """Charge a session that is not `limited` for the work of a request other than MOVE, in microseconds.

        ``sought`` tells whether it was SEEK, which is not charged to the match that it may have started.
        """
        now = self._clock()
        if self._is_playing and not sought:
            self._playing_work.use(now, work, PLAYING_WORK)
        else:
            self._work.use(now, work, TRUSTED_WORK)
            self._trusted.work.use(now, work, ALL_TRUSTED_WORK)

    @property
    def _is_playing(self) -> bool:
        return self.session is not None and self.session.state in IN_MATCH

    def _messages_per_second(self) -> float:
        assert self._address is not None
        share = self._limits.messages_of_address / max(1, len(self._address.quotas))
        return min(self._limits.messages, max(share, PLAYING_MESSAGES) if self._is_playing else share)

    def close_if_overdue(self, now: int) -> None:
        """Close a session with an overdue unfinished line, or of a guest that is silent for too long."""
        if self.session is None:
            return
        if self._unfinished and now - self._line_since > self._limits.line_seconds * 1_000_000:
            sentence = f"a line was begun {_seconds(self._limits.line_seconds)} ago and has no end"
            self.session.close("unfinished", sentence)
        elif self.session.state is State.GUEST and now - self._heard > self._limits.guest_seconds * 1_000_000:
            sentence = f"nothing was said for {_seconds(self._limits.guest_seconds)}; log in to stay"
            self.session.close("silent", sentence)

    def leave(self) -> None:
        """Release the quota of a closed connection."""
        self.session = None
        if self._address is not None:
            self._address.quotas.discard(self)


def processor_time() -> int:
    """Return the processor time of this thread in microseconds."""
    return time.thread_time_ns() // 1000


class RateLimiter:
    """Admits or refuses connections, and keeps their quotas."""

    def __init__(
        self, limits: Limits, max_connections: int, clock: Callable[[], int], worked: Callable[[], int] | None = None
    ) -> None:
        """Take the limits, the maximum number of connections, and a clock in microseconds.

        ``worked`` returns the processor time of this thread in microseconds; tests replace it.
        """
        self._worked = worked
        self._trusted = TrustedUsage()
        self._limits = limits
        self._max_connections = max_connections
        self._clock = clock
        self._addresses: dict[str, _AddressUsage] = {}
        self.quotas: set[ConnectionQuota] = set()
        """Quotas of all open connections."""
        self.refused: dict[str, int] = {}
        """Number of refused connections by address, since the last log line."""
        self.total_refused = 0
        """Number of refused connections since the server started."""

    def admit(self, host: str) -> ConnectionQuota:
        """Admit a connection; raises `TooMany`. Call `leave` when an admitted one is closed."""
        now, limits = self._clock(), self._limits
        if len(self.quotas) >= self._max_connections:
            raise self._refuse(host, f"{self._max_connections} connections are open; try later")
        address = None
        if not is_trusted(host, limits):
            address = self._addresses.setdefault(address_of(host), _AddressUsage())
            if len(address.quotas) >= limits.connections:
                raise self._refuse(host, f"{limits.connections} connections of your address are open; close some")
            if not address.connects.allows(now, 1, limits.connects, limits.connects_at_once):
                raise self._refuse(host, f"your address makes more than {limits.connects} connections a second")
        quota = ConnectionQuota(host, address, limits, self._clock, self._worked, self._trusted)
        if address is not None:
            address.quotas.add(quota)
        self.quotas.add(quota)
        return quota

    def leave(self, quota: ConnectionQuota) -> None:
        """Release the quota of a closed connection."""
        quota.leave()
        self.quotas.discard(quota)

    def close_overdue(self) -> Iterator[None]:
        """Close overdue connections, and forget unused addresses; call it every few seconds.

        Yields after each `CHECKS_PER_PASS` of them, so that the caller can let other tasks run.
        """
        now = self._clock()
        for number, quota in enumerate(list(self.quotas), 1):
            quota.close_if_overdue(now)
            if number % CHECKS_PER_PASS == 0:
                yield
        for number, (key, address) in enumerate(list(self._addresses.items()), 1):
            if not address.quotas and address.connects.unused(now) and address.requests.unused(now):
                self._addresses.pop(key, None)
            if number % CHECKS_PER_PASS == 0:
                yield

    def _refuse(self, host: str, sentence: str) -> TooMany:
        address = address_of(host)
        self.refused[address] = self.refused.get(address, 0) + 1
        self.total_refused += 1
        return TooMany(sentence)


def _seconds(number: float) -> str:
    return number_of(number, "second")
