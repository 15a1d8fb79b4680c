"""Delayed moves and notes for spectators. Notes are recorded and never lose a game."""

from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from trio.testing import MockClock

from engine.match import record, verification
from engine.match.record import MAX_NOTE_BYTES, MAX_NOTES_PER_MOVE
from engine.wire import messages as m
from engine.wire.fields import Note, read_note
from engine.wire.messages import Code, ProtocolError
from server.config.settings import ERRORS, Settings
from tests.engine.records import Table
from tests.server.harness import ArenaHarness, Client, open_arena, play, playing, ready

MNK = ("params=3,3,3 budget=60000", "mnk")


def live(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, live_notes=True)


def note(content: str) -> m.Note:
    return m.Note(m.Text(content))


async def _watching(harness: ArenaHarness) -> Client:
    spectator = await harness.guest(m.Watch(1), m.Board)
    return spectator


async def _heard(client: Client) -> list[m.Message]:
    """Return what a client has been sent since somebody asked last, up to a RESULT."""
    await client.say(m.Ping())
    heard: list[m.Message] = []
    while not heard or not isinstance(heard[-1], m.Pong):
        heard.append(await client.next())
    return heard[:-1]


def _kinds(heard: list[m.Message]) -> list[object]:
    """Return plies of moves, contents of notes, and other kinds of messages."""
    return [
        message.ply
        if isinstance(message, m.Moved)
        else str(message.note)
        if isinstance(message, m.Noted)
        else type(message)
        for message in heard
    ]


