"""Builds, and what a version is refused for behind them, in sandboxes: each with the sentence that its author reads."""

import os
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from server.contest.definition import Bounds
from server.contest.programs.sandbox import seal
from server.league.accounts import Person
from server.league.submissions import pipeline, upload
from server.league.submissions.pipeline import Ended
from server.league.submissions.versions import CHECK_REPORT, LOG, Version, Versions, disk_use, remove_tree, unlock_tree
from tests.server.league.test_submissions import SEALED, Replace, ann, packed, tried, without_sandbox

__all__ = ["ann", "without_sandbox"]

pytestmark = SEALED


@pytest.fixture
def passes(without_sandbox: Replace) -> None:
    """Have every bot pass its conformance test and its first games."""
    without_sandbox()


def built(versions: Versions, ann: Person, data: Path, files: Mapping[str, str]) -> tuple[Version, str]:
    """Send files, and have them built; return the version, and the log of its build."""
    version, _ = tried(versions, data, versions.add(ann, "bot", "bot.zip", packed(files)))
    return version, (versions.folder(version) / LOG).read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("passes")
def test_what_a_makefile_makes_is_what_plays(versions: Versions, ann: Person, tmp_path: Path) -> None:
    files = {
        "Makefile": "bot: bot.c size.h\n\t$(CC) -o $@ $<\nsize.h:\n\techo '#define SIZE 3' > $@\n",
        "bot.c": '#include "size.h"\nint main(void) { return SIZE - 3; }\n',
    }
    version, log = built(versions, ann, tmp_path, files)
    assert (version.state, version.sentence, version.command) == ("active", "", ("./bot", *upload.ARGUMENTS))
    assert "-o bot bot.c" in log
    assert (versions.folder(version) / "build" / "bot").stat().st_mode & 0o111


LOCKED = """all:
\tmkdir -p locked/inner target && head -c 3M /dev/zero > locked/inner/large
\tln -s $$(printf %0300d 0) bot; ln -s /nowhere/bot bot.js; chmod 4755 bot.py; chmod 0 locked/inner locked target
"""


def as_ordinary_user(work: Callable[[Path], object]) -> None:
    """Call a function with a new folder, in a process of a user for whom modes count; fail where it raises."""
    with tempfile.TemporaryDirectory() as folder:
        user = 65534 if os.getuid() == 0 else os.getuid()
        os.chown(folder, user, -1)
        if (child := os.fork()) == 0:
            status = 1
            try:
                os.setuid(user)
                work(Path(folder))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.slow
def test_locked_and_deep_folders_are_counted_and_removed_as_all_others() -> None:
    def work(folder: Path) -> None:
        build, locked = folder / "build", folder / "build" / "locked"
        locked.mkdir(parents=True)
        (locked / "large").write_bytes(bytes(1 << 20))
        inner = build
        for _ in range(40):  # its path is longer than the system takes
            os.chdir(inner)
            inner = Path("d" * 200)
            inner.mkdir()
        os.chdir(folder)
        assert disk_use(build).longest > 3000
        locked.chmod(0)
        unlock_tree(build)
        assert disk_use(build).size >= 1 << 20
        locked.chmod(0)
        remove_tree(build)
        assert os.listdir(folder) == []

    as_ordinary_user(work)


@pytest.mark.usefixtures("passes")
def test_what_a_build_locks_is_unlocked_and_can_be_deleted(versions: Versions, ann: Person, tmp_path: Path) -> None:
    version, _ = built(versions, ann, tmp_path, {"Makefile": LOCKED, "bot.py": ""})
    assert (version.state, version.command) == ("active", ("python3", "bot.py")), version.sentence
    folder = versions.folder(version) / "build"
    assert [(folder / name).stat().st_mode & 0o7700 for name in ("locked", "target", "bot.py")] == [0o700] * 3
    versions.retire(version, "test")
    versions.delete(version, "test")
    assert not versions.folder(version).exists()


NETWORK = """
import socket
import sys
for kind, whom in ((socket.SOCK_STREAM, ("192.0.2.1", 80)), (socket.SOCK_DGRAM, ("192.0.2.1", 53))):
    try:
        socket.socket(socket.AF_INET, kind).connect(whom)
    except OSError as error:
        print(whom, error.strerror)
print([name for _, name in socket.if_nameindex()])
socket.create_connection(("127.0.0.1", PORT), 1)
"""


