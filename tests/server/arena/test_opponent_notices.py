"""Players that wait for a named opponent, and seeks of sessions that share a name."""

from pathlib import Path

from trio.testing import MockClock

from engine.wire import messages as m
from server.arena.arena import Arena
from server.contest.hosts.contest_players import ContestPlayers
from tests.server.harness import ArenaHarness, Client, open_arena, ready


def seek(options: str = "", game: str = "gipf") -> m.Seek:
    return m.Seek(game, m.Text(options))


async def waiting_for(harness: ArenaHarness, name: str, opponent: str) -> Client:
    client = await harness.connect(name)
    assert isinstance(await client.answer(seek(f"params=3,3,9,9 opponent={opponent}")), m.Seeking)
    return client


async def bot_of_the_house(harness: ArenaHarness, name: str, kind: str) -> Client:
    arena: Arena = harness.arena
    arena.builtin_tokens[name], arena.builtin_kinds[name] = "secret", kind
    return await harness.connect(name, "secret")


async def test_who_waits_for_somebody_learns_where_that_one_is(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann = await waiting_for(harness, "ann", "Bob")
        assert await ann.next() == m.Awaited("Bob", "absent")
        bob = await harness.connect("bob")
        assert await ann.next() == m.Awaited("Bob", "here")
        await bob.ask(seek("params=4,4,15,15"), m.Seeking)
        assert await ann.next() == m.Awaited("Bob", "seeking")
        carol = await harness.connect("carol")
        await carol.say(seek())
        assert [await ann.next(), await ann.next()] == [m.Awaited("Bob", "playing"), m.Plays("Bob", 1)]
        await bob.stream.aclose()
        await carol.hear(m.Opponent)
        late = await waiting_for(harness, "dave", "bob")
        assert [await late.next(), await late.next()] == [m.Awaited("bob", "playing"), m.Plays("bob", 1)], "seat kept"
        await carol.say(m.Resign())
        assert await ann.next() == m.Awaited("Bob", "absent")
        assert await ann.answer(m.Cancel()) == m.Cancelled()
        await harness.connect("bob")
        await ann.nothing()


async def test_nothing_is_said_of_an_opponent_who_is_met_at_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.connect("ann"), await harness.connect("bob")
        await ann.ask(seek(), m.Seeking)
        await bob.say(seek("opponent=ann"))
        assert [type(await bob.next()) for _ in range(3)] == [m.Seeking, m.Match, m.Board]
        await bob.nothing()


async def test_any_builtin_bot_of_a_kind_is_met_by_the_name_of_the_kind(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        first = await bot_of_the_house(harness, "random", "random")
        await first.say(seek())
        ann = await harness.connect("ann")
        assert (await ann.ask(seek("opponent=random"), m.Match)).opponent == "random"
        bob = await waiting_for(harness, "bob", "random")
        assert [await bob.next(), await bob.next()] == [m.Awaited("random", "playing"), m.Plays("random", 1)]
        second = await bot_of_the_house(harness, "random.2", "random")
        assert await bob.next() == m.Awaited("random", "here")
        await second.say(seek())
        assert (await bob.hear(m.Match)).opponent == "random.2"


async def test_a_program_that_leaves_takes_no_builtin_bot_of_its_name_along(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        bot = await bot_of_the_house(harness, "random", "random")
        await bot.ask(seek(), m.Seeking)
        ticket = ContestPlayers.of(harness.arena).issue("random")
        program = await harness.connect("random", ticket.token)
        await program.ask(seek(), m.Seeking)
        await program.ask(m.Quit(), m.Bye)
        await ticket.gone.wait()
        ann = await harness.connect("ann")
        assert (await ann.ask(seek("opponent=random"), m.Match)).opponent == "random"
        await ready(ann, bot)
