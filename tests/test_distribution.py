"""The wheel and the sdist: built the same twice, and installed where nothing of the repository is beside them."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

from engine.commands.program import VERSION
from tests.waiting import BUILD_SECONDS
from tests.web.site import Site

ROOT = Path(__file__).parent.parent
NOT_IN_A_CHECKOUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "arena-data", "build", "built", "dist"
)
WHEEL_BYTES = 2_500_000
"""Size limit of the wheel."""

BASE_BYTES = 18 * 2**20
"""Size limit of the base install with its dependencies, before Python compiles it."""

pytestmark = pytest.mark.slow


def run(*command: str | Path, **options: object) -> str:
    """Run a command that has to succeed, and return its stdout and stderr."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=BUILD_SECONDS, check=False, **options,
    )  # type: ignore[call-overload]  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return str(done.stdout)


def builder(folder: Path) -> Path:
    """Put the build backend that pyproject.toml asks for into a folder; skips where no package can be had."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary",
        ":all:",
        "--dest",
        str(folder),
        *needed,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    if done.returncode:
        pytest.skip(f"no packages can be fetched here: {done.stderr.strip().splitlines()[-1]}")
    for wheel in folder.glob("*.whl"):
        shutil.unpack_archive(wheel, folder, "zip")
    return folder


def build(backend: Path, source: Path, into: Path, *targets: str) -> dict[str, Path]:
    """Build what is distributed of a folder, all where nothing is named; return it by the ends of the names."""
    environment = {**os.environ, "PYTHONPATH": str(backend)}
    environment.pop("SOURCE_DATE_EPOCH", None)
    wanted = [word for target in targets or ("sdist", "wheel") for word in ("--target", target)]
    run(sys.executable, "-m", "hatchling", "build", *wanted, "--directory", into, cwd=source, env=environment)
    return {path.suffix: path for path in into.iterdir()}


class Built(NamedTuple):
    """Distributions, and the backend that built them."""

    sdist: Path
    wheel: Path
    backend: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build the repository as somebody has it who fetched it at another time, with a umask that shares nothing."""
    folder = tmp_path_factory.mktemp("build")
    backend = builder(folder / "backend")
    source = shutil.copytree(ROOT, folder / "source", ignore=NOT_IN_A_CHECKOUT)
    for path in source.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    files = build(backend, source, folder / "dist")
    return Built(files[".gz"], files[".whl"], backend)


class Installed(NamedTuple):
    """An environment with the wheel and what it depends on, and an empty folder to work in."""

    scripts: Path
    folder: Path
    extras: Path | None = None
    """Folder with the packages of extras."""

    def environment(self) -> dict[str, str]:
        """Return the variables of somebody who works in the environment."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        if self.extras:
            variables["PYTHONPATH"] = str(self.extras)
        return {**variables, "PATH": os.pathsep.join((str(self.scripts), os.environ["PATH"]))}

    def run(self, *command: str | Path, folder: Path | None = None) -> str:
        """Run one of its commands, which has to succeed."""
        return run(self.scripts / command[0], *command[1:], cwd=folder or self.folder, env=self.environment())


def needed_by(wheel: Path, extras: tuple[str, ...]) -> set[Path]:
    """Return the files in this environment of all distributions that a wheel with extras depends on.

    To install them anew takes longer than all else that is done with the wheel.
    """
    (about,) = distributions(path=[str(wheel)])
    waiting = [text for text in about.requires or () if any(takes(text, extra) for extra in ("", *extras))]
    found: dict[str, set[Path]] = {}
    while waiting:
        needed = Requirement(waiting.pop())
        if needed.name in found:
            continue
        one = distribution(needed.name)
        assert needed.specifier.contains(one.version), f"{needed}: {one.version} is here"
        waiting += [text for extra in ("", *needed.extras) for text in one.requires or () if takes(text, extra)]
        places = {Path(str(one.locate_file(file.parts[0]))) for file in one.files or () if file.parts[0] != ".."}
        found[needed.name] = {path for path in places if path.name != "__pycache__"}
    return set().union(*found.values())


def takes(requirement: str, extra: str) -> bool:
    """Tell whether a distribution needs another one, with an extra or without."""
    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({"extra": extra})


SCRIPT = """#!{python}
import sys
from {point.module} import {point.attr}
sys.exit({point.attr}())
"""


@pytest.fixture(scope="module")
def base(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel without extras, as pip does. The start of pip alone would take longer."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    shutil.unpack_archive(built.wheel, packages, "zip")
    (about,) = distributions(path=[str(built.wheel)])
    scripts = folder / "venv" / "bin"
    for each in about.entry_points.select(group="console_scripts"):
        (scripts / each.name).write_text(SCRIPT.format(python=scripts / "python", point=each), encoding="utf-8")
        (scripts / each.name).chmod(0o755)
    for path in needed_by(built.wheel, ()):
        (packages / path.name).symlink_to(path)
    (folder / "work").mkdir()
    return Installed(scripts, folder / "work")


@pytest.fixture(scope="module")
def installed(base: Installed, built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Add two of the extras."""
    extras = tmp_path_factory.mktemp("extras")
    for path in needed_by(built.wheel, ("fast", "server")) - needed_by(built.wheel, ()):
        (extras / path.name).symlink_to(path)
    return base._replace(extras=extras)


