"""``arena-bot new``: what it makes is complete, builds and plays by the protocol, and nothing is ever overwritten."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bots.check.run import chosen
from bots.cli import main
from bots.workbench.new_bot import LANGUAGES
from engine.games.catalogue import GAMES
from tests.bots.test_check import checked
from tests.bots.test_examples import EXAMPLES, unusable
from tests.waiting import BUILD_SECONDS

SCRIPTS = str(Path(sys.executable).parent)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, with the arena's commands on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join((SCRIPTS, os.environ["PATH"])))
    return tmp_path


def new(*arguments: str, status: int = 0) -> None:
    """Make a new bot; the command ends with an exit status."""
    with pytest.raises(SystemExit) as leaving:
        main(["new", *arguments])
    assert leaving.value.code == status


def make(folder: Path, *arguments: str) -> str:
    """Run make in a folder, and return what it prints."""
    done = subprocess.run(
        ["make", *arguments], cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_has_the_example_and_all_around_it(
    language: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new("my-bot", "--language", language, "--game", "morris")
    made = {str(path.relative_to(folder / "my-bot")): path for path in (folder / "my-bot").rglob("*") if path.is_file()}
    spoken = LANGUAGES[language]
    source = "my-bot.py" if language == "python" else Path(spoken.example).name
    text = made[source].read_text(encoding="utf-8")
    assert text == (EXAMPLES / spoken.example).read_text(encoding="utf-8")
    assert set(made) >= {"README.md", "Makefile", "requirements.txt", ".gitignore", ".github/workflows/bot.yml"}
    assert f"my-bot: {source}, " in capsys.readouterr().out
    for path, file in made.items():
        if path != source:
            assert not re.search(r"\[\[ |\[%|\{source\}|\{folder\}", file.read_text(encoding="utf-8")), path
    assert spoken.choose.split()[-1].strip("`") in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_of_its_readme_are_those_of_make(language: str, folder: Path) -> None:
    new("mybot", "--language", language, "--game", "arrows")
    readme = (folder / "mybot" / "README.md").read_text(encoding="utf-8")
    for target in ("check", "match"):
        (written,) = re.findall(rf"^    (arena-bot {target} .*)$", readme, re.MULTILINE)
        run = " ".join(make(folder / "mybot", "-n", target, "build=").split("\n")[-2].split())
        assert run.replace("./", "").replace(" . ", " ") == written.replace("./", "").replace(" . ", " ")
        assert "--game arrows" in written


def test_its_workflow_is_yaml_whose_steps_are_targets_of_make(folder: Path) -> None:
    yaml = pytest.importorskip("yaml")
    new("1.0", "--language", "c")
    written = yaml.safe_load((folder / "1.0" / ".github" / "workflows" / "bot.yml").read_text(encoding="utf-8"))
    assert written["name"] == "1.0"
    targets = [step["run"].split()[1] for step in written["jobs"]["bot"]["steps"] if "make " in step.get("run", "")]
    makefile = (folder / "1.0" / "Makefile").read_text(encoding="utf-8")
    assert targets == ["test", "check", "compare"]
    assert all(f"\n{target}: build\n" in makefile for target in targets)


@pytest.mark.parametrize(
    "game", [game if game == "mnk" else pytest.param(game, marks=pytest.mark.thorough) for game in GAMES]
)
@pytest.mark.slow
def test_the_python_bot_passes_its_own_test(game: str, folder: Path) -> None:
    new("mybot", "--game", game)
    make(folder / "mybot", "test")


@pytest.mark.slow
def test_a_python_bot_that_plays_no_legal_move_does_not_pass_its_own_test(folder: Path) -> None:
    new("mybot", "--game", "mnk")
    program = folder / "mybot" / "mybot.py"
    wrong = program.read_text(encoding="utf-8").replace("return choice(", "return 'x' + choice(")
    program.write_text(wrong, encoding="utf-8")
    done = subprocess.run(
        ["make", "test"], cwd=program.parent, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    assert done.returncode != 0 and "AssertionError: 'x" in done.stderr


def left_in(folder: Path) -> set[str]:
    """Let make remove what it has built; return the names of what is left."""
    make(folder, "clean")
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "language",
    [
        "javascript",
        *(pytest.param(language, marks=pytest.mark.thorough) for language in ("rust", "go")),
        *(pytest.param(language, marks=pytest.mark.campaign) for language in ("cpp", "java")),
    ],
)
def test_it_builds_and_plays(language: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := unusable(language):
        pytest.skip(why)
    if language == "rust" and not shutil.which("cargo"):
        pytest.skip("there is no cargo")
    monkeypatch.setenv("CGO_ENABLED", "0")  # Go then builds its network in half the time
    new("mybot", "--language", language)
    make(folder / "mybot", "build")
    command = LANGUAGES[language].run.format(folder="mybot", host="{host}", port="{port}", name="{name}", game="gipf")
    right, said = checked(chosen("plays the"), command.split(), "gipf")
    assert right, said
    assert not left_in(folder / "mybot") & {"bot", "Bot.class", "target"}


@pytest.mark.slow
def test_make_test_builds_it_and_tries_two_situations(folder: Path) -> None:
    if why := unusable("c"):
        pytest.skip(why)
    new("mybot", "--language", "c")
    assert "2 ok, 0 FAIL" in make(folder / "mybot", "test")
    assert "bot" not in left_in(folder / "mybot")


def test_a_folder_that_cannot_be_made_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Here since the folder that it is to lie in has just been removed."""
    folder.rmdir()
    new("mybot", status=1)
    assert capsys.readouterr().err.strip() == snapshot("arena-bot: mybot cannot be made: No such file or directory")


@pytest.mark.parametrize(
    ("origin", "needed"),
    [
        (None, "gipf-arena==7.5"),
        (
            '{"url": "file:///home/ann/gipf_arena.whl", "archive_info": {}}',
            "gipf-arena @ file:///home/ann/gipf_arena.whl",
        ),
        (
            '{"url": "https://example.org/arena.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}}',
            "gipf-arena @ git+https://example.org/arena.git@12ab",
        ),
    ],
)
def test_ci_gets_the_arena_from_where_it_came(
    origin: str | None, needed: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        version = "7.5"

        def read_text(self, name: str) -> str | None:
            return origin if name == "direct_url.json" else None

    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: Installed())
    new("mybot")
    assert (folder / "mybot" / "requirements.txt").read_text().splitlines()[-1] == needed
