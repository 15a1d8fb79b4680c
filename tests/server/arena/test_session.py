"""What is said to a session outside of matches, and what it does with nonsense."""

import gc
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock

from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.coding import REQUEST_BYTES
from server.arena.session import Session
from tests.server.harness import ArenaHarness, open_arena


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (b"HELLO", "unknown_command", "unknown command 'HELLO'; one of LOGIN"),
        (b"LOGIN", "bad_arguments", "lacks name; it is written: LOGIN name [token]"),
        (b"LOGIN a b c", "bad_arguments", "'c' is too much"),
        (b"LOGIN -rf", "bad_name", "'-rf'"),
        (b"LOGIN " + b"a" * 33, "bad_name", "1 to 32"),
        ("LOGIN Ünal".encode(), "bad_name", "'Ünal'"),
        (b"WATCH one", "bad_arguments", "whole number, not 'one'"),
        (b"WATCH 5", "unknown_match", "match 5 is not running"),
        (b"RECORD 5", "unknown_match", "no record of match 5"),
        (b"RECORD 9999999999999", "bad_arguments", "whole number"),
        (b"RESUME 5 token", "bad_token", "match 5"),
        (b"SEEK gipf", "wrong_state", "SEEK is not possible now (guest); possible are HELP, LIST, LOG, LOGIN"),
        (b"MOVE a1-b2", "not_your_turn", "between TURN and MOVE"),
        (b"PING \xff", "bad_line", "byte 6"),
        (b"PING \x07", "bad_line", "character 6"),
        (b"PING " + b"x" * REQUEST_BYTES, "line_too_long", f"at most {REQUEST_BYTES} bytes"),
    ],
)
async def test_wrong_line_gets_one_clear_error_and_changes_nothing(
    harness: ArenaHarness, autojump_clock: MockClock, line: bytes, code: str, words: str
) -> None:
    client = await harness.connect()
    await client.stream.send_all(line + b"\r\nlogin ann\n")
    error = await client.next()
    assert error.code == code
    assert words in error.sentence
    assert await client.next() == m.Welcome("ann")


async def test_names_are_taken_whatever_their_case(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann = await harness.connect("ann")
    other = await harness.connect()
    assert (await other.ask(m.Login("ANN"), m.Error)).code == "name_taken"
    assert (await ann.ask(m.Quit(), m.Bye)).reason == "quit"
    assert await ann.next() is None
    assert await other.ask(m.Login("ANN"), m.Welcome) == m.Welcome("ANN")


async def test_tokens_are_asked_for_and_checked(tmp_path: Path, autojump_clock: MockClock) -> None:
    known = {"ann": sha256(b"secret").hexdigest()}
    async with open_arena(tmp_path, change=lambda s: msgspec.structs.replace(s, tokens=known)) as harness:
        client = await harness.connect()
        for message in (m.Login("ann"), m.Login("ann", "Secret"), m.Login("bob", "secret")):
            assert (await client.ask(message, m.Error)).code == "bad_token"
        await client.ask(m.Login("Ann", "secret"), m.Welcome)


async def test_no_more_matches_than_the_server_has_room_for(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=lambda s: msgspec.structs.replace(s, most_matches=1)) as harness:
        await harness.pair()
        carol = await harness.connect("carol")
        assert (await carol.ask(m.Seek("gipf"), m.Error)).code == "too_many"


async def test_help_lists_every_command(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    client = await harness.connect()
    lines = (await client.ask(m.AskHelp(), m.Help)).lines
    assert [line.split()[0].rstrip(":") for line in lines] == list(m.REQUESTS)


async def test_server_that_stops_tells_those_who_wait(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann = await harness.connect("ann")
    await ann.ask(m.Seek("gipf"), m.Seeking)
    harness.arena.stop()
    await ann.hear(m.Cancelled)
    assert (await ann.ask(m.Seek("gipf"), m.Error)).code == "stopping"


async def test_what_is_over_is_gone_without_the_garbage_collector(tmp_path: Path, autojump_clock: MockClock) -> None:
    def alive() -> list[object]:
        return [thing for thing in gc.get_objects() if type(thing) in (Session, ProtocolError)]

    gc.collect()
    gc.disable()
    before = alive()
    try:
        async with open_arena(tmp_path) as harness:
            ann, bob = await harness.pair()
            carol = await harness.connect("carol")
            await carol.stream.send_all(b"\xff\xfe\nnonsense\n" + b"x" * 2000 + b"\n")
            for _ in range(3):
                assert isinstance(await carol.next(), m.Error)
            await ann.say(m.Resign())
            await bob.hear(m.Result)
            for client in (ann, bob, carol):
                await client.stream.aclose()
            await trio.testing.wait_all_tasks_blocked()
            assert len(alive()) == len(before), "each would be work for the collector, which stops the whole server"
    finally:
        gc.enable()
