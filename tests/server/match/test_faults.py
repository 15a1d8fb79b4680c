"""A fault in the server ends one match, annulled, and nothing else; a fault of the disk is said, and loses nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from inline_snapshot import snapshot
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.games.catalogue import GAMES
from engine.games.interface import History
from engine.match import referee, verification
from engine.match.record import Header
from engine.wire import messages as m
from server.match import match as match_module
from server.storage import record_store as record_store_module
from server.storage.disk import Disk
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import ArenaHarness, Client, logged, open_arena, play, playing, ready

VICTIM = "3,3,9,9"
"""The variant of the match that is broken."""
OTHERS = 1
"""Number of matches beside it."""
OTHER = "2,2,5,5"
"""Their variant."""

POSITION = type(GAMES["gipf"].start("3 3 9 9"))

BROKEN = {
    ("announcing", "no record"): ("announcement", "begin", "deadline", "first_board", "child", "children", "text"),
    ("announcing", "server_fault"): (
        *("disconnect", "flag", "move", "ready", "reconnect", "resign", "start_turn", "turn_message"),
    ),
    ("announcing", "no result"): ("finish", "result"),
    ("playing", "server_fault"): (
        *("announcement", "deadline", "disconnect", "flag", "move", "reconnect", "resign", "start_turn"),
        *("turn_message", "child", "children", "text"),
    ),
    ("playing", "no result"): ("finish", "result"),
}
"""Functions of the referee and of the position, by the moment from which they are broken and by the match's end."""

ALSO = {*BROKEN["announcing", "server_fault"], *BROKEN["announcing", "no result"]} - {"turn_message"}
"""Functions that end a match in the same way from both moments.

`turn_message` does not: broken later, it fails between a move's line in the journal and MOVED.
"""


def _opening() -> tuple[str, ...]:
    """Return three legal moves of the victim's game."""
    history = History.begin(GAMES["gipf"].start(VICTIM.replace(",", " ")))
    for _ in range(3):
        history = history.after(next(iter(history.position.children())).move)
    return history.moves


OPENING = _opening()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """To print what is raised here takes longer than all else."""
    with capture_logs():
        yield


class Injected(RuntimeError):
    """The fault."""


def _concerns(victim: Any) -> bool:
    """Tell whether a function is called for the match that is to break."""
    if isinstance(victim, referee.MatchState):
        return _concerns(victim.header)
    if isinstance(victim, Header | History):
        return _concerns(victim.position)
    return getattr(victim, "parameters", "") == VICTIM.replace(",", " ")


