"""Whole matches over memory streams, on a simulated clock: virtual times are exact and nothing sleeps."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from engine import record
from engine.wire import messages as m
from server.config.settings import REQUESTS_PER_TURN
from tests.server.harness import open_arena, play, ready


async def test_match_is_announced_to_both_with_board_and_budget(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.connect("ann"), await harness.connect("bob")
        await ann.say(m.Seek("gipf", m.Text("params=3,3,9,9 budget=1000 increment=10 colour=black")))
        assert await ann.next() == m.Seeking("gipf", m.Text("params=3,3,9,9 budget=1000 increment=10 colour=black"))
        await bob.say(m.Seek("gipf"))
        announced = await ann.hear(m.Match)
        assert announced[:-1] == (1, "gipf", "3,3,9,9", "black", "bob", 1000, 10, 1000)
        board = await ann.hear(m.Board)
        assert board.lines == ("3 3 9 9", "6 6 W", "  W _ B", " _ _ _ _", "B _ _ _ W", " _ _ _ _", "  W _ B")
        assert (await bob.hear(m.Match)).side == "white"


async def test_moves_are_relayed_with_clocks_that_ran_only_for_the_mover(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=1000 increment=7")
        await trio.sleep(0.100)
        await ann.say(m.Ready())
        await trio.sleep(0.050)
        await bob.say(m.Ready())
        assert await ann.hear(m.Start) == m.Start(900, 850)
        assert await ann.hear(m.Turn) == m.Turn(900, 850)
        await trio.sleep(0.300)
        await ann.say(m.Move(m.Text(" a1 - b2 ")))
        assert await ann.next() == m.Moved(1, "white", 607, 850, m.Text("a1-b2"))
        await bob.hear(m.Start)
        assert await bob.next() == m.Moved(1, "white", 607, 850, m.Text("a1-b2"))
        assert await bob.next() == m.Turn(850, 607)


async def test_winning_move_ends_the_match_and_its_record_is_true(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=2,3,5,5")
        await ready(ann, bob)
        await ann.say(m.Move(m.Text("a1-b2")))  # the board is full: docs/rules.md, white wins in 1
        for client in (ann, bob):
            assert (await client.hear(m.Moved)).move == "a1-b2"
            result = await client.next()
            assert (result.match, result.result, result.reason) == (1, "white", "dead_lock")
        summary = record.verify(harness.record())
        assert (summary.result, summary.reason, summary.history.moves) == ("white", "dead_lock", ("a1-b2",))
        assert harness.arena.matches == {}


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("a1-c2", "UNKNOWN_MOVE_DIRECTION"),
        ("x9-y9", "BAD_MOVE_x9_IS_WRONG_INDEX"),
        ("a1-b2 w: b2 d3", "WRONG_COLOR_OF_CHOSEN_ROW"),
    ],
)
async def test_illegal_move_loses_at_once_and_both_are_told_why(
    tmp_path: Path, autojump_clock: MockClock, move: str, code: str
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await ann.hear(m.Turn)
        await ann.say(m.Move(m.Text(move)))
        for client in (ann, bob):
            result = await client.hear(m.Result)
            assert (result.result, result.reason) == ("black", "bad_move")
            assert code in result.sentence and move in result.sentence
        assert record.verify(harness.record()).reason == "bad_move"


async def test_flag_falls_at_the_deadline_not_at_the_next_line(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=1000")
        await ready(ann, bob)
        await play(ann, bob, "a1-b2")
        began = trio.current_time()
        result = await ann.hear(m.Result)
        assert trio.current_time() - began == pytest.approx(1.0, abs=1e-3)
        assert (result.result, result.reason, result.second) == ("white", "time", 0)
        assert "ran out of time" in result.sentence
        await bob.say(m.Ping())
        await bob.hear(m.Pong)
        assert record.verify(harness.record()).reason == "time"


@pytest.mark.parametrize("who", [0, 1])
async def test_who_is_not_ready_in_time_loses(tmp_path: Path, autojump_clock: MockClock, who: int) -> None:
    async with open_arena(tmp_path) as harness:
        clients = await harness.pair("params=3,3,9,9 budget=500")
        await clients[1 - who].say(m.Ready())
        result = await clients[who].hear(m.Result)
        assert trio.current_time() == pytest.approx(0.5, abs=1e-3)
        assert (result.result, result.reason) == (("black", "white")[who], "time")
        assert "while initialising" in result.sentence
        record.verify(harness.record())


async def test_nobody_ready_in_time_is_a_draw(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, _ = await harness.pair("params=3,3,9,9 budget=500")
        result = await ann.hear(m.Result)
        assert (result.result, result.reason) == ("draw", "time")
        assert record.verify(harness.record()).result == "draw"


@pytest.mark.parametrize("on_turn", [True, False])
async def test_resigning_is_possible_at_any_time(tmp_path: Path, autojump_clock: MockClock, on_turn: bool) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await ann.hear(m.Turn)
        await (ann if on_turn else bob).say(m.Resign())
        result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("black" if on_turn else "white", "resign")
        record.verify(harness.record())


@pytest.mark.parametrize("on_turn", [True, False])
async def test_a_player_that_says_crashed_loses_with_its_own_words(
    tmp_path: Path, autojump_clock: MockClock, on_turn: bool
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await ann.hear(m.Turn)
        await (ann if on_turn else bob).say(m.Crashed(m.Text("ValueError: it's \N{SNOWMAN}" + "!" * 300)))
        result = await (bob if on_turn else ann).hear(m.Result)
        loser, winner = ("ann (white)", "black") if on_turn else ("bob (black)", "white")
        assert (result.result, result.reason) == (winner, "crashed")
        said = "ValueError: it's \N{SNOWMAN}" + "!" * 181 + "…"
        assert result.sentence == f'{loser} crashed, and says: "{said}"'
        summary = record.verify(harness.record())
        assert (summary.result, summary.reason, summary.crashed) == (winner, "crashed", said)


async def test_what_a_crashed_player_says_may_name_anybody(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await ann.say(m.Crashed(m.Text("bob (black) resigned, and ann (white) has won")))
        assert (await bob.hear(m.Result)).result == "black"
        assert record.verify(harness.record()).reason == "crashed"


@pytest.mark.parametrize("back", [False, True])
async def test_a_loss_on_time_says_that_the_connection_was_lost_and_for_how_long(
    tmp_path: Path, autojump_clock: MockClock, back: bool
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=60000")
        await ready(ann, bob)
        await trio.sleep(20)
        await ann.stream.aclose()
        if back:
            await trio.sleep(10)
            again = await harness.connect()
            await again.say(m.Resume(1, ann.token))
            await again.hear(m.Turn)
        result = await bob.hear(m.Result)
        late = "ann (white) ran out of time: 0.000 ms beyond a budget of 60000.000 ms"
        spent = "; 60000.000 ms of 60000.000 ms went to move 1; its opponent used 0.000 ms"
        assert result.sentence == late + spent + ("" if back else "; its connection had been lost for 40000.000 ms")


async def test_third_repetition_is_a_draw(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=2,2,5,5 budget=100000")
        await ready(ann, bob)
        seen: dict[tuple[str, ...], int] = {}
        result = None
        ply = 0
        while result is None:
            mover, other = ((ann, bob), (bob, ann))[ply % 2]
            await mover.say(m.AskBoard(), m.AskMoves())
            board = (await mover.hear(m.Board)).lines
            seen[board] = seen.get(board, 0) + 1
            assert seen[board] < 3, "the match should have ended"
            await mover.say(m.Move(m.Text((await mover.hear(m.Moves)).lines[0])))
            await mover.hear(m.Moved)
            await other.hear(m.Moved)
            following = await other.next()
            result = following if isinstance(following, m.Result) else None
            ply += 1
        assert (result.result, result.reason) == ("draw", "repetition")
        assert sorted(seen.values())[-1] == 2
        assert record.verify(harness.record()).reason == "repetition"


async def test_move_limit_is_a_draw(tmp_path: Path, autojump_clock: MockClock) -> None:
    import msgspec

    async with open_arena(tmp_path, change=lambda s: msgspec.structs.replace(s, move_limit=2)) as harness:
        ann, bob = await harness.pair("params=4,4,15,15")
        await ready(ann, bob)
        await play(ann, bob, "a5-b5")
        await bob.say(m.Move(m.Text("e9-e8")))
        result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("draw", "move_limit")
        assert record.verify(harness.record()).reason == "move_limit"


async def test_lost_connection_is_resumed_while_the_clock_runs(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,9,9 budget=1000")
        await ready(ann, bob)
        await play(ann, bob, "a1-b2")
        await bob.hear(m.Turn)
        await bob.stream.aclose()
        assert await ann.hear(m.Opponent) == m.Opponent("gone")
        await trio.sleep(0.400)
        stranger = await harness.connect()
        await stranger.say(m.Login("Bob"))
        assert (await stranger.hear(m.Error)).code == "name_taken"
        await stranger.say(m.Resume(1, "0" * 32))
        assert (await stranger.hear(m.Error)).code == "bad_token"
        back = await harness.connect()
        await back.say(m.Resume(1, bob.token))
        assert await back.next() == m.Welcome("bob")
        assert (await back.next())[:4] == (1, "gipf", "3,3,9,9", "black")
        assert isinstance(await back.next(), m.Board)
        assert isinstance(await back.next(), m.Start)
        assert (await back.next()).move == "a1-b2"
        assert await back.next() == m.Turn(600, 1000)
        assert await ann.next() == m.Opponent("back")
        await back.say(m.Move(m.Text("e9-e8")))
        assert (await ann.hear(m.Result)).reason == "bad_move"
        record.verify(harness.record())


async def test_resuming_takes_a_seat_over_from_a_dead_connection(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        again = await harness.connect()
        await again.say(m.Resume(1, ann.token))
        assert (await ann.hear(m.Bye)).reason == "resumed"
        await again.hear(m.Board)
        await ready(again, bob)
        await again.hear(m.Turn)
        await bob.nothing()


async def test_match_that_ended_meanwhile_is_told_to_who_comes_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await bob.stream.aclose()
        await ann.hear(m.Turn)
        await ann.say(m.Resign())
        await ann.hear(m.Result)
        back = await harness.connect()
        await back.say(m.Resume(1, bob.token))
        assert (await back.hear(m.Result)).result == "black"
        await back.say(m.Seek("gipf"))
        await back.hear(m.Seeking)


async def test_spectator_sees_a_match_from_its_beginning(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await play(ann, bob, "a1-b2")
        spectator = await harness.connect()
        await spectator.say(m.List())
        (line,) = (await spectator.hear(m.Matches)).lines
        assert line == "1 gipf 3,3,9,9 ann bob 1000 0 1 running"
        await spectator.say(m.Watch(1))
        assert await spectator.next() == m.Watching(1, "gipf", "3,3,9,9", "ann", "bob", 1000, 0, 1000)
        assert isinstance(await spectator.next(), m.Board)
        assert isinstance(await spectator.next(), m.Start)
        assert (await spectator.next()).move == "a1-b2"
        await bob.say(m.Resign())
        assert (await spectator.next()).reason == "resign"
        await spectator.say(m.AskRecord(1))
        assert "\n".join((await spectator.hear(m.Record)).lines) + "\n" == harness.record()


async def test_match_that_has_just_ended_is_told_at_once_to_who_watches_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=2,3,5,5")
        await ready(ann, bob)
        await ann.say(m.Move(m.Text("a1-b2")))
        await ann.hear(m.Result)
        spectator = await harness.connect("carol")
        await spectator.say(m.Watch(1))
        await spectator.hear(m.Watching)
        assert (await spectator.hear(m.Moved)).move == "a1-b2"
        assert (await spectator.hear(m.Result)).reason == "dead_lock"
        await spectator.say(m.Seek("gipf"))
        await spectator.hear(m.Seeking)


async def test_requests_of_a_turn_are_bounded(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=4,4,15,15 budget=60000")
        await ready(ann, bob)
        await ann.hear(m.Turn)
        for _ in range(REQUESTS_PER_TURN):
            await ann.say(m.AskMoves())
            assert len((await ann.hear(m.Moves)).lines) == 42
        await ann.say(m.AskMoves())
        assert (await ann.hear(m.Error)).code == "too_many"
        await play(ann, bob, "a5-b5")
        await bob.hear(m.Turn)
        await bob.say(m.AskMoves())
        await bob.hear(m.Moves)


async def test_moves_are_only_for_the_side_on_turn(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await bob.stream.send_all(b"MOVE a1-b2\nMOVES\n")
        assert [(await bob.hear(m.Error)).code for _ in range(2)] == ["not_your_turn", "not_your_turn"]
        await play(ann, bob, "a1-b2")


async def test_match_whose_record_cannot_be_put_away_is_over_all_the_same(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=2,3,5,5")
        await ready(ann, bob)

        def broken() -> None:
            raise OSError("read-only file system")

        with monkeypatch.context() as patch:
            patch.setattr(harness.match(1)._journal, "finish", broken)
            await ann.say(m.Move(m.Text("a1-b2")))
            assert (await bob.hear(m.Result)).result == "white"
        assert harness.arena.matches == {}
        await bob.say(m.Seek("gipf"))
        await bob.hear(m.Seeking)


async def test_fault_of_the_server_annuls_that_match_alone(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        carol, dave = await harness.connect("carol"), await harness.connect("dave")
        await carol.say(m.Seek("gipf", m.Text("params=3,3,9,9 colour=white")))
        await dave.say(m.Seek("gipf"))
        await ready(carol, dave)
        await ann.hear(m.Turn)
        match = harness.match()

        def broken(text: str) -> None:
            raise OSError("no space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(match._journal, "write", broken)
            await ann.say(m.Move(m.Text("a1-b2")))
            result = await bob.hear(m.Result)
        assert (result.result, result.reason) == ("annulled", "server_fault")
        assert "a1-b2" not in (tmp_path / "running" / "1.txt").read_text(encoding="utf-8")
        await play(carol, dave, "a1-b2")
        await dave.say(m.Resign())
        assert (await carol.hear(m.Result)).reason == "resign"
