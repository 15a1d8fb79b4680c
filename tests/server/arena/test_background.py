"""Work that takes time holds up nobody: records are replayed and boards made elsewhere, long lists in steps."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from engine.games.catalogue import GAMES
from engine.match import verification
from engine.wire import messages as m
from server.arena import arena, lobby
from server.match import match_messages
from server.match.match_messages import SteppedAnswer, list_matches, list_moves
from tests.bench.requests import Costs, ask_for_all, limited_to
from tests.server.harness import ArenaHarness, Client, hear_all, open_arena, play, playing

MINUTE = timedelta(minutes=1)


async def ended(folder: Path) -> tuple[Path, tuple[str, str]]:
    """Play a match to its end; return the data directory of the next server, and the tokens of both players."""
    async with playing(folder / "data") as (harness, ann, bob):
        await play(ann, bob, "a3-b3")
        await bob.say(m.Resign())
        await ann.hear(m.Result)
        return harness.die(), (ann.token, bob.token)


def no_replay(*_: Any) -> None:
    raise AssertionError("a record is replayed on the event loop")


async def come_back(harness: ArenaHarness, token: str) -> tuple[Client, list[Any]]:
    client = await harness.connect()
    await client.say(m.Resume(1, token), m.Ping(m.Text("behind")))
    told = [await client.next()]
    while not isinstance(told[-1], m.Pong):
        assert told[-1] is not None, "the server has closed"
        told.append(await client.next())
    return client, told


async def test_a_wrong_token_makes_nobody_read_the_record(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _ = await ended(tmp_path)
    async with open_arena(data, later=MINUTE) as harness:
        for module, name in ((verification, "verify"), (arena, "finished_match")):
            monkeypatch.setattr(module, name, no_replay)
        for guess in ("x", "0" * 32):
            _, told = await come_back(harness, guess)
            assert [type(message) for message in told] == [m.Error, m.Pong]
            assert told[0].code == "bad_token"


async def test_a_record_is_replayed_beside_the_loop_and_other_requests_wait_for_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    data, tokens = await ended(tmp_path)

    async def slowly(work: Callable[..., Any], *what: Any) -> Any:
        await trio.sleep(1)
        return work(*what)

    async with open_arena(data, later=MINUTE) as harness:
        harness.arena.run_in_thread = slowly
        for side, token in enumerate(tokens):
            client, told = await come_back(harness, token)
            kinds = [m.Welcome, m.Match, m.Board, m.Start, m.Moved, m.Result, m.Pong]
            assert [type(message) for message in told] == kinds
            assert told[1].token == token and told[1].side == ("white", "black")[side]
            assert (told[-2].result, told[-2].reason) == ("white", "resign")
            await client.ask(m.Seek("gipf", m.Text("opponent=nobody")), m.Seeking)


async def test_who_is_logged_in_again_when_the_record_is_replayed_is_not_resumed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    data, tokens = await ended(tmp_path)

    async def meanwhile(work: Callable[..., Any], *what: Any) -> Any:
        harness.arena.run_in_thread = in_thread
        await harness.connect("ann")
        return await in_thread(work, *what)

    async with open_arena(data, later=MINUTE) as harness:
        in_thread, harness.arena.run_in_thread = harness.arena.run_in_thread, meanwhile
        _, told = await come_back(harness, tokens[0])
        assert told[0].code == "name_taken"


async def test_a_replay_that_fails_says_nothing_of_the_match(tmp_path: Path, autojump_clock: MockClock) -> None:
    data, tokens = await ended(tmp_path)

    async def fails(*_: Any) -> None:
        raise OSError("the record cannot be read")

    async with open_arena(data, later=MINUTE) as harness:
        at_once, harness.arena.run_in_thread = harness.arena.run_in_thread, fails
        client = await harness.connect()
        assert (await client.ask(m.Resume(1, tokens[0]), m.Bye)).reason == "server_fault"
        harness.arena.run_in_thread = at_once
        _, told = await come_back(harness, tokens[0])
        assert isinstance(told[0], m.Welcome)


def made(steps: Iterator[bytes]) -> tuple[int, bytes, int]:
    """Complete an answer; return the number of steps, the answer and the work that it took."""
    listing, number = SteppedAnswer(steps), 1
    while not (answer := listing.step()):
        number += 1
    return number, answer, listing.worked()


def test_matches_are_listed_in_steps() -> None:
    steps, answer, _ = made(list_matches([lambda: "line"] * (2 * match_messages.LINES_PER_STEP + 1)))
    lines = 2 * match_messages.LINES_PER_STEP + 1
    assert steps == 3 and answer == f"MATCHES {lines}\n".encode() + b"| line\n" * lines


def test_moves_that_take_long_are_found_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor works for a hundred microseconds between any two looks at its clock."""
    looks = count(step=100)
    monkeypatch.setattr(match_messages, "processor_time", lambda: next(looks))
    steps, answer, worked = made(list_moves(GAMES["mnk"].start("3 3 3")))
    assert steps == 3 and worked >= steps * match_messages.STEP_MICROSECONDS and answer.startswith(b"MOVES 9\n")


