"""Keeping the compiler out of quick tests: a search takes it a quarter of a minute in each variant of a game."""

from collections.abc import Iterator

import pytest

from engine.compiling.binding import can_compile


@pytest.fixture(autouse=True)
def quick_tests_run_interpreted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have kernels interpreted in tests without the mark ``slow``, and in the processes that they start."""
    if request.node.get_closest_marker("slow") or not can_compile():
        yield
        return
    import numba  # before the variable is set: numba reads it here, and again whenever it compiles

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    yield
    assert not numba.config.DISABLE_JIT, "something was compiled: this test is to be marked as slow"
