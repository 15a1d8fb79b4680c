"""The files that a program sees: its own and the visible ones, and by a link nothing else."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from engine.wire.seat import Seat
from server.commands.match.setup import read_players
from server.contest.definition import Bounds, Definition, Entrant
from server.contest.formats.meetings import RoundRobin
from server.contest.programs import program as programs
from server.contest.programs.program import Program, Surroundings
from server.contest.programs.sandbox import seal
from server.contest.programs.sandbox.seal import Descriptors, NotVisible, Seal, VisibleFiles, sandboxed, view
from tests.server.contest import played
from tests.server.contest.runtime.test_sealed import needs_sandbox
from tests.waiting import WAIT_SECONDS

FILES = """
arena/bot.sh arena/one/bot.sh arena/one/inner/bot.sh arena/two/bot.sh arena/two/rival.sh
arena/data/ann/bot.sh arena/data/bob/bot.sh
elsewhere/bot.sh tool/bin/run tool/lib/x bare/bin/bare home/bin/mine home/lib/x
"""
LINKS = {
    "arena/one/out": "../two/bot.sh",
    "arena/one/all": "../two",
    "arena/link.sh": "two/bot.sh",
    "linked": "tool/bin/run",
    "opt": "arena",
    "arena/far": "/proc/self/cwd/two",
}

IN_DATA = "bob has its program in the server's data directory {base}/data; move one of them"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make files and links, and return the folder of the contest file. The server's data directory lies in it."""
    for file in FILES.split():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("#!/bin/sh\necho secret >&2\n")
        (tmp_path / file).chmod(0o755)
    for link, target in LINKS.items():
        (tmp_path / link).symlink_to(target)
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / name) for name in ("tool/bin", "bare/bin", "home/bin", "")))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "arena")
    return tmp_path / "arena"


def contest(base: Path, *entrants: Entrant, visible: tuple[str, ...] = ()) -> Definition:
    return replace(played.contest(2, RoundRobin()), folder=str(base), entrants=entrants, visible=visible)


async def said(tmp_path: Path, seen: VisibleFiles, *command: str) -> str:
    """Run a program in a sandbox, and return what it has written on stderr."""
    place = Surroundings(seen.folder, "0" * 16, tmp_path / "errors.txt", seal=Seal(seen, Bounds(), 1000.0))
    with trio.fail_after(WAIT_SECONDS):
        async with trio.open_nursery() as nursery:
            program = await nursery.start(programs.run, command, Seat("127.0.0.1", 1, "bob", "mnk", "x"), place)
            assert isinstance(program, Program)
            await program.ended.wait()
    return place.errors.read_text()


@needs_sandbox
@pytest.mark.parametrize("via", ["/", "/proc/self/cwd"])
async def test_a_version_that_is_a_link_to_the_version_of_another_author_does_not_run_it(
    tmp_path: Path, base: Path, monkeypatch: pytest.MonkeyPatch, via: str
) -> None:
    monkeypatch.chdir("/")
    data, build, victim = base / "data", base / "data" / "bob", base / "data" / "ann" / "bot.sh"
    (build / "bot").symlink_to(Path(via, victim.relative_to("/")))
    (build / "all").symlink_to(Path(via, victim.parent.relative_to("/")))
    for command in ("./bot", "all/bot.sh", str(victim)):
        bob = Entrant("bob", (command,), folder=str(build))
        seen = view(contest(data, bob), bob, data)
        assert seen.readable == (build,)
        assert "secret" not in await said(tmp_path, seen, command)


@needs_sandbox
@pytest.mark.parametrize(
    ("visible", "whole", "code", "rival"),
    [
        ((".",), [], [], "two"),
        ((".",), [], [], "far"),
        (("one/all",), [], [], "two"),
        ((), ["arena"], [], "two"),
        ((), ["opt"], [], "two"),
        ((), [], ["arena"], "two"),
    ],
)
async def test_a_version_sees_no_folder_of_others_and_nothing_else_of_the_data_directory(
    tmp_path: Path,
    base: Path,
    monkeypatch: pytest.MonkeyPatch,
    visible: tuple[str, ...],
    whole: list[str],
    code: list[str],
    rival: str,
) -> None:
    for name, value in (
        ("SCRATCH", "/scratch"),  # the usual one lies over the folders of tests
        ("_WHOLE", (*seal._WHOLE, *(str(tmp_path / folder) for folder in whole))),
        ("_system", seal._system.__wrapped__),
        ("own_code", lambda: tuple(tmp_path / folder for folder in code)),
    ):
        monkeypatch.setattr(seal, name, value)
    (base / "data" / "bob" / "bot.sh").write_text(
        f"#!/bin/sh\ncat {tmp_path}/*/data/ann/bot.sh {tmp_path}/*/two/bot.sh >&2\npwd >&2\n"
    )
    bob = Entrant("bob", ("./bot.sh",), folder="data/bob", version_of="bob")
    made = contest(base, bob, Entrant("rival", ("./bot.sh",), folder=rival), visible=visible)
    errors = await said(tmp_path, view(made, bob, base / "data"), "./bot.sh")
    assert str(base / "data" / "bob") in errors and "secret" not in errors


