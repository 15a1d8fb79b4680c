"""Logs of programs: both ends of what was written, with its moves; for author and organiser, and nobody else."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine.wire import messages as m
from engine.wire.messages import Code
from server.config import tokens
from server.config.settings import Settings
from server.contest.contest_file import read as read_contest
from server.contest.fixtures import Fixture
from server.contest.store.folders import errors_of, kept_by_contest
from server.contest.store.store import FILE, Store
from server.storage.player_logs import SENT_BYTES, BoundedLog, KeptByContest, LogRequest, read_log, without_plies
from server.storage.record_store import RecordStore
from tests.server.harness import ArenaHarness, Client, hear_all, open_arena, play, ready


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


@pytest.mark.parametrize(
    ("wrote", "words"),
    [
        (b"\x1b[2J\xff\x00 Stra\xc3\x9fe\r\n", r"'\x1b[2J\\xff\x00 Straße'"),
        (b"my secret book is book.bin\n" + b"goodbye " * 100 + b"\n\n", repr(("goodbye " * 100)[:200])),
        (TRACEBACK.encode(), "'json.decoder.JSONDecodeError: Expecting value' (brain.py, line 12, in choose)"),
    ],
    ids=["unprintable", "long", "traceback"],
)
def test_last_words_are_the_last_line_alone_printable_with_the_authors_own_line_of_a_traceback(
    tmp_path: Path, wrote: bytes, words: str
) -> None:
    """All that was written is for the author; the sentence of a result is for everybody."""
    log = BoundedLog(tmp_path / "errors.txt", lambda: 0)
    log.write(wrote)
    assert log.last_words() == words


def test_what_cannot_be_kept_is_logged_once_for_each_program() -> None:
    with capture_logs() as logs:
        for _ in range(2):
            unwritable = BoundedLog(Path("/dev/null/errors.txt"), lambda: 0)
            for _ in range(1000):
                unwritable.write(b"lost\n" * 50)
            unwritable.close()
            assert unwritable.last_words() == "'lost'"
    assert [line["event"] for line in logs] == ["program_stderr_write_failed"] * 2


ANN, BOB, ORGANISER = "the-token-of-ann", "the-token-of-bob", "the-token-of-the-organiser"


def with_tokens(settings: Settings) -> Settings:
    known = {"ann": tokens.hashed(ANN), "bob": tokens.hashed(BOB)}
    return msgspec.structs.replace(settings, tokens=known, organiser=tokens.hashed(ORGANISER))


def with_organiser(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, organiser=tokens.hashed(ORGANISER))


async def crash(ann: Client, bob: Client) -> None:
    """Let a match be played in which ann's program fails at move 3, and bob's has said something before move 1."""
    await bob.say(m.Stderr(m.Text("the book of bob")))
    await ready(ann, bob)
    await play(ann, bob, "a1-b2")
    await play(bob, ann, "i5-h5")
    await ann.hear(m.Turn)
    for line in ("Traceback (most recent call last):", '|   File "ann.py", line 12', "|", "ValueError: 7"):
        await ann.say(m.Stderr(m.Text(line)))
    await ann.say(m.Crashed(m.Text("ValueError: 7")))
    await hear_all(m.Result, ann, bob)


OF_ANN = (
    "white 3 | Traceback (most recent call last):",
    'white 3 |   File "ann.py", line 12',
    "white 3 |",
    "white 3 | ValueError: 7",
)
OF_BOB = ("black 0 | the book of bob",)


async def asked(client: Client, *words: str) -> tuple[str, ...] | str:
    """Ask for a log; return its lines, or the code of the error."""
    await client.say(m.AskLog(1, *words))
    while not isinstance(answer := await client.next(), m.Log | m.Error):
        pass
    return tuple(answer.lines) if isinstance(answer, m.Log) else str(answer.code)


async def pair(harness: ArenaHarness) -> tuple[Client, Client]:
    if harness.arena.settings.tokens is None:
        return await harness.pair("params=4,4,15,15 budget=60000")
    ann, bob = await harness.connect("ann", ANN), await harness.connect("bob", BOB)
    await ann.say(m.Seek("gipf", m.Text("params=4,4,15,15 budget=60000 colour=white")))
    await bob.say(m.Seek("gipf"))
    await hear_all(m.Board, ann, bob)
    return ann, bob


async def test_each_player_reads_the_own_log_and_the_organiser_both(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path, change=with_tokens) as harness:
        ann, bob = await pair(harness)
        guest, organiser = await harness.connect(), await harness.connect()
        assert await asked(guest, ANN) == "unknown_match", "it is being played"
        await crash(ann, bob)
        assert (await asked(ann), await asked(bob)) == (OF_ANN, OF_BOB)
        for token in (ANN, ann.token):
            assert await asked(guest, token) == OF_ANN
        assert await asked(guest, ORGANISER) == OF_ANN + OF_BOB
        for words in ((), ("guess",), ("0" * 32,)):
            assert await asked(guest, *words) == "bad_token"
        assert await asked(ann, BOB) == OF_ANN + OF_BOB, "who shows another token has both"
        await organiser.say(m.Organise(ORGANISER))
        assert await asked(organiser) == OF_ANN + OF_BOB
        assert (await guest.ask(m.AskLog(2), m.Error)).code == "unknown_match"
    assert (tmp_path / "logs" / "1-ann.txt").read_text().startswith("3 | Traceback")


async def test_lines_that_come_after_the_end_of_a_match_are_in_its_log_until_the_next_seek(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A bot says where it stands when its flag has fallen; the server knows of that first."""
    async with open_arena(tmp_path, change=with_organiser) as harness:
        ann, bob = await pair(harness)
        await crash(ann, bob)
        await ann.say(m.Stderr(m.Text("in choose")))
        assert await asked(ann) == (*OF_ANN, "white 3 | in choose")
        await ann.ask(m.Seek("gipf"), m.Seeking)
        await ann.say(m.Stderr(m.Text("of no match")))
        assert await asked(ann) == (*OF_ANN, "white 3 | in choose")
        for _ in range(3):
            await bob.say(*[m.Stderr(m.Text("x" * 900))] * 40)
        assert len("".join(await asked(bob))) < 3 * SENT_BYTES


