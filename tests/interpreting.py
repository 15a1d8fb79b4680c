"""Keeping the compiler out of tests that are not about it: a search takes it a quarter of a minute in each variant."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.compiling import code_cache
from engine.compiling.binding import can_compile
from tests.waiting import BUILD_SECONDS


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Have kernels interpreted in this process, and in those that it starts meanwhile.

    One that compiles beside a bot or a server would go on behind the test that started it, and slow all others down.
    """
    if not can_compile():
        yield
        return
    import numba  # before the variable is set: numba reads it here, and again whenever it compiles

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NUMBA_DISABLE_JIT", "1")
        yield
    assert not numba.config.DISABLE_JIT, "something was compiled in a test that is not marked for it"


@pytest.fixture(autouse=True)
def what_is_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let tests with the mark ``slow`` compile, and no others: for tests of what is compiled.

    Tests marked ``slow("interpreted")`` do not compile: the compiler would take longer than they do. Processes wait
    for code that another one compiles, however busy the machine is: nothing is compiled twice.
    """
    slow = request.node.get_closest_marker("slow")
    if slow and not slow.args:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(code_cache, "MAX_WAIT_SECONDS", BUILD_SECONDS)
            yield
        return
    with nothing_compiled():
        yield