@pytest.mark.parametrize(
    ("command", "folder", "other", "readable", "hidden"),
    [
        ("no-program one", "", Entrant("rival"), "arena/one", ""),
        ("no-program . ..", "", Entrant("rival"), "", ""),
        (f"no-program bot.sh \0 {'n' * 5000}", "", Entrant("rival"), "arena/bot.sh", ""),
        ("one/bot.sh x", "", Entrant("rival", ("two/rival.sh",)), "arena/one", ""),
        ("one/out", "", Entrant("rival"), "arena/one", ""),  # in the sandbox, the link leads nowhere
        ("one/../two/bot.sh", "", Entrant("rival"), "arena/two", ""),  # named by the file, not by an author
        ("../elsewhere/bot.sh", "", Entrant("rival"), "elsewhere/bot.sh", ""),
        ("two/bot.sh", "", Entrant("rival", ("two/rival.sh",)), "arena/two/bot.sh", ""),
        ("two/bot.sh", "", Entrant("rival", ("two/bot.sh",)), "arena/two", ""),
        ("two/bot.sh two/rival.sh", "", Entrant("rival"), "arena/two", ""),
        ("two/bot.sh", "", Entrant("rival", ("two/rival.sh",), folder="one"), "arena/two", ""),
        ("one/bot.sh", "", Entrant("rival", ("bot.sh",), folder="one/inner"), "arena/one", "arena/one/inner"),
        ("./bot.sh", "one", Entrant("rival", ("bot.sh",), folder="one/inner"), "arena/one", "arena/one/inner"),
        ("./bot.sh", "one", Entrant("rival", ("bot.sh",), folder="one"), "arena/one", ""),
        ("./bot.sh", "one", Entrant("rival", ("bot.sh",), folder="two"), "arena/one", ""),
        ("./bot.sh", "one", Entrant("rival", ("bot.sh",), folder="one/none"), "arena/one", ""),
        ("./bot.sh", ".", Entrant("rival", ("bot.sh",), folder="two"), "arena", "arena/data arena/two"),
        ("run one", "", Entrant("rival"), "arena/one tool tool/bin/run", ""),
        ("linked", "one", Entrant("rival"), "arena/one linked tool tool/bin/run", ""),
        ("bare", "", Entrant("rival"), "bare/bin/bare", ""),
        ("mine", "", Entrant("rival"), "home/bin/mine", ""),
    ],
)
def test_a_program_sees_its_folder_or_the_files_that_its_command_names(
    base: Path, command: str, folder: str, other: Entrant, readable: str, hidden: str
) -> None:
    bob = Entrant("bob", tuple(command.split(" ")), folder=folder)
    made = contest(base, bob, other, visible=("../home/lib", "~/lib", "missing"))
    seen, lib = view(made, bob, base / "data"), base.parent / "home" / "lib"
    assert (seen.folder, set(seen.readable)) == (
        base / folder,
        {lib, *(base.parent / path for path in readable.split())},
    )
    words = sandboxed((), seen, Bounds(), Descriptors(1, 2, 3))
    empty = {"/dev/shm", "/tmp", *(f"{base.parent}/{path}" for path in hidden.split())}
    assert {where for option, where in pairwise(words) if option == "--tmpfs"} == empty
    assert view(made, None, base / "data") == VisibleFiles(base, (lib, lib))


@pytest.mark.parametrize(
    ("place", "bob", "visible", "why"),
    [
        ("", Entrant("bob", ("./bot.sh",), folder="none"), "one", "the folder of bob is not there: {base}/none"),
        ("", Entrant("bob", ("./bot.sh",), folder="one/all"), "one", "{base}/one/all of bob is a link, or lies behind"),
        ("", Entrant("bob", ("one/all/bot.sh",)), "one", "{base}/one/all of bob is a link, or lies behind one; name"),
        ("", Entrant("bob", ("link.sh",)), "one", "{base}/link.sh of bob is a link, or lies behind one; name the file"),
        ("", Entrant("bob", ("data/ann/bot.sh",)), "one", IN_DATA),
        ("", Entrant("bob", ("./bot.sh",), folder="data/ann"), "one", IN_DATA),
        ("", Entrant("bob", ("bot.sh",)), "data/ann", IN_DATA),
        ("data", Entrant("bob", ("ann/bot.sh",)), "../one", IN_DATA),
        ("data", Entrant("bob", ("./bot.sh",), folder="."), "../one", IN_DATA),
    ],
)
def test_a_program_that_cannot_be_shown_its_files_is_refused(
    base: Path, place: str, bob: Entrant, visible: str, why: str
) -> None:
    with pytest.raises(NotVisible, match=f"^{re.escape(why.format(base=base))}"):
        view(contest(base / place, bob, visible=(visible,)), bob, base / "data")


def test_a_match_looks_at_no_file_outside_of_the_folder_of_a_player(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "rival.py").write_text("play(choose, name='secret') )")
    (own / "bot.py").symlink_to("../rival.py")
    for word in ("bot.py", str(tmp_path / "rival.py"), "../rival.py", "/no/such/program"):
        (player,) = read_players([f"bob={word}"], tmp_path, [own])
        assert (player.command, player.digest) == ((word,), "")
