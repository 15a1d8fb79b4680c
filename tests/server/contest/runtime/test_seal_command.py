"""The command of bubblewrap: every option, on a file system that the test has made."""

import atexit
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import pytest

import engine
from server.contest.definition import Bounds
from server.contest.programs.sandbox import seal
from server.contest.programs.sandbox.seal import (
    Descriptors,
    VisibleFiles,
    is_shown,
    sandboxed,
    sealed_environment,
)

GIVEN = Descriptors(status=3, block=4, filter=5)
CODE = (Path("/python"), Path("/packages/bots"), Path("/packages/bots2"), Path("/python"))


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small system with /usr, a folder and a link at the top, /etc, and compiled kernels."""
    for folder in (
        "usr/bin",
        "sbin",
        "etc/ssl/certs",
        "etc/python3.11/deep",
        "cache/gipf-arena/kernels",
        "mine/read/secret",
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    for file in (
        "etc/hosts",
        "etc/shadow",
        "etc/ssl/openssl.cnf",
        "etc/ssl/certs/root.pem",
        "etc/python3.11/deep/site.py",
    ):
        (tmp_path / file).write_text(file)
    (tmp_path / "etc" / "ssl" / "certs" / "link.pem").symlink_to("root.pem")
    (tmp_path / "etc" / "localtime").symlink_to(tmp_path / "nowhere")
    (tmp_path / "etc" / "timezone").symlink_to(tmp_path / "etc" / "hosts")
    monkeypatch.setattr(seal, "ETC", tmp_path / "etc")
    monkeypatch.setattr(seal, "_WHOLE", (str(tmp_path / "usr"), str(tmp_path / "opt")))
    monkeypatch.setattr(seal, "_TOP", tuple(str(tmp_path / name) for name in ("bin", "sbin", "lib")))
    monkeypatch.setattr(seal, "own_code", lambda: CODE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(seal, "settings_copy", cache(seal.settings_copy.__wrapped__))
    monkeypatch.setattr(seal, "_system", seal._system.__wrapped__)
    return tmp_path


def command(view: VisibleFiles) -> list[str]:
    return sandboxed(["bot", "--fast"], view, Bounds(scratch=3), GIVEN)


def options(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield each option with its words."""
    option: list[str] = []
    for word in words[1 : words.index("--")]:
        if word.startswith("--") and option:
            yield tuple(option)
            option = []
        option.append(word)
    yield tuple(option)


def test_every_option_is_there_in_order(system: Path) -> None:
    at = {name: str(system / name) for name in ("usr", "sbin", "bin", "etc", "cache", "mine")}
    read, secret, below = (f"{at['mine']}/{path}" for path in ("read", "read/secret", "read/secret/own"))
    seen = (Path(f"{read}/below"), Path(read), Path(below), system / "usr" / "shared")  # the last one is there anyway
    words = command(VisibleFiles(Path("/mine/folder"), seen, (Path(secret),), (Path("/mine/built"),)))
    assert words[0] == "bwrap" and words[-3:] == ["--", "bot", "--fast"]
    assert list(options(words)) == [
        ("--unshare-user",),
        ("--unshare-pid",),
        ("--unshare-ipc",),
        ("--unshare-uts",),
        ("--unshare-cgroup-try",),
        ("--unshare-net",),
        ("--uid", "1000"),
        ("--gid", "1000"),
        ("--hostname", "arena"),
        ("--cap-drop", "ALL"),
        ("--die-with-parent",),
        ("--ro-bind", at["usr"], at["usr"]),
        ("--symlink", "usr/bin", at["bin"]),
        ("--ro-bind", at["sbin"], at["sbin"]),
        ("--ro-bind", str(seal.settings_copy()), at["etc"]),
        ("--dev", "/dev"),
        ("--size", str(16 << 20)),
        ("--tmpfs", "/dev/shm"),
        ("--remount-ro", "/dev"),
        ("--proc", "/proc"),
        ("--remount-ro", "/proc"),
        ("--size", str(3 << 20)),
        ("--perms", "0700"),
        ("--tmpfs", "/tmp"),
        ("--ro-bind", "/packages/bots", "/packages/bots"),
        ("--ro-bind", "/packages/bots2", "/packages/bots2"),
        ("--ro-bind", "/python", "/python"),
        ("--ro-bind", read, read),
        ("--ro-bind", at["cache"] + "/gipf-arena/kernels", "/tmp/.cache/gipf-arena/given"),
        ("--tmpfs", secret),
        ("--ro-bind", below, below),
        ("--bind", "/mine/built", "/mine/built"),
        ("--dir", "/mine/folder"),
        ("--remount-ro", secret),
        ("--remount-ro", "/"),
        ("--chdir", "/mine/folder"),
        ("--json-status-fd", "3"),
        ("--block-fd", "4"),
        ("--seccomp", "5"),
    ]