@pytest.mark.parametrize(
    ("wrote", "refusal"),
    [
        (
            b"a1-b2\n",
            snapshot("'a1-b2': unknown command 'a1-b2'; a move is a line MOVE and the move (unknown_command)"),
        ),
        (
            b"\xef\xbb\xbfMOVE a1-b2\n",
            snapshot(
                "'\\ufeffMOVE a1-b2': character 1 of the line, U+FEFF (a byte order mark), cannot be printed (bad_line)"
            ),
        ),
        (b"MOVE a1-b2", snapshot("'MOVE a1-b2': this line has no end: each line ends with LF (bad_line)")),
        (
            b"x" * 5000,
            snapshot(
                "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…': a line has at most 1024 bytes before its LF; this one was left out (line_too_long)"
            ),
        ),
        (
            b"RESUME 1 secret\n",
            snapshot(
                "RESUME: RESUME is not possible now (thinking); possible are BOARD, CRASHED, HELP, MOVE, MOVES, NOTE, PING, PONG, QUIT, READY, RESIGN, STDERR (wrong_state)"
            ),
        ),
        (b"RESUME secret\n", snapshot("RESUME (bad_arguments)")),
        (b"STDERR | [refused: 'a1': as a bridge says]\n", snapshot("'a1': as a bridge says")),
    ],
)
async def test_a_refused_line_is_in_the_result_of_a_loss_on_time_and_in_the_log(
    wrote: bytes, refusal: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await pair(harness)
        await ready(ann, bob)
        await ann.hear(m.Turn)
        await ann.stream.send_all(wrote)
        await ann.stream.send_all(b"HELLO\n" if wrote.endswith(b"\n") else b"")
        sentence = (await bob.hear(m.Result)).sentence
        assert sentence.partition(" was refused: ")[2] == refusal
        guest = await harness.connect()
        first, *others = tuple(await asked(guest, ann.token))
        assert first.removeprefix("white 1 | [refused: ").removesuffix("]") == refusal
        assert len(others) == wrote.endswith(b"\n")
        assert await asked(bob) == ()


async def test_a_resignation_after_the_end_is_not_in_the_log(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await pair(harness)
        await ready(ann, bob)
        await bob.say(m.Resign())
        await ann.hear(m.Result)
        assert (await ann.ask(m.Resign(), m.Error)).code == Code.WRONG_STATE
        assert await asked(ann) == ()


async def test_on_an_open_server_a_name_is_enough_for_what_was_sent_under_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path, change=with_organiser) as harness:
        ann, bob = await pair(harness)
        await crash(ann, bob)
        carol, guest = await harness.connect("carol"), await harness.connect()
        assert (await asked(ann), await asked(bob)) == (OF_ANN, OF_BOB)
        assert (await asked(carol), await asked(guest)) == ("bad_token", "bad_token")
        assert await asked(guest, bob.token) == OF_BOB
        assert await asked(guest, ORGANISER) == OF_ANN + OF_BOB


async def test_what_programs_of_a_contest_wrote_needs_a_token(tmp_path: Path, autojump_clock: MockClock) -> None:
    """On an open server anybody may take the name of an entrant when the contest is over."""
    async with open_arena(tmp_path) as harness:
        ann, bob = await pair(harness)
        await crash(ann, bob)
        keys = ann.token
    store = RecordStore(tmp_path)
    path = tmp_path / "stderr.txt"

    def read(asked: LogRequest, *, wrote: bool = True, token: str = "") -> tuple[str, ...]:
        if wrote:
            path.write_bytes(b"4 | my secret\tbook \xff\x1b[2J\n4 | is open")
        else:
            path.unlink(missing_ok=True)
        settings = msgspec.structs.replace(Settings(data=tmp_path), organiser=tokens.hashed(ORGANISER))
        return read_log(asked, store, settings, lambda match, name: KeptByContest(path, token), lambda name: None)

    secret = ("white 4 | my secret       book \ufffd\ufffd[2J", "white 4 | is open")
    for name, wrote, token, sentence in (
        (
            "ann",
            True,
            "",
            snapshot(
                "ProtocolError: the log of match 1 is for its players: LOG 1 TOKEN, with the token of MATCH or LOGIN"
            ),
        ),
        (
            "ann",
            False,
            tokens.hashed(ANN),
            snapshot(
                "ProtocolError: the log of match 1 is for its players: LOG 1 TOKEN, with the token of MATCH or LOGIN"
            ),
        ),
        (
            "carol",
            True,
            "",
            snapshot(
                "ProtocolError: carol did not play match 1; the log of match 1 is for its players: LOG 1 TOKEN, with the token of MATCH or LOGIN"
            ),
        ),
    ):
        with raises(sentence):
            read(LogRequest(1, name=name), wrote=wrote, token=token)
    assert read(LogRequest(1, name="ann"), wrote=False) == OF_ANN
    assert read(LogRequest(1, ANN), token=tokens.hashed(ANN))[:2] == secret
    assert read(LogRequest(1, keys))[:2] == secret
    assert len(read(LogRequest(1, organiser=True))) == len(OF_ANN) + len(OF_BOB) + 4


async def test_what_a_program_sends_that_the_server_started_is_not_kept_twice(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path) as harness:
        ann, bob = await pair(harness)
        harness.arena.sessions["ann"].key = "ann/1"
        await crash(ann, bob)
        assert await asked(ann) == "bad_token", "nor does a program read the logs of other games"
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["1-bob.txt"]


CONTEST = """
name = "Test"
time = {{ budget = 60_000 }}
entrants = [{{ name = "Ann", command = ["./ann"], token = "{token}" }}, {{ name = "bob", command = ["./bob"] }}]
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
"""


def test_the_store_knows_the_token_of_an_author_also_when_the_contest_is_over(tmp_path: Path) -> None:
    definition = read_contest(CONTEST.format(token=tokens.hashed(ANN)), lambda name: "")
    store = Store(tmp_path / FILE)
    contest = store.open_contest("", definition, datetime.now(UTC))
    assert store.begin(contest, Fixture(0, 1, 0, 0, 0, ("Ann", "bob")), 7)
    store.close_contest(contest, datetime.now(UTC))
    store.close()

    def kept(match: int, name: str) -> KeptByContest | None:
        return kept_by_contest(tmp_path, tmp_path / FILE, match, name)

    assert kept(7, "ann") == (errors_of(tmp_path, contest, 7, "Ann"), tokens.hashed(ANN))
    assert kept(7, "bob") == (errors_of(tmp_path, contest, 7, "bob"), "")
    assert kept(7, "carol") is kept(8, "ann") is None
