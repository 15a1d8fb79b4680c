"""Requests outside of matches: what is said to a session, what it does with nonsense, and what organisers may do."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest
import trio
from inline_snapshot import snapshot
from trio.testing import MockClock

from engine.games.interface import Termination
from engine.match import verification
from engine.wire import messages as m
from engine.wire.coding import REQUEST_BYTES
from engine.wire.messages import ProtocolError
from server.arena.session import Session
from server.config import tokens
from server.config.settings import Settings
from server.contest.definition import Entrant
from server.contest.formats.meetings import RoundRobin
from server.contest.hosts.contest_players import ContestPlayers
from tests.server.contest.played import contest
from tests.server.harness import ArenaHarness, Client, open_arena, play


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"HELLO", "unknown_command"),
        (b"LOGIN", "bad_arguments"),
        (b"LOGIN a b c", "bad_arguments"),
        (b"LOGIN " + b"a" * 33, "bad_name"),
        ("LOGIN Ünal".encode(), "bad_name"),
        (b"WATCH one", "bad_arguments"),
        (b"PING \xff", "bad_line"),
        (b"PING \x07", "bad_line"),
        (b"PING " + b"x" * REQUEST_BYTES, "line_too_long"),
        (b"RESUME 5 token", "bad_token"),
        (b"MOVE a1-b2", "not_your_turn"),
    ],
)
async def test_wrong_line_gets_one_error_and_changes_nothing(
    harness: ArenaHarness, autojump_clock: MockClock, line: bytes, code: str
) -> None:
    client = await harness.connect()
    await client.stream.send_all(line + b"\r\nlogin ann\n")
    assert (await client.next()).code == code
    assert await client.next() == m.Welcome("ann")


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (m.Watch(5), snapshot("match 5 is not running, nor has it just ended; see LIST, or RECORD for older ones")),
        (m.AskRecord(5), snapshot("there is no record of match 5")),
        (m.Resume(5, "token"), snapshot("match 5 is not to be resumed with this token; log in with LOGIN")),
        (
            m.Seek("gipf"),
            snapshot(
                "SEEK is not possible now (guest); possible are HELP, LIST, LOG, LOGIN, ORGANISE, PING, PONG, QUIT, RECORD, RESUME, WATCH"
            ),
        ),
        (m.Move(m.Text("a1-b2")), snapshot("MOVE is for your own turn, between TURN and MOVE")),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_request_of_a_guest_that_cannot_be_done_is_refused_in_a_sentence(
    harness: ArenaHarness, autojump_clock: MockClock, request_: m.Message, sentence: str
) -> None:
    client = await harness.connect()
    assert (await client.ask(request_, m.Error)).sentence == sentence


async def test_names_are_taken_whatever_their_case(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann = await harness.connect("ann")
    other = await harness.connect(host="192.0.2.7")
    error = await other.ask(m.Login("ANN"), m.Error)
    assert (error.code, error.sentence) == (
        "name_taken",
        snapshot("somebody is logged in as ann; ANN-2 is free: LOGIN ANN-2, or for a bot ARENA_NAME=ANN-2"),
    )
    assert (await ann.ask(m.Quit(), m.Bye)).reason == "quit"
    assert await ann.next() is None
    assert await other.ask(m.Login("ANN"), m.Welcome) == m.Welcome("ANN")


async def test_a_name_of_the_same_machine_gets_the_next_free_number(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    long = "a" * 31 + "b"
    for name, given in (("ann", "ann"), ("ANN", "ANN-2"), ("ann", "ann-3"), (long, long), (long, "a" * 30 + "-2")):
        client = await harness.connect()
        assert (await client.ask(m.Login(name), m.Welcome)).name == given


async def test_the_name_of_an_entrant_is_not_changed(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    definition = contest(2, RoundRobin())
    ContestPlayers.of(harness.arena).open(1, definition, lambda: None)
    name = definition.entrants[0].name
    await harness.connect(name)
    again = await harness.connect()
    error = await again.ask(m.Login(name), m.Error)
    assert (error.code, error.sentence) == ("name_taken", snapshot("a1 is logged in already; end that program first"))


async def test_a_name_of_an_account_says_where_its_token_is_made(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    hashes = {"ann": "", "bob": tokens.hashed("secret")}
    harness.arena.account_token = hashes.get
    client = await harness.connect()
    for name, token in (("ann", ""), ("bob", "guess")):
        error = await client.ask(m.Login(name, token), m.Error)
        assert (error.code, error.sentence.removeprefix(name)) == (
            "bad_token",
            snapshot(
                " belongs to an account; its owner makes the token on the page /me: LOGIN NAME TOKEN; for a bot: ARENA_TOKEN"
            ),
        )
    definition = msgspec.structs.replace(
        contest(2, RoundRobin()), entrants=(Entrant("ann", token=tokens.hashed("other")), Entrant("cat"))
    )
    ContestPlayers.of(harness.arena).open(1, definition, lambda: None)
    assert (await client.ask(m.Login("ann", "guess"), m.Error)).sentence == snapshot(
        "players log in here with the token that they were given, as LOGIN NAME TOKEN; for a bot: ARENA_TOKEN"
    )
    assert (await client.ask(m.Login("ann", "other"), m.Welcome)).name == "ann"


async def test_the_sentence_of_a_crash_has_no_folders(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann, bob = await harness.pair("params=3,3,9,9")
    await ann.say(m.Crashed(m.Text("FileNotFoundError: '/home/ann/my bots/book.bin'")))
    assert (await bob.hear(m.Result)).sentence == snapshot(
        "ann (white) crashed, and says: \"FileNotFoundError: 'book.bin'\""
    )


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


@pytest.mark.slow
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


TOKEN = "the-token-of-the-organiser"


def organised(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, organiser=tokens.hashed(TOKEN))


@asynccontextmanager
async def with_organiser(folder: Path) -> AsyncIterator[tuple[ArenaHarness, Client]]:
    """An arena, and somebody who organises in it."""
    async with open_arena(folder, change=organised) as harness:
        yield harness, await harness.guest(m.Organise(TOKEN), m.Organising)


def annul(match: int, sentence: str = "") -> m.Annul:
    return m.Annul(match, m.Text(sentence))


def dismiss(name: str, sentence: str = "") -> m.Dismiss:
    return m.Dismiss(name, m.Text(sentence))


# The token.


async def test_wrong_token_and_no_organiser_get_the_same_answer(tmp_path: Path, autojump_clock: MockClock) -> None:
    said = []
    for name, change in (("with", organised), ("without", lambda settings: settings)):
        async with open_arena(tmp_path / name, change=change) as harness:
            client = await harness.connect()
            guesses = ("guess", TOKEN.upper(), TOKEN[:-1], "x" * 900, "0" * 64, tokens.hashed(TOKEN), "é")
            said += [await client.answer(m.Organise(guess)) for guess in guesses]
            assert await client.answer(m.Login("ann")) == m.Welcome("ann")
    assert {error.code for error in said} == {"bad_token"} and len(set(said)) == 1


# Matches.


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("", snapshot("the organiser has annulled the match")),
        ("the wrong  variant", snapshot("the organiser has annulled the match: the wrong  variant")),
        ("result white time", snapshot("the organiser has annulled the match: result white time")),
        ("ä" * 500, snapshot("the organiser has annulled the match: 500 ä")),
    ],
)
async def test_running_match_is_annulled(tmp_path: Path, autojump_clock: MockClock, given: str, sentence: str) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ann, bob = await harness.begin()
        carol = await harness.guest(m.Watch(1))
        await play(ann, bob, "a4-b4")
        assert await organiser.answer(annul(1, given)) == m.Annulled(1)
        for client in (ann, bob, carol):
            result = await client.hear(m.Result)
            assert (result.match, result.result, result.reason) == (1, "annulled", "organiser")
            assert result.sentence.replace("ä" * 500, "500 ä") == sentence
        await organiser.say(annul(1, "again"), m.AskRecord(1))
        assert (await organiser.next()).code == "unknown_match"
        text = "\n".join((await organiser.next()).lines)
        summary = verification.verify(f"{text}\n")
        assert (summary.result, summary.reason, summary.sentence) == (
            "annulled",
            Termination.ORGANISER,
            result.sentence,
        )
        assert summary.history.plies == 1
        await ann.say(m.Seek("gipf"))
        await bob.say(m.Seek("gipf"))
        assert (await ann.hear(m.Match)).match == 2  # both are in the lobby again, and play


# Players.


async def test_player_in_the_lobby_is_sent_away_and_may_come_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ann, bob = await harness.connect("Ann"), await harness.connect("bob")
        await organiser.say(dismiss("aNN", "not so  fast"), dismiss("aNN"))
        assert await organiser.next() == m.Dismissed("Ann")
        assert (await organiser.next()).code == "unknown_player"
        bye = await ann.next()
        assert (bye.reason, bye.sentence) == (
            "dismissed",
            snapshot("the organiser has disconnected you: not so  fast"),
        )
        assert await ann.next() is None
        assert await bob.answer(m.Ping()) == m.Pong()
        await harness.connect("ann")


async def test_player_in_a_match_keeps_seat_and_clock(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ann, bob = await harness.begin("params=3,3,9,9 budget=10000")
        await ann.hear(m.Turn)
        assert await organiser.answer(dismiss("ann")) == m.Dismissed("ann")
        assert await bob.next() == m.Opponent("gone")
        assert (await ann.hear(m.Bye)).reason == "dismissed"
        await trio.sleep(4)
        again = await harness.connect()
        await again.say(m.Login("ann"), m.Resume(1, ann.token))
        assert (await again.next()).code == "name_taken"
        turn = await again.hear(m.Turn)
        assert 5990 <= turn.yours <= 6000  # it ran on
        assert await bob.next() == m.Opponent("back")
        await play(again, bob, "a4-b4")


async def test_lines_behind_a_dismissal_do_nothing(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ann, bob = await harness.begin("params=3,3,9,9 budget=100000")
        await organiser.say(dismiss("ann"))
        await ann.hear(m.Bye)
        with suppress(trio.BrokenResourceError):
            await ann.stream.send_all(b"RESIGN\nMOVE nonsense\n")
        await trio.sleep(1)
        assert await bob.next() == m.Opponent("gone")
        await bob.nothing()
        assert set(harness.arena.matches) == {1} and set(harness.arena.sessions) == {"bob"}


@pytest.mark.parametrize("name", ["carol", "ann.", "\u212aate", "аnn", "kate/1", "*", "''", "a" * 900, "organiser"])
async def test_name_of_nobody(tmp_path: Path, autojump_clock: MockClock, name: str) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        await harness.connect("ann")
        await harness.connect("kate")
        error = await organiser.answer(dismiss(name))
        assert (error.code, error.sentence.replace(repr(name), "NAME")) == (
            "unknown_player",
            snapshot("nobody is logged in as NAME"),
        )
        assert set(harness.arena.sessions) == {"ann", "kate"}
        await organiser.say(m.Ping())  # and nobody can dismiss an organiser, who has no name
        assert await organiser.next() == m.Pong()


async def test_program_of_a_contest_is_not_dismissed(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ticket = ContestPlayers.of(harness.arena).issue("Engine")
        program = await harness.connect("Engine", ticket.token)
        await organiser.say(dismiss("engine"), dismiss(ticket.key))
        assert [(await organiser.next()).code for _ in range(2)] == ["unknown_player"] * 2
        assert await program.answer(m.Ping()) == m.Pong()
