"""The example bots in other languages: built, run against a real server, and tried by the conformance test."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import trio
from msgspec.structs import replace
from rich.console import Console

from bots.check import situations
from bots.workbench.new_bot import LANGUAGES
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.match import verification
from engine.match.clock import TimeControl
from server.commands.run_contest import OVER, hold
from server.config.settings import Settings
from server.contest import contest_file
from server.contest.programs.sandbox.seal import sandbox_obstacle
from tests.bots.fake import FakeServer
from tests.bots.test_check import checked
from tests.protocol.running import serving_here
from tests.server.contest.runtime.bots import SANDBOX
from tests.waiting import BUILD_SECONDS, WAIT_SECONDS

EXAMPLES = Path(__file__).parents[2] / "bots" / "examples"
MAX_LINES = 150
TOKEN = re.compile("[0-9a-f]{32}")
"""By which others could come back to the match."""

REFUSED_MOVE = """\
< ARENA 1 gipf
> LOGIN ann*
< WELCOME ann
> SEEK gipf
< MATCH 7 gipf - white bob 1000 0 100 0123456789abcdef0123456789abcdef
> READY
< TURN 1 1000 1000
> MOVES
< MOVES 1
< | a1-b2
> NOTE one of the longest of 1 moves
> MOVE a1-b2
< ERROR unknown_command 'a1-b2': write MOVE a1-b2
> CRASHED ERROR unknown_command 'a1-b2': write MOVE a1-b2
< RESULT 1 second crashed 1000 1000 ann has crashed
> QUIT
< BYE quit goodbye
"""


class Example(NamedTuple):
    """An example bot: its file, and the tools that its language needs."""

    source: str
    needs: tuple[str, ...]


ALL = {
    "c": Example("c/bot.c", ("cc",)),
    "rust": Example("rust/bot.rs", ("rustc",)),
    "javascript": Example("javascript/bot.js", ("node",)),
    "cpp": Example("cpp/bot.cpp", ("c++",)),
    "go": Example("go/bot.go", ("go",)),
    "java": Example("java/Bot.java", ("javac", "java")),
}
FIRST = ("c", "rust")
"""Languages that `make test` tries."""

STRICT = {
    "cc": "-Wall -Wextra -Werror",
    "c++": "-Wall -Wextra -Werror",
    "javac": "-Xlint:all -Werror -J-XX:TieredStopAtLevel=1",  # a compiler that runs once is not compiled itself
    "rustc": "-D warnings",
}
"""Further options of compilers: they refuse what they would warn of."""


def unusable(name: str) -> str:
    """Say which tools of a language are missing here; empty where none is."""
    missing = [tool for tool in ALL[name].needs if shutil.which(tool) is None]
    return f"{', '.join(missing)} is not installed here" if missing else ""


class Program(NamedTuple):
    """A bot that has been built."""

    language: str
    command: list[str]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: a compiler may refuse the path of this checkout, as javac does umlauts where the language is C."""
    folder = tmp_path_factory.mktemp("copy") / "examples"
    return Path(shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("built")))


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment with strict compilers before the others on the path. Go builds its network without C: in half the time."""
    folder = tmp_path_factory.mktemp("strict")
    for tool, options in STRICT.items():
        if path := shutil.which(tool):
            (folder / tool).write_text(f'#!/bin/sh\nexec "{path}" {options} "$@"\n', encoding="utf-8")
            (folder / tool).chmod(0o755)
    return {**os.environ, "PATH": os.pathsep.join((str(folder), os.environ["PATH"])), "CGO_ENABLED": "0"}


@pytest.fixture(
    scope="module", params=[one if one in FIRST else pytest.param(one, marks=pytest.mark.thorough) for one in ALL]
)
def program(request: pytest.FixtureRequest, examples: Path, strict: dict[str, str]) -> Program:
    """Build a bot as a contest does; skip it where its language cannot be used."""
    if why := unusable(request.param):
        pytest.skip(why)
    build = [examples / "run", "build", request.param]
    done = subprocess.run(build, env=strict, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Program(request.param, [str(examples / "run"), request.param])


@pytest.mark.slow
def test_it_passes_the_conformance_test(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the situation that measures the machine, too."""
    monkeypatch.setattr(situations, "TURN_SECONDS", 0.05)  # how long is watched for a wrong move
    command = [*program.command, "{host}", "{port}", "{name}", USUAL_GAME]
    right, said = checked([one for one in situations.SITUATIONS if one.tries == 1], command, USUAL_GAME)
    assert right, said


