"""What browsers of one address may have, on a clock that the test turns."""

import pytest

from server.limits import Limits
from server.web.crowd import LONGEST_WAIT, REQUESTS, REQUESTS_AT_ONCE, TRUSTED_REQUESTS, Crowd

HOST, OTHER = "192.0.2.1", "192.0.2.2"


class Clock:
    """Counts microseconds, when it is told to."""

    def __init__(self) -> None:
        self.now = 1

    def __call__(self) -> int:
        return self.now


def test_connections_of_an_address_and_of_all_are_bounded() -> None:
    crowd = Crowd(Limits(connections=3), 5, Clock())
    inside = [crowd.enter(HOST) for _ in range(3)]
    assert all(inside) and crowd.enter(HOST) is None
    others = [crowd.enter(OTHER) for _ in range(2)]
    assert all(others) and crowd.enter(OTHER) is None and crowd.enter("127.0.0.1") is None
    assert inside[0] is not None
    crowd.leave(inside[0])
    assert crowd.enter(HOST) is inside[0]


def test_the_machine_itself_is_bounded_by_the_whole_alone() -> None:
    crowd = Crowd(Limits(connections=3), 50, Clock())
    guests = [crowd.enter("127.0.0.1") for _ in range(50)]
    assert all(guests) and crowd.enter("127.0.0.1") is None


def test_requests_beyond_the_rate_wait_and_are_refused_in_the_end() -> None:
    clock = Clock()
    guests = Crowd(Limits(), 50, clock).enter(HOST)
    assert guests is not None
    assert all(guests.wait() == 0 for _ in range(int(REQUESTS_AT_ONCE)))
    waits = [guests.wait() for _ in range(int(REQUESTS * LONGEST_WAIT))]
    assert waits == [pytest.approx(number / REQUESTS, abs=1e-5) for number in range(1, len(waits) + 1)]
    assert [guests.wait() for _ in range(10_000)] == [None] * 10_000
    clock.now += 1_000_000  # who was refused owes nothing for it
    assert guests.wait() == pytest.approx(LONGEST_WAIT - 1 + 1 / REQUESTS, abs=1e-5)


def test_addresses_that_have_gone_are_forgotten() -> None:
    clock = Clock()
    crowd = Crowd(Limits(), 10, clock)
    for number in range(1000):
        guests = crowd.enter(f"192.0.{number // 250}.{number % 250}")
        assert guests is not None
        guests.wait()
        crowd.leave(guests)
        clock.now += 1_000_000
    assert len(crowd._addresses) < 25


def test_the_machine_itself_has_more_requests_but_not_all_time() -> None:
    clock = Clock()
    proxy = Crowd(Limits(), 10, clock).enter("127.0.0.1")
    assert proxy is not None
    waits = [proxy.wait() for _ in range(int(REQUESTS_AT_ONCE + TRUSTED_REQUESTS * LONGEST_WAIT) + 1)]
    assert waits[int(REQUESTS_AT_ONCE) - 1] == 0 and waits[-2] == pytest.approx(LONGEST_WAIT) and waits[-1] is None
    clock.now += 10_000_000
    assert proxy.wait() == pytest.approx(1 / TRUSTED_REQUESTS, abs=1e-5)


def test_a_proxy_of_a_trusted_network_asks_for_the_address_that_it_names() -> None:
    crowd = Crowd(Limits(connections=3), 50, Clock())
    proxy = crowd.enter("127.0.0.1")
    assert proxy is not None and proxy.trusted
    client = crowd.behind(HOST)
    assert not client.trusted and client is crowd.behind(f"{OTHER}, {HOST}, ::1") is crowd.enter(HOST)
    assert crowd.behind(f"{HOST}, {OTHER}") is crowd.enter(OTHER), "what a client says of itself is not believed"
    assert [crowd.join(client) for _ in range(3)] == [True, True, False]
    crowd.part(client)
    assert crowd.join(client)
    assert crowd.behind("127.0.0.1") is proxy
    for nonsense in ("", ",", "x", "1.2.3.4:80", f"{HOST}, x", "٣", "9" * 5000):
        assert crowd.behind(nonsense) is crowd.behind("") and not crowd.behind("").trusted


def test_too_many_requests_of_a_client_behind_a_proxy_are_refused() -> None:
    clock = Clock()
    crowd = Crowd(Limits(), 50, clock)
    one, other = crowd.behind(HOST), crowd.behind(OTHER)
    waits = [one.wait() for _ in range(10_000)]
    assert waits[-1] is None and other.wait() == 0