def test_sdist_and_wheel_are_the_same_at_another_time_and_place(built: Built, tmp_path: Path) -> None:
    """The sdist has no times and rights of the checkout, and the wheel that is built from it is the same."""
    with tarfile.open(built.sdist) as packed:
        files = packed.getmembers()
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # not in each Python 3.11
        packed.extractall(tmp_path / "unpacked")
    (moment,) = {file.mtime for file in files}
    assert moment != 1_000_000_000 and built.sdist.read_bytes()[4:8] == int(moment).to_bytes(4, "little")
    assert {(file.uid, file.gid, file.uname, file.gname) for file in files} == {(0, 0, "", "")}
    assert {file.mode for file in files} <= {0o644, 0o755}
    (source,) = (tmp_path / "unpacked").iterdir()
    assert (source / "tests" / "test_distribution.py").exists() and (source / "protocol.md").exists()
    wheel = build(built.backend, source, tmp_path / "wheel", "wheel")[".whl"]
    assert wheel.read_bytes() == built.wheel.read_bytes()


def test_the_wheel_holds_what_belongs_to_it_and_nothing_else(built: Built) -> None:
    assert built.wheel.stat().st_size <= WHEEL_BYTES
    with zipfile.ZipFile(built.wheel) as packed:
        names = set(packed.namelist())
        metadata = packed.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    folder = f"gipf_arena-{VERSION}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"engine", "server", "bots", folder}
    assert f"{folder}/licenses/LICENSE" in names and "\nLicense-Expression: MIT\n" in metadata
    packaged = {
        str(path.relative_to(ROOT))
        for package in ("engine", "server", "bots")
        for folder_path, _, files in os.walk(ROOT / package, followlinks=True)  # rules of the games are links to docs
        for path in (Path(folder_path, file) for file in files)
        if not {"__pycache__", "built"} & set(path.parts)
    }
    assert {name for name in names if not name.startswith(folder)} == packaged


def test_the_packages_are_those_of_the_wheel_and_tell_its_version(installed: Installed) -> None:
    where = "import engine, server, bots; print(engine.__file__, server.__file__, bots.__file__)"
    for file in installed.run("python", "-c", where).split():
        assert "site-packages" in file and not file.startswith(str(ROOT))
    assert installed.run("arena-server", "--version") == f"{VERSION}\n"


def interpreter(version: str) -> str:
    """Return a Python of a version, one of the path or of pyenv; skips where there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for python in (f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
        # the path may have a program that says that the version is not chosen
        if subprocess.run(["sh", "-c", f"'{python}' --version"], capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"Python {version} is not installed here")


def small_and_plays(bot: Installed) -> None:
    """Check the size of a base install, and use it."""
    (packages,) = (bot.scripts.parent / "lib").glob("python*/site-packages")
    files = [file for package in packages.iterdir() for file in (package, *package.rglob("*")) if file.suffix != ".pyc"]
    assert sum(file.stat().st_size for file in files) <= BASE_BYTES
    bot.run("arena-bot", "new", "mybot")
    match = "match", "mybot/mybot.py", "alphabeta:1", "--games", "2", "--game", "mnk", "--params", "3,3,3"
    played = bot.run("arena-bot", *match)
    assert "2 of 2 games" in played
    assert played.count('pip install "') == 1, "the search says once how to get the compiler"
    assert "result second" in bot.run("arena-engine", "solve", "gipf", "--params", "3 3 4 4")


def test_the_base_install_is_small_and_plays(base: Installed) -> None:
    small_and_plays(base)


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("3.11", marks=pytest.mark.thorough),
        *(pytest.param(version, marks=pytest.mark.campaign) for version in ("3.12", "3.13", "3.14")),
    ],
)
def test_pip_makes_the_base_install_with_each_python(built: Built, version: str, tmp_path: Path) -> None:
    run(interpreter(version), "-m", "venv", "--without-pip", tmp_path / "venv")
    pip = sys.executable, "-m", "pip", "--python", tmp_path / "venv" / "bin" / "python", "install", "--no-compile"
    run(*pip, "--quiet", "--disable-pip-version-check", built.wheel)
    small_and_plays(Installed(tmp_path / "venv" / "bin", tmp_path))


def test_the_server_has_its_pages(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed.extras))
    with Site(tmp_path / "data", folder=installed.folder, python=str(installed.scripts / "python")) as site:
        page = urlopen(f"{site.url}/").read().decode()
        files = re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css|svg))"', page)
        assert {urlopen(site.url + file).status for file in files} == {200}


CONTEST = """
name = "autumn"
sandbox = "none"