async def test_a_turn_that_ends_before_its_moves_are_found_gets_an_error(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = SteppedAnswer.finish

    async def slowly(self: SteppedAnswer) -> bytes:
        await trio.sleep(2)
        return await finish(self)

    monkeypatch.setattr(SteppedAnswer, "finish", slowly)
    async with playing(tmp_path, "params=19,19,5 budget=1000", "mnk") as (_harness, first, _second):
        assert (await first.ask(m.AskMoves(), m.Result)).reason == "time"
        assert (await first.next()).code == "not_your_turn"
        await first.nothing()


MAX_CALLS = 5000
"""Calls for one request, or one part of it: they take less than a millisecond."""

PLIES = 40

LARGEST = [
    pytest.param("gipf", "12,4,200,200", marks=pytest.mark.slow),
    ("gipf", "2,2,5,5"),
    ("arrows", "10,10"),
    ("morris", ""),
    pytest.param("mnk", "19,19,5", marks=pytest.mark.thorough),
]


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """Count calls, of Python's own functions too, as long as the ``with`` lasts."""
    count = [0]

    def called(_frame: Any, event: str, _what: Any) -> None:
        if event in ("call", "c_call"):
            count[0] += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield count
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(("game", "params"), LARGEST)
async def test_no_request_does_more_than_a_bound(tmp_path: Path, game: str, params: str) -> None:
    start = GAMES[game].start(GAMES[game].parameters(params) if params else "")
    assert not start.is_over  # binds the rules to the board, once
    async with open_arena(tmp_path, change=limited_to(PLIES)) as harness:
        with counted_calls() as calls:
            costs = Costs(lambda: calls[0])
            await ask_for_all(harness, costs, game, params)
        worst = costs.worst()
        assert {"MOVE", "MOVES", "BOARD", "RESUME", "LIST", "RECORD", "WATCH"} <= worst.keys()
        assert {kind: count for kind, count in worst.items() if count > MAX_CALLS} == {}


PARAMETERS = "11,4,123,123"
"""Parameters of a board that no other test plays on."""


async def test_the_first_match_on_a_board_finds_its_tables_made(tmp_path: Path, autojump_clock: MockClock) -> None:
    made: list[Any] = []

    async with open_arena(tmp_path) as harness:

        async def elsewhere(work: Callable[..., Any], *what: Any) -> Any:
            made.append((work, *what))
            await trio.lowlevel.checkpoint()
            return work(*what)

        harness.arena.run_in_thread = elsewhere
        ann, bob = await harness.connect("ann"), await harness.connect("bob")
        for client in (ann, bob):
            await client.ask(m.Seek("gipf", m.Text(f"params={PARAMETERS}")), m.Seeking)
        await hear_all(m.Board, ann, bob)
        assert made == [(lobby.prepare, "gipf", PARAMETERS.replace(",", " "))], "once, before anybody was paired"
        match = harness.match()
        with counted_calls() as calls:
            match.ready(0, 0)
            match.ready(1, 0)
        assert calls[0] < 1000, "no tables are made when the clocks begin to run"


async def test_who_leaves_while_its_board_is_prepared_is_not_paired(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    async def slowly(work: Callable[..., Any], *what: Any) -> Any:
        await trio.sleep(1)
        return work(*what)

    harness.arena.run_in_thread = slowly
    ann = await harness.connect("ann")
    await ann.say(m.Seek("gipf"))
    await trio.sleep(0.1)
    await ann.stream.aclose()
    await trio.sleep(2)
    assert not list(harness.arena.lobby) and not harness.arena.sessions