@pytest.mark.slow
def test_a_build_reaches_no_network_and_not_the_server_either(versions: Versions, ann: Person, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = NETWORK.replace("PORT", str(server.getsockname()[1]))
        version, log = built(versions, ann, tmp_path, {"Makefile": "all:\n\tpython3 get.py\n", "get.py": script})
    assert (version.state, version.sentence) == ("refused", "the build (make) failed: exit status 2")
    assert log.count("Network is unreachable") == 2 and "['lo']" in log and "Connection refused" in log


@pytest.mark.parametrize(
    ("limit", "most", "recipe_line", "sentence"),
    [
        pytest.param("BUILD_SECONDS", 0.5, "sleep 1000", "it took more than 0.5 s", marks=pytest.mark.slow),
        ("BUILD_FILES", 9, "touch 1 2 3 4 5 6 7 8 9", "a build may leave 9 files in its folder"),
        ("BUILD_MEGABYTES", 1, "head -c 3M /dev/zero > large", "a build may leave 1 MB in its folder"),
        ("BUILD_BOUNDS", Bounds(file_size=1), "head -c 3M /dev/zero > large", "exit status 2"),
        (
            "BUILD_PATH",
            500,
            "for n in `seq 60`; do mkdir $$(printf %0200d 0); cd $$(printf %0200d 0) || exit; done",
            "a build may leave paths of 500 bytes in its folder",
        ),
    ],
    ids=["time", "files", "size", "file-size", "path"],
)
def test_a_build_that_takes_more_than_it_may_is_refused(
    versions: Versions,
    ann: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    most: object,
    recipe_line: str,
    sentence: str,
) -> None:
    monkeypatch.setattr(pipeline, limit, most)
    version, _ = built(versions, ann, tmp_path, {"Makefile": f"bot:\n\t{recipe_line}\n"})
    assert (version.state, version.sentence) == ("refused", f"the build (make) failed: {sentence}")


LOOKS_AROUND = """
import os, sys
for number in filter(str.isdecimal, os.listdir("/proc")):
    print("sees", open(f"/proc/{number}/cmdline").read().split("\\0"), file=sys.stderr)
print("has", os.listdir("."), "beside", os.listdir(".."), file=sys.stderr)
print("knows", *filter(lambda name: "SECRET" in name, os.environ), file=sys.stderr)
sys.exit(7)
"""

SHOWN = """
import os, sys
from server.contest.programs.sandbox import seal
seal._WHOLE, seal.SCRATCH = (*seal._WHOLE, os.environ["PYTHONPATH"]), "/scratch"
print("works in", os.getcwd(), file=sys.stderr)
"""
"""Module that shows its folder to all programs, as /opt, in each process that imports it as sitecustomize."""


@pytest.mark.slow
async def test_a_version_sees_neither_its_conformance_test_nor_the_data_directory_that_lies_in_a_shown_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, *logs = (tmp_path / name for name in ("build", "built", "checked", "played"))
    folder.mkdir()
    (folder / "bot.py").write_text(LOOKS_AROUND)
    (tmp_path / "sitecustomize.py").write_text(SHOWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    whole = (*seal._WHOLE, str(tmp_path))
    for name, value in (("_WHOLE", whole), ("SCRATCH", "/scratch"), ("_system", seal._system.__wrapped__)):
        monkeypatch.setattr(seal, name, value)
    monkeypatch.setattr(pipeline, "NICENESS", 0)
    command, variant = (sys.executable, "bot.py"), pipeline.USUAL_VARIANT
    assert [
        (await pipeline.run_build(command, folder, logs[0], tmp_path)).status,
        (await pipeline.run_check(command, folder, logs[1], tmp_path, variant)).status,
        (await pipeline.run_match("bot", command, folder, logs[2], tmp_path, variant)).status,
    ] == [7, 1, 1]
    for seen in (log.read_text() for log in logs):
        # whole arguments, as a folder on the way to the interpreter may have any name
        assert "'bot.py'" in seen and "'check'" not in seen
        assert "has ['bot.py'] beside ['build']" in seen and "knows\n" in seen
        assert f"works in {folder}" not in seen, "numba would read settings of the author there"
    assert all(f"works in {tmp_path}\n" in log.read_text() for log in logs[1:])
    assert "ended by itself" in pipeline.first_fault(tmp_path / CHECK_REPORT)


@pytest.mark.parametrize(("load", "tries", "state"), [(10.0, 2, "active"), (0.0, 1, "refused")])
def test_a_game_lost_on_time_by_a_busy_machine_is_played_again(
    versions: Versions,
    ann: Person,
    tmp_path: Path,
    without_sandbox: Replace,
    monkeypatch: pytest.MonkeyPatch,
    load: float,
    tries: int,
    state: str,
) -> None:
    taken = []

    async def qualify(_name: str, _command: object, _folder: Path, log: Path, *_: object) -> Ended:
        taken.append(log)
        log.write_text("game 1: time: bot (first) ran out of time\n" if len(taken) == 1 else "")
        return Ended(pipeline.AT_FAULT if len(taken) == 1 else 0)

    without_sandbox(match=qualify)
    monkeypatch.setattr(os, "getloadavg", lambda: (load * (os.cpu_count() or 1), 0, 0))
    found, _ = tried(versions, tmp_path, versions.add(ann, "bot", "bot.py", b"print()"))
    assert (found.state, len(taken)) == (state, tries)
