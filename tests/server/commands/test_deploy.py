"""The examples of docs/deploy hold what they promise."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from server.config import serve_options
from server.config.settings import Limits
from tests.waiting import WAIT_SECONDS

HERE = Path(__file__).parents[3]
DEPLOY = HERE / "docs" / "deploy"

INSTRUCTIONS = {
    "FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT",
}  # fmt: skip


def test_configuration_can_be_read_and_shows_the_usual_limits() -> None:
    found = serve_options.read(DEPLOY / "arena.toml")
    assert found.limits == Limits()
    assert found.options["data"] == "/var/lib/gipf-arena"


def test_configuration_can_be_read_with_everything_that_is_commented_out(tmp_path: Path) -> None:
    text = (DEPLOY / "arena.toml").read_text()
    path = tmp_path / "arena.toml"
    path.write_text(re.sub(r"^# (?=[a-z-]+ = |\[)", "", text, flags=re.MULTILINE))
    assert {"tokens", "organiser", "delay-moves", "tls-cert", "tls-key"} <= serve_options.read(path).options.keys()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_unit_is_one(tmp_path: Path) -> None:
    unit = tmp_path / "gipf-arena.service"
    text = (DEPLOY / "gipf-arena.service").read_text()
    unit.write_text(re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={shutil.which('true')}", text))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    assert [line for line in done.stderr.splitlines() if "gipf-arena.service" in line] == []


def test_container_file_names_what_there_is() -> None:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    assert {words[0] for words in lines} <= INSTRUCTIONS
    copied = [word for words in lines if words[0] == "COPY" for word in words[1:-1]]
    assert copied and all((HERE / name).exists() for name in copied)