@pytest.mark.campaign
@pytest.mark.skipif(bool(unusable("go")), reason=unusable("go") or "go is installed")
def test_go_warns_of_nothing(examples: Path) -> None:
    subprocess.run(["go", "vet", examples / ALL["go"].source], timeout=BUILD_SECONDS, check=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", [one if one == "c" else pytest.param(one, marks=pytest.mark.campaign) for one in ALL], indirect=True
)
async def test_it_plays_every_game_match_after_match(program: Program, tmp_path: Path) -> None:
    """Against itself."""
    matches = {game: 2 if game == USUAL_GAME else 1 for game in GAMES}

    async def play(name: str, other: str, game: str) -> None:
        command = [*program.command, "127.0.0.1", str(port), name, game, other, str(matches[game])]
        with trio.fail_after(WAIT_SECONDS):
            said = (await trio.run_process(command, capture_stderr=True)).stderr.decode()
        assert said.count("MATCH ") == matches[game] and not TOKEN.search(said), said

    # a server that stops writes all records first
    async with serving_here(tmp_path, control=TimeControl.of_milliseconds(600_000, 0)) as port:
        for game in GAMES:
            async with trio.open_nursery() as players:
                players.start_soon(play, "ann", "bob", game)
                players.start_soon(play, "bob", "ann", game)
    records = [verification.verify(path.read_text(encoding="utf-8")) for path in (tmp_path / "records").glob("*.txt")]
    assert Counter(one.header.position.game.name for one in records) == matches
    for one in records:
        assert one.reason not in ("time", "bad_move", "resign")
        noted = [note.ply for note in one.state.notes if "one of the longest of " in note.note.text]
        assert sorted(noted) == [ply for ply, _ in enumerate(one.played, 1)]


@pytest.mark.slow
def test_it_gives_up_with_the_sentence_of_a_refusal(program: Program) -> None:
    with FakeServer(REFUSED_MOVE) as server:
        subprocess.run(
            [*program.command, "127.0.0.1", str(server.port), "ann", "gipf", "-", "1"],
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=True,
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [(("127.0.0.1", "1", "learner"), 1, ""), ((), 2, "HOST PORT NAME [GAME [OPPONENT [MATCHES]]]")],
    ids=["no server", "no arguments"],
)
def test_it_says_in_one_line_why_it_cannot_play(
    program: Program, words: tuple[str, ...], status: int, said: str
) -> None:
    command = [*program.command, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1)
    assert done.stderr.strip() and said in done.stderr


@pytest.mark.parametrize("name", ALL)
def test_it_is_short_and_its_line_is_in_the_table(name: str) -> None:
    text = (EXAMPLES / ALL[name].source).read_text(encoding="utf-8")
    assert len(text.splitlines()) < MAX_LINES
    assert f"]({ALL[name].source})" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_every_folder_has_its_test() -> None:
    """The example in Python needs the client library: ``tests/bots/test_new.py`` runs it."""
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert folders == {*ALL, "python"} == {one.example.partition("/")[0] for one in LANGUAGES.values()}


@pytest.mark.slow
async def test_the_script_of_the_contest_builds_and_plays_them(
    examples: Path, strict: dict[str, str], tmp_path: Path
) -> None:
    languages = [name for name in ALL if not unusable(name)][: len(ALL) if os.environ.get("ARENA_CAMPAIGN") else 2]
    if not languages:
        pytest.skip("no language of the examples can be used here")
    languages += languages[: len(languages) % 2]  # whoever is left over would not play
    await trio.run_process([examples / "run", "build", *languages], env=strict)
    written = (EXAMPLES / "contest.toml").read_text(encoding="utf-8")
    entered = contest_file.read(written, str).entrants
    assert {entrant.command[1] for entrant in entered if entrant.command[0] == "./run"} < {*ALL} and len(entered) == 6
    text = written.replace("budget = 3_000", "budget = 600_000").replace("3 3 9 9", "3 3 6 6")
    head, games = text.partition("[[entrants]]")[0], text[text.index("[[games]]") : text.index("[qualification]")]
    entrants = "".join(
        f'[[entrants]]\nname = "{name}-{number}"\n'
        f'command = ["./run", "{name}", "{{host}}", "{{port}}", "{{name}}", "gipf", "-", "1"]\n'
        for number, name in enumerate(languages)
    )
    sandbox = SANDBOX if sandbox_obstacle() else ""
    text = sandbox + head + entrants + games + '[[stages]]\nformat = "swiss"\nrounds = 1\n'
    definition = replace(contest_file.read(text, str), folder=str(examples))
    settings = Settings(port=0, data=tmp_path / "data")
    assert await hold(text, definition, settings, "", Console(quiet=True)) == OVER
    report = json.loads((tmp_path / "data" / "contests" / "1" / "report.json").read_text(encoding="utf-8"))
    assert [loss["cause"] for loss in report["losses"]] == ["board"] * len(languages), report["losses"]
