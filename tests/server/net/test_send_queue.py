"""Sending at the end of a pass: players before spectators."""

import socket

import pytest
import trio
import trio.testing
from server.net.send_queue import LOW_PRIORITY_PER_PASS, SendQueue

from server.net.connection import Connection
from server.net.timing import InstrumentDropped, StallLog, StallMonitor, check_instruments, instrumented


class Mail:
    """Takes note of when it is flushed."""

    def __init__(self, flushed: list[object]) -> None:
        self.flushed = flushed

    def flush(self) -> None:
        self.flushed.append(self)

    def failed(self, error: Exception) -> None:
        raise AssertionError from error


class Broken:
    """Cannot be flushed, and hears so."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def flush(self) -> None:
        raise RuntimeError("no flushing")

    def failed(self, error: Exception) -> None:
        self.heard.append(str(error))
        raise RuntimeError("nor this")


async def test_who_is_patient_is_flushed_behind_the_others_and_a_few_in_a_pass(
    autojump_clock: trio.testing.MockClock,
) -> None:
    flushed: list[object] = []
    send_queue = SendQueue()
    patient = [Mail(flushed) for _ in range(2 * LOW_PRIORITY_PER_PASS + 1)]
    urgent = [Mail(flushed) for _ in range(40)]
    for mail in patient:
        send_queue.add(mail, low_priority=True)
    for mail in urgent:
        send_queue.add(mail)
    send_queue.then(lambda: flushed.append("then"), lambda _: None)
    send_queue.before_io_wait(0)
    assert flushed == [*urgent, "then", *patient[:LOW_PRIORITY_PER_PASS]]
    with instrumented(send_queue), trio.fail_after(50):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_queue.run)
            while len(flushed) < len(patient) + len(urgent) + 1:
                await trio.sleep(1)  # on a simulated clock: nothing but the send queue wakes the loop
            nursery.cancel_scope.cancel()
    assert flushed[len(urgent) + 1 :] == patient


async def test_what_fails_behind_sending_is_told_to_whom_it_concerns() -> None:
    failures: list[Exception] = []
    send_queue = SendQueue()

    def fail() -> None:
        raise RuntimeError("behind")

    send_queue.then(fail, failures.append)
    send_queue.before_io_wait(0)
    assert not failures, "what is done then may wake tasks, which an instrument must not"
    await trio.testing.wait_all_tasks_blocked()
    assert [str(error) for error in failures] == ["behind"]


async def test_what_cannot_be_flushed_silences_nobody_else(autojump_clock: trio.testing.MockClock) -> None:
    flushed: list[object] = []
    send_queue, broken, patient = SendQueue(), Broken(), Broken()
    sound = [Mail(flushed), Mail(flushed)]
    with instrumented(send_queue):
        send_queue.add(broken)
        send_queue.add(sound[0])
        send_queue.add(patient, low_priority=True)
        send_queue.add(sound[1], low_priority=True)
        await trio.sleep(1)
        assert flushed == sound
        assert broken.heard == patient.heard == ["no flushing"]
        send_queue.add(sound[0])
        await trio.sleep(1)
    assert flushed == [*sound, sound[0]], "trio has not dropped the send queue"


@pytest.mark.parametrize("name", ["SendQueue", "StallMonitor"])
async def test_the_loop_does_not_turn_without_those_who_look_on(
    name: str, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An instrument that raises is dropped by trio: the server then ends, and does not stand there and say nothing."""
    send_queue, watch = SendQueue(), StallMonitor(lambda: 0, StallLog())
    instrument = {"SendQueue": send_queue, "StallMonitor": watch}[name]
    look, fails = instrument.before_io_wait, False

    def see(timeout: float) -> None:
        if fails:
            raise RuntimeError("an instrument fails")
        look(timeout)

    monkeypatch.setattr(instrument, "before_io_wait", see)
    with instrumented(send_queue, watch):
        with trio.move_on_after(60) as minute:
            await check_instruments(send_queue, watch)
        assert minute.cancelled_caught
        fails = True
        with pytest.raises(InstrumentDropped, match=name):
            await check_instruments(send_queue, watch)


async def test_a_connection_that_is_closed_writes_to_no_descriptor() -> None:
    """The number of its descriptor is that of the next connection by then."""
    near, far = socket.socketpair()
    send_queue = SendQueue()
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(far))
    connection = Connection(stream, send_queue)
    connection.send(b"before\n")
    connection.flush()
    assert near.recv(100) == b"before\n"
    connection.send(b"left over\n")
    connection.close()
    connection.send(b"behind\n")
    connection.flush()
    await trio.testing.wait_all_tasks_blocked()
    near.setblocking(False)
    with near, pytest.raises(BlockingIOError):
        near.recv(100)
    await stream.aclose()
    assert connection.broken and await connection.receive() is None
