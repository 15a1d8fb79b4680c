"""Links that authors make in their folders: no program sees by a link what is not its own."""

from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from engine.wire.seat import Seat
from server.commands.match.setup import read_players
from server.contest import contest_file
from server.contest.definition import Bounds, Definition
from server.contest.programs import program as programs
from server.contest.programs.program import Program, Surroundings
from server.contest.programs.sandbox.seal import NotVisible, Seal, VisibleFiles, sandbox_obstacle, view

SECONDS = 60.0
"""After which a sandbox has failed to start and end."""

FILE = """
name = "Links"
time = {{ budget = 60_000 }}
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
entrants = [{}]
"""


def definition(folder: Path, *entrants: str) -> Definition:
    other = "{ name = 'other' }"
    found = contest_file.read(FILE.format(", ".join((*entrants, other))), str)
    return replace(found, folder=str(folder))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Make the data directory of a server with the version of another author, and return the program there."""
    program = tmp_path / "data" / "submissions" / "ann-1" / "1" / "build" / "bot.sh"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho secret >&2\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def build(victim: Path) -> Path:
    """Return the folder that the attacker's build has written."""
    folder = victim.parents[2].with_name("bob-1") / "1" / "build"
    folder.mkdir(parents=True)
    return folder


async def said(tmp_path: Path, seen: VisibleFiles, *command: str) -> str:
    """Run a program in a sandbox, and return what it has written on stderr."""
    place = Surroundings(seen.folder, "0" * 16, tmp_path / "errors.txt", seal=Seal(seen, Bounds(), 1000.0))
    with trio.fail_after(SECONDS):
        async with trio.open_nursery() as nursery:
            program = await nursery.start(programs.run, command, Seat("127.0.0.1", 1, "bob", "mnk", "x"), place)
            assert isinstance(program, Program)
            await program.ended.wait()
    return place.errors.read_text()


@pytest.mark.skipif(bool(sandbox_obstacle()), reason=sandbox_obstacle())
@pytest.mark.parametrize("via", ["/", "/proc/self/cwd"])
async def test_a_version_that_is_a_link_to_the_version_of_another_author_does_not_run_it(
    tmp_path: Path, victim: Path, build: Path, monkeypatch: pytest.MonkeyPatch, via: str
) -> None:
    monkeypatch.chdir("/")
    (build / "bot").symlink_to(Path(via, victim.relative_to("/")))
    (build / "all").symlink_to(Path(via, victim.parent.relative_to("/")))
    data = tmp_path / "data"
    for command in ("./bot", "all/bot.sh", str(victim)):
        ladder = definition(data, f"{{ name = 'bob', command = ['{command}'], folder = '{build}' }}")
        seen = view(ladder, ladder.entrants[0], data)
        assert seen.readable == (build,)
        assert "secret" not in await said(tmp_path, seen, command)


def test_the_folder_of_an_entrant_is_no_link(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "bob" / "bot").symlink_to("../ann")
    found = definition(tmp_path, "{ name = 'bob', command = ['./bot'], folder = 'bob/bot' }")
    with pytest.raises(NotVisible, match=r"bob/bot of bob is a link, or lies behind one"):
        view(found, found.entrants[0], tmp_path / "data")


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("bob/bot", "bob"),  # in the sandbox, the link leads nowhere
        ("bob/all/bot.sh", None),
        ("bot", None),
        ("bob/../ann/bot.sh", "ann"),  # named by the file, not by an author
    ],
)
def test_a_command_names_no_file_behind_a_link(tmp_path: Path, word: str, shown: str | None) -> None:
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann" / "bot.sh").touch()
    (tmp_path / "bob" / "bot").symlink_to("../ann/bot.sh")
    (tmp_path / "bob" / "all").symlink_to("../ann")
    (tmp_path / "bot").symlink_to("ann/bot.sh")
    found = definition(tmp_path, f"{{ name = 'bob', command = ['{word}'] }}")
    if shown is None:
        with pytest.raises(NotVisible, match="is a link, or lies behind one"):
            view(found, found.entrants[0], tmp_path / "data")
    else:
        assert view(found, found.entrants[0], tmp_path / "data").readable == (tmp_path / shown,)


def test_nobody_sees_the_data_directory_where_contests_lie_in_it(tmp_path: Path, victim: Path) -> None:
    data = tmp_path / "data"
    found = definition(data, f"{{ name = 'bob', command = ['{victim}'] }}")
    with pytest.raises(NotVisible, match="data directory"):
        view(found, found.entrants[0], data)


def test_a_match_looks_at_no_file_outside_of_the_folder_of_a_player(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "rival.py").write_text("play(choose, name='secret') )")
    (own / "bot.py").symlink_to("../rival.py")
    for word in ("bot.py", str(tmp_path / "rival.py"), "../rival.py", "/no/such/program"):
        (player,) = read_players([f"bob={word}"], tmp_path, [own])
        assert (player.command, player.digest) == ((word,), "")