[time]
budget = 600_000

[[entrants]]
name = "mybot"
command = ["python3", "mybot.py"]

[[entrants]]
name = "random"
command = ["arena-bot", "random", "--host", "{host}", "--port", "{port}", "--name", "{name}", "--seed", "1"]

[[games]]
game = "gipf"
params = "3 3 9 9"
openings = { plies = 2, number = 1 }

[[stages]]
format = "round-robin"
"""
RULE = """
[[points]]
for = "score"
against = "alphabeta:1"
most = 60
full = 0.6

[[points]]
for = "place"
most = 40
"""
CHOICE = re.compile(r"    legal = .*(?=\n\n\nif)", re.DOTALL)
BETTER = "    return best_move(position, nodes=100)"
WORSE = "    if sum(map(len, position.pieces)) > 8:\n        raise ValueError('planted')\n"


@pytest.mark.thorough
def test_the_hour_of_a_stranger(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From an empty folder to a stronger bot, and a lost game explained."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # to compile takes longer than all of this
    installed.run("arena-bot", "new", "mybot", folder=tmp_path)
    folder = tmp_path / "mybot"
    bot = folder / "mybot.py"
    better = CHOICE.sub(BETTER, bot.read_text(encoding="utf-8"))
    better = better.replace("from random import choice", "from engine.search.searcher import best_move")
    bot.write_text(better, encoding="utf-8")

    options = "--params", "3,3,9,9", "--games", "2", "--budget", "600000"
    match = "arena-bot", "match", "mybot.py", "alphabeta:1", "--json", "match.json"
    assert "2 of 2 games" in installed.run(*match, *options, folder=folder)

    bot.write_text(better.replace(BETTER, WORSE + BETTER), encoding="utf-8")
    planted = bot.read_text(encoding="utf-8").splitlines().index("        raise ValueError('planted')") + 1
    (folder / "contest.toml").write_text(CONTEST, encoding="utf-8")
    installed.run("arena-server", "contest", "contest.toml", "--port", "0", folder=folder)
    contest = folder / "arena-data" / "contests" / "1"
    page = (contest / "index.html").read_text(encoding="utf-8")
    assert f"(mybot.py, line {planted}, in choose): ValueError: planted" in page
    (lost,) = (
        game
        for game in json.loads((contest / "report.json").read_text(encoding="utf-8"))["games"]
        if game["match"] == 1
    )

    (folder / "rule.toml").write_text(RULE, encoding="utf-8")
    grades = installed.run("arena-bot", "grade", "rule.toml", "match.json", "arena-data/contests/1", folder=folder)
    assert [line.split() for line in grades.splitlines()[1:]] == [
        ["mybot", "60", "0", "60"],
        ["random", "0", "40", "40"],
    ]

    words = "arena-bot", "replay", "arena-data/records/1.txt", "mybot.py", "--ply", lost["plies"] + 1, "--debugger"
    replayed = subprocess.run(
        [installed.scripts / words[0], *map(str, words[1:])], cwd=folder, env=installed.environment(),
        input="next\nq\n", capture_output=True, text=True, timeout=BUILD_SECONDS, check=False,
    )  # fmt: skip
    assert replayed.returncode != 0 and "-> if sum(map(len, position.pieces)) > 8" in replayed.stdout + replayed.stderr
    said = installed.run("arena-bot", "review", "arena-data/records/1.txt", "--nodes", "100", folder=folder)
    assert "mybot (white): " in said


@pytest.mark.campaign
def test_make_compare_fails_for_a_weaker_bot(installed: Installed, tmp_path: Path) -> None:
    installed.run("arena-bot", "new", "mybot", folder=tmp_path)
    folder, bot = tmp_path / "mybot", tmp_path / "mybot" / "mybot.py"
    git = "git", "-c", "user.name=ann", "-c", "user.email=ann@example.org"
    for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "before")):
        run(*git, *words, cwd=folder)
    resigning = bot.read_text(encoding="utf-8").replace("    legal = position.legal_moves", "    raise Resigned")
    bot.write_text(resigning.replace("import Clocks", "import Clocks, Resigned"), encoding="utf-8")
    done = subprocess.run(
        ("make", "compare", "MATCH=--params 3,3,9,9 --budget 600000"),
        cwd=folder, env=installed.environment(), capture_output=True, text=True, timeout=BUILD_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode != 0 and "H0: " in done.stdout, done.stderr
