"""Sending at the end of a pass: players before spectators."""

import trio
import trio.testing

from server.loop import watched
from server.outbox import PATIENT_AT_A_TIME, Outbox


class Mail:
    """Takes note of when it is flushed."""

    def __init__(self, flushed: list[object]) -> None:
        self.flushed = flushed

    def flush(self) -> None:
        self.flushed.append(self)


async def test_who_is_patient_is_flushed_behind_the_others_and_a_few_in_a_pass(
    autojump_clock: trio.testing.MockClock,
) -> None:
    flushed: list[object] = []
    outbox = Outbox()
    patient = [Mail(flushed) for _ in range(2 * PATIENT_AT_A_TIME + 1)]
    urgent = [Mail(flushed) for _ in range(40)]
    for mail in patient:
        outbox.add(mail, patient=True)
    for mail in urgent:
        outbox.add(mail)
    outbox.then(lambda: flushed.append("then"), lambda _: None)
    outbox.before_io_wait(0)
    assert flushed == [*urgent, "then", *patient[:PATIENT_AT_A_TIME]]
    with watched(outbox), trio.fail_after(50):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.run)
            while len(flushed) < len(patient) + len(urgent) + 1:
                await trio.sleep(1)  # on a simulated clock: nothing but the outbox wakes the loop
            nursery.cancel_scope.cancel()
    assert flushed[len(urgent) + 1 :] == patient


async def test_what_fails_behind_sending_is_told_to_whom_it_concerns() -> None:
    failures: list[Exception] = []
    outbox = Outbox()

    def fail() -> None:
        raise RuntimeError("behind")

    outbox.then(fail, failures.append)
    outbox.before_io_wait(0)
    assert not failures, "what is done then may wake tasks, which an instrument must not"
    await trio.testing.wait_all_tasks_blocked()
    assert [str(error) for error in failures] == ["behind"]
