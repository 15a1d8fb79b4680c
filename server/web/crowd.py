"""How many connections, and requests a second, the browsers of one address may have. Decides on a given clock."""

from collections.abc import Callable

from server.limits import Limits, Rate, address_of, is_trusted

REQUESTS = 100.0
"""Requests a second of an address, in the long run: they take the server's event loop a tenth of its time."""

REQUESTS_AT_ONCE = 1000.0
"""Requests beyond that rate: a class of forty behind one address may open its pages at the same moment."""

LONGEST_WAIT = 10.0
"""Seconds that a request of an address that asks for too much is kept waiting; beyond that it is refused."""

SECONDS = 1_000_000
"""Microseconds in a second."""


class Guests:
    """The browsers of one address, as far as limits go."""

    def __init__(self, trusted: bool, clock: Callable[[], int]) -> None:
        """Begin with none; nothing is limited for those that are trusted."""
        self.trusted = trusted
        self.connections = 0
        self._rate = Rate()
        self._clock = clock

    def wait(self) -> float | None:
        """A request has come: return the seconds that it is kept waiting, None where it is to be refused."""
        now = self._clock()
        if self.trusted:
            return 0.0
        if not self._rate.allows(now, 1, REQUESTS, REQUESTS_AT_ONCE + REQUESTS * LONGEST_WAIT):
            return None
        return self._rate.owed(now, REQUESTS, REQUESTS_AT_ONCE) / SECONDS

    def unused(self) -> bool:
        """Tell whether there is nothing to remember."""
        return self.connections == 0 and self._rate.unused(self._clock())


class Crowd:
    """Everybody who is connected."""

    def __init__(self, limits: Limits, most: int, clock: Callable[[], int]) -> None:
        """``most`` connections are let in, of an address as many as the limits say; ``clock`` counts microseconds."""
        self._limits = limits
        self._most = most
        self._clock = clock
        self._count = 0
        self._addresses: dict[str, Guests] = {}

    def enter(self, host: str) -> Guests | None:
        """Let a connection in, None where there are too many of them; `leave` is to be called for the others."""
        key = address_of(host)
        guests = self._addresses.get(key)
        if guests is None:
            self._forget()
            guests = self._addresses[key] = Guests(is_trusted(host, self._limits), self._clock)
        full = not guests.trusted and guests.connections >= self._limits.connections
        if full or self._count >= self._most:
            return None
        guests.connections += 1
        self._count += 1
        return guests

    def leave(self, guests: Guests) -> None:
        """A connection has ended."""
        guests.connections -= 1
        self._count -= 1

    def _forget(self) -> None:
        """Forget addresses of which there is nothing to remember."""
        if len(self._addresses) > 2 * self._most:
            self._addresses = {key: guests for key, guests in self._addresses.items() if not guests.unused()}
