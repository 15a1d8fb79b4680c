"""The rate limiter: who is connected from where, and how much each has asked for. Decides on a given clock."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Protocol

import trio

from engine.wire.codes import Code, ProtocolError
from engine.wire.states import State
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

PLAYING = frozenset((State.PREPARING, State.WAITING, State.THINKING))
SEATED = PLAYING | {State.SEEKING}
"""States of sessions that play, or wait to."""


LOOKED_AT_ONCE = 200
"""Connections, or addresses, that are looked at before the event loop gets to others: they take a tenth of a
millisecond."""

_AT_ONCE = nullcontext()


class TooMany(Exception):
    """A connection is not let in; the sentence says why."""


class LimitedSession(Protocol):
    """What the rate limiter has to know of a session."""

    @property
    def state(self) -> State:
        """Return the state of the protocol that it is in."""

    def close(self, reason: str, sentence: str) -> None:
        """Say goodbye and close the connection."""


class _Address:
    """One address, while there is anything to remember of it."""

    def __init__(self) -> None:
        self.visits: set[ConnectionQuota] = set()
        self.connects = Rate()
        self.requests = Rate()
        self.queue = trio.Lock()


class Trusted:
    """What all trusted sessions share that do not play: half of the event loop's time, in turns."""

    def __init__(self) -> None:
        """Begin with nothing used."""
        self.work = Rate()
        self.queue = trio.Lock()


class ConnectionQuota:
    """One connection, as far as limits go. Stamps are those of the rate limiter's clock."""

    def __init__(
        self,
        host: str,
        address: _Address | None,
        limits: Limits,
        clock: Callable[[], int],
        worked: Callable[[], int] | None = None,
        trusted: Trusted | None = None,
    ) -> None:
        """Begin; ``address`` is None where no limit of messages holds: such sessions are charged by their work alone.

        ``worked`` counts microseconds of the processor's work in this thread: its own clock, unless a test has another.
        """
        now = clock()
        self.worked = worked or processor_time
        """Counts microseconds in which the processor worked for the event loop, whatever else it did."""
        self.host = host
        self.ticket = ""
        """Token of the only seat that may be taken over it; empty for any."""
        self.session: LimitedSession | None = None
        self.limited = address is not None
        self._address = address
        self._limits = limits
        self._clock = clock
        self._rate = Rate(now + 1_000_000 * max(0, limits.messages_at_once - FIRST_MESSAGES) / limits.messages)
        self._playing_rate = Rate()
        self._slowed = 0.0
        self._sought = 0
        self._trusted = trusted or Trusted()
        self._work = Rate()
        self._playing_work = Rate()
        self._heard = self._line_since = now
        self._unfinished = False

    def read(self, data: bytes, now: int) -> None:
        """Bytes have come, at a stamp."""
        self._heard = now
        if data.endswith(b"\n"):
            self._unfinished = False
        elif not self._unfinished or b"\n" in data:
            self._unfinished, self._line_since = True, now

    def seek(self) -> None:
        """The session wants to be paired; raises `ProtocolError` where too many of its address are or want to be."""
        if self._address is None:
            return
        self._sought += SEEK_COST
        seated = sum(visit.session is not None and visit.session.state in SEATED for visit in self._address.visits)
        if seated >= self._limits.matches:
            sentence = f"{self._limits.matches} sessions of your address seek or play; wait until one is done"
            raise ProtocolError(Code.TOO_MANY, sentence)

    async def turn(self, more: bool) -> AbstractAsyncContextManager[object]:
        """Wait until a request of a `limited` session may be answered: inside what this returns; then tell `used`.

        First the session has to `pay`, then it is the turn of its address. Nobody waits for that who plays: a flood is
        not to cost others their time, be they at the same address.
        """
        await self.pay(more)
        return _AT_ONCE if self._plays else self._in_turn()

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        address, limits = self._address, self._limits
        assert address is not None
        async with address.queue:
            owed = address.requests.owed(self._clock(), limits.messages_of_address, limits.messages_at_once)
            if owed:
                await trio.sleep(owed / 1_000_000)
            yield

    async def pay(self, more: bool) -> None:
        """Wait until a `limited` session has paid off what it has asked for before.

        ``more`` tells whether the peer has sent more already, without waiting for the answer. Raises `TooMany` where it
        has gone on like that for too long, and the session is to be closed.
        """
        rate = self._playing_rate if self._plays else self._rate
        a_second = self._a_second()
        owed = rate.owed(self._clock(), a_second, self._limits.messages_at_once)
        if not owed:
            if not more:
                self._slowed = 0.0
            return
        pause = owed / 1_000_000
        if more:
            self._slowed += pause
            if self._slowed > self._limits.flood_seconds:
                raise TooMany(
                    f"you go on sending more than the {a_second:.0f} messages a second that are read from you"
                )
        await trio.sleep(pause)

    def used(self, cost: int) -> None:
        """A request of a `limited` session was answered, and cost so much."""
        assert self._address is not None
        limits, now = self._limits, self._clock()
        cost, sought, self._sought = cost + self._sought, self._sought, 0
        self._address.requests.use(now, cost, limits.messages_of_address)
        # a match may have begun with the SEEK: what that costs is paid off before the next one, not while it is played
        rate = self._playing_rate if self._plays and not sought else self._rate
        rate.use(now, cost, self._a_second())

    async def rest(self) -> None:
        """Wait until a session that is not `limited` has paid off the work that it has made before."""
        if self._plays:
            owed = self._playing_work.owed(self._clock(), PLAYING_WORK, WORK_AT_ONCE)
        else:
            owed = self._work.owed(self._clock(), TRUSTED_WORK, WORK_AT_ONCE)
        if owed:
            await trio.sleep(owed / 1_000_000)
        if not self._plays and (self._trusted.queue.locked() or self._all_owe()):
            async with self._trusted.queue:
                await trio.sleep(self._all_owe() / 1_000_000)

    def _all_owe(self) -> float:
        return self._trusted.work.owed(self._clock(), ALL_TRUSTED_WORK, WORK_AT_ONCE)

    def made_work(self, work: int, *, sought: bool) -> None:
        """A request of a session that is not `limited`, and no move, has made work, in microseconds of the processor.

        ``sought``: it was SEEK, of which a match that has begun with it pays nothing.
        """
        now = self._clock()
        if self._plays and not sought:
            self._playing_work.use(now, work, PLAYING_WORK)
        else:
            self._work.use(now, work, TRUSTED_WORK)
            self._trusted.work.use(now, work, ALL_TRUSTED_WORK)

    @property
    def _plays(self) -> bool:
        return self.session is not None and self.session.state in PLAYING

    def _a_second(self) -> float:
        assert self._address is not None
        share = self._limits.messages_of_address / max(1, len(self._address.visits))
        return min(self._limits.messages, max(share, PLAYING_MESSAGES) if self._plays else share)

    def close_if_overdue(self, now: int) -> None:
        """Close the session where a line has had no end, or a guest said nothing, for too long."""
        if self.session is None:
            return
        if self._unfinished and now - self._line_since > self._limits.line_seconds * 1_000_000:
            sentence = f"a line was begun {self._limits.line_seconds:g} seconds ago and has no end"
            self.session.close("unfinished", sentence)
        elif self.session.state is State.GUEST and now - self._heard > self._limits.guest_seconds * 1_000_000:
            sentence = f"nothing was said for {self._limits.guest_seconds:g} seconds; log in to stay"
            self.session.close("silent", sentence)

    def leave(self) -> None:
        """The connection is closed."""
        self.session = None
        if self._address is not None:
            self._address.visits.discard(self)


