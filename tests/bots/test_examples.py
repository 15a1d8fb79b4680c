"""The example bots in other languages: built, run against a real server, and tried by the conformance test."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from bots.check.run import SITUATIONS, check
from engine import record
from engine.catalogue import GAMES
from server.contest import contest_file
from tests.server.organise.bots import SANDBOX
from tests.server.test_process import Server, running

EXAMPLES = Path(__file__).parents[2] / "bots" / "examples"
MOST_LINES = 150
BUILD_SECONDS = 600
PLAY_SECONDS = 300


TOKEN = re.compile("[0-9a-f]{32}")
"""By which others could come back to the match."""


class Example(NamedTuple):
    """How a bot is built and run; ``{source}`` and ``{folder}`` stand for its text, and where what is built goes."""

    source: str
    needs: tuple[str, ...]
    build: str
    run: str


ALL = {
    "c": Example("c/bot.c", ("cc",), "cc -Wall -Wextra -Werror -O2 -o {folder}/bot {source}", "{folder}/bot"),
    "cpp": Example(
        "cpp/bot.cpp", ("c++",), "c++ -std=c++17 -Wall -Wextra -Werror -O2 -o {folder}/bot {source}", "{folder}/bot"
    ),
    "java": Example("java/Bot.java", ("javac", "java"), "javac -d {folder} {source}", "java -cp {folder} Bot"),
    "javascript": Example("javascript/bot.js", ("node",), "node --check {source}", "node {source}"),
    "rust": Example(
        "rust/bot.rs", ("rustc",), "rustc --edition 2021 -D warnings -O -o {folder}/bot {source}", "{folder}/bot"
    ),
    "go": Example("go/bot.go", ("go",), "go build -o {folder}/bot {source}", "{folder}/bot"),
}


TRIVIAL = {
    "c": "int main(void) { return 0; }",
    "cpp": "#include <string>\nint main() { return static_cast<int>(std::string().size()); }",
    "java": "public class Bot { public static void main(String[] words) { } }",
    "javascript": "process.exit(0);",
    "rust": "fn main() { }",
    "go": "package main\n\nfunc main() { }",
}
"""A program that does nothing, by which a language is tried."""


@cache
def unusable(name: str) -> str:
    """Say why a language cannot be used here, by building and running a program that does nothing; empty where it can.

    A tool may be there and not work: one that would have to download its compiler first, or that has no linker.
    """
    example = ALL[name]
    missing = [tool for tool in example.needs if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} is not installed here"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / Path(example.source).name
        source.write_text(TRIVIAL[name], encoding="utf-8")
        for command in (example.build, example.run):
            words = command.format(source=source, folder=folder).split()
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"{words[0]} does not work here: {error}"
            if done.returncode != 0:
                said = (done.stderr or done.stdout).strip().splitlines()
                return f"{words[0]} does not work here: {said[0] if said else f'exit status {done.returncode}'}"
    return ""


def skip_without(name: str) -> None:
    """Skip a test where a language cannot be used."""
    if why := unusable(name):
        pytest.skip(why)


def test_a_compiler_that_does_not_work_is_a_reason_to_skip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = tmp_path / "rustc"
    shim.write_text("#!/bin/sh\necho 'error: no default toolchain' >&2\nexit 1\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert unusable.__wrapped__("rust") == "rustc does not work here: error: no default toolchain"


@pytest.fixture(scope="module", params=ALL)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build a bot and return its command; skip it where its language cannot be used."""
    example = ALL[request.param]
    skip_without(request.param)
    places = {"source": str(EXAMPLES / example.source), "folder": str(tmp_path_factory.mktemp(request.param))}
    done = subprocess.run(
        example.build.format(**places).split(), capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return example.run.format(**places).split()


def play(server: Server, program: list[str], *words: str) -> tuple[int, str]:
    """Let a bot play against random; return its status and what it said."""
    where = ["--port", str(server.port), "--games", words[-1], "--opponent", "learner", "--game", words[0], "--quiet"]
    other = subprocess.Popen([sys.executable, "-m", "bots", "random", "--name", "dice", *where])
    command = [*program, "127.0.0.1", str(server.port), "learner", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PLAY_SECONDS, check=False)
        assert other.wait(PLAY_SECONDS) == 0
    finally:
        other.kill()
        other.wait()
    return done.returncode, done.stderr


@pytest.mark.slow
def test_it_plays_every_game_match_after_match(program: list[str], tmp_path: Path) -> None:
    with running(tmp_path) as server:
        for game in GAMES:
            status, said = play(server, program, game, "dice", "2")
            assert status == 0, said
            assert said.count("MATCH ") == 2 and not TOKEN.search(said), said
        assert server.stop() == 0
    paths = sorted((tmp_path / "records").iterdir())
    assert len(paths) == 2 * len(GAMES)
    for path in paths:
        summary = record.verify(path.read_text(encoding="utf-8"))
        assert set(summary.header.players) == {"learner", "dice"}
        assert summary.reason not in ("time", "bad_move", "resign"), path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_passes_the_conformance_test(program: list[str]) -> None:
    said: list[str] = []
    command = [*program, "{host}", "{port}", "{name}"]
    assert check(command, port=0, game="gipf", situations=SITUATIONS, write=said.append, note=said.append), said


@pytest.mark.slow
def test_it_takes_one_line_where_no_server_is(program: list[str]) -> None:
    done = subprocess.run(
        [*program, "127.0.0.1", "1", "learner"], capture_output=True, text=True, timeout=PLAY_SECONDS, check=False
    )
    assert done.returncode == 1
    assert done.stderr.strip() and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_it_says_how_it_is_run(program: list[str]) -> None:
    done = subprocess.run(program, capture_output=True, text=True, timeout=PLAY_SECONDS, check=False)
    assert done.returncode == 2
    assert "HOST PORT NAME [GAME [OPPONENT [MATCHES]]]" in done.stderr


@pytest.mark.parametrize("name", ALL)
def test_it_is_short_and_its_line_is_in_the_table(name: str) -> None:
    text = (EXAMPLES / ALL[name].source).read_text(encoding="utf-8")
    assert len(text.splitlines()) < MOST_LINES
    assert f"]({ALL[name].source})" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_every_folder_has_its_test() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(ALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_it_is_built_and_played_by_the_script_of_the_contest(name: str, tmp_path: Path) -> None:
    skip_without(name)
    folder = tmp_path / "examples"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("built"))
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "GOCACHE": str(tmp_path / "go")}
    subprocess.run([folder / "run", "build", name], timeout=BUILD_SECONDS, check=True, env=environment)
    file = folder / "contest.toml"
    text = (EXAMPLES / "contest.toml").read_text(encoding="utf-8")
    entrants = f"""
[[entrants]]
name = "built"
command = ["./run", "{name}", "{{host}}", "{{port}}", "{{name}}"]
[[entrants]]
name = "dice"
command = ["{sys.executable}", "-m", "bots", "random", "--host", "{{host}}", "--port", "{{port}}", "--name", "{{name}}"]
"""
    before, _, rest = text.partition("[[entrants]]")
    file.write_text(SANDBOX + before + entrants + rest[rest.index("[[games]]") :], encoding="utf-8")
    command = [sys.executable, "-m", "server", "contest", str(file), "--data", str(tmp_path / "data"), "--port", "0"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 for other reasons" in done.stdout, "nothing was lost but on the board"


def test_the_contest_of_the_examples_can_be_held() -> None:
    definition = contest_file.read((EXAMPLES / "contest.toml").read_text(encoding="utf-8"), str)
    languages = [entrant.command[1] for entrant in definition.entrants if entrant.command[0] == "./run"]
    assert set(languages) < set(ALL) and len(definition.entrants) == 6
