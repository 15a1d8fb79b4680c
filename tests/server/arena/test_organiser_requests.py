"""What an organiser may do over the network, and that nobody else may."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock

from engine.games.outcome import Termination
from engine.match import verification
from engine.wire import messages as m
from server.config import tokens
from server.config.settings import Settings
from server.contest.hosts.contest_players import ContestPlayers
from tests.server.harness import ArenaHarness, Client, open_arena, play

TOKEN = "the-token-of-the-organiser"


def organised(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, organiser=tokens.hashed(TOKEN))


@asynccontextmanager
async def with_organiser(folder: Path) -> AsyncIterator[tuple[ArenaHarness, Client]]:
    """An arena, and somebody who organises in it."""
    async with open_arena(folder, change=organised) as harness:
        yield harness, await organiser_in(harness)


async def organiser_in(harness: ArenaHarness) -> Client:
    client = await harness.connect()
    assert await client.answer(m.Organise(TOKEN)) == m.Organising()
    return client


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
            for guess in ("guess", TOKEN.upper(), TOKEN[:-1], "x" * 900, "0" * 64, tokens.hashed(TOKEN), "é"):
                said.append(await client.answer(m.Organise(guess)))
            assert await client.answer(m.Login("ann")) == m.Welcome("ann")
    assert {error.code for error in said} == {"bad_token"} and len(set(said)) == 1


# Matches.


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("", "the organiser has annulled the match"),
        ("the wrong  variant", "the organiser has annulled the match: the wrong  variant"),
        ("result white time", "the organiser has annulled the match: result white time"),
        ("ä" * 500, f"the organiser has annulled the match: {'ä' * 500}"),
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
            assert (result.match, result.result, result.reason, result.sentence) == (
                1, "annulled", "organiser", sentence,
            )  # fmt: skip
        await organiser.say(annul(1, "again"), m.AskRecord(1))
        assert (await organiser.next()).code == "unknown_match"
        text = "\n".join((await organiser.next()).lines)
        summary = verification.verify(f"{text}\n")
        assert (summary.result, summary.reason, summary.sentence) == ("annulled", Termination.ORGANISER, sentence)
        assert summary.history.plies == 1
        await ann.say(m.Seek("gipf"))
        await bob.say(m.Seek("gipf"))
        assert (await ann.hear(m.Match)).match == 2  # both are in the lobby again, and play


@pytest.mark.parametrize("line", ["ANNUL 7", "ANNUL 0", "ANNUL 999999999999 why", "ANNUL", "ANNUL -1", "ANNUL one"])
async def test_match_that_is_none(tmp_path: Path, autojump_clock: MockClock, line: str) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        await harness.pair()
        await organiser.stream.send_all(f"{line}\n".encode())
        assert (await organiser.next()).code in ("unknown_match", "bad_arguments")
        assert set(harness.arena.matches) == {1}


# Players.


async def test_player_in_the_lobby_is_sent_away_and_may_come_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with with_organiser(tmp_path) as (harness, organiser):
        ann, bob = await harness.connect("Ann"), await harness.connect("bob")
        await organiser.say(dismiss("aNN", "not so  fast"), dismiss("aNN"))
        assert await organiser.next() == m.Dismissed("Ann")
        error = await organiser.next()
        assert (error.code, error.sentence) == ("unknown_player", "nobody is logged in as 'aNN'")
        assert await ann.next() == m.Bye("dismissed", m.Text("the organiser has sent you away: not so  fast"))
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
        assert (error.code, error.sentence) == ("unknown_player", f"nobody is logged in as {name!r}")
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