def processor_time() -> int:
    """Return how many microseconds the processor has worked for this thread."""
    return time.thread_time_ns() // 1000


class RateLimiter:
    """Lets connections in, and knows all that are open."""

    def __init__(
        self, limits: Limits, most: int, clock: Callable[[], int], worked: Callable[[], int] | None = None
    ) -> None:
        """Take the limits, how many may be open in all, and a clock in microseconds.

        ``worked`` counts microseconds of the processor's work in this thread: its own clock, unless a test has another.
        """
        self._worked = worked
        self._trusted = Trusted()
        self._limits = limits
        self._most = most
        self._clock = clock
        self._addresses: dict[str, _Address] = {}
        self.visits: set[ConnectionQuota] = set()
        """All connections that are open."""
        self.refused: dict[str, int] = {}
        """Connections that were not let in since somebody looked last, by address."""
        self.all_refused = 0
        """How many that were since the server started."""

    def admit(self, host: str) -> ConnectionQuota:
        """Let a connection in; raises `TooMany`. Who is let in has to be told of by `leave`."""
        now, limits = self._clock(), self._limits
        if len(self.visits) >= self._most:
            raise self._refuse(host, f"{self._most} connections are open; try later")
        address = None
        if not is_trusted(host, limits):
            address = self._addresses.setdefault(address_of(host), _Address())
            if len(address.visits) >= limits.connections:
                raise self._refuse(host, f"{limits.connections} connections of your address are open; close some")
            if not address.connects.allows(now, 1, limits.connects, limits.connects_at_once):
                raise self._refuse(host, f"your address makes more than {limits.connects} connections a second")
        visit = ConnectionQuota(host, address, limits, self._clock, self._worked, self._trusted)
        if address is not None:
            address.visits.add(visit)
        self.visits.add(visit)
        return visit

    def leave(self, visit: ConnectionQuota) -> None:
        """A connection that was let in is closed."""
        visit.leave()
        self.visits.discard(visit)

    @property
    def addresses(self) -> int:
        """Count the addresses of which there is something to remember."""
        return len(self._addresses)

    def close_overdue(self) -> Iterator[None]:
        """Close what has been silent or unfinished for too long; forget addresses of which nothing is to be kept.

        To be done every few seconds. Lets others get their turn after each `LOOKED_AT_ONCE` of them.
        """
        now = self._clock()
        for number, visit in enumerate(list(self.visits), 1):
            visit.close_if_overdue(now)
            if number % LOOKED_AT_ONCE == 0:
                yield
        for number, (key, address) in enumerate(list(self._addresses.items()), 1):
            if not address.visits and address.connects.unused(now) and address.requests.unused(now):
                self._addresses.pop(key, None)
            if number % LOOKED_AT_ONCE == 0:
                yield

    def _refuse(self, host: str, sentence: str) -> TooMany:
        address = address_of(host)
        self.refused[address] = self.refused.get(address, 0) + 1
        self.all_refused += 1
        return TooMany(sentence)
