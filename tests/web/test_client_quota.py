"""Quota of browsers of one address, on a clock that the test turns."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from server.config.settings import Limits
from server.web.http.request import (
    MAX_WAIT,
    QUOTA,
    REQUESTS,
    REQUESTS_AT_ONCE,
    TOO_MANY,
    TRUSTED_REQUESTS,
    ClientQuota,
    Guard,
    HttpRateLimiter,
)
from tests.clocks import SetClock
from tests.web.asking import ask

HOST, OTHER = "192.0.2.1", "192.0.2.2"


def behind(http_rate_limiter: HttpRateLimiter, forwarded: str) -> ClientQuota:
    """Return the quota of whom a proxy names."""
    return http_rate_limiter.behind(http_rate_limiter.host_behind(forwarded))


def test_connections_of_an_address_and_of_all_are_bounded() -> None:
    http_rate_limiter = HttpRateLimiter(Limits(connections=3), 5, SetClock(1))
    inside = [http_rate_limiter.enter(HOST) for _ in range(3)]
    assert all(inside) and http_rate_limiter.enter(HOST) is None
    others = [http_rate_limiter.enter(OTHER) for _ in range(2)]
    assert all(others) and http_rate_limiter.enter(OTHER) is None and http_rate_limiter.enter("127.0.0.1") is None
    assert inside[0] is not None
    http_rate_limiter.leave(inside[0])
    assert http_rate_limiter.enter(HOST) is inside[0]


def test_requests_beyond_the_rate_wait_and_are_refused_in_the_end() -> None:
    clock = SetClock(1)
    quota = HttpRateLimiter(Limits(), 50, clock).enter(HOST)
    assert quota is not None
    assert all(quota.wait() == 0 for _ in range(int(REQUESTS_AT_ONCE)))
    waits = [quota.wait() for _ in range(int(REQUESTS * MAX_WAIT))]
    assert waits == [pytest.approx(number / REQUESTS, abs=1e-5) for number in range(1, len(waits) + 1)]
    assert [quota.wait() for _ in range(10_000)] == [None] * 10_000
    clock.now += 1_000_000  # who was refused owes nothing for it
    assert quota.wait() == pytest.approx(MAX_WAIT - 1 + 1 / REQUESTS, abs=1e-5)


def test_addresses_that_have_gone_are_forgotten() -> None:
    clock = SetClock(1)
    http_rate_limiter = HttpRateLimiter(Limits(), 10, clock)
    for number in range(1000):
        quota = http_rate_limiter.enter(f"192.0.{number // 250}.{number % 250}")
        assert quota is not None
        quota.wait()
        http_rate_limiter.leave(quota)
        clock.now += 1_000_000
    assert len(http_rate_limiter._addresses) < 25


def test_the_machine_itself_has_more_requests_but_not_all_time() -> None:
    clock = SetClock(1)
    proxy = HttpRateLimiter(Limits(), 10, clock).enter("127.0.0.1")
    assert proxy is not None
    waits = [proxy.wait() for _ in range(int(REQUESTS_AT_ONCE + TRUSTED_REQUESTS * MAX_WAIT) + 1)]
    assert waits[int(REQUESTS_AT_ONCE) - 1] == 0 and waits[-2] == pytest.approx(MAX_WAIT) and waits[-1] is None
    clock.now += 10_000_000
    assert proxy.wait() == pytest.approx(1 / TRUSTED_REQUESTS, abs=1e-5)


def test_a_proxy_of_a_trusted_network_asks_for_the_address_that_it_names() -> None:
    http_rate_limiter = HttpRateLimiter(Limits(connections=3), 50, SetClock(1))
    proxy = http_rate_limiter.enter("127.0.0.1")
    assert proxy is not None and proxy.trusted
    client = behind(http_rate_limiter, HOST)
    assert not client.trusted and client is behind(
        http_rate_limiter, f"{OTHER}, {HOST}, ::1"
    ) is http_rate_limiter.enter(HOST)
    assert behind(http_rate_limiter, f"{HOST}, {OTHER}") is http_rate_limiter.enter(OTHER), (
        "what a client says of itself is not believed"
    )
    assert [client.join() for _ in range(3)] == [True, True, False]
    client.part()
    assert client.join()
    assert behind(http_rate_limiter, "127.0.0.1") is proxy
    for nonsense in ("", ",", "x", "1.2.3.4:80", f"{HOST}, x", "٣", "9" * 5000):
        assert (
            behind(http_rate_limiter, nonsense) is behind(http_rate_limiter, "")
            and not behind(http_rate_limiter, "").trusted
        )


async def test_a_refused_request_is_answered_with_its_status() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("found")(scope, receive, send)

    quota = HttpRateLimiter(Limits(trusted=()), 10, SetClock(1)).enter("127.0.0.1")
    assert quota is not None
    assert (await ask(Guard(app), "GET", "/", state={QUOTA: quota})).body == b"found"
    while quota.wait() is not None:
        pass
    refused = await ask(Guard(app), "GET", "/", state={QUOTA: quota})
    assert (refused.status, refused.json) == (TOO_MANY[0], {"error": TOO_MANY[1]})
