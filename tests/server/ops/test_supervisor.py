"""Services that fail, and begin again."""

import trio
import trio.testing

from server.ops.supervisor import supervise
from tests.server.harness import logged


async def test_a_service_that_fails_begins_again_after_growing_pauses(autojump_clock: trio.testing.MockClock) -> None:
    began: list[float] = []

    async def service(lack: OSError) -> None:
        began.append(trio.current_time())
        if len(began) < 4:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                raise lack

    with logged() as written:
        await supervise("pages", service, OSError(24, "too many"))
    assert [moment - began[0] for moment in began] == [0, 1, 3, 7]
    assert written.getvalue().count("event=service_failed service=pages") == 3


async def test_a_service_that_fails_while_it_is_cancelled_raises_nothing() -> None:
    async def service() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("the disk is gone")

    with trio.move_on_after(0.01) as scope:
        await supervise("pages", service)
    assert scope.cancelled_caught