async def test_notes_are_in_the_record_and_spectators_see_them_at_the_end(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await harness.pair("params=3,3,3 budget=60000", "mnk")
        await bob.say(note("text=warm"))
        await ready(ann, bob)
        spectator = await _watching(harness)
        await ann.say(note("score=7 pv=a1,b1"))
        await play(ann, bob, "a1")
        await ann.say(note("ply=1 that was it"), note("ply=3 next"))
        assert _kinds(await _heard(ann)) == [], "players are told nothing"
        assert _kinds(await _heard(bob)) == [m.Turn]
        assert _kinds(await _heard(spectator)) == [m.Start, 1]
        late = await _watching(harness)
        assert _kinds(await _heard(late)) == [m.Start, 1]
        await bob.say(m.Resign(), note("too late"))
        assert _kinds(await _heard(bob)) == [m.Result]
        notes = ["text=warm", "score=7 pv=a1,b1", "text=that was it", "text=next"]
        assert _kinds(await _heard(spectator)) == [*notes, m.Result]
        assert _kinds(await _heard(late)) == [*notes, m.Result]
        assert _kinds(await _heard(await _watching(harness))) == [m.Start, 1, *notes, m.Result]
    summary = verification.verify(harness.record())
    assert [(noted.ply, noted.side, noted.plies) for noted in summary.state.notes] == [
        (2, 1, 0),
        (1, 0, 0),
        (1, 0, 1),
        (3, 0, 1),
    ]


async def test_the_organiser_may_show_notes_with_their_moves(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, *MNK, change=live) as (harness, ann, bob):
        spectator = await _watching(harness)
        await ann.say(note("one"))
        assert _kinds(await _heard(spectator)) == [m.Start]
        await play(ann, bob, "a1")
        assert _kinds(await _heard(spectator)) == [1, "text=one"]
        await ann.say(note("ply=3 three"))
        assert _kinds(await _heard(ann)) == []
        await bob.ask(note("two"), m.Turn)
        await play(bob, ann, "b1")
        assert _kinds(await _heard(spectator)) == [2], "notes keep their order"
        late = await _watching(harness)
        assert _kinds(await _heard(late)) == [m.Start, 1, 2, "text=one"]
        await ann.hear(m.Turn)
        await play(ann, bob, "a2")
        for client in (spectator, late):
            assert _kinds(await _heard(client)) == [3, "text=three", "text=two"]
        await ann.say(note("again"))
        assert _kinds(await _heard(ann))[-1:] != [m.Notice]
        assert _kinds(await _heard(spectator)) == ["text=again"], "its move has been seen"


async def test_a_note_that_is_left_out_is_told_once_and_is_no_error(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, *MNK) as (harness, ann, bob):
        await ann.hear(m.Turn)
        lines = [
            b"NOTE",
            b"note depth=x",
            b"NOTE text=\x07",
            b"NOTE \xff",
            b"NOTE " + b"x" * 1024,
            b"NOTE ply=2 depth=1",
        ]
        await ann.stream.send_all(b"\n".join(lines * ERRORS) + b"\n")
        heard = await _heard(ann)
        assert [(type(one), one.code) for one in heard] == [
            (m.Notice, Code.BAD_ARGUMENTS),
            (m.Notice, Code.BAD_LINE),
            (m.Notice, Code.LINE_TOO_LONG),
        ]
        await play(ann, bob, "a1")
        await ann.ask(m.Resign(), m.Result)
    assert not verification.verify(harness.record()).state.notes


async def test_a_note_without_a_match_has_no_effect(harness: ArenaHarness, autojump_clock: MockClock) -> None:
    ann, guest = await harness.connect("ann"), await harness.connect()
    await ann.say(note("hello"), m.Seek("mnk"))
    await ann.hear(m.Seeking)
    await ann.say(note("hello"))
    assert isinstance(await ann.answer(m.Ping()), m.Pong)
    for _ in range(2 * ERRORS):
        await guest.say(note("hello"))
    assert [one.code for one in await _heard(guest)] == [Code.WRONG_STATE]


async def test_notes_outlive_a_crash(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path / "data", *MNK, change=live) as (harness, ann, bob):
        await ann.say(note("one"))
        await play(ann, bob, "a1")
        token = ann.token
        folder = harness.die()
    async with open_arena(folder, change=live) as harness:
        ann = await harness.guest(m.Resume(1, token), m.Moved)
        spectator = await _watching(harness)
        await ann.say(note("two"))
        assert _kinds(await _heard(spectator)) == [m.Start, 1], "who has set what is not known any more"
        await ann.say(m.Resign())
        assert _kinds(await _heard(spectator)) == ["text=one", "text=two", m.Result]
    assert [noted.note.text for noted in verification.verify(harness.record()).state.notes] == ["one", "two"]


def taken(table: Table, side: int, content: str) -> int:
    """Return the move that a note is about."""
    notes = table.state.notes
    return record.take_note(notes, table.state.history, table.state.sides, side, read_note(content)).ply


@pytest.mark.parametrize(
    ("moves", "side", "ply"), [("", 0, 1), ("", 1, 2), ("1", 0, 1), ("1", 1, 2), ("4", 0, 5), ("4", 1, 4)]
)
def test_what_a_note_is_about(moves: str, side: int, ply: int) -> None:
    table = Table().ready().play(*filter(None, [moves]))
    assert taken(table, side, "depth=1") == ply
    latest = table.state.history.plies + (1 if table.state.history.position.turn == side else 2)
    for own in range(latest, 0, -2):
        assert taken(table, side, f"ply={own} depth=1") == own
    for other in (0, latest - 1, latest + 1, latest + 2):
        with pytest.raises(ProtocolError, match=f"which move {other} is not"):
            taken(table, side, f"ply={other} depth=1")


def test_so_many_notes_of_a_move() -> None:
    table = Table().ready().play("1")
    for _ in range(2):
        for side in (0, 1):
            for number in range(MAX_NOTES_PER_MOVE):
                table.note(side, f"depth={number}")
            with pytest.raises(ProtocolError) as caught:
                table.note(side, "depth=99")
            assert caught.value.code == Code.TOO_MANY
        table.play("2")
    verification.verify(table.text)


def test_so_many_bytes_of_a_match() -> None:
    table, content = Table("morris", "").ready(), "text=" + "ż" * 500
    bytes_of_one = len(f"note 99 white {content}\n".encode())
    count = MAX_NOTE_BYTES // bytes_of_one
    for number in range(1, count + 1):
        table.note(0, f"ply=1 {content}" + "x" * (bytes_of_one - len(f"note 1 white {content}\n".encode())))
        if number % MAX_NOTES_PER_MOVE == 0:
            table.play("2")
    with raises(
        snapshot("ProtocolError: the notes of a player have at most 65536 bytes in a match; this one was left out")
    ):
        table.note(0, content)
    lines = [line for line in table.text.splitlines(keepends=True) if line.startswith("note ")]
    assert len(lines) == count and all(len(line.encode()) == bytes_of_one for line in lines)
    table.note(1, "the other has room")
    text = table.resign(1)
    assert verification.verify(text).state.notes[-1].note == Note(text="the other has room")
    with raises(
        snapshot("BadRecord: line 90: the notes of a player have at most 65536 bytes in a match; this one was left out")
    ):
        verification.verify(text.replace("resigned", lines[-1] + "resigned"))


OPTIONS = "params=4,4,15,15 budget=60000"
MOVES = ["a5-b5", "e9-e8", "a5-b5", "e9-e8", "a4-b5", "i5-h5"]


def late(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, delay_moves=3)


async def _plies(client: Client) -> list[int]:
    """Return which moves have been shown since somebody asked last."""
    return [message.ply for message in await _heard(client) if isinstance(message, m.Moved)]


async def _moves(players: list[Client], first: int, last: int) -> None:
    for ply in range(first, last + 1):
        mover, other = players[(ply - 1) % 2], players[ply % 2]
        await mover.hear(m.Turn)
        await play(mover, other, MOVES[ply - 1])


async def test_moves_are_shown_when_they_are_due(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, OPTIONS, change=late) as (harness, *players):
        early = await harness.guest(m.Watch(1), m.Start)
        await _moves(players, 1, 3)
        assert await _plies(early) == []
        await _moves(players, 4, 5)
        assert await _plies(early) == [1, 2]
        late_comer = await harness.guest(m.Watch(1))
        assert await _plies(late_comer) == [1, 2]
        assert (await late_comer.ask(m.List(), m.Matches)).lines[0].split()[7:] == ["2", "running"]
        clients = early, late_comer, players[0]
        boards = [(await client.ask(m.AskBoard(), m.Board)).lines for client in clients]
        assert boards[0] == boards[1] != boards[2]
        await _moves(players, 6, 6)
        assert (await _plies(early), await _plies(late_comer)) == ([3], [3])


async def test_end_is_told_at_once_and_with_it_everything(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, OPTIONS, change=late) as (harness, *players):
        watcher = await harness.guest(m.Watch(1))
        await _moves(players, 1, 4)
        assert await _plies(watcher) == [1]
        await players[0].say(m.Resign())
        shown = [await watcher.next() for _ in range(4)]
        assert [message.ply for message in shown[:3]] == [2, 3, 4] and shown[3].reason == "resign"
        await watcher.say(m.Watch(1))
        assert await _plies(watcher) == [1, 2, 3, 4]
        assert (await watcher.ask(m.List(), m.Matches)).lines[0].split()[7:] == ["4", "black", "resign"]


@pytest.mark.parametrize("plies", [2, 5])
async def test_delay_outlives_a_crash(tmp_path: Path, autojump_clock: MockClock, plies: int) -> None:
    async with playing(tmp_path / "a", OPTIONS, change=late) as (harness, *players):
        watcher = await harness.guest(m.Watch(1))
        await _moves(players, 1, plies)
        seen = max(0, plies - 3)
        assert await _plies(watcher) == list(range(1, seen + 1))
        board = await watcher.ask(m.AskBoard(), m.Board)
        folder = harness.die()
    async with open_arena(folder, change=late) as harness:
        watcher = await harness.guest(m.Watch(1))
        assert await _plies(watcher) == list(range(1, seen + 1))
        assert await watcher.ask(m.AskBoard(), m.Board) == board
