"""The JSON routes as docs/api.md shows them, within bounds, and pictures of matches."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.waiting import WAIT_SECONDS
from tests.web.site import Site
from tests.web.test_app import over

DOCUMENT = Path(__file__).parents[2] / "docs" / "api.md"
CURL = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]
TIMED_OUT = 28
"""Status of a curl that has listened for as long as it was told to."""


@pytest.mark.slow  # processes are started for it
def test_the_lines_of_the_document_are_answered(site: Site) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    assert len(CURL) > 8
    match = over(site)
    for line in CURL:
        here = line.replace("http://127.0.0.1:8080", site.url).replace("/17", f"/{match}")
        done = subprocess.run(
            [curl, "--fail", *shlex.split(here)[1:]], capture_output=True, timeout=WAIT_SECONDS, check=False
        )
        assert done.returncode == (TIMED_OUT if "--max-time" in line else 0) and done.stdout, (line, done.stderr)
        assert b'"error"' not in done.stdout, line
