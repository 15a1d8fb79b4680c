"""Flag keeper, loop watch, archive and token file by themselves."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from engine import record
from server import tokens
from server.archive import Archive
from server.flags import FlagKeeper
from server.loopwatch import LoopWatch
from server.outbox import Outbox
from server.serve import microseconds
from tests.engine.test_record import played


class Match:
    """Something with a deadline."""

    def __init__(self, deadline: int | None) -> None:
        self.at = deadline
        self.fell: list[float] = []

    def deadline(self) -> int | None:
        return self.at

    def flag(self) -> None:
        self.fell.append(trio.current_time())
        self.at = None

    def failed(self, error: Exception) -> None:
        raise AssertionError(error)


async def test_flags_fall_at_their_deadlines_in_any_order(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    keeper = FlagKeeper(microseconds, Outbox().soon)
    nursery.start_soon(keeper.run)
    matches = [Match(seconds * 1_000_000) for seconds in (5, 2, 9, 2)]
    for match in matches:
        keeper.keep(match, None)
        await trio.sleep(0.1)
    await trio.sleep(20)
    assert [match.fell for match in matches] == [[pytest.approx(s, abs=1e-3)] for s in (5, 2, 9, 2)]


async def test_deadline_that_moved_back_and_forth(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    keeper = FlagKeeper(microseconds, Outbox().soon)
    nursery.start_soon(keeper.run)
    match = Match(3_000_000)
    known = keeper.keep(match, None)
    match.at = 8_000_000
    known = keeper.keep(match, known)
    match.at = 1_000_000
    keeper.keep(match, known)
    await trio.sleep(20)
    assert match.fell[0] == pytest.approx(1, abs=1e-3)


async def test_error_in_one_match_reaches_no_other(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    class Broken(Match):
        errors: list[Exception]

        def flag(self) -> None:
            raise OSError("no space left on device")

        def failed(self, error: Exception) -> None:
            self.errors = [error]

    keeper = FlagKeeper(microseconds, Outbox().soon)
    nursery.start_soon(keeper.run)
    broken, sound = Broken(1_000_000), Match(2_000_000)
    keeper.keep(broken, None)
    keeper.keep(sound, None)
    await trio.sleep(5)
    assert [str(error) for error in broken.errors] == ["no space left on device"]
    assert sound.fell


def test_bytes_are_stamped_with_the_end_of_a_wait_or_the_beginning_of_the_work_before() -> None:
    now = 0

    def clock() -> int:
        return now

    watch = LoopWatch(clock)
    now = 100
    watch.before_io_wait(1)
    now = 5_000
    watch.after_io_wait(1)  # the loop slept until the bytes came
    assert watch.arrival() == 5_000
    now = 35_000  # it worked for 30 ms
    watch.before_io_wait(0)
    now = 35_010
    watch.after_io_wait(0)  # and found bytes that may have come at any time since 5.000
    assert watch.arrival() == 5_000


def test_record_moves_aside_when_it_is_finished_and_numbers_go_on(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert archive.next_number() == 1
    journal = archive.open(1)
    journal.write("arena-record 1\n")
    assert archive.read(1) is None
    assert (tmp_path / "running" / "1.txt").read_text() == "arena-record 1\n"
    journal.finish()
    assert archive.read(1) == "arena-record 1\n"
    assert Archive(tmp_path).next_number() == 2


def test_no_record_is_written_over(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.open(1).close()
    with pytest.raises(FileExistsError):
        archive.open(1)


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_match_that_a_crash_cut_off_is_annulled_and_its_record_is_true(tmp_path: Path, cut: int) -> None:
    text = played(stop_after=9)
    archive = Archive(tmp_path)
    (tmp_path / "running" / "7.txt").write_text(text[: len(text) - cut])
    assert archive.close_leftovers() == [7]
    assert list((tmp_path / "running").iterdir()) == []
    summary = record.verify(archive.read(7) or "")
    assert (summary.result, summary.reason) == ("annulled", "server_fault")
    assert summary.history.plies == 9 - (cut > 0)
    assert archive.close_leftovers() == []


def test_what_cannot_be_read_is_kept_as_it_is(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (tmp_path / "running" / "3.txt").write_bytes(b"\xff\x00 no record\n")
    assert archive.close_leftovers() == [3]
    assert "no record" in (archive.read(3) or "")


def test_tokens_are_made_once_kept_hashed_and_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens.txt"
    token = tokens.add(path, "Ann")
    assert token not in path.read_text()
    assert list(tokens.read(path)) == ["ann"]
    with pytest.raises(tokens.BadTokens, match="has a token already"):
        tokens.add(path, "ann")
    with pytest.raises(tokens.BadTokens, match="1 to 32 letters"):
        tokens.add(path, "a b")


@pytest.mark.parametrize("line", ["ann", "ann short", "an/n " + "0" * 64, "ann " + "G" * 64])
def test_fault_of_a_token_file_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(f"# players\nbob {'0' * 64}\n{line}\n")
    with pytest.raises(tokens.BadTokens, match="line 3: expected a name"):
        tokens.read(path)
    path.write_text(f"bob {'0' * 64}\nBOB {'0' * 64}\n")
    with pytest.raises(tokens.BadTokens, match="line 2: BOB stands there already"):
        tokens.read(path)
