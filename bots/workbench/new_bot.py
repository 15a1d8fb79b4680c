"""The files of a new bot, made from the examples and from templates.

A bot's program is the one of bots/examples, word for word, so that there is one of each language. What is around it is
made from `bots/workbench/templates`.
"""

import json
import shutil
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from bots.workbench.languages import LANGUAGES
from engine.wire.messages import PORT

FILES = {
    "README.md": "README.md",
    "Makefile": "Makefile",
    "requirements.txt": "requirements.txt",
    "gitignore": ".gitignore",
    "bot.yml": ".github/workflows/bot.yml",
}
"""The template of each file that every bot has, and its path in the bot's folder."""


def new_bot(name: str, language: str, game: str) -> dict[str, str]:
    """Return the files of a new bot, by their paths in its folder; ``language`` is one of `LANGUAGES`."""
    spoken = LANGUAGES[language]
    example = spoken.example.rpartition("/")[2]
    source = f"{name}.py" if language == "python" else example
    run = spoken.run.replace("{source}", source)
    test = spoken.test.replace("{source}", source)
    command = run.replace(" {folder}/", " ").replace("{folder}", ".")
    there = {"{host}": "127.0.0.1", "{port}": str(PORT), "{name}": name, "{game}": game}
    values = {
        **spoken._asdict(),
        "name": name,
        "game": game,
        "source": source,
        "run": run.replace("{folder}", "$(1)"),
        "command": command,
        "by_hand": " ".join(there.get(word, word) for word in command.split()),
        "test": test,
        "arena": requirement(),
    }
    made = {source: (files("bots") / "examples" / spoken.example).read_text(encoding="utf-8")}
    for template, path in {**FILES, **spoken.files}.items():
        made[path.replace("{source}", source)] = _fill(template, values)
    return made


def requirement() -> str:
    """Return what pip installs to get the arena elsewhere: its name, or the commit that it was fetched from here.

    An address of version control is that of PEP 610, which holds no passwords.
    """
    installed = distribution("gipf-arena")
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if fetched := origin.get("vcs_info"):
        return f"gipf-arena @ {fetched['vcs']}+{origin['url']}@{fetched['commit_id']}"
    return f"gipf-arena>={installed.version}"


def write_folder(folder: Path, made: dict[str, str]) -> None:
    """Write files into a folder that is not there yet; raises OSError, and then nothing of it is left."""
    folder.mkdir()
    try:
        for path, text in made.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _fill(template: str, values: dict[str, object]) -> str:
    """Return the text of a template with values for its names."""
    # braces belong to make, YAML and commands
    environment = Environment(
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,
    )
    text = (files("bots.workbench") / "templates" / f"{template}.jinja").read_text(encoding="utf-8")
    return environment.from_string(text).render(values)
