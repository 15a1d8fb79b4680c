"""A test that exceeds its time while trio waits shows where its tasks wait. Then trio can run again."""

import signal

import pytest
import trio

from tests.time_limits import pytest_pyfunc_call


class Limit(trio.abc.Instrument):
    """An alarm that rings when trio waits for the first time."""

    def __init__(self) -> None:
        self.is_reached = False

    def before_io_wait(self, timeout: float) -> None:
        if timeout and not self.is_reached:
            self.is_reached = True
            signal.raise_signal(signal.SIGALRM)


async def waits_for_ever() -> None:
    await trio.sleep_forever()


def test_a_limit_that_is_reached_while_trio_waits_ends_trio(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # as hypothesis repeats what has failed
        call = pytest_pyfunc_call()
        next(call)
        with pytest.raises(trio.TrioInternalError) as caught:
            trio.run(waits_for_ever, instruments=[Limit()])
        with pytest.raises(pytest.fail.Exception, match="Timeout"):
            call.throw(caught.value)
        assert "in waits_for_ever\n" in capsys.readouterr().err
    trio.run(trio.lowlevel.checkpoint)
