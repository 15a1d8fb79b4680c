"""Matchmaking, and notices to players that wait for an opponent."""

from functools import partial

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from trio.testing import MockClock

from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from engine.wire import messages as m
from engine.wire.fields import SeekOptions, read_options, write_options
from engine.wire.messages import ProtocolError
from server.arena.arena import Arena
from server.arena.matchmaking import Matchmaking, Pairing, Seek, fits
from server.config.settings import MAX_BUDGET, MIN_BUDGET, Settings
from server.contest.hosts.contest_players import ContestPlayers
from tests.server.harness import ArenaHarness, Client, ready

GIPF = GAMES["gipf"]
SETTINGS = Settings()

seeks = st.builds(
    Seek,
    name=st.sampled_from(["ann", "Bob", "carol", "dave", "eve"]),
    game=st.sampled_from(["gipf", "gipf", "arrows"]),
    options=st.builds(
        SeekOptions,
        parameters=st.sampled_from([None, "4 4 15 15", "3 3 9 9"]),
        budget=st.sampled_from([None, 1_000_000, 60_000_000]),
        increment=st.sampled_from([None, 0, 5]),
        side=st.sampled_from([None, 0, 1]),
        opponent=st.sampled_from([None, None, "ann", "BOB"]),
    ),
    kind=st.sampled_from(["", "", "ann", "zoe"]),
).map(lambda seek: seek._replace(key=seek.name.lower()))


def lobby_of(*seeks: Seek) -> Matchmaking:
    """Return a lobby in which these wait, of whom no two fit."""
    found = Matchmaking()
    assert [found.add(seek) for seek in seeks] == [None] * len(seeks)
    return found


@given(st.lists(seeks, max_size=12))
def test_pairings_keep_every_wish_and_nobody_waits_beside_one_that_fits(wishes: list[Seek]) -> None:
    waiting = Matchmaking()
    for seek in wishes:
        waiting.remove(seek.key)
        before = list(waiting)
        pairing = waiting.add(seek)
        if pairing is None:
            assert not any(fits(seek, other) for other in before)
            assert list(waiting) == [*before, seek] and waiting.seek_of(seek.key) == seek
            continue
        other = next(wish for wish in before if wish not in list(waiting))
        assert list(waiting) == [wish for wish in before if wish is not other] and waiting.seek_of(other.key) is None
        assert other is next(wish for wish in before if fits(seek, wish)), "the one who waited longest"
        assert set(pairing) == {seek, other}
        control = pairing.control(TimeControl(0, 0))
        for wish in (seek, other):
            assert wish.game == pairing.first.game
            assert wish.options.parameters in (None, pairing.parameters)
            assert wish.options.budget in (None, control.budget)
            assert wish.options.increment in (None, control.increment)
            assert wish.options.side in (None, pairing.index(wish))
            rival = other if wish is seek else seek
            assert wish.options.opponent is None or wish.options.opponent.lower() in (rival.name.lower(), rival.kind)
        assert not (seek.kind and other.kind)


@given(seeks, seeks)
def test_fitting_is_mutual(one: Seek, other: Seek) -> None:
    assert fits(one, other) == fits(other, one)


def test_sides_alternate_where_nobody_asks() -> None:
    waiting = Matchmaking()
    first = []
    for _ in range(4):
        waiting.add(Seek("ann", "gipf"))
        pairing = waiting.add(Seek("bob", "gipf"))
        assert pairing is not None
        first.append(pairing.first.name)
    assert first == ["ann", "bob", "ann", "bob"]


def test_default_control_is_taken_where_nobody_asks_for_one() -> None:
    default = TimeControl(60_000_000, 100)
    pairing = lobby_of(Seek("ann", "gipf")).add(Seek("bob", "gipf"))
    assert pairing is not None
    assert pairing.control(default) == default
    first = pairing.first
    assert Pairing(first._replace(options=SeekOptions(budget=5_000_000)), pairing.second).control(
        default
    ) == TimeControl(5_000_000, 0)
    assert Pairing(first._replace(options=SeekOptions(increment=7)), pairing.second).control(default) == TimeControl(
        60_000_000, 7
    )