def test_kernels_are_those_of_the_user_if_there_are_any(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(system / "home"))
    assert seal.KERNELS not in command(VisibleFiles(Path("/own")))
    kernels = system / "home" / ".cache" / "gipf-arena" / "kernels"
    kernels.mkdir(parents=True)
    assert (str(kernels), seal.KERNELS) in pairwise(command(VisibleFiles(Path("/own"))))


def test_of_etc_programs_see_what_they_need_while_the_server_runs(
    system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_exit: list[Callable[[], object]] = []
    monkeypatch.setattr(atexit, "register", lambda *call, **options: at_exit.append(partial(*call, **options)))
    copy = seal.settings_copy()
    assert {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()} == {
        "hosts",
        "timezone",
        "ssl/openssl.cnf",
        "ssl/certs/root.pem",
        "ssl/certs/link.pem",
        "python3.11/deep/site.py",
    }
    assert (copy / "ssl" / "certs" / "link.pem").readlink() == Path("root.pem"), "links stay links"
    assert not (copy / "timezone").is_symlink(), "the target of the link is perhaps missing in a sandbox"
    for remove in at_exit * 2:  # somebody may have cleaned up before
        remove()
    assert not copy.exists()


def test_the_environment_has_the_language_and_the_path_of_the_server() -> None:
    usual = {"HOME": "/tmp", "TMPDIR": "/tmp", "ARENA_KERNELS": "/tmp/.cache/gipf-arena/given"}
    here = str(Path(sys.executable).parent)
    server = {"PATH": "/a:/b", "LC_ALL": "C", "TZ": "UTC", "SECRET": "x", "HOME": "/home/server"}
    assert sealed_environment(server, {"ARENA_PORT": "1"}) == {
        **usual, "LANG": "C.UTF-8", "LC_ALL": "C", "TZ": "UTC", "ARENA_PORT": "1",
        "PATH": f"/a:/b:{here}:/usr/local/bin:/usr/bin:/bin",
    }  # fmt: skip
    assert sealed_environment({"LANG": "pl"}, {}) == {
        **usual, "LANG": "pl", "PATH": f"{os.defpath}:{here}:/usr/local/bin:/usr/bin:/bin"
    }  # fmt: skip


def test_systems_programs_are_shown_everywhere() -> None:
    assert all(is_shown(Path(path)) for path in ("/usr", "/usr/bin/python3", "/lib64/x", "/bin", "/nix/store/a"))
    assert not any(is_shown(Path(path)) for path in ("/", "/usrlocal", "/home/lib", "/nix", "/etc", "/root"))
    assert is_shown(Path("/home/a/b"), Path("/x"), Path("/home/a")) and not is_shown(Path("/home"), Path("/home/a"))


def test_own_code_is_this_python_and_the_packages_of_bots() -> None:
    code = seal.own_code.__wrapped__()
    shown = [*code, *(Path(place) for place in seal._WHOLE)]
    for place in (sys.prefix, sys.base_prefix, Path(engine.__file__).parent):
        assert any(Path(place).is_relative_to(path) for path in shown), place
    assert any(path.name == "bots" for path in code) and not any(path.name == "server" for path in code)
