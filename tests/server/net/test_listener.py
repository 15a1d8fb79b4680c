"""The spare descriptor of listeners."""

import os

import pytest
import trio

from server.net.listener import AcceptStatus, Listener


async def test_a_spare_descriptor_that_was_lost_is_taken_before_the_next_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[int] = []

    def lack(*_what: object) -> int:
        raise OSError(24, "injected")

    def take(path: str, flags: int) -> int:
        taken.append(number := open_file(path, flags))
        return number

    open_file, status = os.open, AcceptStatus()
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener, await trio.open_tcp_stream(*listener.socket.getsockname()):
        with status.keep_spare():
            monkeypatch.setattr(os, "open", lack)
            with status.spare_released() as had_one:
                assert had_one
            with status.spare_released() as had_one:
                assert not had_one, "another task has the descriptor"
            monkeypatch.setattr(os, "open", take)
            async with await Listener(listener, status).accept() as stream:
                assert taken[0] < stream.socket.fileno()
        assert len(taken) == 1