read = partial(read_options, GIPF, name="ann", least_budget=MIN_BUDGET, most_budget=MAX_BUDGET)


def test_options_are_read_and_described() -> None:
    text = "params=4,4,15,15 budget=1000 increment=10 colour=black opponent=Bob"
    options = read(text)
    assert options == SeekOptions("4 4 15 15", 1_000_000, 10_000, 1, "Bob")
    assert write_options(GIPF, options) == text
    assert write_options(GIPF, read("")) == ""


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (
            "fast",
            "bad_arguments",
            snapshot("'fast' is no option of SEEK; these are params=…, budget=…, increment=…, colour=…, opponent=…"),
        ),
        (
            "speed=3",
            "bad_arguments",
            snapshot("'speed=3' is no option of SEEK; these are params=…, budget=…, increment=…, colour=…, opponent=…"),
        ),
        ("budget=1000 budget=1000", "bad_arguments", snapshot("budget is given twice")),
        (
            "params=4,4,15",
            "bad_parameters",
            snapshot(
                "GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '4 4 15'; in one word, with commas: params=4,4,15,15"
            ),
        ),
        (
            "params=4,8,15,15",
            "bad_parameters",
            snapshot("K is 8, but for S = 4 it lies between 2 and 7; in one word, with commas: params=4,4,15,15"),
        ),
        (
            "params=13,4,15,15",
            "bad_parameters",
            snapshot("S is 13, but boards have sides of 2 to 12 fields; in one word, with commas: params=4,4,15,15"),
        ),
        (
            "params=4,4,3,15",
            "bad_parameters",
            snapshot("GW is 3, but a side has 4 to 999 pieces; in one word, with commas: params=4,4,15,15"),
        ),
        (
            "params=4,4,15,1000",
            "bad_parameters",
            snapshot("GB is 1000, but a side has 4 to 999 pieces; in one word, with commas: params=4,4,15,15"),
        ),
        ("budget=9", "bad_time", snapshot("budget is 10 to 86400000 milliseconds, not '9'")),
        ("budget=1e9", "bad_time", snapshot("budget is 10 to 86400000 milliseconds, not '1e9'")),
        ("budget=٣٣٣٣", "bad_time", snapshot("budget is 10 to 86400000 milliseconds, not '٣٣٣٣'")),
        ("increment=-1", "bad_time", snapshot("increment is 0 to 86400000 milliseconds, not '-1'")),
        ("colour=red", "bad_arguments", snapshot("colour is white or black, not 'red'")),
        ("opponent=ANN", "bad_arguments", snapshot("opponent is the name of another player, not 'ANN'")),
        ("opponent=a/b", "bad_arguments", snapshot("opponent is the name of another player, not 'a/b'")),
    ],
)
def test_wrong_options_are_named(options: str, code: str, sentence: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(options)
    assert (caught.value.code, str(caught.value)) == (code, sentence)


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


async def test_who_waits_for_somebody_learns_where_that_one_is(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    ann = await waiting_for(harness, "ann", "Bob")
    assert await ann.next() == m.Awaited("Bob", "absent")
    assert isinstance(await ann.next(), m.Notice)  # who else is here
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


async def test_nothing_is_said_of_an_opponent_who_is_met_at_once(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
    ann, bob = await harness.connect("ann"), await harness.connect("bob")
    await ann.ask(seek(), m.Seeking)
    await bob.say(seek("opponent=ann"))
    assert [type(await bob.next()) for _ in range(3)] == [m.Seeking, m.Match, m.Board]
    await bob.nothing()


async def test_any_builtin_bot_of_a_kind_is_met_by_the_name_of_the_kind(
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
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
    harness: ArenaHarness, autojump_clock: MockClock
) -> None:
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
