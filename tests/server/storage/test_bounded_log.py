"""A bounded log: both ends of what was written, each line with its move, and its last words as a sentence has them."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.storage.player_logs import BoundedLog, without_plies


def written(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


@pytest.mark.parametrize("size", [0, 5, 500, 4096])
def test_a_bounded_log_keeps_both_ends(tmp_path: Path, size: int) -> None:
    path = tmp_path / "folder" / "errors.txt"
    log = BoundedLog(path, lambda: 7, 550)
    text = "".join(f"{number:04}\n" for number in range(size // 5 + 1))[:size].encode()
    marked = b"".join(b"7 | " + line for line in text.splitlines(keepends=True))
    for begin in range(0, size, 7):
        log.write(text[begin : begin + 7])
    assert len(written(path)) <= 550
    log.close()
    if len(marked) <= 1100:
        assert written(path) == marked
        assert path.exists() == bool(size)
        assert not path.exists() or path.parent.stat().st_mode & 0o777 == 0o700, (
            "it is for its author and the organiser"
        )
        assert without_plies(written(path).decode()).encode() == text
    else:
        between = f"\n[{len(marked) - 1100} bytes are left out here]\n".encode()
        assert written(path) == marked[:550] + between + marked[-550:]
    assert log.last_words() == (repr(text.decode().split()[-1]) if size else "")


def test_a_line_has_the_move_at_which_it_began(tmp_path: Path) -> None:
    pieces = [b"", b"lo", b"ading\nthink", b"ing\n", b"\nodd: 9 | \n"]
    plies = iter(range(1, 5))
    log = BoundedLog(tmp_path / "errors.txt", lambda: next(plies))
    for piece in pieces:
        log.write(piece)
    log.close()
    assert written(tmp_path / "errors.txt") == b"1 | loading\n2 | thinking\n4 | \n4 | odd: 9 | \n"


def test_last_words_are_printable_whatever_was_written(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "errors.txt", lambda: 0)
    log.write(b"\x1b[2J\xff\x00 Stra\xc3\x9fe\r\n")
    assert log.last_words() == r"'\x1b[2J\\xff\x00 Straße'"


def test_last_words_are_the_last_line_alone(tmp_path: Path) -> None:
    """All that was written is for the author; the sentence of a result is for everybody."""
    log = BoundedLog(tmp_path / "errors.txt", lambda: 0)
    log.write(b"my secret book is book.bin\n" + b"goodbye " * 100 + b"\n\n")
    assert log.last_words() == repr(("goodbye " * 100)[:200])


TRACEBACK = """a number: 12
Traceback (most recent call last):
  File "/home/ann/bot/main.py", line 30, in <module>
    play(choose)
  File "/home/ann/bot/brain.py", line 12, in choose
    return json.loads(book)
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting value
"""


def test_last_words_of_a_traceback_name_the_authors_own_line(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "errors.txt", lambda: 0)
    log.write(TRACEBACK.encode())
    assert log.last_words() == "'json.decoder.JSONDecodeError: Expecting value' (brain.py, line 12, in choose)"


def test_what_cannot_be_kept_is_logged_once_for_each_program() -> None:
    with capture_logs() as logs:
        for _ in range(2):
            unwritable = BoundedLog(Path("/dev/null/errors.txt"), lambda: 0)
            for _ in range(1000):
                unwritable.write(b"lost\n" * 50)
            unwritable.close()
            assert unwritable.last_words() == "'lost'"
    assert [line["event"] for line in logs] == ["program_stderr_write_failed"] * 2
