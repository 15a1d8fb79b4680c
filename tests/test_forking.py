"""What is forked speaks, ends and is killed as a process does that has loaded its modules itself."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forking import Forked
from tests.waiting import WAIT_SECONDS

pytestmark = pytest.mark.slow


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", *words]


def test_it_has_arguments_environment_folder_and_pipes_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text("seed = 4", encoding="utf-8")
    words, environment = command("server", "contest", "contest.toml"), {**os.environ, "COLUMNS": "60"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Forked(words, cwd=tmp_path, env=environment, **pipes) as process:
        said = process.communicate(timeout=WAIT_SECONDS)
    assert process._ended is not None, "it was forked"
    assert (process.returncode, *said) == (done.returncode, done.stdout, done.stderr)
    assert done.returncode == 2 and "name is missing" in done.stderr


def test_it_is_waited_for_and_killed(tmp_path: Path) -> None:
    words = command("server", "serve", "--no-web", "--port", "0", "--data", str(tmp_path))
    with Forked(words, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr is not None and "event=server_listening" in process.stderr.readline()
        assert os.getsid(process.pid) == process.pid
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(WAIT_SECONDS) == -signal.SIGKILL == process.poll()


def test_an_interpreter_that_is_to_start_in_another_way_starts() -> None:
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONHASHSEED": "5"}
    with Forked(command("server", "--version"), stdout=subprocess.PIPE, env=environment) as process:
        said, _ = process.communicate(timeout=WAIT_SECONDS)
    assert process._ended is None and process.returncode == 0 and said.strip()