def break_function(patch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    """Let a function raise where it is called for the victim; return where its calls will be listed."""
    sound, calls = getattr(owner, name), []

    def broken(subject: Any, *rest: Any, **named: Any) -> Any:
        if _concerns(subject):
            calls.append(name)
            raise Injected(name)
        return sound(subject, *rest, **named)

    patch.setattr(owner, name, broken)
    return calls


class Others:
    """Matches that have nothing to do with the one that breaks."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Client, Client]] = []

    async def begin(self, harness: ArenaHarness) -> None:
        for number in range(OTHERS):
            pair = await harness.pair(f"params={OTHER} budget=600000", names=(f"f{number}", f"s{number}"))
            await ready(*pair)
            self.pairs.append(pair)

    async def end(self, harness: ArenaHarness) -> None:
        """Each goes on as if nothing had happened."""
        assert len(harness.arena.matches) == OTHERS
        for first, second in self.pairs:
            await play(first, second, "a3-b3 w: b3 c3")
            await second.say(m.Resign())
            result = await first.hear(m.Result)
            assert (result.result, result.reason) == ("white", "resign")
            assert verification.verify(harness.record(result.match)).reason == "resign"
        assert not harness.arena.matches


async def _try(client: Client, *messages: m.Message) -> None:
    """Say something, whatever has become of the session, and give the server time to answer."""
    try:
        await client.say(*messages)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return
    await trio.sleep(0.01)


async def _everything(harness: ArenaHarness, ann: Client, bob: Client, arm: Callable[[str], None]) -> None:
    """Let two players do all that can be done in a match that may break at any point."""
    arm("announcing")
    options = f"params={VICTIM} budget=1000"
    await _try(ann, m.Seek("gipf", m.Text(f"{options} colour=white opponent=bob")))
    await _try(bob, m.Seek("gipf", m.Text(f"{options} opponent=ann")))
    arm("ready")
    await _try(ann, m.Ready())
    await _try(bob, m.Ready())
    arm("playing")
    for mover, move in zip((ann, bob, ann), OPENING, strict=True):
        await _try(mover, m.AskMoves())
        await _try(mover, m.AskBoard())
        await _try(mover, m.Move(m.Text(move)))
    await _try(ann, m.AskBoard())
    guest = await harness.connect()
    await _try(guest, m.Watch(OTHERS + 1))
    arm("dropping")
    if OTHERS + 1 in harness.arena.matches:
        await ann.hear(m.Match)  # with its token
        await ann.stream.aclose()
        await trio.sleep(0.01)
        again = await harness.connect()
        await _try(again, m.Resume(OTHERS + 1, ann.token))


async def _broken_match(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, when: str) -> tuple[str, list[str]]:
    """Play a match beside others, with a function broken for it from some point on; return how it ended."""
    async with open_arena(folder) as harness:
        others = Others()
        await others.begin(harness)
        ann, bob = await harness.connect("ann"), await harness.connect("bob")
        calls: list[str] = []
        with monkeypatch.context() as patch:

            def arm(point: str) -> None:
                nonlocal calls
                if point == when:
                    calls = break_function(patch, POSITION if hasattr(POSITION, name) else referee, name)

            await _everything(harness, ann, bob, arm)
            if name != "flag":
                await _try(bob, m.Resign())
            await trio.sleep(3)  # whatever has gone wrong: by then its flags have fallen
        await others.end(harness)
        return _how_it_ended(harness, OTHERS + 1), calls


def _how_it_ended(harness: ArenaHarness, match: int) -> str:
    for place in ("records", "running"):
        path = harness.folder / place / f"{match}.txt"
        if path.exists():
            # what stands there is true in any case
            return verification.verify(path.read_text(encoding="utf-8")).reason or "no result"
    return "no record"


@pytest.mark.parametrize(
    ("name", "when", "end"),
    [
        pytest.param(
            name, *when, marks=[pytest.mark.slow, pytest.mark.thorough] * (name in ALSO and when[0] == "playing")
        )
        for when, names in BROKEN.items()
        for name in names
    ],
)
async def test_a_fault_of_the_referee_or_the_rules_ends_that_match_alone(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, name: str, when: str, end: str
) -> None:
    ended, calls = await _broken_match(tmp_path, monkeypatch, name, when)
    assert calls and ended == end


async def test_who_asked_for_what_failed_may_play_on(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path) as (_harness, ann, bob):
        await ann.hear(m.Turn)
        with monkeypatch.context() as patch:
            break_function(patch, referee, "move")
            with logged() as written:
                assert (await ann.answer(m.Move(m.Text("a1-b2")))).reason == "server_fault"
                assert (await ann.next()).code == "server_fault"
            assert written.getvalue().count("Traceback (most recent") == 1
        assert (await bob.hear(m.Result)).reason == "server_fault"
        await ann.say(m.Seek("gipf", m.Text("params=2,3,5,5 colour=white")))
        await bob.say(m.Seek("gipf"))
        await ready(ann, bob)
        await ann.say(m.Move(m.Text("a1-b2")))
        assert (await bob.hear(m.Result)).reason == "dead_lock"


FULL = OSError(28, "No space left on device")
READ_ONLY = OSError(30, "Read-only file system")


def _failing(error: OSError) -> Callable[..., Any]:
    def fail(*_arguments: Any, **_named: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("error", [FULL, READ_ONLY], ids=["full", "read-only"])
@pytest.mark.parametrize("place", ["keys", "journal", "rename"])
async def test_no_match_is_begun_that_cannot_be_recorded(
    harness: ArenaHarness,
    autojump_clock: MockClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    error: OSError,
) -> None:
    others = Others()
    await others.begin(harness)
    ann, bob = await harness.connect("ann"), await harness.connect("bob")
    with monkeypatch.context() as patch:
        if place == "keys":
            patch.setattr(RecordStore, "_write_keys", _failing(error))
        elif place == "journal":
            patch.setattr(record_store_module.MatchJournal, "write", _failing(error))
        else:
            patch.setattr(Path, "replace", _failing(error))
        await ann.say(m.Seek("gipf", m.Text(f"params={VICTIM}")))
        await bob.say(m.Seek("gipf"))
        for client in (ann, bob):
            await client.hear(m.Cancelled)
            assert (await client.hear(m.Error)).sentence == snapshot("the server cannot write records now")
    assert sorted(path.name for path in (tmp_path / "running").iterdir()) == sorted(
        f"{number}.txt" for number in range(1, OTHERS + 1)
    )
    assert len(list((tmp_path / "keys").iterdir())) == OTHERS
    await others.end(harness)


async def test_a_damaged_record_is_said_and_costs_nobody_a_match(
    harness: ArenaHarness, autojump_clock: MockClock, tmp_path: Path
) -> None:
    (tmp_path / "records" / "77.txt").write_bytes(b"arena-record 1\nmatch 77\n\xff\xfe\n")
    ann, bob = await harness.begin()
    await ann.ask(m.AskBoard(), m.Board)
    guest = await harness.connect()
    error = await guest.answer(m.AskRecord(77))
    assert (error.code, error.sentence) == ("server_fault", snapshot("the record of match 77 cannot be read"))
    await play(ann, bob, "a1-b2")


@pytest.mark.parametrize("what", ["append", "rename"])
async def test_journals_that_the_disk_does_not_take_wait_for_the_next_start(
    tmp_path: Path, autojump_clock: MockClock, what: str
) -> None:
    class Full(Disk):
        def append(self, file: int, data: bytes) -> None:
            if what == "append":
                raise FULL
            super().append(file, data)

        def rename(self, old: Path, new: Path) -> None:
            if what == "rename" and new.parent.name == "damaged":
                raise READ_ONLY
            super().rename(old, new)

    journal = tmp_path / "running" / "7.txt"
    RecordStore(tmp_path).begin(7, Keys.of("one", "two"), played(stop_after=4)).close()
    sound_text = played(stop_after=4).replace("match 7\n", "match 8\n")
    RecordStore(tmp_path).begin(8, Keys.of("one", "two"), sound_text).close()
    sound = journal.read_bytes()
    journal.write_bytes(sound + b"nonsense\n")
    with capture_logs() as logs:
        async with open_arena(tmp_path, record_store=lambda folder: RecordStore(folder, disk=Full())) as harness:
            assert set(harness.arena.matches) == ({8} if what == "rename" else set())
        assert journal.read_bytes() == sound + b"nonsense\n", "nothing of it is lost"
        assert [line["match"] for line in logs if line["log_level"] == "error"] == ([7] if what == "rename" else [7, 8])
        assert (tmp_path / "running" / "8.txt").read_text().startswith(sound_text)
        async with open_arena(tmp_path) as harness:
            assert verification.verify(harness.record(7)).reason == "server_fault"
    assert not journal.exists() and (tmp_path / "damaged" / "7.txt").read_bytes() == sound + b"nonsense\n"


async def test_a_fault_of_one_flag_lets_the_others_fall(
    harness: ArenaHarness, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await harness.pair(f"params={VICTIM} budget=500")
    first, second = await harness.connect("cid"), await harness.connect("dan")
    await first.say(m.Seek("gipf", m.Text(f"params={OTHER} budget=700 colour=white")))
    await second.say(m.Seek("gipf", m.Text("opponent=cid")))
    for name in ("flag", "end"):
        break_function(monkeypatch, referee, name)
    monkeypatch.setattr(match_module.Match, "_leave", _failing_for(1, match_module.Match._leave))
    assert (await ann.hear(m.Result)).reason == "server_fault"
    assert (await first.hear(m.Result)).reason == "time"


def _failing_for(number: int, sound: Callable[[Any], None]) -> Callable[[Any], None]:
    def leave(match: Any) -> None:
        if match.number == number:
            raise Injected("leave")
        sound(match)

    return leave
